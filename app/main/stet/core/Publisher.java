package stet.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Makes of a draft what is served: expands its shared blocks, blocks within blocks too, and collects its variables.
 *
 * <p>One publisher is for one draft. It reads each block once, so the time is that of the text it makes, however the
 * blocks are nested.
 */
public final class Publisher {
    /** How much text expanding one draft may copy, in chars: it bounds the html made, and the memory and time it takes. */
    static final int EXPANDED = 8 << 20;
    private static final String TOO_LONG = "with its shared blocks the html grows over " + (EXPANDED >> 20) + " MiB";
    /** More problems than this are not listed. */
    private static final int LISTED = 50;

    private final Function<String, Optional<String>> blocks;
    private final Map<String, String> expanded = new HashMap<>();
    private final Set<String> expanding = new HashSet<>();
    private final Map<String, byte[]> taken = new TreeMap<>();
    private final List<Problem> problems = new ArrayList<>();
    private long copied;
    /** Chars of the blocks read, which are all held until the draft is done. */
    private long opened;

    /** @param blocks the text of a shared block, by its name */
    public Publisher(Function<String, Optional<String>> blocks) {
        this.blocks = blocks;
    }

    /** @throws Refusal naming every problem and its line, when there is one */
    public Publication publish(String subject, String html) {
        String whole = expand(subject, html);
        if (!problems.isEmpty()) {
            throw new Refusal("html", problems.stream().map(Problem::toString).collect(Collectors.joining("; ")));
        }
        return new Publication(subject, Utf8.encode(whole), Variables.in(subject, whole), Map.copyOf(taken));
    }

    /** The html with its blocks in place; a tag that is at fault stays as it is and becomes one of {@link #problems()}. */
    public String expand(String subject, String html) {
        for (Tag tag : Tag.in(subject)) {
            switch (tag.kind()) {
                case UNCLOSED -> problems.add(new Problem(true, null, "subject", 1, "\"{{\" is not closed"));
                case BLOCK -> problems.add(new Problem(true, null, "subject", 1, "a shared block cannot stand in a subject"));
                default -> { }
            }
        }
        return expand(html);
    }

    public List<Problem> problems() {
        return problems;
    }

    /** The name of each shared block taken in, at any depth, with the SHA-256 of its text. */
    public Map<String, byte[]> taken() {
        return taken;
    }

    /** The blocks that a text names itself, whether they exist or not. */
    public static List<String> included(String html) {
        return Tag.in(html).stream().filter(tag -> tag.kind() == Tag.Kind.BLOCK)
                .map(Tag::words).filter(Rules::isId).distinct().toList();
    }

    /** A text being expanded; the frames below it on the stack are those that include it. */
    private static final class Frame {
        final String block;
        final String text;
        final List<Tag> tags;
        final StringBuilder whole = new StringBuilder();
        int tag;
        int copied;

        Frame(String block, String text) {
            this.block = block;
            this.text = text;
            this.tags = Tag.in(text);
        }
    }

    // A stack of its own instead of recursion: blocks may be nested to any depth.
    private String expand(String html) {
        Deque<Frame> stack = new ArrayDeque<>();
        stack.push(new Frame(null, html));
        while (true) {
            Frame frame = stack.peek();
            Optional<Frame> inner = advance(frame, stack);
            if (inner.isPresent()) {
                stack.push(inner.get());
                expanding.add(inner.get().block);
                continue;
            }
            frame.whole.append(frame.text, frame.copied, frame.text.length());
            stack.pop();
            if (frame.block == null) {
                return frame.whole.toString();
            }
            expanding.remove(frame.block);
            expanded.put(frame.block, frame.whole.toString());
        }
    }

    /** Goes through a frame's tags, up to a block that has to be expanded first, or to its end. */
    private Optional<Frame> advance(Frame frame, Deque<Frame> stack) {
        for (; frame.tag < frame.tags.size(); frame.tag++) {
            Tag tag = frame.tags.get(frame.tag);
            if (tag.kind() == Tag.Kind.UNCLOSED) {
                problem(frame, tag, "\"{{\" is not closed");
            } else if (tag.kind() == Tag.Kind.BLOCK && !expanded.containsKey(tag.words())) {
                Optional<Frame> inner = open(frame, tag, stack);
                if (inner.isPresent()) {
                    return inner;
                }
            } else if (tag.kind() == Tag.Kind.BLOCK) {
                replace(frame, tag, expanded.get(tag.words()));
            }
        }
        return Optional.empty();
    }

    private Optional<Frame> open(Frame frame, Tag tag, Deque<Frame> stack) {
        String name = tag.words();
        if (expanding.contains(name)) {
            problem(frame, tag, "shared block \"" + name + "\" includes itself: " + circle(name, stack));
            return Optional.empty();
        }
        Optional<String> text = Rules.isId(name) ? blocks.apply(name) : Optional.empty();
        if (text.isEmpty()) {
            problem(frame, tag, "there is no shared block \"" + name + "\"");
            return Optional.empty();
        }
        opened += text.get().length();
        if (opened > EXPANDED) {
            problem(frame, tag, TOO_LONG);
            return Optional.empty();
        }
        taken.put(name, Secret.sha256(text.get()));
        return Optional.of(new Frame(name, text.get()));
    }

    private void replace(Frame frame, Tag tag, String by) {
        copied += by.length();
        if (copied > EXPANDED) {
            problem(frame, tag, TOO_LONG);
            return;
        }
        frame.whole.append(frame.text, frame.copied, tag.start()).append(by);
        frame.copied = tag.end();
    }

    private void problem(Frame frame, Tag tag, String sentence) {
        if (problems.size() < LISTED) {
            problems.add(new Problem(true, frame.block, "html", tag.line(frame.text), sentence));
        }
    }

    /** From the block down the stack and back to it: {@code a > b > a}. */
    private static String circle(String name, Deque<Frame> stack) {
        List<String> names = new ArrayList<>(List.of(name));
        for (Frame frame : stack) {
            names.add(0, frame.block);
            if (name.equals(frame.block)) {
                break;
            }
        }
        return String.join(" > ", names);
    }
}
