package stet.core;

import java.nio.charset.StandardCharsets;

/**
 * A template that a search has found.
 *
 * @param line of the html where it was found, from 1; null where name, id, tags and subject were enough
 * @param text some of that line, or null
 */
public record Found(String id, Integer line, String text) {
    /** Bytes of the line that are shown before the place, and after it. */
    private static final int BEFORE_BYTES = 12;
    private static final int AFTER_BYTES = 70;

    /** The line around a place in an html. @param place in bytes */
    public static Found at(String id, byte[] html, int place) {
        int line = 1;
        int begin = 0;
        for (int i = 0; i < place; i++) {
            if (html[i] == '\n') {
                line++;
                begin = i + 1;
            }
        }
        int from = Math.max(begin, place - BEFORE_BYTES);
        while (from > begin && isContinuation(html[from])) {
            from--;
        }
        int to = place;
        while (to < html.length && html[to] != '\n' && html[to] != '\r' && (to < place + AFTER_BYTES || isContinuation(html[to]))) {
            to++;
        }
        return new Found(id, line, new String(html, from, to - from, StandardCharsets.UTF_8).strip());
    }

    /** Whether a byte of UTF-8 goes on with a character. */
    private static boolean isContinuation(byte b) {
        return (b & 0xc0) == 0x80;
    }
}
