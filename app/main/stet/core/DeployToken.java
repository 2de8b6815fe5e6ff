package stet.core;

import java.time.Instant;

/**
 * A deploy token as listed, without the secret.
 *
 * @param start     its first characters
 * @param createdBy name of the person at that time, or null where nobody was recorded
 * @param expiresAt or null for one that lasts
 */
public record DeployToken(long id, String name, Role role, String start, Instant createdAt, String createdBy, Instant expiresAt,
                          Instant lastUsedAt) {
    /** Maximum number of tokens of an account, including rotated ones that still work. */
    public static final int MAX = 20;

    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }
}
