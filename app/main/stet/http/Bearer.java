package stet.http;

import java.util.List;

/** The credentials of an {@code Authorization} header: {@code Bearer} and a token (RFC 6750, 2.1; RFC 9110, 11.4). */
public final class Bearer {
    private static final String SCHEME = "bearer ";
    private static final int LONGEST = 255;
    private static final boolean[] TOKEN68 = new boolean[128];

    static {
        for (char c : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/".toCharArray()) {
            TOKEN68[c] = true;
        }
    }

    private Bearer() {
    }

    /** The token, or null when these header lines are anything else than one well-formed bearer. */
    public static String token(List<String> lines) {
        if (lines.size() != 1) {
            return null;
        }
        String line = lines.get(0);
        if (!line.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return null;
        }
        String token = line.substring(SCHEME.length()).strip();
        return !token.isEmpty() && token.length() <= LONGEST && isToken68(token) ? token : null;
    }

    private static boolean isToken68(String token) {
        int end = token.length();
        while (end > 1 && token.charAt(end - 1) == '=') {
            end--;
        }
        for (int i = 0; i < end; i++) {
            char c = token.charAt(i);
            if (c >= TOKEN68.length || !TOKEN68[c]) {
                return false;
            }
        }
        return true;
    }
}
