package stet.core;

import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

/**
 * One publishing in the history of a template.
 *
 * @param number      counted from 1 in each template
 * @param publishedBy name of the person at that time, or null where nobody was recorded
 * @param bytes       the size of its html
 * @param sha256      of its html
 */
public record Version(int number, Instant publishedAt, String publishedBy, String note, byte[] sha256, long bytes) {
    public String digest() {
        return HexFormat.of().formatHex(sha256);
    }

    /** A version with its text as served, and the html of its draft, where the blocks are not expanded. */
    public record Text(Version version, String subject, byte[] html, List<String> variables, byte[] draftHtml) {
    }
}
