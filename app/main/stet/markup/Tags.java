package stet.markup;

import java.util.Iterator;
import java.util.NoSuchElementException;
import stet.markup.Tag.Kind;

/**
 * Reads a text tag by tag as the lexer of Handlebars 4.7 does, and also accepts the syntax of Mustache. The time is in
 * proportion to the text, however hostile: a search that failed once is not repeated.
 */
final class Tags implements Iterator<Tag> {
    private final String text;
    private int next;
    /** Whether the next tag is in <code>{{{{raw}}}}</code>, where only its end is a tag. */
    private boolean isRaw;
    /** End of the last tag that turned out not to be closed; quotes up to there are not matched again. */
    private int unclosedTo = -1;
    private boolean hasNoBracket;
    private boolean hasNoRawEnd;

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
        Tag tag = isRaw ? rawEnd(next) : at(next);
        next = text.indexOf(isRaw ? "{{{{/" : "{{", tag.end());
        return tag;
    }

    private Tag at(int start) {
        if (start > 0 && text.charAt(start - 1) == '\\' && (start == 1 || text.charAt(start - 2) != '\\')) {
            return new Tag(Kind.ESCAPED, text, start - 1, start + 2);
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
            case '#' -> text.charAt(from) == '>' || text.charAt(from) == '*' ? Kind.PARTIAL_BLOCK : Kind.OPEN;
            case '^' -> isEmpty(from, close) ? Kind.ELSE : Kind.OPEN;
            case '/' -> Kind.CLOSE;
            case '>' -> Kind.BLOCK;
            case '=' -> Kind.DELIMITERS;
            case '!', '*' -> Kind.COMMENT;
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

    /** A comment; when it is not closed, it is the rest of the text. */
    private Tag comment(int start, int inside) {
        if (!text.startsWith("!--", inside)) {
            int close = text.indexOf("}}", inside);
            return close < 0 ? new Tag(Kind.UNCLOSED, text, start, text.length()) : new Tag(Kind.COMMENT, text, start, close + 2);
        }
        for (int dashes = text.indexOf("--", inside); dashes >= 0; dashes = text.indexOf("--", dashes + 1)) {
            int close = dashes + (text.startsWith("~", dashes + 2) ? 3 : 2);
            if (text.startsWith("}}", close)) {
                return new Tag(Kind.COMMENT, text, start, close + 2);
            }
        }
        return new Tag(Kind.UNCLOSED, text, start, text.length());
    }

    private Tag rawStart(int start) {
        int close = closing(start + 4, false);
        hasNoRawEnd = hasNoRawEnd || text.indexOf("{{{{/", start) < 0;
        if (close < 0 || hasNoRawEnd || !text.startsWith("}}}}", close)) {
            return new Tag(Kind.UNCLOSED, text, start, start + 4);
        }
        isRaw = text.indexOf("{{{{/", close) >= 0;
        return new Tag(isRaw ? Kind.OPEN : Kind.UNCLOSED, text, start, close + 4);
    }

    private Tag rawEnd(int start) {
        isRaw = false;
        int close = text.indexOf("}}}}", start);
        return close < 0 ? new Tag(Kind.UNCLOSED, text, start, start + 4) : new Tag(Kind.CLOSE, text, start, close + 4);
    }

    /** The place of a tag's closing braces outside of its strings and {@code [segments]}; -1 when other braces open before. */
    private int closing(int from, boolean triple) {
        boolean quotes = from > unclosedTo;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '}' && (triple ? text.startsWith("}}}", i) || text.startsWith("}~}}", i) : text.startsWith("}}", i))) {
                return i;
            }
            if (c == '{' && text.startsWith("{{", i)) {
                unclosedTo = Math.max(unclosedTo, i);
                return -1;
            }
            if ((c == '"' || c == '\'' || c == '[') && quotes && canBegin(from, i)) {
                i = quoteEnd(i, c);
            }
        }
        unclosedTo = text.length();
        return -1;
    }

    /** Whether a string or a segment can begin at a place in the words from a place on. */
    private boolean canBegin(int from, int place) {
        return place == from || Tag.isBlank(text.charAt(place - 1)) || "(=./>*".indexOf(text.charAt(place - 1)) >= 0;
    }

    /** The last place of a string or a segment; its first place when it does not end. */
    private int quoteEnd(int start, char c) {
        if (c == '[') {
            int end = hasNoBracket ? -1 : text.indexOf(']', start);
            hasNoBracket = end < 0;
            return Math.max(start, end);
        }
        int end = text.indexOf(c, start + 1);
        while (end >= 0 && text.charAt(end - 1) == '\\') {
            end = text.indexOf(c, end + 1);
        }
        return Math.max(start, end);
    }
}
