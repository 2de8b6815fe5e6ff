package stet.core;

import java.time.Instant;
import java.util.HexFormat;

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
}
