package stet.core;

import java.time.Instant;

/**
 * An API key as listed, without the secret.
 *
 * @param createdBy the author's name at the time, or null if not recorded
 * @param expiresAt when a rotated key expires, or null
 */
public record Key(long id, String name, String start, Instant createdAt, String createdBy, Instant expiresAt) {
    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }
}
