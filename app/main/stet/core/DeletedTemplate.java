package stet.core;

import java.time.Instant;

/**
 * A template in the trash.
 *
 * @param published the number of the version that was served, or null
 * @param deletedBy name of the person at that time, or null where nobody was recorded
 * @param keptUntil the time from which on it may be removed
 */
public record DeletedTemplate(String id, String name, Integer published, Instant deletedAt, String deletedBy, Instant keptUntil) {
}
