package stet.core;

import java.time.Instant;

/**
 * An API key as the lists show it, without the secret itself.
 *
 * @param expiresAt when a rotated key ends, or null
 */
public record Key(long id, String name, String start, Instant createdAt, Instant expiresAt) {

    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }
}
