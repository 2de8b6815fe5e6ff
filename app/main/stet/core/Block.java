package stet.core;

import java.time.Instant;

/**
 * A shared block: html that drafts and other blocks include.
 *
 * @param revision grows with each save and is never reused, so that two editors notice each other
 * @param savedBy  name of the person at that time, or null where nobody was recorded
 */
public record Block(String name, byte[] html, long revision, Instant updatedAt, String savedBy) {
    /** A shared block in a list. @param users number of drafts and blocks that include it directly */
    public record Summary(String name, Instant updatedAt, long bytes, long users) {
    }
}
