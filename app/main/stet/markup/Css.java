package stet.markup;

import java.util.Locale;
import stet.markup.ClientSupport.FeatureKind;

/**
 * Finds the features that CSS uses. Parsing is as lenient as in browsers (CSS Syntax 3) and allows Handlebars tags. Even hostile
 * input takes linear time: {@link #structure} finds the end of an item, and a second pass reads its values or selectors.
 *
 * <pre>
 * @media (hover) { a:hover > p { color: {{color}}; width: calc(1em + 2px) } }
 * at  media        selectors, pseudo  property   property function unit unit
 * </pre>
 */
final class Css {
    /** Maximum nesting depth; deeper blocks are treated like the block at this depth. */
    private static final int MAX_DEPTH = 64;
    /** Longest value reported as a whole; those in the table are shorter. */
    private static final int MAX_VALUE = 40;
    /** Longest name of an entity. */
    private static final int MAX_ENTITY = 7;
    private static final byte RULES = 0;
    private static final byte DECLARATIONS = 1;
    private static final byte KEYFRAMES = 2;
    /** Stands for a tag that ends a declaration without a semicolon: {@code {{#if a}}display:flex{{/if}}color:red}. */
    private static final char TAG = 1;

    private final String text;
    private final long maxSteps;
    private final Listener listener;
    /** Contents of each open block, outermost first. */
    private final byte[] blocks = new byte[MAX_DEPTH];
    private int depth;
    private int at;
    private int end;
    private boolean isAttribute;
    /** True after a search for the end of a tag has failed, so that it is not repeated. */
    private boolean isTagless;
    /** Position of the last item's first colon that can end a property name; -1 if there is none. */
    private int colon;
    private long steps;

    interface Listener {
        /** @param name in lower case, except for {@link FeatureKind#URL} */
        void found(FeatureKind kind, String name, int place);
    }

    /** @param maxSteps number of chars, across all ranges, after which reading stops */
    Css(String text, long maxSteps, Listener listener) {
        this.text = text;
        this.maxSteps = maxSteps;
        this.listener = listener;
    }

    /** Approximate number of chars read so far, including repeated reads. */
    long steps() {
        return steps;
    }

    /** Reads a range of the text. @param isAttribute true for a style attribute, which contains declarations, possibly with HTML entities */
    void read(int from, int to, boolean isAttribute) {
        at = from;
        end = to;
        this.isAttribute = isAttribute;
        isTagless = false;
        depth = 0;
        blocks[0] = isAttribute ? DECLARATIONS : RULES;
        while (at < end && steps < maxSteps) {
            char c = text.charAt(at);
            if (c == '@' && !isAttribute) {
                atRule();
            } else if (c <= ' ' || c == ';' || c == '}' || startsWith("<!--") || startsWith("-->")) {
                depth -= c == '}' && depth > 0 ? 1 : 0;
                at += c == '<' ? 4 : c == '-' ? 3 : 1;
                steps++;
            } else {
                item();
            }
        }
    }

    /** Reads an at-rule up to its block or semicolon. */
    private void atRule() {
        int start = at++;
        String name = name();
        listener.found(FeatureKind.AT, name, start);
        int prelude = at;
        char stop = structure(start);
        if (name.equals("media")) {
            mediaFeatures(start, prelude, at);
        }
        if (stop == '{') {
            boolean isGroup = switch (name) {
                case "media", "supports", "layer", "container", "document", "-moz-document", "scope", "starting-style" -> true;
                default -> false;
            };
            open(isGroup ? block() : name.endsWith("keyframes") ? KEYFRAMES : DECLARATIONS);
        }
    }

    /** Reports the features in a media query, such as {@code hover} in {@code (hover)}. @param place of the at-rule */
    private void mediaFeatures(int place, int from, int to) {
        at = from;
        while (at < to) {
            int start = at;
            if (text.charAt(at++) == '(') {
                skipSpace(to);
                listener.found(FeatureKind.MEDIA, name(), place);
            }
            steps += at - start;
        }
    }

    /** Contents of the innermost open block. */
    private byte block() {
        return blocks[Math.min(depth, MAX_DEPTH - 1)];
    }

    private void open(byte kind) {
        depth++;
        if (depth < MAX_DEPTH) {
            blocks[depth] = kind;
        }
    }

    /** Reads a rule up to its block, or a declaration. */
    private void item() {
        int start = at;
        if (step() == 0) {
            comment(start);
            return; // only a comment, tag or string before the item was skipped
        }
        at = start;
        char stop = structure(start);
        int stopped = stop == 0 || stop == TAG ? at : at - 1;
        if (stop == '{') {
            if (block() != KEYFRAMES) {
                selectors(start, stopped, block() == DECLARATIONS);
            }
            at = stopped + 1;
            open(DECLARATIONS);
        } else {
            if (colon > 0 && block() != RULES) {
                declaration(start, stopped);
            }
            at = stopped + (stop == ';' ? 1 : 0);
        }
    }

    /**
     * Moves past the semicolon, brace or tag that ends an item, ignoring any in parentheses, and finds the item's {@link #colon}.
     *
     * @param item where the item begins; a colon there ends no property name
     * @return the semicolon or brace, {@link #TAG}, or 0 at the end of the range
     */
    private char structure(int item) {
        colon = -1;
        int parentheses = 0;
        while (at < end && steps < maxSteps) {
            int place = at;
            char c = step();
            if (c == 0) {
                comment(place);
                if (colon > 0 && parentheses == 0 && block() == DECLARATIONS && startsAt("{{", place) && isDeclaration()) {
                    return TAG;
                }
            } else if (c == '(') {
                parentheses++;
            } else if (c == ')' && parentheses > 0) {
                parentheses--;
            } else if (parentheses == 0) {
                if (c == ';' || !isAttribute && (c == '{' || c == '}')) {
                    return c;
                }
                if (c == ':' && colon < 0 && place > item) {
                    colon = place;
                }
            }
        }
        return 0;
    }

    /** True if a property name and a colon follow, so that the tag before them ends a declaration without a semicolon. */
    private boolean isDeclaration() {
        int start = at;
        skipSpace(end);
        int name = at;
        skipName();
        boolean isNamed = at > name;
        skipSpace(end);
        boolean hasColon = startsAt(":", at) && !startsAt("::", at);
        steps += at - start;
        at = start;
        return isNamed && hasColon;
    }

    /** Moves past a char, string, comment, tag, entity or escape. @return the char, or 0 if it was not a single char */
    private char step() {
        int start = at;
        char c = text.charAt(at++);
        boolean isWhole = true;
        if (c == '/' && startsAt("*", at)) {
            at = behind("*/", at + 1);
        } else if (c == '{' && startsAt("{", at) && !isTagless) {
            skipTag(start);
        } else if (c == '"' || c == '\'') {
            while (at < end && text.charAt(at) != c && text.charAt(at) != '\n') {
                at += text.charAt(at) == '\\' ? 2 : 1;
            }
            at++;
        } else if (c == '\\') {
            at++;
        } else if (c == '&' && isAttribute) {
            skipEntity();
        } else {
            isWhole = false;
        }
        at = Math.min(at, end);
        steps += at - start;
        return isWhole ? 0 : c;
    }

    /** Moves past the tag at a position; past two of its braces if no tag is closed from here on. */
    private void skipTag(int start) {
        at = behind("}}", start + 2);
        isTagless = !text.startsWith("}}", at - 2);
        if (isTagless) {
            at = start + 2;
        } else if (startsAt("}", at) && text.charAt(start + 2) == '{') {
            at++;
        }
    }

    /** Moves past the rest of an entity, after its ampersand. */
    private void skipEntity() {
        at += startsAt("#", at) ? 1 : 0;
        int longest = Math.min(end, at + MAX_ENTITY);
        while (at < longest && Character.isLetterOrDigit(text.charAt(at))) {
            at++;
        }
        at += startsAt(";", at) ? 1 : 0;
    }

    /** Reports what was skipped at a position if it is a comment. */
    private void comment(int place) {
        if (startsAt("/*", place)) {
            listener.found(FeatureKind.OTHER, "css-comment", place);
        }
    }

    /** Reports a declaration, whose colon is at {@link #colon}. */
    private void declaration(int start, int stop) {
        String name = lower(start, colon).strip();
        listener.found(FeatureKind.PROPERTY, name, start);
        if (name.startsWith("--")) {
            listener.found(FeatureKind.OTHER, "custom-property", start);
        }
        int outer = end;
        end = stop;
        wholeValues(name, start);
        at = colon + 1;
        while (at < end && steps < maxSteps) {
            value(start);
        }
        end = outer;
    }

    /** Reports a declaration's value without {@code !important}. Tags separate values: {@code {{#if a}}flex{{else}}grid{{/if}}} are two. */
    private void wholeValues(String property, int place) {
        int from = colon + 1;
        while (from < end) {
            int to = find("{{", from);
            String value = to - from < MAX_VALUE ? lower(from, to) : "";
            int important = value.indexOf('!');
            String written = (important < 0 ? value : value.substring(0, important)).strip();
            if (!written.isEmpty()) {
                listener.found(FeatureKind.VALUE, property + ':' + written, place);
            }
            from = behind("}}", to);
        }
    }

    /** Reads a part of a declaration's value. @param place of the declaration */
    private void value(int place) {
        int start = at;
        char c = text.charAt(at);
        boolean isNegative = c == '-' && at + 1 < end && (isDigit(text.charAt(at + 1)) || text.charAt(at + 1) == '.');
        if (isDigit(c) || isNegative) {
            number(place);
        } else if (isName(c)) {
            word(place);
        } else if (c == '!' || c == '#') {
            at++;
            skipSpace(end);
            listener.found(FeatureKind.WORD, c + name(), place);
        } else {
            step();
            return;
        }
        steps += at - start;
    }

    /** Reads a number, and reports its unit, which may be empty. */
    private void number(int place) {
        at++;
        while (at < end && (isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
            at++;
        }
        boolean isPercentage = startsAt("%", at);
        at += isPercentage ? 1 : 0;
        listener.found(FeatureKind.UNIT, isPercentage ? "%" : name(), place);
    }

    /** Reads a word, the name of a function, or a whole {@code url(...)}. */
    private void word(int place) {
        String name = name();
        if (!startsAt("(", at)) {
            listener.found(FeatureKind.WORD, name, place);
        } else if (name.equals("url")) {
            int close = behind(")", at);
            listener.found(FeatureKind.URL, text.substring(at + 1, Math.max(at + 1, close - 1)), place);
            at = close;
        } else {
            listener.found(FeatureKind.FUNCTION, name, place);
        }
    }

    /** Reports the selectors of a rule. */
    private void selectors(int start, int stop, boolean isNested) {
        if (isNested) {
            listener.found(FeatureKind.OTHER, "nesting", start);
        }
        int outer = end;
        end = stop;
        at = start;
        boolean isFirst = true; // at the start and after , > + ~, where spaces are no combinator
        int classes = 0;
        while (at < end && steps < maxSteps) {
            int before = at;
            skipSpace(end);
            boolean isSpaced = at > before;
            steps += at - before;
            if (at == end) {
                break;
            }
            char c = text.charAt(at);
            boolean isSign = ",>+~".indexOf(c) >= 0;
            if (isSign || isSpaced && !isFirst) {
                listener.found(FeatureKind.SELECTOR, combinator(c), start);
                classes = 0;
            }
            if (isSign) {
                at++;
                steps++;
            } else {
                classes += c == '.' ? 1 : 0;
                simple(c, start, classes);
            }
            isFirst = isSign;
        }
        end = outer;
    }

    /** The combinator that a char stands for; {@code descendant} if it begins the next simple selector. */
    private static String combinator(char c) {
        return switch (c) {
            case ',' -> "group";
            case '>' -> "child";
            case '+' -> "adjacent";
            case '~' -> "sibling";
            default -> "descendant";
        };
    }

    /** Reads a simple selector. @param classes number of classes in the compound selector so far */
    private void simple(char c, int place, int classes) {
        int start = at;
        if (c == ':') {
            at += startsAt("::", at) ? 2 : 1;
            listener.found(FeatureKind.PSEUDO, name(), place);
            at = startsAt("(", at) ? behind(")", at) : at;
        } else if (c == '[') {
            listener.found(FeatureKind.SELECTOR, "attribute", place);
            at = behind("]", at);
        } else if (c == '.' || c == '#') {
            listener.found(FeatureKind.SELECTOR, c == '#' ? "id" : classes == 2 ? "chained" : "class", place);
            at++;
            skipName();
        } else if (isName(c)) {
            listener.found(FeatureKind.SELECTOR, "type", place);
            skipName();
        } else {
            if (c == '*') {
                listener.found(FeatureKind.SELECTOR, "universal", place);
            } else if (c == '&') {
                listener.found(FeatureKind.OTHER, "nesting", place);
            }
            step();
            return;
        }
        steps += at - start;
    }

    private boolean startsAt(String start, int place) {
        return place + start.length() <= end && text.startsWith(start, place);
    }

    private boolean startsWith(String start) {
        return startsAt(start, at);
    }

    /** Position of the next {@code sign}, or the end of the range if there is none. */
    private int find(String sign, int from) {
        int place = from;
        while (place < end && !startsAt(sign, place)) {
            place++;
        }
        return place;
    }

    /** Position after the next {@code sign}, or the end of the range if there is none. */
    private int behind(String sign, int from) {
        return Math.min(end, find(sign, from) + sign.length());
    }

    /** Moves past a name. @return the name in lower case, which may be empty */
    private String name() {
        int start = at;
        skipName();
        return lower(start, at);
    }

    private void skipName() {
        while (at < end && isName(text.charAt(at))) {
            at++;
        }
    }

    private void skipSpace(int to) {
        while (at < to && text.charAt(at) <= ' ') {
            at++;
        }
    }

    private static boolean isName(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '-' || c == '_' || c > 127;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private String lower(int from, int to) {
        return text.substring(from, to).toLowerCase(Locale.ROOT);
    }
}
