package stet.core;

import java.time.Instant;

/**
 * An API key as the lists show it, without the secret itself.
 *
 * @param createdBy name of the person at that time, or null where nobody was recorded
 * @param expiresAt when a rotated key ends, or null
 */
public record Key(long id, String name, String start, Instant createdAt, String createdBy, Instant expiresAt) {
    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }
}
