package stet.markup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import stet.core.Refusal;
import stet.core.Secret;
import stet.core.Utf8;
import stet.core.Validation;
import stet.markup.Problem.Level;

/**
 * Makes of a draft what is served: expands its shared blocks, blocks within blocks too, and collects its variables.
 *
 * <p>One publisher is for one draft. It reads each block once, so the time is that of the text it makes, however the
 * blocks are nested.
 */
public final class Publisher {
    /** Bytes that a published html may have, at most. */
    static final int LONGEST = 4 << 20;
    /** Chars that expanding one draft may copy or read: it bounds the memory and time it takes. */
    static final int STEPS = 8 << 20;

    private final Function<String, Optional<String>> blocks;
    private final Map<String, Expanded> expanded = new HashMap<>();
    private final Set<String> expanding = new HashSet<>();
    private final Map<String, byte[]> taken = new TreeMap<>();
    private final Set<String> missing = new HashSet<>();
    private final Problems problems = new Problems();
    private long steps;

    /** @param bytes that it has, or would have if it had not been too long to be made */
    private record Expanded(String text, long bytes) {
    }

    /** @param blocks the text of a shared block, by its name */
    public Publisher(Function<String, Optional<String>> blocks) {
        this.blocks = blocks;
    }

    /**
     * @param force the author wants it with its errors
     * @throws Refusal naming the problems that stop it, each with its line
     */
    public Expansion publish(String subject, String html, boolean force) {
        String whole = expand(subject, html);
        if (problems.stops(force)) {
            throw new Refusal("html", Problems.sentence(problems.stopping(force).stream().map(Problem::toString).toList()));
        }
        return new Expansion(subject, Utf8.encode(whole), Variables.in(subject, whole), Map.copyOf(taken));
    }

    /** The html with its blocks in place; a tag that is at fault stays as it is and becomes one of {@link #problems()}. */
    public String expand(String subject, String html) {
        for (Tag tag : Tag.in(subject)) {
            switch (tag.kind()) {
                case UNCLOSED -> problems.add(new Problem(Level.ERROR, null, "subject", 1, "\"{{\" is not closed"));
                case BLOCK -> problems.add(new Problem(Level.ERROR, null, "subject", 1, "a shared block cannot stand in a subject"));
                default -> { }
            }
        }
        Sections.faults(subject).forEach(fault -> problems.add(
                new Problem(Level.ERROR, null, "subject", 1, fault == null ? "" : fault.sentence())));
        return expand(html);
    }

    public Problems problems() {
        return problems;
    }

    /** Whether a shared block of this name was found missing. */
    public boolean isMissing(String block) {
        return missing.contains(block) || !Validation.isId(block);
    }

    /** The name of each shared block taken in, at any depth, with the SHA-256 of its text. */
    public Map<String, byte[]> taken() {
        return taken;
    }

    /** The blocks that a text names itself, whether they exist or not. */
    public static List<String> included(String html) {
        return StreamSupport.stream(Tag.in(html).spliterator(), false).filter(tag -> tag.kind() == Tag.Kind.BLOCK)
                .map(Tag::words).filter(Validation::isId).distinct().toList();
    }

    /** A block in its place in the draft: from where to where it stands in the expanded html. */
    private record Include(Tag tag, int from, int to) {
    }

    /** A text being expanded; the frames below it on the stack are those that include it. */
    private static final class Frame {
        final String block;
        final String text;
        final Iterator<Tag> tags;
        final LineNumbers lines;
        final List<Include> includes = new ArrayList<>();
        final StringBuilder whole = new StringBuilder();
        long bytes;
        int copied;
        /** Waits until its block is expanded. */
        Tag waiting;

        Frame(String block, String text) {
            this.block = block;
            this.text = text;
            this.tags = Tag.in(text).iterator();
            this.lines = new LineNumbers(text);
            this.bytes = Utf8.length(text, 0, text.length());
        }

        Expanded end() {
            String all = copied == 0 ? text : whole.append(text, copied, text.length()).toString();
            return new Expanded(all, bytes);
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
            stack.pop();
            Expanded end = frame.end();
            if (frame.block == null) {
                examine(frame, end);
                return end.text;
            }
            expanding.remove(frame.block);
            expanded.put(frame.block, end);
        }
    }

    /** Goes through a frame's tags, up to a block that has to be expanded first, or to its end. */
    private Optional<Frame> advance(Frame frame, Deque<Frame> stack) {
        while (frame.waiting != null || frame.tags.hasNext()) {
            Tag tag = frame.waiting != null ? frame.waiting : frame.tags.next();
            frame.waiting = null;
            if (tag.kind() == Tag.Kind.UNCLOSED) {
                problem(Level.ERROR, frame, tag, "\"{{\" is not closed");
            } else if (tag.kind() == Tag.Kind.BLOCK && !expanded.containsKey(tag.words())) {
                Optional<Frame> inner = open(frame, tag, stack);
                if (inner.isPresent()) {
                    frame.waiting = tag;
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
            problem(Level.REFUSED, frame, tag, "shared block \"" + name + "\" includes itself: " + circle(name, stack));
            return Optional.empty();
        }
        if (steps > STEPS) {
            return Optional.empty();
        }
        // With so many missing nothing is published, so the others are not asked for.
        boolean asked = Validation.isId(name) && !missing.contains(name) && missing.size() < Problems.LISTED;
        Optional<String> text = asked ? blocks.apply(name) : Optional.empty();
        if (text.isEmpty()) {
            if (missing.size() < Problems.LISTED) {
                missing.add(name);
            }
            problem(Level.REFUSED, frame, tag, "there is no shared block \"" + name + "\"");
            return Optional.empty();
        }
        steps += text.get().length();
        taken.put(name, Secret.sha256(text.get()));
        return Optional.of(new Frame(name, text.get()));
    }

    private void replace(Frame frame, Tag tag, Expanded by) {
        frame.bytes = Math.min(Long.MAX_VALUE / 4, frame.bytes + by.bytes - Utf8.length(frame.text, tag.start(), tag.end()));
        steps += by.text.length();
        if (steps > STEPS) {
            return;
        }
        frame.whole.append(frame.text, frame.copied, tag.start());
        if (frame.block == null) {
            frame.includes.add(new Include(tag, frame.whole.length(), frame.whole.length() + by.text.length()));
        }
        frame.whole.append(by.text);
        frame.copied = tag.end();
    }

    /** What is to be said of the draft as a whole. */
    private void examine(Frame draft, Expanded whole) {
        if (whole.bytes > LONGEST) {
            problems.add(new Problem(Level.REFUSED, null, "html", 1, "with its shared blocks the html has " + whole.bytes
                    + " bytes, the most is " + LONGEST + " (" + (LONGEST >> 20) + " MiB)"));
        } else if (steps > STEPS) {
            problems.add(new Problem(Level.REFUSED, null, "html", 1, "its shared blocks are too long, or stand in each other too often"));
        }
        // A block may open a section that another one closes, so sections are looked at where all is in its place.
        LineNumbers lines = new LineNumbers(draft.text);
        int next = 0;
        int shift = 0;
        for (Sections.Fault fault : Sections.faults(whole.text)) {
            for (; fault != null && next < draft.includes.size() && draft.includes.get(next).to <= fault.place(); next++) {
                shift = draft.includes.get(next).tag.end() - draft.includes.get(next).to;
            }
            Include within = fault == null || next == draft.includes.size() || fault.place() < draft.includes.get(next).from
                    ? null : draft.includes.get(next);
            int line = fault == null ? 1 : lines.of(within == null ? fault.place() + shift : within.tag.start());
            problems.add(new Problem(Level.ERROR, null, "html", line, fault == null ? "" : fault.sentence()
                    + (within == null ? "" : ", in the shared block \"" + within.tag.words() + "\"")));
        }
    }

    private void problem(Level level, Frame frame, Tag tag, String sentence) {
        problems.add(new Problem(level, frame.block, "html", frame.lines.of(tag.start()), sentence));
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
