package stet.markup;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The names a text asks the caller for (api.md, Variables): wherever they stand in it, each once,
 * in order of first appearance.
 *
 * <p>They are the names that Handlebars 4.7 looks up in what it is given, and so does Mustache. Not a name: a helper's,
 * {@code this}, {@code @index}, and what a section itself declares with {@code as |item|}.
 */
public final class Variables {
    /** The helpers that Handlebars brings along: the first word of a tag means them and no name. */
    private static final Set<String> HELPERS = Set.of("each", "if", "unless", "with", "lookup", "log");

    private final Listener listener;
    /** What each open section declares, the innermost first, and in how many of them each name is declared. */
    private final Deque<List<String>> sections = new ArrayDeque<>();
    private final Map<String, Integer> declared = new HashMap<>();

    /** Hears of a text what it asks for, in its order. */
    public interface Listener {
        void asks(String name, Tag tag);

        /** Handlebars would not understand the tag, and so it asks for nothing. */
        default void unread(Tag tag) {
        }

        /** A tag has several words: the first is read as a helper's name, the others as names. */
        default void words(Tag tag, String helper) {
        }

        /** Any tag, before what it asks for. */
        default void tag(Tag tag) {
        }
    }

    private Variables(Listener listener) {
        this.listener = listener;
    }

    /** The names in a subject and then an html whose blocks are expanded. */
    public static List<String> in(String subject, String html) {
        Set<String> names = new LinkedHashSet<>();
        read(subject, (name, tag) -> names.add(name));
        read(html, (name, tag) -> names.add(name));
        return List.copyOf(names);
    }

    /** Goes through a text once. */
    public static void read(String text, Listener listener) {
        Variables variables = new Variables(listener);
        for (Tag tag : Tag.in(text)) {
            listener.tag(tag);
            switch (tag.kind()) {
                case VALUE -> variables.expression(tag);
                case OPEN, WRAP -> variables.open(variables.expression(tag));
                case ELSE -> variables.otherwise(tag);
                case CLOSE -> variables.close();
                default -> { }
            }
        }
    }

    /** What a section declares holds in its first branch; what an {@code {{else each ...}}} declares, in the branch behind it. */
    private void otherwise(Tag tag) {
        if (!sections.isEmpty()) {
            close();
            open(tag.from() == tag.to() ? List.of() : expression(tag));
        } else if (tag.from() < tag.to()) {
            expression(tag);
        }
    }

    private void open(List<String> own) {
        own.forEach(name -> declared.merge(name, 1, Integer::sum));
        sections.push(own);
    }

    private void close() {
        if (!sections.isEmpty()) {
            sections.pop().forEach(name -> declared.merge(name, -1, (open, one) -> open == 1 ? null : open - 1));
        }
    }

    /** Says what a tag asks for. @return what it declares */
    private List<String> expression(Tag tag) {
        Expression expression = Expression.of(tag);
        if (expression == null) {
            listener.unread(tag);
            return List.of();
        }
        Path first = expression.first();
        if (tag.kind() != Tag.Kind.WRAP && !expression.isCall() && !(first.isWord() && HELPERS.contains(first.name()))) {
            name(first, tag);
        }
        if (tag.kind() == Tag.Kind.VALUE && expression.isWords() && !HELPERS.contains(first.name())) {
            listener.words(tag, first.name());
        }
        expression.given().forEach(path -> name(path, tag));
        return expression.declared();
    }

    private void name(Path path, Tag tag) {
        boolean own = !path.scoped() && !path.parts().isEmpty() && declared.containsKey(path.parts().get(0));
        String name = path.name();
        if (!own && !name.isEmpty()) {
            listener.asks(name, tag);
        }
    }
}
