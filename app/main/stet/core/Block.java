package stet.core;

import java.time.Instant;

/**
 * A shared block: HTML that drafts and other blocks include.
 *
 * @param revision increases with each save and is never reused, so that concurrent edits are detected
 * @param savedBy  the author's name at the time, or null if not recorded
 */
public record Block(String name, byte[] html, long revision, Instant updatedAt, String savedBy) {
    /** A block as shown in lists. @param users number of drafts and blocks that include the block directly */
    public record Summary(String name, Instant updatedAt, long bytes, long users) {
    }
}
