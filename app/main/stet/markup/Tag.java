package stet.markup;

/**
 * One tag of Mustache or Handlebars in a text.
 *
 * @param text  the whole text, which is not copied
 * @param start place of its first brace, in chars
 * @param end   behind its last brace
 */
public record Tag(Kind kind, String text, int start, int end) {
    private static final int MAX_QUOTED_CHARS = 60;
    private static final String SIGNS = "#^/>&=!*";

    /** Kinds of tags, told by the sign behind the braces. */
    public enum Kind {
        /** {@code {{name}}}, {@code {{{name}}}}, {@code {{&name}}}. */
        VALUE,
        /** <code>{{#items}}</code>, <code>{{^items}}</code> and <code>{{{{raw}}}}</code>. */
        OPEN,
        /** A section whose first word is not a name: <code>{{#&gt; layout}}</code>, <code>{{#*inline "row"}}</code>. */
        PARTIAL_BLOCK,
        /** <code>{{else}}</code>, <code>{{^}}</code>, <code>{{else if vip}}</code>. */
        ELSE,
        /** <code>{{/items}}</code>. */
        CLOSE,
        /** A shared block: <code>{{&gt; footer}}</code>. */
        BLOCK,
        /** New delimiters for Mustache: <code>{{=&lt;% %&gt;=}}</code>. */
        DELIMITERS,
        /** Braces that are text: <code>\{{</code>. */
        ESCAPED,
        /** A comment, <code>{{! note }}</code>, or a decorator, <code>{{* name}}</code>. */
        COMMENT,
        /** Braces that are not closed, or not before the next ones open. */
        UNCLOSED
    }

    /** All tags of a text in their order, read one by one. */
    public static Iterable<Tag> in(String text) {
        return () -> new Tags(text);
    }

    /** The text between the braces, without the sign, {@code else}, white space control and blanks. */
    public String words() {
        int from = from();
        return text.substring(from, to(from));
    }

    /** The tag in quotes, cut where it is long. */
    public String quoted() {
        String whole = text.substring(start, Math.min(end, start + MAX_QUOTED_CHARS)).replaceAll("\\s+", " ");
        return '"' + whole + (end - start > MAX_QUOTED_CHARS ? "…\"" : "\"");
    }

    /** Whether the value goes into an html as it is: with {@code {{{}}} or {@code {{&}}. */
    boolean isUnescaped() {
        char sign = sign(text, start);
        return sign == '{' || sign == '&';
    }

    /** Whether Handlebars would take the brace behind it for one of its own: <code>.x{color:{{color}}}</code>. */
    boolean isFollowedByBrace() {
        return end < text.length() && text.charAt(end) == '}' && !isText() && kind != Kind.COMMENT
                && sign(text, start) != '{' && !text.startsWith("{{{{", start);
    }

    /** Whether it begins an inverted section: <code>{{^items}}</code>. */
    boolean isInverted() {
        return sign(text, start) == '^';
    }

    /** Whether it declares a partial: <code>{{#*inline "row"}}</code>. */
    boolean declaresPartial() {
        return kind == Kind.PARTIAL_BLOCK && text.charAt(afterSign(text, start)) == '*';
    }

    /** Whether a closing tag has the name of this opening one. */
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

    /** The sign of the tag at a place: a third brace, another sign, or 0. */
    static char sign(String text, int start) {
        return sign(text, start, skip(text, braces(text, start), text.length()));
    }

    private static char sign(String text, int start, int at) {
        char c = at < text.length() ? text.charAt(at) : 0;
        boolean isThirdBrace = c == '{' && at == braces(text, start) && !text.startsWith("{{{{", start);
        return isThirdBrace || SIGNS.indexOf(c) >= 0 ? c : 0;
    }

    /** Behind the sign of the tag at a place. */
    static int afterSign(String text, int start) {
        int at = skip(text, braces(text, start), text.length());
        return sign(text, start, at) == 0 ? at : at + 1;
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

    /** White space as JavaScript knows it, with the no-break space, which HTML editors often write. */
    static boolean isBlank(char c) {
        return c <= ' ' ? c == ' ' || c >= '\t' && c <= '\r'
                : c == '\u00a0' || c == '\ufeff' || c == '\u2028' || c == '\u2029' || c >= '\u1680' && Character.isSpaceChar(c);
    }
}
