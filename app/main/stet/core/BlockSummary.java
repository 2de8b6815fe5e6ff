package stet.core;

import java.time.Instant;

/**
 * A shared block as a list shows it.
 *
 * @param users the drafts and blocks that name it themselves
 */
public record BlockSummary(String name, Instant updatedAt, long bytes, long users) {
}
