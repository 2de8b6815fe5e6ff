package stet.core;

import java.time.Instant;

/**
 * An API key or deploy token as listed, without the secret itself.
 *
 * @param role       a deploy token's role; null for an API key
 * @param start      first characters of the secret
 * @param createdBy  the author's name at the time, or null if not recorded
 * @param expiresAt  null if the secret does not expire; an API key expires only after its rotation
 * @param lastUsedAt null if never used
 */
public record AccountSecret(long id, String name, Role role, String start, Instant createdAt, String createdBy, Instant expiresAt,
                            Instant lastUsedAt) {
    /** Whether the secret no longer works at a time. */
    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }
}
