package stet.markup;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.markup.Html.Token;

/**
 * The styles that a draft's elements get from rules of its style elements. Reads simple selectors, outside media queries:
 * {@code .button}, {@code td.card}, {@code .button td a}. A later rule or a more specific one wins only roughly, as the pages show
 * which rule it is and let the author override it.
 */
final class PieceStyle {
    private static final int MAX_RULES = 2_000;
    /** Maximum number of ancestors compared with a selector. */
    private static final int MAX_ANCESTORS = 100;
    private static final int MAX_PARTS = 6;
    /** Maximum number of elements compared with parts of selectors. */
    private static final int MAX_STEPS = 1_000_000;
    /** Maximum length of a class or style attribute. */
    static final int MAX_LENGTH = 4_000;
    /** Maximum length of a rule's selectors together. */
    private static final int MAX_SELECTORS = 1_000;
    /** Maximum length of a property's name, and of the part of a value that is read. */
    private static final int MAX_PROPERTY = 40;
    private static final int MAX_VALUE = 300;
    /** Maximum length of {@code !important} with spaces. */
    private static final int MAX_IMPORTANT = 20;
    private static final int MAX_ENTITY = 12;
    private static final Pattern IMPORTANT = Pattern.compile("!\\s*important\\s*\\z", Pattern.CASE_INSENSITIVE);
    private static final Pattern PART = Pattern.compile("([a-zA-Z][\\w-]*|\\*)?((?:[.#][\\w-]+)*)");
    private static final Pattern HIDDEN =
            Pattern.compile("display\\s*:\\s*none|mso-hide\\s*:\\s*all|max-height\\s*:\\s*0(?:px)?\\s*(?:;|!|$)", Pattern.CASE_INSENSITIVE);
    /** Names of entities that show nothing. */
    private static final Set<String> BLANK = Set.of("nbsp", "zwnj", "zwj", "shy", "ensp", "emsp", "thinsp", "#160", "#xa0", "#xA0", "#8203", "#8204", "#8205",
            "#847", "#173", "#8202", "hairsp", "#x200A", "#x200B", "#x200b", "#x200C", "#x200c", "#x34F", "#x34f", "#8199", "#65279", "#10", "#13", "#32");

    private final String html;
    /** Rules by the {@link Part#key} of their selector's last part. */
    private final Map<String, List<Rule>> rules = new HashMap<>();
    /** Number of rules. */
    private int count;
    private int steps;

    /** A part of a selector: element, classes and IDs. */
    private record Part(String element, List<String> names) {
        /** Reads a part; null if it is not simple. */
        static Part of(String text) {
            Matcher matcher = PART.matcher(text);
            if (!matcher.matches()) {
                return null;
            }
            String element = matcher.group(1) == null || matcher.group(1).equals("*") ? "" : matcher.group(1).toLowerCase(Locale.ROOT);
            String names = matcher.group(2);
            return new Part(element, names.isEmpty() ? List.of() : List.of(names.replace(".", " .").replace("#", " #").strip().split(" ")));
        }

        boolean fits(PieceNode node) {
            if (node.kind != PieceNode.NodeKind.ELEMENT || !element.isEmpty() && !element.equals(node.name)) {
                return false;
            }
            String classes = names.isEmpty() ? "" : classes(node);
            return names.stream().allMatch(name -> name.charAt(0) == '#' ? node.attribute("id").equals(name.substring(1))
                    : classes.contains(' ' + name.substring(1) + ' '));
        }

        /** The name by which rules are found: the first class or ID, otherwise the element. */
        String key() {
            return names.isEmpty() ? element : names.get(0);
        }
    }

    /** A selector with its declarations. @param parts from left to right */
    private record Rule(List<Part> parts, Map<String, Value> declarations) {
    }

    /** A value of a property. @param from where it begins, without spaces around it @param text its first 300 chars */
    record Value(String property, int from, int to, String text) {
    }

    /** Reads the content of style elements. */
    PieceStyle(String html, List<Token> styles) {
        this.html = html;
        styles.forEach(style -> read(style.start(), style.end()));
    }

    private void read(int start, int end) {
        int at = start;
        while (at < end && count < MAX_RULES) {
            int open = blockStart(at, end);
            if (open < 0) {
                return;
            }
            String before = withoutComments(html.substring(at, open));
            String selectors = before.substring(before.lastIndexOf(';') + 1).strip(); // after statements such as @import
            int close = blockEnd(open, end);
            if (!selectors.startsWith("@")) {
                rule(selectors, declarations(html, open + 1, close));
            }
            at = Math.min(end, close + 1);
        }
    }

    /** Index of the brace that opens the next block; -1 if there is none. */
    private int blockStart(int from, int end) {
        int at = from;
        while (at < end) {
            int after = afterTagOrComment(html, at, end);
            if (after == at && html.charAt(at) == '{') {
                return at;
            }
            at = Math.max(after, at + 1);
        }
        return -1;
    }

    /** Index of the brace that closes a block; {@code end} if there is none. */
    private int blockEnd(int open, int end) {
        int depth = 1;
        int at = open + 1;
        while (at < end) {
            int after = afterTagOrComment(html, at, end);
            char c = after > at ? 0 : html.charAt(at);
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            if (depth == 0) {
                return at;
            }
            at = Math.max(after, at + 1);
        }
        return end;
    }

    /** Index after the tag or comment that begins at a position; the position itself if none does. */
    private static int afterTagOrComment(String html, int at, int end) {
        if (html.startsWith("{{", at)) {
            return behind("}}", html, at, end);
        }
        return html.startsWith("/*", at) ? behind("*/", html, at + 2, end) : at;
    }

    private static String withoutComments(String css) {
        StringBuilder text = new StringBuilder();
        int at = 0;
        for (int open = css.indexOf("/*"); open >= 0; open = css.indexOf("/*", at)) {
            text.append(css, at, open);
            int close = css.indexOf("*/", open + 2);
            at = close < 0 ? css.length() : close + 2;
        }
        return text.append(css, at, css.length()).toString();
    }

    private void rule(String selectors, List<Value> values) {
        if (values.isEmpty() || selectors.length() > MAX_SELECTORS) {
            return;
        }
        Map<String, Value> declarations = new HashMap<>();
        values.forEach(value -> declarations.put(value.property, value));
        for (String selector : selectors.split(",")) {
            List<Part> parts = new ArrayList<>();
            for (String part : selector.strip().split("[\\s>]+")) {
                parts.add(Part.of(part));
            }
            boolean isSimple = !parts.contains(null) && parts.size() <= MAX_PARTS && !selector.isBlank();
            if (isSimple && count < MAX_RULES) {
                count++;
                rules.computeIfAbsent(parts.get(parts.size() - 1).key(), any -> new ArrayList<>()).add(new Rule(parts, declarations));
            }
        }
    }

    /** The value of a property in an element's style attribute or from a rule; null if there is none. */
    String text(PieceNode node, String property) {
        Value own = own(node, property);
        Value value = own != null ? own : ofRule(node, property);
        return value == null ? null : value.text();
    }

    /** The value that an element gets from a rule; null if there is none. */
    Value ofRule(PieceNode node, String property) {
        if (count == 0 || node.kind != PieceNode.NodeKind.ELEMENT) {
            return null;
        }
        if (node.ruled == null) {
            Map<String, Value> ruled = new HashMap<>();
            add(ruled, node, node.name);
            for (String name : classes(node).strip().split(" ")) {
                add(ruled, node, '.' + name);
            }
            add(ruled, node, '#' + node.attribute("id"));
            node.ruled = ruled.isEmpty() ? Map.of() : ruled;
        }
        return node.ruled.get(property);
    }

    /** Adds the declarations of the rules under a key that fit an element. */
    private void add(Map<String, Value> ruled, PieceNode node, String key) {
        for (Rule rule : rules.getOrDefault(key, List.of())) {
            if (steps < MAX_STEPS && fits(rule, node)) {
                ruled.putAll(rule.declarations);
            }
        }
    }

    /** True if a rule's selector matches an element; counts steps. */
    private boolean fits(Rule rule, PieceNode node) {
        int i = rule.parts.size() - 1;
        steps++;
        if (!rule.parts.get(i).fits(node)) {
            return false;
        }
        PieceNode above = node.parent;
        for (int distance = 0; i > 0 && above != null && distance < MAX_ANCESTORS; above = above.parent, distance++) {
            steps++;
            i -= rule.parts.get(i - 1).fits(above) ? 1 : 0;
        }
        return i == 0;
    }

    /** An element's classes, separated and surrounded by spaces. */
    private static String classes(PieceNode node) {
        if (node.classes == null) {
            String value = node.attribute("class");
            node.classes = value.isEmpty() || value.length() > MAX_LENGTH ? "" : ' ' + value.strip().replaceAll("\\s+", " ") + ' ';
        }
        return node.classes;
    }

    /** The declarations in a style attribute or rule, in order, without {@code !important}. Tags in values are kept. */
    static List<Value> declarations(String html, int from, int to) {
        List<Value> values = new ArrayList<>();
        int start = from;
        int colon = -1;
        int depth = 0;
        for (int at = from; at <= to; at++) {
            char c = at < to ? html.charAt(at) : ';';
            int after = at < to ? afterTagOrComment(html, at, to) : at;
            if (after > at) {
                start = c == '/' && colon < 0 ? after : start; // a property begins after the comment
                at = after - 1;
            } else if (c == '&' && at < to && entityEnd(html, at, to) > at) {
                at = entityEnd(html, at, to);
            } else if (c == '(') {
                depth++;
            } else if (c == ')' && depth > 0) {
                depth--;
            } else if (c == ':' && colon < 0) {
                colon = at;
            } else if (c == ';' && (depth == 0 || at == to)) {
                if (colon > 0) {
                    add(values, html, start, colon, at);
                }
                start = at + 1;
                colon = -1;
            }
        }
        return values;
    }

    /** Index of the semicolon of an entity; -1 if none begins here. */
    private static int entityEnd(String html, int at, int to) {
        for (int i = at + 1; i < Math.min(to, at + MAX_ENTITY); i++) {
            char c = html.charAt(i);
            if (c == ';') {
                return i > at + 1 ? i : -1;
            }
            if (c != '#' && !Character.isLetterOrDigit(c)) {
                return -1;
            }
        }
        return -1;
    }

    /** Index after the next occurrence; {@code to} if there is none before it. */
    private static int behind(String wanted, String html, int from, int to) {
        for (int at = from; at + wanted.length() <= to; at++) {
            if (html.startsWith(wanted, at)) {
                return at + wanted.length();
            }
        }
        return to;
    }

    /** Adds the declaration from {@code start} to {@code end}. */
    private static void add(List<Value> values, String html, int start, int colon, int end) {
        int from = Tag.skip(html, colon + 1, end);
        Matcher important = IMPORTANT.matcher(html).region(Math.max(from, end - MAX_IMPORTANT), end);
        int to = Tag.skipBack(html, from, important.find() ? important.start() : end);
        String property = html.substring(start, colon).strip().toLowerCase(Locale.ROOT);
        if (to > from && property.length() <= MAX_PROPERTY) {
            values.add(new Value(property, from, to, html.substring(from, Math.min(to, from + MAX_VALUE))));
        }
    }

    /** The value of a property in an element's style attribute; null if there is none. Very long attributes are not read. */
    Value own(PieceNode node, String property) {
        if (node.own == null) {
            Html.Attribute attribute = node.token == null ? null : node.token.attribute("style");
            node.own = Map.of();
            if (attribute != null && attribute.valueEnd() - attribute.valueStart() <= MAX_LENGTH) {
                Map<String, Value> own = new HashMap<>();
                declarations(html, attribute.valueStart(), attribute.valueEnd()).forEach(value -> own.put(value.property, value));
                node.own = own;
            }
        }
        return node.own.get(property);
    }

    /** True for a style attribute that hides its element, at least in Outlook. */
    static boolean isHidden(String style) {
        return style.length() <= MAX_LENGTH && HIDDEN.matcher(style).find();
    }

    /** True for whitespace, no-break spaces and invisible characters, also as entities. */
    static boolean isBlank(String html, int from, int to) {
        for (int at = from; at < to; at++) {
            char c = html.charAt(at);
            if (c == '&') {
                int end = entityEnd(html, at, to);
                if (end < 0 || !BLANK.contains(html.substring(at + 1, end))) {
                    return false;
                }
                at = end;
            } else if (!Tag.isBlank(c) && c != '\u200b' && c != '\u200c' && c != '\u200d' && c != '\u034f' && c != '\u00ad') {
                return false;
            }
        }
        return true;
    }
}
