package stet.markup;

import java.util.Iterator;
import java.util.NoSuchElementException;
import stet.markup.Tag.Kind;

/**
 * Goes through a text from tag to tag, as the lexer of Handlebars 4.7 does, and forgives what Mustache allows. It takes
 * time in proportion to the text, whatever stands in it: what was looked for once in vain is not looked for again.
 */
final class Tags implements Iterator<Tag> {
    private final String text;
    private int next;
    /** Within <code>{{{{raw}}}}</code> nothing is a tag but its end. */
    private boolean raw;
    /** How far a tag was read that turned out not to be closed; up to there quotes are not looked at again. */
    private int given = -1;
    private boolean noBracket;
    private boolean noRawEnd;

    Tags(String text) {
        this.text = text;
        this.next = text.indexOf("{{");
    }

    @Override
    public boolean hasNext() {
        return next >= 0;
    }

    @Override
    public Tag next() {
        if (next < 0) {
            throw new NoSuchElementException();
        }
        Tag tag = raw ? rawEnd(next) : at(next);
        next = text.indexOf(raw ? "{{{{/" : "{{", tag.end());
        return tag;
    }

    private Tag at(int start) {
        if (start > 0 && text.charAt(start - 1) == '\\' && (start == 1 || text.charAt(start - 2) != '\\')) {
            return new Tag(Kind.TEXT, text, start - 1, start + 2);
        }
        if (text.startsWith("{{{{", start)) {
            return rawStart(start);
        }
        int inside = Tag.braces(text, start);
        if (text.startsWith("!", inside)) {
            return comment(start, inside);
        }
        char sign = Tag.sign(text, start);
        int from = Tag.afterSign(text, start);
        int close = closing(from, sign == '{');
        if (close < 0) {
            return new Tag(Kind.UNCLOSED, text, start, start + (sign == '{' ? 3 : 2));
        }
        int end = close + (sign != '{' ? 2 : text.charAt(close + 1) == '~' ? 4 : 3);
        return new Tag(kind(sign, from, close), text, start, end);
    }

    private Kind kind(char sign, int from, int close) {
        return switch (sign) {
            case '#' -> text.charAt(from) == '>' || text.charAt(from) == '*' ? Kind.WRAP : Kind.OPEN;
            case '^' -> isEmpty(from, close) ? Kind.ELSE : Kind.OPEN;
            case '/' -> Kind.CLOSE;
            case '>' -> Kind.BLOCK;
            case '=' -> Kind.BRACES;
            case '!', '*' -> Kind.OTHER;
            case '{', '&' -> Kind.VALUE;
            default -> isElse(from, close) ? Kind.ELSE : Kind.VALUE;
        };
    }

    private boolean isElse(int from, int close) {
        int end = from + "else".length();
        return text.startsWith("else", from) && (isEmpty(end, close) || Tag.isBlank(text.charAt(end)));
    }

    private boolean isEmpty(int from, int close) {
        int at = Tag.skip(text, from, close);
        return at == close || at == close - 1 && text.charAt(at) == '~';
    }

    /** A comment that is not closed takes the rest of the text with it. */
    private Tag comment(int start, int inside) {
        if (!text.startsWith("!--", inside)) {
            int close = text.indexOf("}}", inside);
            return close < 0 ? new Tag(Kind.UNCLOSED, text, start, text.length()) : new Tag(Kind.OTHER, text, start, close + 2);
        }
        for (int dashes = text.indexOf("--", inside); dashes >= 0; dashes = text.indexOf("--", dashes + 1)) {
            int close = dashes + (text.startsWith("~", dashes + 2) ? 3 : 2);
            if (text.startsWith("}}", close)) {
                return new Tag(Kind.OTHER, text, start, close + 2);
            }
        }
        return new Tag(Kind.UNCLOSED, text, start, text.length());
    }

    private Tag rawStart(int start) {
        int close = closing(start + 4, false);
        noRawEnd = noRawEnd || text.indexOf("{{{{/", start) < 0;
        if (close < 0 || noRawEnd || !text.startsWith("}}}}", close)) {
            return new Tag(Kind.UNCLOSED, text, start, start + 4);
        }
        raw = text.indexOf("{{{{/", close) >= 0;
        return new Tag(raw ? Kind.OPEN : Kind.UNCLOSED, text, start, close + 4);
    }

    private Tag rawEnd(int start) {
        raw = false;
        int close = text.indexOf("}}}}", start);
        return close < 0 ? new Tag(Kind.UNCLOSED, text, start, start + 4) : new Tag(Kind.CLOSE, text, start, close + 4);
    }

    /** Where a tag's closing braces are, its strings and {@code [segments]} passed over; -1 when others open before. */
    private int closing(int from, boolean triple) {
        boolean quotes = from > given;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '}' && (triple ? text.startsWith("}}}", i) || text.startsWith("}~}}", i) : text.startsWith("}}", i))) {
                return i;
            }
            if (c == '{' && text.startsWith("{{", i)) {
                given = Math.max(given, i);
                return -1;
            }
            if ((c == '"' || c == '\'' || c == '[') && quotes && begins(from, i)) {
                i = quoteEnd(i, c);
            }
        }
        given = text.length();
        return -1;
    }

    /** Whether a string or a segment can begin at a place. */
    private boolean begins(int from, int place) {
        return place == from || Tag.isBlank(text.charAt(place - 1)) || "(=./>*".indexOf(text.charAt(place - 1)) >= 0;
    }

    /** The last place of a string or a segment; the first one where it does not end. */
    private int quoteEnd(int start, char c) {
        if (c == '[') {
            int end = noBracket ? -1 : text.indexOf(']', start);
            noBracket = end < 0;
            return Math.max(start, end);
        }
        int end = text.indexOf(c, start + 1);
        while (end >= 0 && text.charAt(end - 1) == '\\') {
            end = text.indexOf(c, end + 1);
        }
        return Math.max(start, end);
    }
}
