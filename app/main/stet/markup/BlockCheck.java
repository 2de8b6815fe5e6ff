package stet.markup;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Validation;
import stet.markup.Problems.Level;
import stet.markup.Publisher.ExpansionLimits;

/**
 * Rejects shared blocks that no published email could include, however they arrive: blocks that include an unknown block or themselves, at
 * any depth, or that are too long.
 *
 * <p>Adds up what {@link Publisher} would read and copy, so that each block is read once. Expands only a block that would be rejected, to
 * get the problem.
 */
public final class BlockCheck {
    /** Larger sizes are not added up, so that they can be multiplied by the number of tags in a text. */
    private static final long MUCH = 1L << 40;
    /**
     * Maximum number of names of inline partials that are kept for a block. A block that reaches one more unknown name is expanded, and its
     * other names are not looked up.
     */
    private static final int MAX_NAMES = 100;
    /** Number of expansions that may find nothing, for example because two blocks together define an inline partial. */
    private static final int MAX_FRUITLESS = 20;

    private final Function<String, Optional<String>> blocks;
    private final ExpansionLimits limits;
    private final Map<String, Node> nodes = new HashMap<>();
    /** The costs of the blocks that have been read, by their numbers. */
    private long[] costs = new long[16];
    private int fruitless;

    /** A block and everything that it includes. */
    private static final class Node {
        final int number;
        /** Numbers of this block and of all that it includes at any depth. */
        final BitSet reached = new BitSet();
        /** Unknown names at any depth, and names of inline partials. */
        final Set<String> unknown = new HashSet<>();
        final Set<String> inline = new HashSet<>();
        boolean isCircular;
        boolean isRead;
        /** Length of the expanded block, in bytes and in chars. */
        long bytes;
        long chars;
        /** Chars of this block alone to read or copy. */
        long cost;
        /** Number of times the block includes each other block, until that block is added. */
        private final Map<String, Integer> includes = new LinkedHashMap<>();
        /** Names of the blocks to look up. */
        private final Iterator<String> waiting;

        Node(int number, String text) {
            this.number = number;
            reached.set(number);
            bytes = Utf8.length(text, 0, text.length());
            chars = text.length();
            cost = text.length();
            Partials partials = Partials.in(text);
            for (Tag tag : Tag.in(text)) {
                String definition = Partials.defined(tag);
                if (definition != null) {
                    add(inline, definition, MAX_NAMES);
                }
                String name = tag.kind() == Tag.TagKind.BLOCK && !partials.isInline(tag) ? tag.included() : null;
                if (name != null && (includes.size() <= Validation.BLOCKS + MAX_NAMES || includes.containsKey(name))) {
                    includes.merge(name, 1, Integer::sum);
                    bytes -= Utf8.length(text, tag.start(), tag.end());
                    chars -= tag.end() - tag.start();
                }
            }
            waiting = includes.keySet().iterator();
        }

        void addUnknown(String name) {
            add(unknown, name, MAX_NAMES + 1);
        }

        private static void add(Set<String> names, String name, int most) {
            if (names.size() < most) {
                names.add(name);
            }
        }

        /** True if no other block needs to be looked up, because all have been or this one will be expanded. */
        boolean isEnded() {
            return !waiting.hasNext() || unknown.size() > MAX_NAMES;
        }

        /** Adds an included block that has been read. */
        void include(String name, Node other) {
            int times = includes.get(name);
            bytes = Math.min(MUCH, bytes + times * other.bytes);
            chars = Math.min(MUCH, chars + times * other.chars);
            cost = Math.min(MUCH, cost + times * other.chars);
            reached.or(other.reached);
            other.unknown.forEach(this::addUnknown);
            other.inline.forEach(each -> add(inline, each, MAX_NAMES));
            isCircular |= other.isCircular;
        }
    }

    /** @param blocks looks up a shared block's text by name */
    public BlockCheck(Function<String, Optional<String>> blocks) {
        this(blocks, Publisher.LIMITS);
    }

    BlockCheck(Function<String, Optional<String>> blocks, ExpansionLimits limits) {
        this.blocks = blocks;
        this.limits = limits;
    }

    /**
     * The first problem that would prevent publishing even with {@code force}, if any. After {@link #MAX_FRUITLESS} expansions that found
     * nothing, no further block is expanded, so its problems are left to publishing.
     */
    public Optional<Problems.ProblemRow> problem(String name) {
        if (isSound(name) || fruitless >= MAX_FRUITLESS) {
            return Optional.empty();
        }
        Optional<Problems.ProblemRow> problem = firstProblem(new Publisher(blocks, limits), name, true);
        fruitless += problem.isEmpty() ? 1 : 0;
        return problem;
    }

    /**
     * Expands a block and checks the result, including errors in the block.
     *
     * @return SHA-256 of each other block that the block includes, by name
     * @throws Refusal naming the first problem
     */
    public static Map<String, byte[]> check(String name, Function<String, Optional<String>> blocks) {
        Publisher publisher = new Publisher(blocks);
        firstProblem(publisher, name, false).ifPresent(row -> {
            throw new Refusal("html", row.toString());
        });
        Map<String, byte[]> others = new HashMap<>(publisher.includedBlocks());
        others.remove(name);
        return others;
    }

    /** The first problem of an expanded block. @param force whether errors do not count */
    private static Optional<Problems.ProblemRow> firstProblem(Publisher publisher, String name, boolean force) {
        publisher.expand("", "{{> " + name + "}}");
        // Another block may close a section that this block opens, so errors that occur only in the expanded text are ignored.
        return publisher.problems().stopping(force).stream()
                .filter(row -> row.problem().block() != null || row.problem().level() == Level.REFUSED).findFirst();
    }

    /** Whether expanding the block would find all blocks and exceed no limit. */
    private boolean isSound(String name) {
        Node node = read(name);
        if (node == null || node.isCircular || !node.inline.containsAll(node.unknown) || node.bytes > limits.bytes()) {
            return false;
        }
        long steps = node.chars;
        for (int each = node.reached.nextSetBit(0); each >= 0 && steps <= limits.steps(); each = node.reached.nextSetBit(each + 1)) {
            steps += costs[each];
        }
        return steps <= limits.steps();
    }

    /** Reads a block and the blocks that it includes. An explicit stack lets blocks nest to any depth. @return null for an unknown block */
    private Node read(String root) {
        Deque<String> open = new ArrayDeque<>();
        if (!nodes.containsKey(root) && !begin(root, open)) {
            return null;
        }
        while (!open.isEmpty()) {
            String name = open.peek();
            Node node = nodes.get(name);
            if (node.isEnded()) {
                end(node);
                open.pop();
                if (!open.isEmpty()) {
                    nodes.get(open.peek()).include(name, node);
                }
                continue;
            }
            String other = node.waiting.next();
            Node known = nodes.get(other);
            if (known == null) {
                if (!begin(other, open)) {
                    node.addUnknown(other);
                }
            } else if (known.isRead) {
                node.include(other, known);
            } else {
                node.isCircular = true;
            }
        }
        return nodes.get(root);
    }

    /** Looks a block up and pushes it onto the stack. @return false if there is no such block */
    private boolean begin(String name, Deque<String> open) {
        Optional<String> text = Validation.isBlock(name) ? blocks.apply(name) : Optional.empty();
        text.ifPresent(found -> {
            nodes.put(name, new Node(nodes.size(), found));
            open.push(name);
        });
        return text.isPresent();
    }

    private void end(Node node) {
        if (node.number >= costs.length) {
            costs = Arrays.copyOf(costs, node.number * 2);
        }
        costs[node.number] = node.cost;
        node.isRead = true;
        node.includes.clear();
    }
}
