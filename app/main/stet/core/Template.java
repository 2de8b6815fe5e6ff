package stet.core;

import java.time.Instant;

/**
 * A template as its author sees it: the name, which is live, and the draft.
 *
 * @param html      the draft's exact bytes, UTF-8
 * @param samples   test data for the preview
 * @param published the number of the version that is served, or null
 * @param revision  grows with each save of the draft and is never reused, so that two editors notice each other
 */
public record Template(String id, String name, String subject, byte[] html, Samples samples,
                       Instant createdAt, Instant updatedAt, Integer published, long revision) {
    /**
     * A template in the trash.
     *
     * @param published the number of the version that was served, or null
     * @param deletedBy name of the person at that time, or null where nobody was recorded
     * @param keptUntil the time from which on it may be removed
     */
    public record Deleted(String id, String name, Integer published, Instant deletedAt, String deletedBy, Instant keptUntil) {
    }

    /**
     * Somebody's request to publish a draft.
     *
     * @param by         name of the person at that time
     * @param note       may be empty
     * @param savedSince whether the draft was saved after it
     */
    public record PublicationRequest(String by, Instant at, String note, boolean savedSince) {
    }
}
