package stet.base;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The beginnings of long texts, for messages. They never end within a character of two UTF-16 code units. */
public final class Excerpt {
    /** Characters that control a terminal, hide or turn text, or begin a new line. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private Excerpt() {
    }

    /** The text if it has at most {@code max} UTF-16 code units, otherwise its beginning with an ellipsis. */
    public static String of(String text, int max) {
        return text.length() <= max ? text : start(text, max) + "…";
    }

    /** The beginning of a foreign text for one line of output, with characters that may not be printed as {@code \}{@code u001b}. */
    public static String line(String text, int max) {
        return UNPRINTABLE.matcher(of(text, max)).replaceAll(found -> Matcher.quoteReplacement(found.group().chars()
                .mapToObj(unit -> String.format("\\u%04x", unit)).collect(Collectors.joining())));
    }

    /** At most the first {@code max} UTF-16 code units. */
    public static String start(String text, int max) {
        int end = Math.min(max, text.length());
        boolean isInCharacter = end > 0 && end < text.length() && Character.isHighSurrogate(text.charAt(end - 1));
        return text.substring(0, isInCharacter ? end - 1 : end);
    }
}
