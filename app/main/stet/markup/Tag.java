package stet.markup;

/**
 * One tag of Mustache or Handlebars in a text.
 *
 * @param kind  what it is for
 * @param text  the whole text, which is not copied
 * @param start where its first brace is, in chars
 * @param end   behind its last brace
 * @param from  where its words begin, behind sign, {@code else}, white space control and blanks
 * @param to    behind its words
 */
public record Tag(Kind kind, String text, int start, int end, int from, int to) {
    private static final String SIGNS = "#^/>&=!*";

    /** What the sign behind the braces says. */
    public enum Kind {
        /** {@code {{name}}}, {@code {{{name}}}}, {@code {{&name}}}. */
        VALUE,
        /** <code>{{#items}}</code>, <code>{{^items}}</code> and <code>{{{{raw}}}}</code>. */
        OPEN,
        /** A section whose first word is no name: <code>{{#&gt; layout}}</code>, <code>{{#*inline "row"}}</code>. */
        WRAP,
        /** <code>{{else}}</code>, <code>{{^}}</code>, <code>{{else if vip}}</code>. */
        ELSE,
        /** <code>{{/items}}</code>. */
        CLOSE,
        /** <code>{{&gt; footer}}</code>: a shared block. */
        BLOCK,
        /** <code>{{=&lt;% %&gt;=}}</code>, with which Mustache takes other braces from there on. */
        BRACES,
        /** <code>\{{</code>: braces that are text. */
        TEXT,
        /** <code>{{! note }}</code>, and signs that ask for no name. */
        OTHER,
        /** Braces that open and are not closed before the next ones, or at all. */
        UNCLOSED
    }

    Tag(Kind kind, String text, int start, int end) {
        this(kind, text, start, end, from(kind, text, start, end));
    }

    private Tag(Kind kind, String text, int start, int end, int from) {
        this(kind, text, start, end, from, to(kind, text, start, end, from));
    }

    /** All tags of a text, in its order, read as one goes on. */
    public static Iterable<Tag> in(String text) {
        return () -> new Tags(text);
    }

    /** What stands between the braces. */
    public String words() {
        return text.substring(from, to);
    }

    /** The same as in the text, or its beginning where it is long. */
    public String quoted() {
        String whole = text.substring(start, Math.min(end, start + 60)).replaceAll("\\s+", " ");
        return '"' + (end - start > 60 ? whole + "…" : whole) + '"';
    }

    /** Whether the value goes into an html as it is, with {@code {{{}}} or {@code {{&}}. */
    boolean isUnescaped() {
        return sign() == '{' || sign() == '&';
    }

    /** Whether Handlebars would take a brace behind it for one of its own: <code>.x{color:{{color}}}</code>. */
    boolean isFollowedByBrace() {
        boolean two = kind != Kind.UNCLOSED && kind != Kind.TEXT && kind != Kind.OTHER && sign() != '{' && !text.startsWith("{{{{", start);
        return two && end < text.length() && text.charAt(end) == '}';
    }

    /** Whether it begins a section for what is not there: <code>{{^items}}</code>. */
    boolean isInverted() {
        return sign() == '^';
    }

    /** Whether a closing tag has the name of this opening one. */
    boolean isClosedBy(Tag closing) {
        int length = closing.to - closing.from;
        return text.startsWith("(", from)
                || text.regionMatches(from, text, closing.from, length) && (from + length == to || isBlank(text.charAt(from + length)));
    }

    private static int from(Kind kind, String text, int start, int end) {
        if (kind == Kind.TEXT || kind == Kind.UNCLOSED) {
            return end;
        }
        int at = afterSign(text, start);
        if (kind == Kind.WRAP) {
            at++;
        } else if (kind == Kind.ELSE && sign(text, start) != '^') {
            at += "else".length();
        }
        return skip(text, at, end);
    }

    private static int to(Kind kind, String text, int start, int end, int from) {
        if (kind == Kind.TEXT || kind == Kind.UNCLOSED) {
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

    private char sign() {
        return sign(text, start);
    }

    /** What tells the tag at a place: one of the signs, a third brace, or 0. */
    static char sign(String text, int start) {
        int at = afterBraces(text, start);
        char sign = at < text.length() ? text.charAt(at) : 0;
        return Character.isLetterOrDigit(sign) ? 0 : SIGNS.indexOf(sign) >= 0 || sign == '{' && !text.startsWith("{{{{", start) && at == braces(text, start) ? sign : 0;
    }

    /** Behind the sign of the tag at a place. */
    static int afterSign(String text, int start) {
        return afterBraces(text, start) + (sign(text, start) == 0 ? 0 : 1);
    }

    private static int afterBraces(String text, int start) {
        return skip(text, braces(text, start), text.length());
    }

    /** Behind the opening braces and white space control: <code>{{~</code>. */
    static int braces(String text, int start) {
        int at = start + (text.startsWith("{{{{", start) ? 4 : 2);
        return at < text.length() && text.charAt(at) == '~' ? at + 1 : at;
    }

    /** The next place that is not blank. */
    static int skip(String text, int from, int to) {
        int at = from;
        while (at < to && isBlank(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /** White space as JavaScript knows it, the no-break space too, which editors of html like to write. */
    static boolean isBlank(char c) {
        return c <= ' ' ? c == ' ' || c >= '\t' && c <= '\r'
                : c == '\u00a0' || c == '\ufeff' || c == '\u2028' || c == '\u2029' || c >= '\u1680' && Character.isSpaceChar(c);
    }
}
