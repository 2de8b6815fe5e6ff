package stet.core;

import java.util.SortedMap;
import stet.base.Json;
import stet.base.Utf8;

/**
 * An email in a preview: a copy that no longer depends on any template or shared block.
 *
 * @param html        with its shared blocks expanded
 * @param samples     test data, by the sets' names
 * @param defaultName see {@link Samples}; null without test data
 */
public record PreviewedEmail(String name, String subject, String html, SortedMap<String, String> samples, String defaultName) {
    /** The email as it is stored. */
    public byte[] json() {
        return Json.write(this);
    }

    /** Reads what {@link #json} has written. */
    public static PreviewedEmail of(byte[] json) {
        return Json.record(Json.tree(Utf8.text(json)), PreviewedEmail.class);
    }
}
