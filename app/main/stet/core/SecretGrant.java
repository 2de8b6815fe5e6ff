package stet.core;

import java.time.Instant;

/**
 * The account that an API key or deploy token gives access to.
 *
 * @param name      the secret's name
 * @param start     first characters of the secret, to tell secrets apart
 * @param role      a deploy token's role; null for an API key
 * @param expiresAt when the secret expires, or null
 */
public record SecretGrant(long id, String name, String start, Role role, Instant expiresAt, Account account) {
    /** Whether the secret no longer works at a time. */
    public boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }
}
