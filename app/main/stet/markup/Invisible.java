package stet.markup;

import java.util.Set;

/** Characters that nobody sees in a tag: {@code {{name<U+200B>}}} looks like {@code {{name}}} but is another name. */
final class Invisible {
    /** Invisible characters outside the Unicode category "format". */
    private static final String OTHERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u3164\uffa0";

    private static final Set<Tag.TagKind> NAMELESS = Set.of(Tag.TagKind.COMMENT, Tag.TagKind.ESCAPED, Tag.TagKind.UNCLOSED, Tag.TagKind.DELIMITERS);

    private Invisible() {
    }

    /** Position of the first invisible character of a tag, outside quoted strings; -1 if there is none. */
    static int find(Tag tag) {
        if (NAMELESS.contains(tag.kind())) {
            return -1;
        }
        int quote = 0;
        for (int at = tag.start(), c; at < tag.end(); at += Character.charCount(c)) {
            c = tag.text().codePointAt(at);
            if (quote == 0 && isInvisible(tag.text(), at)) {
                return at;
            }
            boolean isQuote = c == '"' || c == '\'';
            if (c == quote) {
                quote = 0;
            } else if (quote == 0 && isQuote) {
                quote = c;
            }
        }
        return -1;
    }

    /** Joiners, variation selectors and the tags of flags are part of words and emoji, but not beside ASCII characters. */
    private static boolean isInvisible(String text, int at) {
        int c = text.codePointAt(at);
        if (c <= '~') {
            return false;
        }
        boolean isAfterAscii = at == 0 || text.charAt(at - 1) <= '~';
        if (c == '\u200c' || c == '\u200d') {
            return isAfterAscii || at + 1 == text.length() || text.charAt(at + 1) <= '~';
        }
        boolean isSelector = c >= '\ufe00' && c <= '\ufe0f';
        boolean isFlagTag = c >= 0xe0000 && c <= 0xe0fff;
        if (isSelector || isFlagTag) {
            return isAfterAscii;
        }
        boolean isSpace = c <= '\uffff' && Tag.isBlank((char) c);
        return !isSpace && (Character.getType(c) == Character.FORMAT || OTHERS.indexOf(c) >= 0);
    }

    /** Name of the character at a position: {@code U+200B}. */
    static String name(String text, int at) {
        return String.format("U+%04X", text.codePointAt(at));
    }

    /** A tag with its invisible characters named: {@code {{name<U+200B>}}}. */
    static String shown(String tag) {
        StringBuilder shown = new StringBuilder();
        for (int at = 0, c; at < tag.length(); at += Character.charCount(c)) {
            c = tag.codePointAt(at);
            if (isInvisible(tag, at)) {
                shown.append('<').append(name(tag, at)).append('>');
            } else {
                shown.appendCodePoint(c);
            }
        }
        return shown.toString();
    }
}
