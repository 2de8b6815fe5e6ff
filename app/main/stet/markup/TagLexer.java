package stet.markup;

import java.util.Iterator;
import java.util.NoSuchElementException;
import stet.markup.Tag.TagKind;

/**
 * Finds tags as the Handlebars 4.7 lexer does, but also accepts Mustache syntax. Failed searches are not repeated,
 * because hostile input could otherwise take quadratic time.
 */
final class TagLexer implements Iterator<Tag> {
    private final String text;
    private int next;
    /** True inside <code>{{{{raw}}}}</code>, where only the end tag is recognized. */
    private boolean isRaw;
    /** End of the furthest scan of an unclosed tag. Quotes before this position are not matched again. */
    private int unclosedTo = -1;
    /** Position of the next {@code {{{{/}, or the text's length if there is none. Searched again only after it has been passed. */
    private int nextRawEnd = -1;
    /** True after a raw block was found to have no end; raw blocks then end at the next {@code {{{{/}. */
    private boolean hasNoRawEnd;
    /** For each closing quote, the next one without a backslash and the last one, or the text's length. */
    private final int[] nextQuote = {-1, -1, -1};
    private final int[] lastQuote = {-1, -1, -1};

    TagLexer(String text) {
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
        Tag tag = isRaw ? rawEnd(next) : tag(next);
        next = isRaw ? endOfRawBlock(tag.end()) : text.indexOf("{{", tag.end());
        return tag;
    }

    private Tag tag(int start) {
        if (start > 0 && text.charAt(start - 1) == '\\' && (start == 1 || text.charAt(start - 2) != '\\')) {
            return new Tag(TagKind.ESCAPED, text, start - 1, start + 2);
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
            return new Tag(TagKind.UNCLOSED, text, start, start + (sign == '{' ? 3 : 2));
        }
        int end = close + (sign != '{' ? 2 : text.charAt(close + 1) == '~' ? 4 : 3);
        return new Tag(kind(sign, from, close), text, start, end);
    }

    private TagKind kind(char sign, int from, int close) {
        return switch (sign) {
            case '#' -> text.charAt(from) == '>' || text.charAt(from) == '*' ? TagKind.PARTIAL_BLOCK : TagKind.OPEN;
            case '^' -> isEmpty(from, close) ? TagKind.ELSE : TagKind.OPEN;
            case '/' -> TagKind.CLOSE;
            case '>' -> TagKind.BLOCK;
            case '=' -> TagKind.DELIMITERS;
            case '!', '*' -> TagKind.COMMENT;
            case '{', '&' -> TagKind.VALUE;
            default -> isElse(from) ? TagKind.ELSE : TagKind.VALUE;
        };
    }

    private boolean isElse(int from) {
        int end = from + "else".length();
        return text.startsWith("else", from) && !isWordPart(text.charAt(end));
    }

    /** True for a character of a word as in regular expressions: Handlebars reads {@code {{else-x}}} as {@code {{else}}} and -x. */
    private static boolean isWordPart(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
    }

    /** True if a tag has nothing but whitespace and a <code>~</code> between its sign and its closing braces. */
    private boolean isEmpty(int from, int close) {
        int at = Tag.skip(text, from, close);
        return at == close || at == close - 1 && text.charAt(at) == '~';
    }

    /** Reads a comment. An unclosed comment extends to the end of the text. */
    private Tag comment(int start, int inside) {
        if (!text.startsWith("!--", inside)) {
            int close = text.indexOf("}}", inside);
            return close < 0 ? new Tag(TagKind.UNCLOSED, text, start, text.length())
                    : new Tag(TagKind.COMMENT, text, start, close + 2);
        }
        for (int dashes = text.indexOf("--", inside); dashes >= 0; dashes = text.indexOf("--", dashes + 1)) {
            int close = dashes + (text.startsWith("~", dashes + 2) ? 3 : 2);
            if (text.startsWith("}}", close)) {
                return new Tag(TagKind.COMMENT, text, start, close + 2);
            }
        }
        return new Tag(TagKind.UNCLOSED, text, start, text.length());
    }

    /** Reads <code>{{{{raw}}}}</code>; the braces are text if no raw block ends after them. */
    private Tag rawStart(int start) {
        int close = closing(start + 4, false);
        if (close < 0 || !text.startsWith("}}}}", close) || !hasRawEnd(start)) {
            unclosedTo = Math.max(unclosedTo, close);
            return new Tag(TagKind.UNCLOSED, text, start, start + 4);
        }
        isRaw = hasRawEnd(close);
        return new Tag(isRaw ? TagKind.OPEN : TagKind.UNCLOSED, text, start, close + 4);
    }

    /** True if <code>{{{{/</code> follows. */
    private boolean hasRawEnd(int from) {
        if (nextRawEnd < from) {
            int found = text.indexOf("{{{{/", from);
            nextRawEnd = found < 0 ? text.length() : found;
        }
        return nextRawEnd < text.length();
    }

    /** Reads the end of a raw block, to which {@link #endOfRawBlock} has led. */
    private Tag rawEnd(int start) {
        isRaw = false;
        int end = hasNoRawEnd ? -1 : afterRawEnd(start);
        return end < 0 ? new Tag(TagKind.UNCLOSED, text, start, start + 4) : new Tag(TagKind.CLOSE, text, start, end);
    }

    /** Finds the end of a raw block, which may contain raw blocks; if it has none, the next <code>{{{{/</code>. */
    private int endOfRawBlock(int from) {
        int depth = 1;
        int at = hasNoRawEnd ? -1 : text.indexOf("{{{{", from);
        while (at >= 0) {
            int end = afterRawEnd(at);
            if (end > 0 && depth == 1) {
                return at;
            }
            if (end > 0) {
                depth--;
                at = text.indexOf("{{{{", end);
            } else if (!text.startsWith("/", at + 4)) {
                depth++;
                at = text.indexOf("{{{{", at + 4);
            } else {
                at = text.indexOf("{{{{", at + 1);
            }
        }
        hasNoRawEnd = true;
        return text.indexOf("{{{{/", from);
    }

    /** Index after <code>{{{{/name}}}}</code>; -1 if there is no such tag at this position. */
    private int afterRawEnd(int start) {
        int at = start + 5;
        if (!text.startsWith("{{{{/", start)) {
            return -1;
        }
        while (at < text.length() && Tokens.isInId(text.charAt(at))) {
            at++;
        }
        return at > start + 5 && text.startsWith("}}}}", at) ? at + 4 : -1;
    }

    /** Index of the closing braces outside strings and {@code [segments]}; -1 if other braces open first. */
    private int closing(int from, boolean isTriple) {
        boolean mayHaveQuotes = from > unclosedTo;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '}' && isClosing(i, isTriple)) {
                return i;
            }
            if (c == '{' && text.startsWith("{{", i)) {
                unclosedTo = Math.max(unclosedTo, i);
                return -1;
            }
            boolean isQuote = c == '"' || c == '\'' || c == '[';
            if (isQuote && mayHaveQuotes && canBegin(from, i)) {
                i = quoteEnd(i, c);
            }
        }
        unclosedTo = text.length();
        return -1;
    }

    private boolean isClosing(int place, boolean isTriple) {
        return isTriple ? text.startsWith("}}}", place) || text.startsWith("}~}}", place) : text.startsWith("}}", place);
    }

    /** True if a string or segment can begin at the given position. @param from start of the tag's content */
    private boolean canBegin(int from, int place) {
        return place == from || Tag.isBlank(text.charAt(place - 1)) || "(=./>*)\"']|@".indexOf(text.charAt(place - 1)) >= 0
                || place == from + "else".length() && text.startsWith("else", from);
    }

    /**
     * Index of the closing quote or bracket: the first without a backslash, otherwise the last; {@code start} if there is none.
     */
    private int quoteEnd(int start, char c) {
        char closing = c == '[' ? ']' : c;
        int kind = "\"']".indexOf(closing);
        if (nextQuote[kind] <= start) {
            int end = text.indexOf(closing, start + 1);
            while (end >= 0 && text.charAt(end - 1) == '\\') {
                end = text.indexOf(closing, end + 1);
            }
            nextQuote[kind] = end < 0 ? text.length() : end;
        }
        if (nextQuote[kind] < text.length()) {
            return nextQuote[kind];
        }
        if (lastQuote[kind] < 0) {
            lastQuote[kind] = Math.max(0, text.lastIndexOf(closing));
        }
        return Math.max(start, lastQuote[kind]);
    }
}
