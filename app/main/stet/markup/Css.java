package stet.markup;

import java.util.Locale;

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
    /** True after a search for {@code }}} has failed, so that it is not repeated. */
    private boolean isTagless;
    /** Position of the last item's first colon that can end a property name; -1 if there is none. */
    private int colon;
    private long steps;

    interface Listener {
        /** @param kind a feature kind from the table of {@link ClientSupport}, or {@code url} @param name in lower case except for URLs */
        void found(String kind, String name, int place);
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

    /** Reads a range of the text. @param attribute true for a style attribute, which contains declarations, possibly with HTML entities */
    void read(int from, int to, boolean attribute) {
        at = from;
        end = to;
        isAttribute = attribute;
        isTagless = false;
        depth = 0;
        blocks[0] = attribute ? DECLARATIONS : RULES;
        while (at < end && steps < maxSteps) {
            char c = text.charAt(at);
            if (c == '@' && !attribute) {
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

    private void atRule() {
        int start = at++;
        skipName();
        String name = lower(start + 1, at);
        listener.found("at", name, start);
        int prelude = at;
        char stop = structure(-1);
        int stopped = at;
        for (at = name.equals("media") ? prelude : stopped; at < stopped; at++, steps++) {
            if (text.charAt(at) == '(') {
                at++;
                skipSpace(stopped);
                int feature = at;
                skipName();
                listener.found("media", lower(feature, at), start);
                at--;
            }
        }
        at = stopped;
        if (stop == '{') {
            boolean isGroup = switch (name) {
                case "media", "supports", "layer", "container", "document", "-moz-document", "scope", "starting-style" -> true;
                default -> false;
            };
            open(isGroup ? block() : name.endsWith("keyframes") ? KEYFRAMES : DECLARATIONS);
        }
    }

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
     * Moves past the semicolon, brace or tag that ends an item, ignoring any in parentheses. @return the semicolon or brace, {@link #TAG}, or
     * 0 at the end of the range
     */
    private char structure(int item) {
        colon = -1;
        for (int parentheses = 0; at < end && steps < maxSteps; ) {
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
                colon = c == ':' && colon < 0 && place > item ? place : colon;
            }
        }
        return 0;
    }

    /** True if a property name and a colon come next, so that the tag before them ends a declaration without a semicolon. */
    private boolean isDeclaration() {
        int start = at;
        skipSpace(end);
        int name = at;
        skipName();
        boolean isNamed = at > name;
        skipSpace(end);
        boolean is = isNamed && startsAt(":", at) && !startsAt("::", at);
        steps += at - start;
        at = start;
        return is;
    }

    /** Moves past a char, string, comment, tag, entity or escape. @return the char, or 0 if it was not a single char */
    private char step() {
        int start = at;
        char c = text.charAt(at++);
        boolean isWhole = true;
        if (c == '/' && startsAt("*", at)) {
            at = behind("*/", at + 1);
        } else if (c == '{' && startsAt("{", at) && !isTagless) {
            at = behind("}}", at + 1);
            isTagless = !text.startsWith("}}", at - 2);
            at = isTagless ? start + 2 : startsAt("}", at) && text.charAt(start + 2) == '{' ? at + 1 : at;
        } else if (c == '"' || c == '\'') {
            while (at < end && text.charAt(at) != c && text.charAt(at) != '\n') {
                at += text.charAt(at) == '\\' ? 2 : 1;
            }
            at++;
        } else if (c == '\\') {
            at++;
        } else if (c == '&' && isAttribute) {
            while (at < end && at < start + 8 && Character.isLetterOrDigit(text.charAt(at)) || startsAt("#", at)) {
                at++;
            }
            at += startsAt(";", at) ? 1 : 0;
        } else {
            isWhole = false;
        }
        at = Math.min(at, end);
        steps += at - start;
        return isWhole ? 0 : c;
    }

    private void comment(int place) {
        if (startsAt("/*", place)) {
            listener.found("other", "css-comment", place);
        }
    }

    private void declaration(int start, int stop) {
        String name = lower(start, colon).strip();
        listener.found("property", name, start);
        if (name.startsWith("--")) {
            listener.found("other", "custom-property", start);
        }
        int valueStart = colon + 1;
        int outer = end;
        end = stop;
        for (int from = valueStart, to = from; from < stop; from = to = behind("}}", to)) { // {{#if a}}flex{{else}}grid{{/if}} are two
            while (to < stop && !startsAt("{{", to)) {
                to++;
            }
            String value = to - from < 40 ? lower(from, to) : "";
            int important = value.indexOf('!');
            String written = (important < 0 ? value : value.substring(0, important)).strip();
            if (!written.isEmpty()) {
                listener.found("value", name + ':' + written, start);
            }
        }
        for (at = valueStart; at < end && steps < maxSteps; ) {
            value(start);
        }
        end = outer;
    }

    private void value(int place) {
        int start = at;
        char c = text.charAt(at);
        boolean isNegative = c == '-' && at + 1 < end && (isDigit(text.charAt(at + 1)) || text.charAt(at + 1) == '.');
        if (isName(c) && !isDigit(c) && !isNegative) {
            skipName();
            String name = lower(start, at);
            if (!startsAt("(", at)) {
                listener.found("word", name, place);
            } else if (name.equals("url")) {
                int close = behind(")", at);
                listener.found("url", text.substring(at + 1, Math.max(at + 1, close - 1)), place);
                at = close;
            } else {
                listener.found("function", name, place);
            }
        } else if (isDigit(c) || c == '-') {
            at++;
            while (at < end && (isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
                at++;
            }
            int unit = at;
            skipName();
            at += at == unit && startsAt("%", at) ? 1 : 0;
            listener.found("unit", lower(unit, at), place);
        } else if (c == '!' || c == '#') {
            at++;
            skipSpace(end);
            int word = at;
            skipName();
            listener.found("word", c + lower(word, at), place);
        } else {
            step();
            return;
        }
        steps += at - start;
    }

    private void selectors(int start, int stop, boolean isNested) {
        if (isNested) {
            listener.found("other", "nesting", start);
        }
        int outer = end;
        end = stop;
        boolean isFirst = true; // true at the start and after , > + ~, where spaces are not a combinator
        boolean isSpaced = false;
        int classes = 0;
        for (at = start; at < end && steps < maxSteps; ) {
            char c = text.charAt(at);
            String combinator = switch (c) {
                case ',' -> "group";
                case '>' -> "child";
                case '+' -> "adjacent";
                case '~' -> "sibling";
                default -> null;
            };
            if (c <= ' ') {
                isSpaced = true;
                at++;
                steps++;
                continue;
            }
            if (combinator != null || isSpaced && !isFirst) {
                listener.found("selector", combinator != null ? combinator : "descendant", start);
                classes = 0;
            }
            isFirst = combinator != null;
            isSpaced = false;
            if (combinator != null) {
                at++;
                steps++;
            } else {
                classes += c == '.' ? 1 : 0;
                simple(c, start, classes);
            }
        }
        end = outer;
    }

    /** @param classes number of classes in the compound selector so far */
    private void simple(char c, int place, int classes) {
        int start = at;
        if (c == ':') {
            at += startsAt("::", at) ? 2 : 1;
            int name = at;
            skipName();
            listener.found("pseudo", lower(name, at), place);
            at = startsAt("(", at) ? behind(")", at) : at;
        } else if (c == '[') {
            listener.found("selector", "attribute", place);
            at = behind("]", at);
        } else if (c == '.' || c == '#') {
            listener.found("selector", c == '#' ? "id" : classes == 2 ? "chained" : "class", place);
            at++;
            skipName();
        } else if (isName(c)) {
            listener.found("selector", "type", place);
            skipName();
        } else {
            if (c == '*' || c == '&') {
                listener.found(c == '*' ? "selector" : "other", c == '*' ? "universal" : "nesting", place);
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

    /** Position after the next {@code sign}, or the end of the range if there is none. */
    private int behind(String sign, int from) {
        int place = from;
        while (place < end && !startsAt(sign, place)) {
            place++;
        }
        return Math.min(end, place + sign.length());
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
