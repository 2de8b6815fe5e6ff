package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import stet.core.Json;
import stet.markup.Expression.Path;

/**
 * Fills a text with sample values for the preview, as Mustache and Handlebars would: a sample that is a JSON array or
 * object feeds a section. A name without a sample stays as it is written; a section without one is shown once.
 *
 * <p>Only the author sees this. The API serves tags unfilled (api.md, Variables).
 */
public final class Sampler {
    /** Bounds on a filled html and a filled subject, because sections in sections multiply. */
    private static final int MAX_HTML_CHARS = 4 << 20;
    private static final int MAX_SUBJECT_CHARS = 10_000;
    /** Bound on sections in sections; deeper ones are left out. */
    private static final int MAX_DEPTH = 100;
    /** Bound on chars of tags that are read and names that are looked up: sections that show nothing multiply too. */
    private static final long MAX_STEPS = 8 << 20;
    private static final Tag.Kind[] KINDS = Tag.Kind.values();
    private static final Set<String> HELPERS = Set.of("each", "if", "unless", "with");
    private static final Set<String> FALSE = Set.of("", "false", "0", "null");

    private final String text;
    private final boolean isHtml;
    private final int maxChars;
    // Of each tag, in arrays: a list of tags would take ten times the memory of the text.
    private final int[] starts;
    private final int[] ends;
    private final byte[] kinds;
    /** For each tag that opens a section the index of the one that closes it; for all others their own. */
    private final int[] closing;
    private final int count;
    private final Deque<JsonNode> context = new ArrayDeque<>();
    private final StringBuilder filled = new StringBuilder();
    private boolean cut;
    private long work;

    /**
     * A text with its samples in place.
     *
     * @param cut  whether there would have been more of it
     * @param work steps that it took
     */
    public record Filled(String text, boolean cut, long work) {
    }

    private Sampler(String text, boolean isHtml, int maxChars) {
        this.text = text;
        this.isHtml = isHtml;
        this.maxChars = maxChars;
        int most = 0;
        for (int at = text.indexOf("{{"); at >= 0; at = text.indexOf("{{", at + 2)) {
            most++;
        }
        this.starts = new int[most];
        this.ends = new int[most];
        this.kinds = new byte[most];
        this.closing = new int[most];
        this.count = index(new int[most]);
    }

    public static Filled html(String html, Map<String, String> samples) {
        return new Sampler(html, true, MAX_HTML_CHARS).fill(values(samples));
    }

    public static Filled subject(String subject, Map<String, String> samples) {
        return new Sampler(subject, false, MAX_SUBJECT_CHARS).fill(values(samples));
    }

    private static ObjectNode values(Map<String, String> samples) {
        ObjectNode values = Json.object();
        samples.forEach((name, value) -> {
            JsonNode structure = value.startsWith("[") || value.startsWith("{") ? Json.tree(value) : null;
            if (structure != null) {
                values.set(name, structure);
            } else {
                values.put(name, value);
            }
        });
        return values;
    }

    /** Reads all tags. @param open room for the indexes of open sections @return the number of tags */
    private int index(int[] open) {
        int i = 0;
        int depth = 0;
        for (Tag tag : Tag.in(text)) {
            starts[i] = tag.start();
            ends[i] = tag.end();
            kinds[i] = (byte) tag.kind().ordinal();
            closing[i] = i;
            switch (tag.kind()) {
                case OPEN, PARTIAL_BLOCK -> open[depth++] = i;
                case CLOSE -> closing[depth > 0 ? open[--depth] : i] = i;
                default -> { }
            }
            i++;
        }
        return i;
    }

    private Filled fill(JsonNode values) {
        context.push(values);
        render(0, count, 0, text.length());
        return new Filled(filled.toString(), cut, work);
    }

    private Tag tag(int i) {
        return new Tag(KINDS[kinds[i]], text, starts[i], ends[i]);
    }

    /** Renders the text between two places and the tags in it. */
    private void render(int tag, int lastTag, int from, int to) {
        int copied = from;
        for (int i = tag; i < lastTag && goesOn(); i++) {
            work += ends[i] - starts[i];
            append(text, copied, starts[i]);
            copied = ends[i];
            if (closing[i] > i) {
                section(i);
                i = closing[i];
                copied = ends[i];
                continue;
            }
            switch (KINDS[kinds[i]]) {
                case VALUE -> value(tag(i));
                case ESCAPED -> append("{{", 0, 2);
                case BLOCK, UNCLOSED -> append(text, starts[i], ends[i]);
                default -> { }
            }
        }
        if (goesOn()) {
            append(text, copied, Math.max(copied, to));
        }
    }

    private void append(String source, int from, int to) {
        int room = maxChars - filled.length();
        cut |= to - from > room;
        filled.append(source, from, Math.min(to, from + room));
    }

    private boolean goesOn() {
        boolean goesOn = filled.length() < maxChars && work < MAX_STEPS;
        cut |= !goesOn;
        return goesOn;
    }

    private void value(Tag tag) {
        Path path = Expression.path(tag.words());
        JsonNode value = path == null ? null : look(path);
        if (value == null) {
            append(text, tag.start(), tag.end());
            return;
        }
        String plain = value.isValueNode() ? value.asText() : value.toString();
        work += plain.length();
        String shown = isHtml && !tag.isUnescaped() ? escape(plain) : plain;
        append(shown, 0, shown.length());
    }

    /** Renders the first branch whose condition holds. A condition without a sample holds, unless the section is inverted. */
    private void section(int open) {
        Tag tag = tag(open);
        Expression expression = tag.kind() == Tag.Kind.PARTIAL_BLOCK ? null : Expression.of(tag.kind(), tag.words());
        String helper = expression != null && expression.isCall ? expression.first.name() : "";
        boolean isInverted = tag.isInverted() || helper.equals("unless");
        JsonNode value = condition(expression);
        boolean isShown = value == null ? !isInverted : isTrue(value) != isInverted;
        JsonNode repeated = isInverted || helper.equals("if") ? null : value;
        int branch = open;
        for (int i = open + 1; i <= closing[open]; i = Math.max(i + 1, closing[i])) {
            work++;
            boolean isElse = KINDS[kinds[i]] == Tag.Kind.ELSE;
            if (isShown && (isElse || i == closing[open])) {
                repeat(branch, i, repeated);
                return;
            }
            if (isElse) {
                work += ends[i] - starts[i];
                branch = i;
                repeated = null;
                String words = tag(i).words();
                JsonNode otherwise = words.isEmpty() ? null : condition(Expression.of(Tag.Kind.ELSE, words));
                isShown = otherwise == null || isTrue(otherwise);
            }
        }
    }

    /** The value that a section depends on; null when that is not known. */
    private JsonNode condition(Expression expression) {
        if (expression == null) {
            return null;
        }
        if (!expression.isCall) {
            return look(expression.first);
        }
        boolean isKnown = HELPERS.contains(expression.first.name()) && expression.firstArgument != null;
        return isKnown ? look(expression.firstArgument) : null;
    }

    /** Renders what is between two tags: for each item of an array, in an object, or once where there is no value. */
    private void repeat(int tag, int lastTag, JsonNode value) {
        Iterable<JsonNode> contexts = value == null ? List.of(context.peek()) : value.isArray() ? value : List.of(value);
        for (JsonNode inner : contexts) {
            if (!goesOn()) {
                return;
            }
            if (context.size() > MAX_DEPTH) {
                cut = true;
                return;
            }
            work++;
            context.push(inner);
            render(tag + 1, lastTag, ends[tag], starts[lastTag]);
            context.pop();
        }
    }

    /** The value of a name, in the innermost context that has it, or null. */
    private JsonNode look(Path path) {
        if (path.parts().isEmpty()) {
            return path.self() && context.size() > 1 ? context.peek() : null;
        }
        String name = path.name();
        for (JsonNode scope : context) {
            work++;
            JsonNode value = scope.get(name);
            if (value != null) {
                return value;
            }
            value = scope;
            for (int i = 0; value != null && i < path.parts().size(); i++) {
                work++;
                value = step(value, path.parts().get(i));
            }
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    private static JsonNode step(JsonNode value, String part) {
        return value.isArray() && part.matches("[0-9]{1,6}") ? value.get(Integer.parseInt(part)) : value.get(part);
    }

    private static boolean isTrue(JsonNode value) {
        return value.isContainerNode() ? !value.isEmpty() : !FALSE.contains(value.asText());
    }

    private static String escape(String plain) {
        return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                .replace("\"", "&quot;").replace("'", "&#39;");
    }
}
