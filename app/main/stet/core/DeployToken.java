package stet.core;

import java.time.Instant;

/**
 * A deploy token as the lists show it, without the secret itself.
 *
 * @param start     its first characters
 * @param createdBy name of the person at that time, or null where nobody was recorded
 * @param expiresAt or null for one that lasts
 */
public record DeployToken(long id, String name, Role role, String start, Instant createdAt, String createdBy, Instant expiresAt,
                          Instant lastUsedAt) {
    /** Tokens of an account, at most, those that were rotated and still work among them. */
    public static final int MAX = 20;

    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }
}
