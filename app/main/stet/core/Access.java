package stet.core;

import java.time.Instant;

/** What a key opens. */
public final class Access {
    private final long keyId;
    private final Instant expiresAt;
    private final Account account;
    private final Instant countedAt;
    /** The last one asked for: requests come close to each other. */
    private volatile Period period;

    /**
     * @param expiresAt when a rotated key ends, or null
     * @param countedAt when a request of the account was last counted; the account's time never goes back behind it,
     *                  so that a clock set back opens no period a second time
     */
    public Access(long keyId, Instant expiresAt, Account account, Instant countedAt) {
        this.keyId = keyId;
        this.expiresAt = expiresAt;
        this.account = account;
        this.countedAt = countedAt;
    }

    public long keyId() {
        return keyId;
    }

    public Account account() {
        return account;
    }

    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    /** {@code now}, or when a request was last counted where that is later. */
    public Instant steady(Instant now) {
        return now.isBefore(countedAt) ? countedAt : now;
    }

    /** The account's period that a time lies in. */
    public Period period(Instant time) {
        Period last = period;
        if (last == null || !last.contains(time)) {
            last = account.period(time);
            period = last;
        }
        return last;
    }
}
