package stet.markup;

/** Characters that nobody sees in a tag: {@code {{name<U+200B>}}} looks like {@code {{name}}} but is another name. */
final class Invisible {
    /** Invisible characters outside the Unicode category "format". */
    private static final String OTHERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u3164\uffa0";

    private Invisible() {
    }

    /** Position of the first invisible character of a tag, outside quoted strings; -1 if there is none. */
    static int find(Tag tag) {
        if (tag.kind() == Tag.TagKind.COMMENT || tag.kind() == Tag.TagKind.ESCAPED || tag.kind() == Tag.TagKind.UNCLOSED || tag.kind() == Tag.TagKind.DELIMITERS) {
            return -1;
        }
        char quote = 0;
        for (int at = tag.start(); at < tag.end(); at++) {
            char c = tag.text().charAt(at);
            if (quote == 0 && c > '~' && is(tag.text(), at)) {
                return at;
            }
            quote = c == quote ? 0 : quote == 0 && (c == '"' || c == '\'') ? c : quote;
        }
        return -1;
    }

    /** Joiners and variation selectors are part of words and emoji, but not beside ASCII characters. */
    private static boolean is(String text, int at) {
        char c = text.charAt(at);
        if (c == '\u200c' || c == '\u200d') {
            return text.charAt(at - 1) <= '~' || text.charAt(at + 1) <= '~';
        }
        return c >= '\ufe00' && c <= '\ufe0f' ? text.charAt(at - 1) <= '~'
                : (Character.getType(c) == Character.FORMAT || OTHERS.indexOf(c) >= 0) && !Tag.isBlank(c);
    }

    static String name(char c) {
        return String.format("U+%04X", (int) c);
    }

    /** A tag with its invisible characters named: {@code {{name<U+200B>}}}. */
    static String shown(String tag) {
        StringBuilder shown = new StringBuilder();
        for (int at = 0; at < tag.length(); at++) {
            char c = tag.charAt(at);
            shown.append(c > '~' && at + 1 < tag.length() && is(tag, at) ? '<' + name(c) + '>' : c);
        }
        return shown.toString();
    }
}
