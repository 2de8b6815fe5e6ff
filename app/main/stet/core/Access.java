package stet.core;

import java.time.Instant;

/**
 * What a key opens.
 *
 * @param expiresAt when a rotated key ends, or null
 * @param countedAt when a request of the account was last counted; the account's time never goes back behind it, so
 *                  that a clock set back opens no period a second time
 */
public record Access(long keyId, Instant expiresAt, Account account, Instant countedAt) {

    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    /** {@code now}, or when a request was last counted where that is later. */
    public Instant steady(Instant now) {
        return now.isBefore(countedAt) ? countedAt : now;
    }
}
