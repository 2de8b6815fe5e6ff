package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The tags of a text that show one of its inline partials, <code>{{#*inline "row"}}</code>, rather than a shared block.
 *
 * <p>An inline partial is visible in the whole section that contains its definition, before the definition too. Inside an inline partial,
 * all inline partials of the text count as visible, because Handlebars looks names up where the partial is shown.
 */
final class Partials {
    private static final String INLINE = "#*";

    /** Start of each tag that shows an inline partial. */
    private final BitSet starts = new BitSet();
    private boolean hasDefinitions;

    private Partials() {
    }

    static Partials in(String text) {
        Partials partials = new Partials();
        if (text.contains(INLINE)) {
            partials.hasDefinitions = true;
            Walk definitions = new Walk();
            for (Tag tag : Tag.in(text)) {
                definitions.pass(tag);
                definitions.define(tag);
            }
            partials.find(text, definitions.names);
        }
        return partials;
    }

    private void find(String text, Map<Integer, Set<String>> names) {
        Walk walk = new Walk();
        Set<String> all = new HashSet<>();
        names.values().forEach(all::addAll);
        walk.names = names;
        walk.enter(0, false);
        for (Tag tag : Tag.in(text)) {
            String name = name(tag);
            boolean isVisible = name != null && walk.visible.containsKey(name);
            boolean isVisibleInside = name != null && walk.inlineDepth > 0 && (all.contains(name) || name.equals("@partial-block"));
            if (isVisible || isVisibleInside) {
                starts.set(tag.start());
            }
            walk.pass(tag);
        }
    }

    /** True if the tag at this position shows an inline partial. */
    boolean isInline(Tag tag) {
        return starts.get(tag.start());
    }

    /** True if the text may define inline partials. */
    boolean hasDefinitions() {
        return hasDefinitions;
    }

    /** True if no tag shows an inline partial. */
    boolean isEmpty() {
        return starts.isEmpty();
    }

    /** The name of the partial that {@code {{> name}}} or <code>{{#&gt; name}}</code> shows, whatever values are passed, or null. */
    static String name(Tag tag) {
        if (!tag.isPartial()) {
            return null;
        }
        String simple = tag.included();
        if (simple != null) {
            return simple;
        }
        Expression expression = Expression.of(tag);
        return expression == null || expression.dynamic != null ? null : expression.first.shown();
    }

    /** The name that <code>{{#*inline "row"}}</code> defines; null for other tags and for names that only the data has. */
    static String defined(Tag tag) {
        Expression expression = tag.declaresPartial() ? Expression.of(tag) : null;
        if (expression == null || !"inline".equals(expression.first.original()) || expression.operands.isEmpty()) {
            return null;
        }
        JsonNode name = expression.operands.get(0).literal();
        return name == null ? null : JavaScript.text(name);
    }

    /** A walk through the text's sections. The parts between {@code {{else}}} tags are sections of their own. */
    private static final class Walk {
        /** Names of inline partials by the number of the section that contains the definition. */
        private Map<Integer, Set<String>> names = new HashMap<>();
        /** Number of visible definitions of each name. */
        private final Map<String, Integer> visible = new HashMap<>();
        private final Deque<OpenPart> open = new ArrayDeque<>(List.of(new OpenPart(0, false)));
        /** Number of sections so far. */
        private int sections;
        /** Number of open inline partials. */
        private int inlineDepth;

        /** An open section. @param section its number @param isInline true for an inline partial and for parts of one */
        private record OpenPart(int section, boolean isInline) {
        }

        /** @param tag the next tag, after its own name was looked up */
        void pass(Tag tag) {
            switch (tag.kind()) {
                case OPEN -> push(false);
                case PARTIAL_BLOCK -> push(tag.declaresPartial());
                case ELSE -> {
                    if (open.size() > 1) {
                        boolean isInline = open.peek().isInline;
                        pop();
                        push(isInline);
                    }
                }
                case CLOSE -> {
                    if (open.size() > 1) {
                        pop();
                    }
                }
                default -> { }
            }
        }

        /** Records a definition, after its tag was passed, in the section that contains it. */
        void define(Tag tag) {
            String name = defined(tag);
            if (name != null) {
                OpenPart own = open.pop();
                names.computeIfAbsent(open.element().section, any -> new HashSet<>()).add(name);
                open.push(own);
            }
        }

        /** Makes the definitions of a section visible. */
        void enter(int section, boolean isInline) {
            inlineDepth += isInline ? 1 : 0;
            names.getOrDefault(section, Set.of()).forEach(name -> visible.merge(name, 1, Integer::sum));
        }

        private void push(boolean isInline) {
            sections++;
            open.push(new OpenPart(sections, isInline));
            enter(sections, isInline);
        }

        private void pop() {
            OpenPart part = open.pop();
            inlineDepth -= part.isInline ? 1 : 0;
            names.getOrDefault(part.section, Set.of()).forEach(name -> visible.merge(name, -1, (count, one) -> count == 1 ? null : count - 1));
        }
    }
}
