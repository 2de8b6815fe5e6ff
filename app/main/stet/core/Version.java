package stet.core;

import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

/**
 * One entry in a template's publication history.
 *
 * @param number version number, starting at 1 for each template
 * @param publishedBy the author's name at the time, or null if not recorded
 * @param bytes       size of the HTML
 * @param sha256      of the HTML
 */
public record Version(int number, Instant publishedAt, String publishedBy, String note, byte[] sha256, long bytes) {
    /** The HTML's SHA-256 in hex. */
    public String digest() {
        return HexFormat.of().formatHex(sha256);
    }

    /** A version with its served text, and the draft's HTML before blocks were expanded. */
    public record VersionText(Version version, String subject, byte[] html, List<String> variables, byte[] draftHtml) {
    }
}
