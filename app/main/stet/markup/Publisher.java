package stet.markup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
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
import stet.markup.Problems.Level;

/**
 * Turns a draft into the version that is served: expands its shared blocks, blocks within blocks too, and collects its
 * variables.
 *
 * <p>One publisher is for one draft. It reads each block once, so its time is in proportion to the text it makes, however
 * the blocks are nested.
 */
public final class Publisher {
    /** Longest published html. */
    private static final int MAX_BYTES = 4 << 20;
    /** Chars that expanding one draft may copy or read: a bound on its memory and time. */
    private static final int MAX_STEPS = 8 << 20;

    private final Function<String, Optional<String>> blocks;
    private final Map<String, Source> sources = new HashMap<>();
    /** The text that is being read, then the one that includes it, and so on to the draft: blocks nest to any depth. */
    private final Deque<Source> reading = new ArrayDeque<>();
    private Source draft;
    private final Map<String, byte[]> taken = new TreeMap<>();
    private final Set<String> missing = new HashSet<>();
    private final Problems problems = new Problems();
    private long steps;

    /**
     * The text that publishing freezes.
     *
     * @param html      the exact bytes to serve
     * @param variables names that the caller fills in
     * @param blocks    by name the SHA-256 of each shared block in it, at any depth
     */
    public record Expansion(String subject, byte[] html, List<String> variables, Map<String, byte[]> blocks) {
    }

    /** Where something stands that the expanded html has. @param block null for the draft itself @param line counted from 1 */
    public record Origin(String block, int line) {
    }

    /** A section at fault. @param place of its tag, in chars */
    private record Fault(int place, String sentence) {
    }

    /** The draft, which has no name, or a block. */
    private static final class Source {
        final String block;
        final String text;
        final Iterator<Tag> tags;
        final LineNumbers lines;
        /** The places of the expanded text in this one. */
        final SourceMap map = new SourceMap();
        /** The tag that is being read. */
        Tag tag;
        /** Bytes of the expanded text; when it is too long to be made, bytes that it would have. */
        long bytes;
        int copied;
        StringBuilder whole = new StringBuilder();
        /** Null until all tags are read. */
        String expanded;

        Source(String block, String text) {
            this.block = block;
            this.text = text;
            this.tags = Tag.in(text).iterator();
            this.lines = new LineNumbers(text);
            this.bytes = Utf8.length(text, 0, text.length());
        }

        void end() {
            expanded = copied == 0 ? text : whole.append(text, copied, text.length()).toString();
            whole = null;
        }
    }

    /** @param blocks the text of a shared block, by its name */
    public Publisher(Function<String, Optional<String>> blocks) {
        this.blocks = blocks;
    }

    /**
     * Expands a draft.
     *
     * @param force the author wants it with its errors
     * @throws Refusal naming the problems that stop it, each with its line
     */
    public Expansion publish(String subject, String html, boolean force) {
        String whole = expand(subject, html);
        if (problems.stops(force)) {
            throw new Refusal("html", Problems.sentence(problems.stopping(force).stream().map(Problems.Row::toString).toList()));
        }
        return new Expansion(subject, Utf8.encode(whole), Variables.in(subject, whole), Map.copyOf(taken));
    }

    /** The html with its blocks in place; a faulty tag stays as it is and becomes one of {@link #problems()}. */
    public String expand(String subject, String html) {
        for (Tag tag : Tag.in(subject)) {
            switch (tag.kind()) {
                case UNCLOSED -> add(Level.ERROR, "subject", 1, "\"{{\" is not closed");
                case BLOCK -> add(Level.ERROR, "subject", 1, "a shared block cannot stand in a subject");
                default -> { }
            }
        }
        faults(subject).forEach(fault -> add(Level.ERROR, "subject", 1, fault.sentence));
        return expand(html);
    }

    public Problems problems() {
        return problems;
    }

    /** The places of the expanded html in the draft. */
    public SourceMap sourceMap() {
        return draft.map;
    }

    /** Where a place of the expanded html comes from: the draft, or the innermost shared block that has it. */
    public Origin origin(int place) {
        Source source = draft;
        int inside = place;
        for (Tag tag = source.map.block(inside); tag != null; tag = source.map.block(inside)) {
            inside = source.map.inBlock(inside);
            source = sources.get(tag.words());
        }
        return new Origin(source.block, source.lines.of(source.map.draft(inside)));
    }

    /** Whether a shared block of this name was found missing. */
    public boolean isMissing(String block) {
        return missing.contains(block) || !Validation.isId(block);
    }

    /** The name of each shared block taken in, at any depth, with the SHA-256 of its text. */
    public Map<String, byte[]> taken() {
        return taken;
    }

    /**
     * The blocks that a text includes itself, whether they exist or not.
     *
     * @throws Refusal when there are more than an account may have
     */
    public static List<String> included(String html) {
        List<String> names = included(html, Validation.BLOCKS + 1);
        if (names.size() > Validation.BLOCKS) {
            throw new Refusal("html", "The html includes more than " + Validation.BLOCKS
                    + " shared blocks, the most that an account may have");
        }
        return names;
    }

    /** The first of them: a draft may be older than the bound. */
    public static List<String> included(String html, int most) {
        return StreamSupport.stream(Tag.in(html).spliterator(), false).filter(tag -> tag.kind() == Tag.Kind.BLOCK)
                .map(Tag::words).filter(Validation::isId).distinct().limit(most).toList();
    }

    private String expand(String html) {
        draft = new Source(null, html);
        reading.push(draft);
        while (draft.expanded == null) {
            Source source = reading.peek();
            if (source.tags.hasNext()) {
                source.tag = source.tags.next();
                read(source, source.tag);
            } else {
                reading.pop().end();
                if (source != draft) {
                    replace(reading.peek(), source);
                }
            }
        }
        examine();
        return draft.expanded;
    }

    /** Puts the block of a tag in its place, or on the stack where it has to be expanded first. */
    private void read(Source source, Tag tag) {
        if (tag.kind() == Tag.Kind.UNCLOSED) {
            problem(Level.ERROR, source, "\"{{\" is not closed");
        }
        if (tag.kind() != Tag.Kind.BLOCK) {
            return;
        }
        String name = tag.words();
        Source block = sources.get(name);
        if (block == null && steps <= MAX_STEPS) {
            open(source, name);
        } else if (block != null && block.expanded == null) {
            problem(Level.REFUSED, source, "shared block \"" + name + "\" includes itself: " + circle(name));
        } else if (block != null) {
            replace(source, block);
        }
    }

    private void open(Source source, String name) {
        // Nothing is published when so many are missing, so the others are not asked for.
        boolean isAsked = Validation.isId(name) && !missing.contains(name) && missing.size() < Problems.MAX_LISTED;
        Optional<String> text = isAsked ? blocks.apply(name) : Optional.empty();
        if (text.isPresent()) {
            steps += text.get().length();
            taken.put(name, Secret.sha256(text.get()));
            sources.put(name, new Source(name, text.get()));
            reading.push(sources.get(name));
            return;
        }
        if (missing.size() < Problems.MAX_LISTED) {
            missing.add(name);
        }
        problem(Level.REFUSED, source, "there is no shared block \"" + name + "\"");
    }

    private void replace(Source source, Source by) {
        Tag tag = source.tag;
        source.bytes = Math.min(Long.MAX_VALUE / 4, source.bytes + by.bytes - Utf8.length(source.text, tag.start(), tag.end()));
        steps += by.expanded.length();
        if (steps > MAX_STEPS) {
            return;
        }
        source.whole.append(source.text, source.copied, tag.start());
        source.map.include(tag, source.whole.length(), source.whole.length() + by.expanded.length());
        source.whole.append(by.expanded);
        source.copied = tag.end();
    }

    /** Examines the draft as a whole: a block may open a section that another one closes. */
    private void examine() {
        if (draft.bytes > MAX_BYTES) {
            add(Level.REFUSED, "html", 1, "with its shared blocks the html has " + draft.bytes
                    + " bytes, the limit is " + MAX_BYTES + " (" + (MAX_BYTES >> 20) + " MiB)");
        } else if (steps > MAX_STEPS) {
            add(Level.REFUSED, "html", 1, "its shared blocks are too long, or stand in each other too often");
        }
        LineNumbers lines = new LineNumbers(draft.text);
        for (Fault fault : faults(draft.expanded)) {
            Tag tag = draft.map.block(fault.place);
            if (tag != null) {
                String within = ", in the shared block \"" + tag.words() + "\"";
                add(Level.ERROR, "html", lines.of(tag.start()), fault.sentence + within);
            } else {
                add(Level.ERROR, "html", lines.of(draft.map.draft(fault.place)), fault.sentence);
            }
        }
    }

    /**
     * Finds sections that are not closed, and tags that close no section or one of another name. The first found are given, as
     * many as can be listed, in the order of their places; the others are only counted.
     */
    private List<Fault> faults(String text) {
        List<Fault> faults = new ArrayList<>();
        Deque<Tag> open = new ArrayDeque<>();
        for (Tag tag : Tag.in(text)) {
            switch (tag.kind()) {
                case OPEN, PARTIAL_BLOCK -> open.push(tag);
                case CLOSE -> {
                    Tag opened = open.poll();
                    if (opened == null || !opened.isClosedBy(tag)) {
                        add(faults, tag, opened == null ? " closes no section" : " closes ", opened);
                    }
                }
                case ELSE -> {
                    if (open.isEmpty()) {
                        add(faults, tag, " stands in no section", null);
                    }
                }
                default -> { }
            }
        }
        open.descendingIterator().forEachRemaining(tag -> add(faults, tag, " is not closed", null));
        faults.sort(Comparator.comparingInt(Fault::place));
        return faults;
    }

    private void add(List<Fault> faults, Tag tag, String words, Tag other) {
        if (faults.size() == Problems.MAX_LISTED) {
            problems.count(Level.ERROR);
        } else {
            faults.add(new Fault(tag.start(), tag.quoted() + words + (other == null ? "" : other.quoted())));
        }
    }

    private void add(Level level, String field, int line, String sentence) {
        problems.add(level, null, field, line, sentence);
    }

    private void problem(Level level, Source source, String sentence) {
        problems.add(level, source.block, "html", source.lines.of(source.tag.start()), sentence);
    }

    /** The blocks from this one up the stack and back to it: {@code a > b > a}. */
    private String circle(String name) {
        Deque<String> names = new ArrayDeque<>(List.of(name));
        for (Source source : reading) {
            names.addFirst(source.block);
            if (name.equals(source.block)) {
                break;
            }
        }
        return String.join(" > ", names);
    }
}
