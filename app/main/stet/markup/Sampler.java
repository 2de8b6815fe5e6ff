package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import stet.core.Json;

/**
 * Fills a text with sample values for the preview, as Mustache and Handlebars would: a sample that is a JSON array or
 * object feeds a section. A name without a sample stays as it is written; a section without one is shown once.
 *
 * <p>This is for the author's eyes only. What the API serves is never filled in (api.md, Variables).
 */
public final class Sampler {
    /** Chars that are made of an html and of a subject, at most: sections in sections multiply. */
    private static final int LONGEST = 4 << 20;
    private static final int LONGEST_SUBJECT = 10_000;
    /** Sections in sections, at most; what lies deeper is left out. */
    private static final int DEEPEST = 100;
    /** Steps that are taken, at most: chars of tags, and names that are looked for. Sections that show nothing multiply too. */
    private static final long WORK = 8 << 20;
    private static final Tag.Kind[] KINDS = Tag.Kind.values();
    private static final Set<String> HELPERS = Set.of("each", "if", "unless", "with");
    private static final Set<String> FALSE = Set.of("", "false", "0", "null");

    private final String text;
    private final boolean escaping;
    private final int longest;
    // Of each tag: a list of them would take ten times the memory of the text.
    private final int[] starts;
    private final int[] ends;
    private final byte[] kinds;
    private final int[] closing;
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

    private Sampler(String text, boolean escaping, int longest) {
        this.text = text;
        this.escaping = escaping;
        this.longest = longest;
        int count = 0;
        for (Iterator<Tag> tags = Tag.in(text).iterator(); tags.hasNext(); tags.next()) {
            count++;
        }
        this.starts = new int[count];
        this.ends = new int[count];
        this.kinds = new byte[count];
        int i = 0;
        for (Tag tag : Tag.in(text)) {
            starts[i] = tag.start();
            ends[i] = tag.end();
            kinds[i++] = (byte) tag.kind().ordinal();
        }
        this.closing = closing();
    }

    public static Filled html(String html, Map<String, String> samples) {
        return new Sampler(html, true, LONGEST).fill(values(samples));
    }

    public static Filled subject(String subject, Map<String, String> samples) {
        return new Sampler(subject, false, LONGEST_SUBJECT).fill(values(samples));
    }

    private Filled fill(JsonNode values) {
        context.push(values);
        render(0, starts.length, 0, text.length());
        return new Filled(filled.toString(), cut, work);
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

    private Tag tag(int i) {
        return new Tag(KINDS[kinds[i]], text, starts[i], ends[i]);
    }

    private boolean is(int i, Tag.Kind kind) {
        return kinds[i] == kind.ordinal();
    }

    /** For each opening tag the index of the one that closes it, or its own where none does. */
    private int[] closing() {
        int[] closing = new int[starts.length];
        int[] open = new int[starts.length];
        int depth = 0;
        for (int i = 0; i < closing.length; i++) {
            closing[i] = i;
            if (is(i, Tag.Kind.OPEN) || is(i, Tag.Kind.WRAP)) {
                open[depth++] = i;
            } else if (is(i, Tag.Kind.CLOSE) && depth > 0) {
                closing[open[--depth]] = i;
            }
        }
        return closing;
    }

    /** Renders the text between two places and the tags in it. */
    private void render(int tag, int lastTag, int from, int to) {
        int copied = from;
        for (int i = tag; i < lastTag && goesOn(); i++) {
            work += ends[i] - starts[i];
            append(text, copied, starts[i]);
            copied = ends[i];
            if (is(i, Tag.Kind.VALUE)) {
                value(tag(i));
            } else if (closing[i] > i) {
                section(i);
                i = closing[i];
                copied = ends[i];
            } else if (is(i, Tag.Kind.TEXT)) {
                append("{{", 0, 2);
            } else if (is(i, Tag.Kind.BLOCK) || is(i, Tag.Kind.UNCLOSED)) {
                append(text, starts[i], ends[i]);
            }
        }
        if (goesOn()) {
            append(text, copied, Math.max(copied, to));
        }
    }

    private void append(String source, int from, int to) {
        int room = longest - filled.length();
        cut |= to - from > room;
        filled.append(source, from, Math.min(to, from + room));
    }

    private boolean goesOn() {
        boolean goesOn = filled.length() < longest && work < WORK;
        cut |= !goesOn;
        return goesOn;
    }

    private void value(Tag tag) {
        Expression expression = Expression.of(tag);
        JsonNode value = expression == null || expression.isCall() ? null : look(expression.first());
        if (value == null) {
            append(text, tag.start(), tag.end());
            return;
        }
        String plain = value.isValueNode() ? value.asText() : value.toString();
        work += plain.length();
        String shown = escaping && !tag.isUnescaped() ? escape(plain) : plain;
        append(shown, 0, shown.length());
    }

    /** One branch of a section: up to its end, or up to an {@code {{else}}}. */
    private record Branch(Tag condition, int tag, int lastTag, int from, int to) {
    }

    private void section(int open) {
        Tag tag = tag(open);
        Expression expression = is(open, Tag.Kind.WRAP) ? null : Expression.of(tag);
        boolean helper = expression != null && expression.isCall();
        String name = helper ? expression.first().name() : "";
        boolean inverted = tag.isInverted() || name.equals("unless");
        JsonNode value = expression == null ? null : condition(expression);
        List<Branch> branches = branches(open);
        if (inverted ? value != null && !isTrue(value) : value == null || isTrue(value)) {
            boolean repeats = value != null && !inverted && !name.equals("if");
            body(branches.get(0), repeats ? value : null);
            return;
        }
        for (Branch branch : branches.subList(1, branches.size())) {
            Expression otherwise = branch.condition == null ? null : Expression.of(branch.condition);
            JsonNode condition = otherwise == null ? null : condition(otherwise);
            if (condition == null || isTrue(condition)) {
                body(branch, null);
                return;
            }
        }
    }

    /** What a section is for; null when that is not known. */
    private JsonNode condition(Expression expression) {
        if (!expression.isCall()) {
            return look(expression.first());
        }
        boolean known = HELPERS.contains(expression.first().name()) && expression.firstGiven() != null;
        return known ? look(expression.firstGiven()) : null;
    }

    private void body(Branch branch, JsonNode value) {
        Iterable<JsonNode> contexts = value == null ? List.of(context.peek()) : value.isArray() ? value : List.of(value);
        for (JsonNode inner : contexts) {
            if (!goesOn()) {
                return;
            }
            if (context.size() > DEEPEST) {
                cut = true;
                return;
            }
            work++;
            context.push(inner);
            render(branch.tag, branch.lastTag, branch.from, branch.to);
            context.pop();
        }
    }

    private List<Branch> branches(int open) {
        List<Branch> branches = new ArrayList<>();
        Tag condition = null;
        int tag = open + 1;
        int from = ends[open];
        for (int i = open + 1; i < closing[open]; i = Math.max(i + 1, closing[i])) {
            work++;
            if (is(i, Tag.Kind.ELSE)) {
                work += ends[i] - starts[i];
                branches.add(new Branch(condition, tag, i, from, starts[i]));
                condition = tag(i).from() == tag(i).to() ? null : tag(i);
                tag = i + 1;
                from = ends[i];
            }
        }
        branches.add(new Branch(condition, tag, closing[open], from, starts[closing[open]]));
        return branches;
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
            JsonNode inner = value == null ? scope : null;
            for (int i = 0; inner != null && i < path.parts().size(); i++) {
                work++;
                inner = step(inner, path.parts().get(i));
            }
            if (value != null || inner != null) {
                return value != null ? value : inner;
            }
        }
        return null;
    }

    private static JsonNode step(JsonNode value, String part) {
        return value.isArray() && part.matches("[0-9]{1,6}") ? value.get(Integer.parseInt(part)) : value.get(part);
    }

    private static boolean isTrue(JsonNode value) {
        if (value.isContainerNode()) {
            return !value.isEmpty();
        }
        return !FALSE.contains(value.asText());
    }

    private static String escape(String plain) {
        return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;").replace("'", "&#39;");
    }
}
