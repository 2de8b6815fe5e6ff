package stet.base;

/** The beginnings of long texts, for messages. They never end within a character of two UTF-16 code units. */
public final class Excerpt {
    private Excerpt() {
    }

    /** The text if it has at most {@code max} UTF-16 code units, otherwise its beginning with an ellipsis. */
    public static String of(String text, int max) {
        return text.length() <= max ? text : start(text, max) + "…";
    }

    /** At most the first {@code max} UTF-16 code units. */
    public static String start(String text, int max) {
        int end = Math.min(max, text.length());
        return text.substring(0, end > 0 && end < text.length() && Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end);
    }
}
