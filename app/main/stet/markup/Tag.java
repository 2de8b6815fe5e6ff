package stet.markup;

import java.util.Iterator;
import java.util.NoSuchElementException;
import stet.base.Excerpt;
import stet.core.ImageNames;

/**
 * A Mustache or Handlebars tag.
 *
 * @param text  the text that contains the tag, not a copy
 * @param start index of the tag's first char
 * @param end   index after the tag's last char
 */
public record Tag(TagKind kind, String text, int start, int end) {
    private static final int MAX_QUOTED_CHARS = 60;
    private static final String SIGNS = "#^/>&=!*";

    /** Kinds of tags, distinguished by the sign after the braces. */
    public enum TagKind {
        /** {@code {{name}}}, {@code {{{name}}}}, {@code {{&name}}}. */
        VALUE,
        /** <code>{{#items}}</code>, <code>{{^items}}</code> and <code>{{{{raw}}}}</code>. */
        OPEN,
        /** A section that does not begin with a name: <code>{{#&gt; layout}}</code>, <code>{{#*inline "row"}}</code>. */
        PARTIAL_BLOCK,
        /** <code>{{else}}</code>, <code>{{^}}</code>, <code>{{else if vip}}</code>. */
        ELSE,
        /** <code>{{/items}}</code>. */
        CLOSE,
        /** A shared block: <code>{{&gt; footer}}</code>. */
        BLOCK,
        /** Sets Mustache delimiters: <code>{{=&lt;% %&gt;=}}</code>. */
        DELIMITERS,
        /** Literal braces: <code>\{{</code>. */
        ESCAPED,
        /** A comment, <code>{{! note }}</code>, or a decorator, <code>{{* name}}</code>. */
        COMMENT,
        /** Braces that are not closed before the next braces open, or an unclosed comment. */
        UNCLOSED
    }

    /** Reads the tags lazily, in order. */
    public static Iterable<Tag> in(String text) {
        return () -> new Lexer(text);
    }

    /** The tag's content without the sign, {@code else}, whitespace control and surrounding whitespace. */
    public String words() {
        int from = from();
        return text.substring(from, to(from));
    }

    /**
     * The name of the shared block or inline partial that this tag shows: {@code footer} for {@code {{> footer}}} and
     * {@code {{> "footer"}}}; null for other kinds of tags, for invalid ones, for a name in parentheses and if the tag passes values.
     */
    public String included() {
        if (kind != TagKind.BLOCK) {
            return null;
        }
        int from = from();
        int to = to(from);
        if (Expression.isName(text, from, to) || isId(from, to) || isImage(from, to)) {
            return text.substring(from, to);
        }
        Expression expression = Expression.of(this);
        return expression == null || expression.dynamic != null || expression.isCall ? null : expression.first.shown();
    }

    /** True for the name of a shared block, which may also look like a number. */
    private boolean isId(int from, int to) {
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (!(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_')) {
                return false;
            }
        }
        return from < to && text.charAt(from) != '-';
    }

    /** True for the full name of an image, whose parts may also look like numbers. */
    private boolean isImage(int from, int to) {
        return text.startsWith(ImageNames.FOLDER, from) && to - from <= ImageNames.MAX_CHARACTERS && ImageNames.isImage(text.substring(from, to));
    }

    /** The tag in quotes, shortened if long. */
    public String quoted() {
        return '"' + shortened(text.substring(start, Math.min(end, start + MAX_QUOTED_CHARS + 1))) + '"';
    }

    /** A text in one line, shortened if long. */
    static String shortened(String text) {
        return Excerpt.of(text, MAX_QUOTED_CHARS).replaceAll("\\s+", " ");
    }

    /** True for <code>{{{{raw}}}}</code> and <code>{{{{/raw}}}}</code>. */
    boolean isRaw() {
        return (kind == TagKind.OPEN || kind == TagKind.CLOSE) && text.startsWith("{{{{", start);
    }

    /** True if whitespace precedes the sign: {@code {{ #items}}}, which Mustache accepts. */
    boolean hasSpaceBeforeSign() {
        int braces = braces(text, start);
        return kind != TagKind.ESCAPED && kind != TagKind.UNCLOSED && braces < end && isBlank(text.charAt(braces)) && sign(text, start) != 0;
    }

    /** True if a closing brace follows the tag that Handlebars reads as part of it. After {@code ~}, which takes two braces, it reads text. */
    boolean hasBraceBehind() {
        return text.startsWith("}", end) && text.charAt(end - 3) != '~' && !text.startsWith("{{{{", start);
    }

    /** True for a tag with three braces: {@code {{{name}}}}. */
    boolean isTriple() {
        return sign(text, start) == '{';
    }

    /** True for a decorator, <code>{{* name}}</code>. */
    boolean isDecorator() {
        return kind == TagKind.COMMENT && sign(text, start) == '*';
    }

    /** True if the tag's value is inserted without escaping: {@code {{{}}} or {@code {{&}}. */
    boolean isUnescaped() {
        char sign = sign(text, start);
        return sign == '{' || sign == '&';
    }

    /** True if the tag opens an inverted section: <code>{{^items}}</code>. */
    boolean isInverted() {
        return sign(text, start) == '^';
    }

    /** True if the tag declares a partial: <code>{{#*inline "row"}}</code>. */
    boolean declaresPartial() {
        return kind == TagKind.PARTIAL_BLOCK && text.charAt(afterSign(text, start)) == '*';
    }

    /** True if the tag shows a shared block or an inline partial: {@code {{> footer}}} or <code>{{#&gt; footer}}</code>. */
    boolean isPartial() {
        return kind == TagKind.BLOCK || kind == TagKind.PARTIAL_BLOCK && !declaresPartial();
    }

    private boolean isText() {
        return kind == TagKind.ESCAPED || kind == TagKind.UNCLOSED;
    }

    /** Index where the content begins; see {@link #words}. */
    int from() {
        boolean isElse = kind == TagKind.ELSE && !isInverted();
        int skipped = isElse ? "else".length() : kind == TagKind.PARTIAL_BLOCK ? 1 : 0;
        return isText() ? end : skip(text, afterSign(text, start) + skipped, end);
    }

    /** Index where the content ends. @param from where it begins */
    int to(int from) {
        if (isText()) {
            return end;
        }
        return Math.max(from, skipBack(text, from, closingBraces()));
    }

    /** Index of the closing braces and whitespace control: <code>~}}</code>, or <code>}~}}</code> after three braces. */
    private int closingBraces() {
        if (text.startsWith("{{{{", start)) {
            return end - 4;
        }
        int braces = end - (text.charAt(end - 3) == '~' ? 3 : 2);
        return isTriple() ? braces - 1 : braces;
    }

    /** The sign of the tag at a position: a third brace, another sign, or 0 if there is none. */
    static char sign(String text, int start) {
        return sign(text, start, skip(text, braces(text, start), text.length()));
    }

    private static char sign(String text, int start, int at) {
        char c = at < text.length() ? text.charAt(at) : 0;
        boolean isThirdBrace = c == '{' && at == braces(text, start) && !text.startsWith("{{{{", start);
        return isThirdBrace || SIGNS.indexOf(c) >= 0 ? c : 0;
    }

    /** Index after the tag's sign, such as # or /, or after the braces if there is no sign. */
    static int afterSign(String text, int start) {
        int at = skip(text, braces(text, start), text.length());
        return sign(text, start, at) == 0 ? at : at + 1;
    }

    /** Index after the opening braces and whitespace control: <code>{{~</code>. */
    static int braces(String text, int start) {
        int at = start + (text.startsWith("{{{{", start) ? 4 : 2);
        return at < text.length() && text.charAt(at) == '~' ? at + 1 : at;
    }

    /** Index of the next char that is not whitespace. */
    static int skip(String text, int from, int to) {
        int at = from;
        while (at < to && isBlank(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /** Index after the last char before {@code to} that is not whitespace; {@code from} if there is none. */
    static int skipBack(String text, int from, int to) {
        int at = to;
        while (at > from && isBlank(text.charAt(at - 1))) {
            at--;
        }
        return at;
    }

    /** Whitespace as in JavaScript, including the no-break space that HTML editors often insert. */
    static boolean isBlank(char c) {
        return c <= ' ' ? c == ' ' || c >= '\t' && c <= '\r'
                : c == '\u00a0' || c == '\ufeff' || c == '\u2028' || c == '\u2029' || c >= '\u1680' && Character.isSpaceChar(c);
    }

    /**
     * Finds tags as the Handlebars 4.7 lexer does, but also accepts Mustache syntax. Failed searches are not repeated,
     * because hostile input could otherwise take quadratic time.
     */
    private static final class Lexer implements Iterator<Tag> {
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

        Lexer(String text) {
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

        private Tag rawStart(int start) {
            int close = closing(start + 4, false);
            if (close < 0 || !text.startsWith("}}}}", close) || !hasRawEnd(start)) {
                unclosedTo = Math.max(unclosedTo, close);
                return new Tag(TagKind.UNCLOSED, text, start, start + 4);
            }
            isRaw = hasRawEnd(close);
            return new Tag(isRaw ? TagKind.OPEN : TagKind.UNCLOSED, text, start, close + 4);
        }

        private boolean hasRawEnd(int from) {
            if (nextRawEnd < from) {
                int found = text.indexOf("{{{{/", from);
                nextRawEnd = found < 0 ? text.length() : found;
            }
            return nextRawEnd < text.length();
        }

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
}
