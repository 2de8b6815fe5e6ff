package stet.http;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The credentials of an {@code Authorization} header: {@code Bearer} and a token (RFC 6750, 2.1; RFC 9110, 11.4). */
public final class Bearer {
    private static final int MAX_CHARACTERS = 255;
    private static final Pattern CREDENTIALS = Pattern.compile("(?i:bearer) \\s*+([A-Za-z0-9._~+/-]++=*+)\\s*+");

    private Bearer() {
    }

    /** The token, or null when these header lines are anything else than one well-formed bearer. */
    public static String token(List<String> lines) {
        Matcher credentials = CREDENTIALS.matcher(lines.size() == 1 ? lines.get(0) : "");
        return credentials.matches() && credentials.group(1).length() <= MAX_CHARACTERS ? credentials.group(1) : null;
    }
}
