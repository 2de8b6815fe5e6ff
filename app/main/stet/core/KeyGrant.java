package stet.core;

import java.time.Instant;

/**
 * The account that a key gives access to.
 *
 * @param keyStart  first characters of the key, to tell keys apart
 * @param expiresAt when a rotated key expires, or null
 */
public record KeyGrant(long keyId, String keyStart, Instant expiresAt, Account account) {
    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    /** Returns the account's quota period at the given time. */
    public Period period(Instant time) {
        return account.period(time);
    }
}
