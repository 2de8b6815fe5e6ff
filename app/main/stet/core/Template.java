package stet.core;

import java.time.Instant;

/**
 * A template as authors see it: the draft and the name; a new name takes effect without publishing.
 *
 * @param html      the draft's exact UTF-8 bytes
 * @param samples   test data for the preview
 * @param published number of the served version, or null
 * @param revision  increases with each save of the draft and is never reused, so that concurrent edits are detected
 */
public record Template(String id, String name, String subject, byte[] html, Samples samples,
                       Instant createdAt, Instant updatedAt, Integer published, long revision) {
    /**
     * A template in the trash.
     *
     * @param published number of the version that was served, or null
     * @param deletedBy the author's name at the time, or null if not recorded
     * @param keptUntil when the template may be permanently deleted
     */
    public record Deleted(String id, String name, Integer published, Instant deletedAt, String deletedBy, Instant keptUntil) {
    }

    /**
     * A request to publish a draft.
     *
     * @param by         the user's name at the time
     * @param note       may be empty
     * @param savedSince whether the draft was saved after the request
     */
    public record PublicationRequest(String by, Instant at, String note, boolean savedSince) {
    }
}
