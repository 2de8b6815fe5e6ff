package stet.core;

import java.time.Instant;
import java.util.Map;

/**
 * A template as its author sees it: the name, which is live, and the draft.
 *
 * @param html      the draft's exact bytes, UTF-8
 * @param samples   values for the preview, by variable
 * @param published the number of the version that is served, or null
 * @param revision  grows with each save of the draft and is never reused, so that two editors notice each other
 */
public record Template(String id, String name, String subject, byte[] html, Map<String, String> samples,
                       Instant createdAt, Instant updatedAt, Integer published, long revision) {
}
