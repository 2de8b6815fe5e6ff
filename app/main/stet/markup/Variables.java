package stet.markup;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import stet.markup.Expression.Path;

/**
 * The variables that the caller must supply for a text (api.md, Variables), without duplicates, in order of first appearance.
 *
 * <p>These are the names that Handlebars 4.7 and Mustache look up in the data. Excludes helper names, {@code this}, {@code @index} and
 * names declared after {@code as}.
 */
public final class Variables {
    /** Built-in Handlebars helpers. As the first word of a tag, they are never variables. */
    static final Set<String> HELPERS = Set.of("each", "if", "unless", "with", "lookup", "log");

    /** Maximum number of helpers listed. */
    private static final int MAX_HELPERS = 10;

    private final Listener listener;
    /** Names declared by each open section, innermost first. */
    private final Deque<List<String>> sections = new ArrayDeque<>();
    /** Number of open sections declaring each name. */
    private final Map<String, Integer> declared = new HashMap<>();

    /** Receives a text's tags and names in order. */
    public interface Listener {
        /** Called for each name that a tag refers to. */
        void name(String name, Tag tag);

        /** Called for a tag that Handlebars cannot parse; no names are reported for it. */
        default void unread(Tag tag) {
        }

        /** Called for a tag with several words: a helper followed by names. */
        default void words(Tag tag, String helper) {
        }

        /** Called for each helper of a tag that is not built into Handlebars. */
        default void helper(Tag tag, String name) {
        }

        /** Called for each tag, before its names. */
        default void tag(Tag tag) {
        }
    }

    private Variables(Listener listener) {
        this.listener = listener;
    }

    /** The names in a subject and expanded HTML. */
    public static List<String> in(String subject, String html) {
        return in(subject, html, Integer.MAX_VALUE).names;
    }

    /**
     * The first names and the number of further names. To save memory, further names are kept only as hashes.
     *
     * @param most maximum number of names to return
     */
    public static First in(String subject, String html, int most) {
        Set<String> first = new LinkedHashSet<>();
        Set<String> helpers = new LinkedHashSet<>();
        Hashes others = new Hashes();
        Listener listener = new Listener() {
            @Override
            public void name(String name, Tag tag) {
                if (first.size() < most) {
                    first.add(name);
                } else if (!first.contains(name)) {
                    others.add(name);
                }
            }

            @Override
            public void helper(Tag tag, String name) {
                if (helpers.size() < MAX_HELPERS) {
                    helpers.add(name);
                }
            }
        };
        read(subject, listener);
        read(html, listener);
        return new First(List.copyOf(first), others.distinct(), List.copyOf(helpers));
    }

    /** @param more number of further names @param helpers the first helpers that are not built into Handlebars */
    public record First(List<String> names, int more, List<String> helpers) {
    }

    /** A set of name hashes; may hold duplicates until sorted. */
    private static final class Hashes {
        private long[] hashes = new long[1_024];
        private int count;

        /** 64-bit FNV-1a: with 300,000 names not chosen to collide, the chance of a collision is about 1 in 400 million. */
        void add(String name) {
            if (count == hashes.length && distinct() > hashes.length / 2) {
                hashes = Arrays.copyOf(hashes, hashes.length * 2);
            }
            long hash = 0xcbf29ce484222325L;
            for (int i = 0; i < name.length(); i++) {
                hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
            }
            hashes[count++] = hash;
        }

        int distinct() {
            Arrays.sort(hashes, 0, count);
            int distinct = 0;
            for (int i = 0; i < count; i++) {
                if (i == 0 || hashes[i] != hashes[i - 1]) {
                    hashes[distinct++] = hashes[i];
                }
            }
            count = distinct;
            return distinct;
        }
    }

    /** Reads a text in one pass. */
    public static void read(String text, Listener listener) {
        Variables variables = new Variables(listener);
        for (Tag tag : Tag.in(text)) {
            listener.tag(tag);
            switch (tag.kind()) {
                case VALUE, BLOCK -> variables.names(tag);
                case OPEN, PARTIAL_BLOCK -> variables.open(variables.names(tag));
                case ELSE -> variables.otherwise(tag);
                case CLOSE -> variables.close();
                default -> { }
            }
        }
    }

    /** Ends the scope of the names declared for the previous branch; <code>{{else each ...}}</code> can declare new names. */
    private void otherwise(Tag tag) {
        boolean inSection = !sections.isEmpty();
        close();
        List<String> own = tag.words().isEmpty() ? List.of() : names(tag);
        if (inSection) {
            open(own);
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

    /** Reports the names and helpers that a tag refers to, or that it cannot be parsed. @return the names that the tag declares */
    private List<String> names(Tag tag) {
        boolean mayBeName = tag.kind() != Tag.TagKind.PARTIAL_BLOCK && tag.kind() != Tag.TagKind.BLOCK;
        Expression expression = Expression.of(tag);
        if (expression == null) {
            listener.unread(tag);
            return List.of();
        }
        Path first = expression.first;
        boolean isHelper = expression.isCall || first.isWord() && HELPERS.contains(first.name());
        if (mayBeName && !isHelper) {
            reportName(first, tag);
        }
        if (tag.kind() == Tag.TagKind.VALUE && expression.isWords() && !HELPERS.contains(first.name())) {
            listener.words(tag, first.name());
        }
        if (expression.isCall && mayBeName) {
            expression.helpers().stream().filter(name -> !HELPERS.contains(name)).forEach(name -> listener.helper(tag, name));
        }
        expression.arguments.forEach(path -> reportName(path, tag));
        return expression.blockParameters;
    }

    private void reportName(Path path, Tag tag) {
        boolean isDeclared = !path.scoped() && !path.parts().isEmpty() && declared.containsKey(path.parts().get(0));
        String name = path.name();
        if (!isDeclared && !name.isEmpty()) {
            listener.name(name, tag);
        }
    }
}
