package stet.http;

import java.util.HexFormat;
import java.util.List;

/** Strong entity tags: the SHA-256 of a body (RFC 9110, 8.8.3 and 13.1.2). */
public final class EntityTag {
    private EntityTag() {
    }

    /** The tag of a body with this SHA-256, in its quotes. */
    public static String of(byte[] sha256) {
        return '"' + HexFormat.of().formatHex(sha256) + '"';
    }

    /** Whether {@code If-None-Match} names this tag, weakly or not, or any. */
    static boolean matches(List<String> ifNoneMatch, String tag) {
        for (String line : ifNoneMatch) {
            for (String candidate : line.split(",")) {
                String bare = candidate.strip();
                if (bare.equals("*") || bare.equals(tag) || bare.startsWith("W/") && bare.substring(2).equals(tag)) {
                    return true;
                }
            }
        }
        return false;
    }
}
