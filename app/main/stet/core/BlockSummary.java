package stet.core;

import java.time.Instant;

/**
 * A shared block in a list.
 *
 * @param users number of drafts and blocks that include it directly
 */
public record BlockSummary(String name, Instant updatedAt, long bytes, long users) {
}
