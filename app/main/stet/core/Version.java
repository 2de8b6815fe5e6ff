package stet.core;

import java.time.Instant;
import java.util.HexFormat;

/**
 * One publishing in the history of a template.
 *
 * @param number counted from 1 in each template
 * @param bytes  the size of its html
 * @param sha256 of its html
 */
public record Version(int number, Instant publishedAt, String note, byte[] sha256, long bytes) {
    public String digest() {
        return HexFormat.of().formatHex(sha256);
    }
}
