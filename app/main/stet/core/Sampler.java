package stet.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Fills a text with sample values for the preview, as Mustache and Handlebars would: a sample that is a JSON array or
 * object feeds a section. A name without a sample stays as it is written; a section without one is shown once.
 *
 * <p>This is for the author's eyes only. What the API serves is never filled in (spec.md, What the service does).
 */
public final class Sampler {
    /** The most that is made, in chars: sections in sections multiply. */
    private static final int LONGEST = 8 << 20;
    /** Sections in sections, at most; what lies deeper is left out. */
    private static final int DEEPEST = 100;
    /** Chars of tags and texts that are looked at, at most: sections that show nothing multiply too. */
    private static final int WORK = 8 << 20;
    private static final Set<String> HELPERS = Set.of("each", "if", "unless", "with");

    private final String text;
    private final List<Tag> tags;
    private final boolean escaping;
    private final int[] closing;
    private final Deque<JsonNode> context = new ArrayDeque<>();
    private final StringBuilder filled = new StringBuilder();
    private long work;

    private Sampler(String text, boolean escaping) {
        this.text = text;
        this.tags = Tag.in(text);
        this.escaping = escaping;
        this.closing = closing(tags);
    }

    public static String html(String html, Map<String, String> samples) {
        return fill(html, samples, true);
    }

    public static String subject(String subject, Map<String, String> samples) {
        return fill(subject, samples, false);
    }

    private static String fill(String text, Map<String, String> samples, boolean escaping) {
        Sampler sampler = new Sampler(text, escaping);
        sampler.context.push(values(samples));
        sampler.render(0, sampler.tags.size(), 0, text.length());
        return sampler.filled.toString();
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

    /** For each opening tag the index of the one that closes it, or its own where none does. */
    private static int[] closing(List<Tag> tags) {
        int[] closing = new int[tags.size()];
        Deque<Integer> open = new ArrayDeque<>();
        for (int i = 0; i < closing.length; i++) {
            closing[i] = i;
            if (tags.get(i).kind() == Tag.Kind.OPEN && !tags.get(i).words().isEmpty()) {
                open.push(i);
            } else if (tags.get(i).kind() == Tag.Kind.CLOSE && !open.isEmpty()) {
                closing[open.pop()] = i;
            }
        }
        return closing;
    }

    /** Renders the text between two places and the tags in it. */
    private void render(int tag, int lastTag, int from, int to) {
        int copied = from;
        for (int i = tag; i < lastTag && goesOn(); i++) {
            Tag current = tags.get(i);
            work += current.end() - current.start();
            filled.append(text, copied, current.start());
            copied = current.end();
            if (current.kind() == Tag.Kind.VALUE) {
                value(current);
            } else if (current.kind() == Tag.Kind.OPEN && closing[i] > i) {
                section(i);
                i = closing[i];
                copied = tags.get(i).end();
            } else if (current.kind() == Tag.Kind.BLOCK || current.kind() == Tag.Kind.UNCLOSED) {
                filled.append(text, current.start(), current.end());
            }
        }
        if (goesOn()) {
            filled.append(text, copied, Math.max(copied, to));
        }
    }

    private boolean goesOn() {
        return filled.length() < LONGEST && work < WORK;
    }

    private void value(Tag tag) {
        JsonNode value = look(tag.words());
        if (value == null) {
            filled.append(text, tag.start(), tag.end());
            return;
        }
        String plain = value.isValueNode() ? value.asText() : value.toString();
        boolean raw = text.startsWith("{{{", tag.start()) || text.startsWith("{{&", tag.start());
        filled.append(escaping && !raw ? escape(plain) : plain);
    }

    /** One branch of a section: up to its end, or up to an {@code {{else}}}. */
    private record Branch(String condition, int tag, int lastTag, int from, int to) {
    }

    private void section(int open) {
        Tag tag = tags.get(open);
        String[] words = tag.words().split("\\s+", 2);
        boolean inverted = text.startsWith("^", tag.start() + 2) || words[0].equals("unless");
        boolean helper = words.length > 1;
        String name = helper ? words[1].strip().split("\\s+")[0] : words[0];
        boolean known = !helper || HELPERS.contains(words[0]);
        JsonNode value = known ? look(name) : null;
        List<Branch> branches = branches(open);
        if (inverted ? value != null && !isTrue(value) : value == null || isTrue(value)) {
            boolean repeats = value != null && !inverted && !words[0].equals("if");
            body(branches.get(0), repeats ? value : null);
            return;
        }
        for (Branch branch : branches.subList(1, branches.size())) {
            JsonNode condition = branch.condition.isEmpty() ? null : look(branch.condition);
            if (condition == null || isTrue(condition)) {
                body(branch, null);
                return;
            }
        }
    }

    private void body(Branch branch, JsonNode value) {
        Iterable<JsonNode> contexts = value == null ? List.of(context.peek()) : value.isArray() ? value : List.of(value);
        for (JsonNode inner : context.size() > DEEPEST ? List.<JsonNode>of() : contexts) {
            if (!goesOn()) {
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
        String condition = "";
        int tag = open + 1;
        int from = tags.get(open).end();
        for (int i = open + 1; i < closing[open]; i = Math.max(i + 1, closing[i])) {
            Tag inner = tags.get(i);
            work++;
            boolean isElse = inner.kind() == Tag.Kind.VALUE && inner.words().matches("else(\\s.*)?")
                    || inner.kind() == Tag.Kind.OPEN && inner.words().isEmpty();
            if (isElse) {
                branches.add(new Branch(condition, tag, i, from, inner.start()));
                String[] words = inner.words().split("\\s+");
                condition = words[words.length - 1].replaceFirst("^else$", "");
                tag = i + 1;
                from = inner.end();
            }
        }
        branches.add(new Branch(condition, tag, closing[open], from, tags.get(closing[open]).start()));
        return branches;
    }

    /** The value of a name, in the innermost context that has it, or null. */
    private JsonNode look(String name) {
        if (name.equals(".") || name.equals("this")) {
            return context.size() > 1 ? context.peek() : null;
        }
        String plain = Variables.plain(name);
        for (JsonNode scope : context) {
            JsonNode value = scope.get(plain);
            for (String part : value == null ? plain.split("\\.") : new String[0]) {
                value = value == null ? scope.get(part) : value.get(part);
                if (value == null) {
                    break;
                }
            }
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    private static boolean isTrue(JsonNode value) {
        if (value.isContainerNode()) {
            return !value.isEmpty();
        }
        return !Set.of("", "false", "0", "null").contains(value.asText());
    }

    private static String escape(String plain) {
        return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;").replace("'", "&#39;");
    }
}
