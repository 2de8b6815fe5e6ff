package stet.markup;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import stet.core.Refusal;
import stet.markup.Problems.Level;

/**
 * Rejects shared blocks that no published email could include, however they arrive: blocks that include an unknown block or themselves, at
 * any depth, or that are too long. Checks many blocks that include each other without expanding each of them.
 */
public final class BlockCheck {
    private final Function<String, Optional<String>> blocks;
    private final Map<String, Size> sizes = new HashMap<>();
    /** The block being read and the blocks that include it. */
    private final Set<String> open = new HashSet<>();

    /**
     * Upper bounds for an expanded block.
     *
     * @param chars its length
     * @param steps the chars to read or copy, as {@link Publisher} counts them
     */
    private record Size(long chars, long steps) {
        private static final long MUCH = Long.MAX_VALUE / 8;
        /** Of an unknown block, or one that includes itself. */
        private static final Size INVALID = new Size(MUCH, MUCH);

        private Size with(Size included) {
            return new Size(Math.min(MUCH, chars + included.chars), Math.min(MUCH, steps + included.steps + included.chars));
        }

        /** Whether expanding the block would exceed no limit. A char has up to 3 bytes of UTF-8. */
        private boolean isSmall() {
            return chars * 3 <= Publisher.MAX_BYTES && steps <= Publisher.MAX_STEPS;
        }
    }

    /** @param blocks looks up a shared block's text by name */
    public BlockCheck(Function<String, Optional<String>> blocks) {
        this.blocks = blocks;
    }

    /** The first problem that would prevent publishing even with {@code force}, if any. */
    public Optional<Problems.Row> problem(String name) {
        return size(name).isSmall() ? Optional.empty() : problem(new Publisher(blocks), name, true);
    }

    /**
     * Expands a block and checks the result, including errors in the block.
     *
     * @return SHA-256 of each other block that the block includes, by name
     * @throws Refusal naming the first problem
     */
    public static Map<String, byte[]> check(String name, Function<String, Optional<String>> blocks) {
        Publisher publisher = new Publisher(blocks);
        problem(publisher, name, false).ifPresent(row -> {
            throw new Refusal("html", row.toString());
        });
        Map<String, byte[]> others = new HashMap<>(publisher.taken());
        others.remove(name);
        return others;
    }

    private static Optional<Problems.Row> problem(Publisher publisher, String name, boolean force) {
        publisher.expand("", "{{> " + name + "}}");
        // Another block may close a section that this block opens, so errors that occur only in the expanded text are ignored.
        return publisher.problems().stopping(force).stream()
                .filter(row -> row.problem().block() != null || row.problem().level() == Level.REFUSED).findFirst();
    }

    private Size size(String name) {
        Size known = sizes.get(name);
        if (known != null) {
            return known;
        }
        Optional<String> text = open.add(name) ? blocks.apply(name) : Optional.empty();
        Size size = text.map(found -> new Size(found.length(), found.length())).orElse(Size.INVALID);
        if (text.isPresent()) {
            for (Tag tag : Tag.in(text.get())) {
                if (tag.kind() == Tag.Kind.BLOCK) {
                    size = size.with(open.contains(tag.words()) ? Size.INVALID : size(tag.words()));
                }
            }
            open.remove(name);
        }
        sizes.put(name, size);
        return size;
    }
}
