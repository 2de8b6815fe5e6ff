package stet.markup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.Utf8;
import stet.core.ImageNames;
import stet.core.Validation;
import stet.markup.Grammar.SyntaxFault;
import stet.markup.Problems.Level;
import stet.markup.Problems.Problem;

/**
 * Turns a draft into the version to serve: expands shared blocks recursively and collects the variables.
 *
 * <p>Use one publisher per draft. Each block is expanded only once, and {@link ExpansionLimits#steps} limits the work, however deeply blocks
 * nest.
 */
public final class Publisher {
    static final ExpansionLimits LIMITS = new ExpansionLimits(4 << 20, 8 << 20);
    /** Larger sizes are not added up. */
    private static final long MUCH = 1L << 40;
    /** Start of the first line that Git writes for a conflict. */
    private static final String MERGE_MARKER = "<<<<<<< ";

    private final Function<String, Optional<String>> blocks;
    private final ExpansionLimits limits;
    private final Map<String, BlockSource> sources = new HashMap<>();
    /** The source being read, followed by the sources that include it, up to the draft. An explicit stack lets blocks nest to any depth. */
    private final Deque<BlockSource> reading = new ArrayDeque<>();
    private BlockSource draft;
    private final Map<String, byte[]> taken = new TreeMap<>();
    private final Set<String> missing = new HashSet<>();
    private final List<Unknown> unknown = new ArrayList<>();
    /** Names of partials whose blocks were looked up only to warn about them. */
    private final Set<String> lookedUp = new HashSet<>();
    private final Problems problems = new Problems();
    private Problem lost;
    /** Whether the address of an image was reported; the other images have like ones. */
    private boolean isAddressReported;
    private long steps;

    /**
     * Limits of one expansion. Tests reach smaller ones sooner.
     *
     * @param bytes maximum size of published HTML, in bytes
     * @param steps maximum number of chars of blocks to read or copy, which limits an expansion's memory and time
     */
    record ExpansionLimits(int bytes, int steps) {
    }

    /**
     * An expanded draft, as publishing stores it.
     *
     * @param html      the exact bytes to serve
     * @param variables names that the caller must supply
     * @param blocks    SHA-256 of each included shared block's text or image's file, at any depth, by name
     */
    public record Expansion(String subject, byte[] html, List<String> variables, Map<String, byte[]> blocks) {
    }

    /** Where a position in the expanded HTML comes from. @param block null for the draft @param line counted from 1 */
    public record Origin(String block, int line) {
    }

    /** A tag in the draft or in a block. @param block null for the draft */
    private record Spot(String block, int place) {
    }

    /** A tag with the name of a partial that no shared block has. */
    private record Unknown(BlockSource source, Tag tag, String name) {
    }

    /** @param blocks looks up a shared block's text, or an image's address, by name */
    public Publisher(Function<String, Optional<String>> blocks) {
        this(blocks, LIMITS);
    }

    Publisher(Function<String, Optional<String>> blocks, ExpansionLimits limits) {
        this.blocks = blocks;
        this.limits = limits;
    }

    /**
     * Expands and checks a draft.
     *
     * @param force whether to publish despite errors
     * @throws Refusal listing the first problems that prevent publishing, with their lines
     */
    public Expansion publish(String subject, String html, boolean force) {
        String whole = expand(subject, html);
        if (problems.stops(force)) {
            throw new Refusal("html", Problems.sentence(problems.stopping(force).stream().map(Problems.ProblemRow::toString).toList()));
        }
        return new Expansion(subject, Utf8.encode(whole), Variables.in(subject, whole), Map.copyOf(taken));
    }

    /** Returns the HTML with its shared blocks expanded. Leaves invalid tags unchanged and reports them in {@link #problems()}. */
    public String expand(String subject, String html) {
        if (subject.isBlank()) {
            reportInDraft(Level.WARNING, "subject", 1, "the subject is empty");
        }
        for (Tag tag : Tag.in(subject)) {
            if (tag.kind() == Tag.TagKind.BLOCK) {
                reportInDraft(Level.ERROR, "subject", 1, "a subject cannot include a shared block");
            }
        }
        faults(subject).forEach(fault -> problems.add(new Problem(Level.ERROR, null, "subject", 1, fault.quote(), fault.words())));
        return expand(html);
    }

    public Problems problems() {
        return problems;
    }

    /** The first place after which a part of the email is lost in every mail client, because HTML is not closed; null if there is none. */
    public Problems.ProblemRow lost() {
        return lost == null ? null : new Problems.ProblemRow(lost, List.of(lost.line()));
    }

    /** Maps positions in the expanded HTML to the draft. */
    public SourceMap sourceMap() {
        return draft.map;
    }

    /** Source of a position in the expanded HTML: the draft or the innermost shared block. */
    public Origin origin(int place) {
        Spot spot = spot(place);
        return new Origin(spot.block, source(spot).lines.of(spot.place));
    }

    private BlockSource source(Spot spot) {
        return spot.block == null ? draft : sources.get(spot.block);
    }

    private Spot spot(int place) {
        BlockSource source = draft;
        int inside = place;
        for (Tag tag = source.map.block(inside); tag != null; tag = source.map.block(inside)) {
            inside = source.map.inBlock(inside);
            source = sources.get(tag.included());
        }
        return new Spot(source.block, source.map.draft(inside));
    }

    /** True if this included block does not exist or its name is invalid. After many missing blocks, further ones are not recorded. */
    public boolean isMissing(String block) {
        return missing.contains(block) || !Validation.isBlock(block);
    }

    /** Whether only inline partials have this name, and no included shared block, even a missing one. */
    public boolean isOnlyInline(String name) {
        return !sources.containsKey(name) && !isMissing(name);
    }

    /** SHA-256 of each included shared block, at any depth, by name. */
    public Map<String, byte[]> includedBlocks() {
        return taken;
    }

    /**
     * Names of the shared blocks that a text includes directly, whether they exist or not.
     *
     * @throws Refusal if there are more blocks than an account may have
     */
    public static List<String> included(String html) {
        List<String> names = included(html, Validation.BLOCKS + 1);
        if (names.size() > Validation.BLOCKS) {
            throw new Refusal("html", "The HTML can include at most " + Validation.BLOCKS
                    + " shared blocks");
        }
        return names;
    }

    /**
     * The first names of the shared blocks that a text includes directly, whether they exist or not.
     *
     * @param most maximum number of names, because drafts saved before the limit was introduced may include more
     */
    public static List<String> included(String html, int most) {
        Partials partials = Partials.in(html);
        return StreamSupport.stream(Tag.in(html).spliterator(), false).filter(tag -> tag.kind() == Tag.TagKind.BLOCK && !partials.isInline(tag))
                .map(Tag::included).filter(name -> name != null && Validation.isBlock(name)).distinct().limit(most).toList();
    }

    private String expand(String html) {
        draft = new BlockSource(null, html);
        reading.push(draft);
        while (draft.expanded == null) {
            BlockSource source = reading.peek();
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

    /** Replaces a block tag with the block's text, or pushes the block onto the stack to expand it first. */
    private void read(BlockSource source, Tag tag) {
        if (!tag.isPartial() || source.partials.isInline(tag)) {
            return;
        }
        if (tag.kind() == Tag.TagKind.PARTIAL_BLOCK) {
            warnAboutLayout(source, Partials.name(tag));
            return;
        }
        String name = tag.included();
        if (name == null) {
            reportUnsupported(source, Expression.of(tag));
            return;
        }
        BlockSource block = sources.get(name);
        if (block == null && steps <= limits.steps) {
            open(source, name);
        } else if (block != null && block.expanded == null) {
            reportAtTag(Level.REFUSED, source, "", "shared block \"" + name + "\" includes itself: " + circle(name));
        } else if (block != null) {
            replace(source, block);
        }
    }

    /** Looks a block up and pushes it onto the stack, or records that it is missing. */
    private void open(BlockSource source, String name) {
        // After this many missing blocks, do not look up more, because publishing fails anyway.
        boolean isAsked = Validation.isBlock(name) && !missing.contains(name) && missing.size() < Problems.MAX_LISTED;
        Optional<String> text = isAsked ? blocks.apply(name) : Optional.empty();
        text.ifPresentOrElse(found -> push(source, name, found), () -> addMissing(source, name));
    }

    /** Pushes a block onto the stack. Warns once if recipients cannot load images. */
    private void push(BlockSource source, String name, String text) {
        steps += text.length();
        byte[] image = ImageNames.isImage(name) ? ImageNames.sha256(text) : null;
        if (image != null && !isAddressReported && ImageNames.isPrivate(text)) {
            isAddressReported = true;
            reportAtTag(Level.WARNING, source, "", "recipients cannot load images from " + text.substring(0, text.lastIndexOf('/'))
                    + "; ask the administrator to set --images-url to an address with https");
        }
        taken.put(name, image != null ? image : Secret.sha256(text));
        sources.put(name, new BlockSource(name, text));
        reading.push(sources.get(name));
    }

    /** Records a block that was not found. {@link #reportUnknown} decides later whether it is an inline partial. */
    private void addMissing(BlockSource source, String name) {
        if (missing.size() < Problems.MAX_LISTED) {
            missing.add(name);
        }
        if (unknown.size() < Problems.MAX_LISTED) {
            unknown.add(new Unknown(source, source.tag, name));
        } else {
            problems.count(Level.REFUSED);
        }
    }

    /** Reports a tag that includes no block because it passes values or names none. @param expression null for an invalid tag */
    private void reportUnsupported(BlockSource source, Expression expression) {
        if (expression != null) {
            reportAtTag(Level.ERROR, source, source.tag.quoted(), expression.dynamic != null
                    ? " chooses a block by a value; only the name of a shared block can be included"
                    : " passes a value to a shared block, which is not supported; blocks use the variables of the email");
        }
    }

    /** Warns about {@code {{#> footer}}} if there is such a shared block. @param name null if only the data has it */
    private void warnAboutLayout(BlockSource source, String name) {
        boolean isAsked = name != null && Validation.isId(name) && lookedUp.size() < Problems.MAX_LISTED && lookedUp.add(name);
        if (isAsked && blocks.apply(name).isPresent()) {
            reportAtTag(Level.WARNING, source, source.tag.quoted(), " shows its own content, not the shared block \"" + name
                    + "\"; to include the block, write {{> " + name + "}}");
        }
    }

    /**
     * Reports the partials that are neither shared blocks nor inline partials, which another block or the draft may define. Inline partials
     * are no longer missing.
     */
    private void reportUnknown() {
        Partials partials = Partials.in(unknown.isEmpty() ? "" : draft.expanded);
        Set<Spot> blocks = partials.isEmpty() ? Set.of() : blockTags(partials);
        for (Unknown each : unknown) {
            if (partials.isEmpty() || blocks.contains(new Spot(each.source.block, each.tag.start()))) {
                problems.add(new Problem(Level.REFUSED, each.source.block, "html", each.source.lines.of(each.tag.start()), "", notFound(each.name)));
            } else {
                missing.remove(each.name);
            }
        }
    }

    /** The tags of the expanded draft that show no inline partial. */
    private Set<Spot> blockTags(Partials partials) {
        Set<Spot> tags = new HashSet<>();
        for (Tag tag : Tag.in(draft.expanded)) {
            if (tag.kind() == Tag.TagKind.BLOCK && !partials.isInline(tag)) {
                tags.add(spot(tag.start()));
            }
        }
        return tags;
    }

    private static String notFound(String name) {
        if (name.equals("@partial-block")) {
            return "{{> @partial-block}} is allowed only inside {{#*inline}}";
        }
        return !name.startsWith(ImageNames.FOLDER) ? "shared block \"" + name + "\" not found"
                : ImageNames.isImage(name) ? "image \"" + name.substring(ImageNames.FOLDER.length()) + "\" not found; add it on the page Images"
                : "\"" + name + "\" is not a valid image name; use letters, digits, - and _, then .png, .jpg, .jpeg or .gif";
    }

    /** Replaces the current tag of a source with an expanded block. After too many steps, only adds up sizes, because publishing fails. */
    private void replace(BlockSource source, BlockSource by) {
        Tag tag = source.tag;
        source.bytes = Math.min(MUCH, source.bytes + by.bytes - Utf8.length(source.text, tag.start(), tag.end()));
        steps += by.expanded.length();
        if (steps > limits.steps) {
            return;
        }
        source.whole.append(source.text, source.copied, tag.start());
        source.map.include(tag, source.whole.length(), source.whole.length() + by.expanded.length());
        source.whole.append(by.expanded);
        source.copied = tag.end();
    }

    /** Checks the expanded draft, because a block may open a section that another block closes. */
    private void examine() {
        if (draft.bytes > limits.bytes) {
            reportInDraft(Level.REFUSED, "html", 1, "the HTML, including its shared blocks, is "
                    + (draft.bytes >= MUCH ? "at least " + MUCH : draft.bytes) + " bytes; the limit is " + limits.bytes
                    + " (" + (limits.bytes >> 20) + " MiB)");
        } else if (steps > limits.steps) {
            reportInDraft(Level.REFUSED, "html", 1, "the shared blocks are too long or too deeply nested; shorten or combine them");
        }
        if (draft.expanded.isBlank()) {
            reportInDraft(Level.WARNING, "html", 1, "the email is empty");
        }
        reportUnknown();
        reportMergeMarker(draft);
        sources.values().forEach(this::reportMergeMarker);
        report(faults(draft.expanded));
        List<SyntaxFault> unclosed = new ArrayList<>();
        Unclosed.check(draft.expanded, fault -> addOrCount(unclosed, fault));
        lost = report(unclosed);
    }

    /** Reports faults of the expanded draft where they come from. @return the first problem, or null */
    private Problem report(List<SyntaxFault> faults) {
        Problem first = null;
        Set<Spot> inBlocks = new HashSet<>();
        for (SyntaxFault fault : faults) {
            Tag tag = draft.map.block(fault.place());
            Spot spot = tag != null && fault.isNesting() ? new Spot(null, tag.start()) : spot(fault.place());
            // A block that is included several times has its own faults only once.
            if (spot.block == null || inBlocks.add(spot)) {
                String within = tag == null || spot.block != null ? "" : ", in the shared block \"" + tag.included() + "\"";
                int line = source(spot).lines.of(spot.place);
                Problem problem = new Problem(Level.ERROR, spot.block, "html", line, fault.quote(), fault.words() + within);
                problems.add(problem);
                first = first == null ? problem : first;
            }
        }
        return first;
    }

    /** Reports the first conflict that Git could not merge. */
    private void reportMergeMarker(BlockSource source) {
        boolean isFirst = source.text.startsWith(MERGE_MARKER);
        int at = isFirst ? 0 : source.text.indexOf("\n" + MERGE_MARKER) + 1;
        if (isFirst || at > 0) {
            problems.add(new Problem(Level.ERROR, source.block, "html", source.lines.of(at), "",
                    "unresolved merge conflict; choose a version and remove the lines that start with <<<<<<<, ======= and >>>>>>>"));
        }
    }

    /** Errors that Handlebars reports in a text, sorted by position. Faults beyond the list limit are only counted. */
    private List<SyntaxFault> faults(String text) {
        List<SyntaxFault> faults = new ArrayList<>();
        Grammar.check(text, fault -> addOrCount(faults, fault));
        faults.sort(Comparator.comparingInt(SyntaxFault::place));
        return faults;
    }

    private void addOrCount(List<SyntaxFault> faults, SyntaxFault fault) {
        if (faults.size() == Problems.MAX_LISTED) {
            problems.count(Level.ERROR);
        } else {
            faults.add(fault);
        }
    }

    /** Reports a problem of the draft. */
    private void reportInDraft(Level level, String field, int line, String sentence) {
        problems.add(new Problem(level, null, field, line, "", sentence));
    }

    /** Reports a problem at the current tag of a source. */
    private void reportAtTag(Level level, BlockSource source, String quote, String words) {
        problems.add(new Problem(level, source.block, "html", source.lines.of(source.tag.start()), quote, words));
    }

    /** The include cycle through this block: {@code a > b > a}. */
    private String circle(String name) {
        Deque<String> names = new ArrayDeque<>(List.of(name));
        for (BlockSource source : reading) {
            names.addFirst(source.block);
            if (name.equals(source.block)) {
                break;
            }
        }
        return String.join(" > ", names);
    }
}
