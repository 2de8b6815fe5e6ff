package stet.markup;

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
        return () -> new TagLexer(text);
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
}
