package stet.core;

import java.time.Instant;

/** The account that a key gives access to. */
public final class KeyGrant {
    private final long keyId;
    private final String keyStart;
    private final Instant expiresAt;
    private final Account account;
    /** The last period asked for: most requests fall into it. */
    private volatile Period period;

    /**
     * @param keyStart  first characters of the key, which tell it from others
     * @param expiresAt when a rotated key ends, or null
     */
    public KeyGrant(long keyId, String keyStart, Instant expiresAt, Account account) {
        this.keyId = keyId;
        this.keyStart = keyStart;
        this.expiresAt = expiresAt;
        this.account = account;
    }

    public long keyId() {
        return keyId;
    }

    public String keyStart() {
        return keyStart;
    }

    public Account account() {
        return account;
    }

    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
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
