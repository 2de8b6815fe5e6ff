package stet.core;

import java.time.Instant;
import java.util.Map;

/**
 * A template as its author sees it: a live name, and a draft.
 *
 * @param html      the draft's exact bytes, UTF-8
 * @param samples   what the preview fills in, by variable
 * @param published the number of the version that is served, or null
 * @param revision  grows with the saves of the draft and is never had again, so that two editors notice each other
 */
public record Template(String id, String name, String subject, byte[] html, Map<String, String> samples,
                       Instant createdAt, Instant updatedAt, Integer published, long revision) {
}
