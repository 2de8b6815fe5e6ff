package stet.core;

import java.time.Instant;

/**
 * An API key as it is listed: all of it but the key.
 *
 * @param expiresAt when a rotated key ends, or null
 */
public record Key(long id, String name, String start, Instant createdAt, Instant expiresAt) {

    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }
}
