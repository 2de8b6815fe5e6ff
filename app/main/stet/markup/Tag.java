package stet.markup;

import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * A Mustache or Handlebars tag.
 *
 * @param text  the text that contains the tag, not a copy
 * @param start index of the tag's first char
 * @param end   index after the tag's last char
 */
public record Tag(Kind kind, String text, int start, int end) {
    private static final int MAX_QUOTED_CHARS = 60;
    private static final String SIGNS = "#^/>&=!*";

    /** Kinds of tags, distinguished by the sign after the braces. */
    public enum Kind {
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

    /** The tag in quotes, shortened if long. */
    public String quoted() {
        String whole = text.substring(start, Math.min(end, start + MAX_QUOTED_CHARS)).replaceAll("\\s+", " ");
        return '"' + whole + (end - start > MAX_QUOTED_CHARS ? "…\"" : "\"");
    }

    /** True if the tag's value is inserted without escaping: {@code {{{}}} or {@code {{&}}. */
    boolean isUnescaped() {
        char sign = sign(text, start);
        return sign == '{' || sign == '&';
    }

    /** True if the tag is followed by a closing brace that Handlebars would read as part of the tag: <code>.x{color:{{color}}}</code>. */
    boolean isFollowedByBrace() {
        return end < text.length() && text.charAt(end) == '}' && !isText() && kind != Kind.COMMENT
                && sign(text, start) != '{' && !text.startsWith("{{{{", start);
    }

    /** True if the tag opens an inverted section: <code>{{^items}}</code>. */
    boolean isInverted() {
        return sign(text, start) == '^';
    }

    /** True if the tag declares a partial: <code>{{#*inline "row"}}</code>. */
    boolean declaresPartial() {
        return kind == Kind.PARTIAL_BLOCK && text.charAt(afterSign(text, start)) == '*';
    }

    /** True if the closing tag matches this opening tag. */
    boolean isClosedBy(Tag closing) {
        String name = closing.words();
        String opening = words();
        return opening.startsWith("(") || opening.startsWith(name)
                && (opening.length() == name.length() || isBlank(opening.charAt(name.length())));
    }

    private boolean isText() {
        return kind == Kind.ESCAPED || kind == Kind.UNCLOSED;
    }

    private int from() {
        boolean isElse = kind == Kind.ELSE && !isInverted();
        int skipped = isElse ? "else".length() : kind == Kind.PARTIAL_BLOCK ? 1 : 0;
        return isText() ? end : skip(text, afterSign(text, start) + skipped, end);
    }

    private int to(int from) {
        if (isText()) {
            return end;
        }
        int to = end - (text.startsWith("{{{{", start) ? 4 : sign(text, start) != '{' ? 2 : text.charAt(end - 3) == '~' ? 4 : 3);
        if (to > from && text.charAt(to - 1) == '~') {
            to--;
        }
        while (to > from && isBlank(text.charAt(to - 1))) {
            to--;
        }
        return Math.max(from, to);
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
        private boolean hasNoBracket;
        /** Position of the next {@code {{{{/}, or the text's length if there is none. Searched again only after it has been passed. */
        private int nextRawEnd = -1;

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

        /** Reads a comment. An unclosed comment extends to the end of the text. */
        private Tag comment(int start, int inside) {
            if (!text.startsWith("!--", inside)) {
                int close = text.indexOf("}}", inside);
                return close < 0 ? new Tag(Kind.UNCLOSED, text, start, text.length())
                        : new Tag(Kind.COMMENT, text, start, close + 2);
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
            if (close < 0 || !text.startsWith("}}}}", close) || !hasRawEnd(start)) {
                unclosedTo = Math.max(unclosedTo, close);
                return new Tag(Kind.UNCLOSED, text, start, start + 4);
            }
            isRaw = hasRawEnd(close);
            return new Tag(isRaw ? Kind.OPEN : Kind.UNCLOSED, text, start, close + 4);
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
            int close = text.indexOf("}}}}", start);
            return close < 0 ? new Tag(Kind.UNCLOSED, text, start, start + 4) : new Tag(Kind.CLOSE, text, start, close + 4);
        }

        /** Index of the closing braces outside strings and {@code [segments]}; -1 if other braces open first. */
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

        /** True if a string or segment can begin at the given position. @param from start of the tag's content */
        private boolean canBegin(int from, int place) {
            return place == from || Tag.isBlank(text.charAt(place - 1)) || "(=./>*".indexOf(text.charAt(place - 1)) >= 0;
        }

        /** Index of the closing quote or bracket; {@code start} if there is none. */
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
}
