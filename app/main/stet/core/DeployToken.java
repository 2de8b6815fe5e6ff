package stet.core;

import java.time.Instant;

/**
 * A deploy token as listed, without the secret.
 *
 * @param start     first characters of the token
 * @param createdBy the author's name at the time, or null if not recorded
 * @param expiresAt null if the token does not expire
 */
public record DeployToken(long id, String name, Role role, String start, Instant createdAt, String createdBy, Instant expiresAt,
                          Instant lastUsedAt) {
    /** Maximum number of tokens per account, including rotated tokens that still work. */
    public static final int MAX = 20;

    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }
}
