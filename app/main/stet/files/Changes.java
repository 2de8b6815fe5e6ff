package stet.files;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import stet.base.Amount;

/**
 * The changes that an import makes to an account. In JSON, all fields are of one object, and empty fields after {@code published} are omitted.
 *
 * @param texts     the templates and shared blocks that are saved
 * @param found     the conflicts: changes made in Stet that the files do not have
 * @param removals  the templates and shared blocks that are pruned
 * @param findings  what the author of the files should know
 */
public record Changes(@JsonUnwrapped SavedTexts texts, @JsonUnwrapped FoundConflicts found, @JsonUnwrapped Removals removals,
                      @JsonUnwrapped Findings findings) {
    private static final Pattern LINK = Pattern.compile("https?://[A-Za-z0-9._~:/?#@!$&*+,;=%\\[\\]-]+");

    // The records replace null with an empty list or map, because JSON from another version of Stet may lack fields, and throw
    // NullPointerException for another missing value, because the JSON may come from any server.

    /**
     * @param created   IDs of new templates
     * @param changed   IDs of templates with a changed draft
     * @param unchanged number of templates identical to the files
     * @param blocks    names of new or changed shared blocks
     * @param published IDs of templates with a new live version
     */
    public record SavedTexts(List<String> created, List<String> changed, int unchanged, List<String> blocks, List<String> published) {
        public SavedTexts {
            check(created, changed, blocks, published);
        }
    }

    /**
     * @param preventing  those that prevent the import
     * @param overwritten those that the import overwrites
     */
    @JsonInclude(Include.NON_EMPTY)
    public record FoundConflicts(@JsonProperty("conflicts") List<Conflict> preventing, List<Conflict> overwritten) {
        public FoundConflicts {
            preventing = Objects.requireNonNullElse(preventing, List.of());
            overwritten = Objects.requireNonNullElse(overwritten, List.of());
            check(preventing, overwritten);
        }

        public Stream<Conflict> all() {
            return Stream.concat(preventing.stream(), overwritten.stream());
        }
    }

    /**
     * @param templates   IDs of templates moved to the trash
     * @param blocks      names of deleted shared blocks
     * @param reviewLinks number of open review links that stop working, by ID of a pruned template
     */
    @JsonInclude(Include.NON_EMPTY)
    public record Removals(@JsonProperty("pruned") List<String> templates, @JsonProperty("prunedBlocks") List<String> blocks,
                           @JsonProperty("prunedReviewLinks") Map<String, Integer> reviewLinks) {
        static final Removals NONE = new Removals(List.of(), List.of(), Map.of());

        public Removals {
            templates = Objects.requireNonNullElse(templates, List.of());
            blocks = Objects.requireNonNullElse(blocks, List.of());
            reviewLinks = Objects.requireNonNullElse(reviewLinks, Map.of());
            check(templates, blocks);
        }
    }

    /**
     * @param variables changes to published templates' variables, which affect callers, by template ID
     * @param warnings  problems in published drafts, each with its level, file and line, errors first; also templates that stay
     *                  rolled back, and files of which only line endings changed or which begin with a byte order mark
     * @param notices   see {@link AccountFiles#notices}
     * @param previews  links to previews, by template ID; see {@link Import#preview}
     */
    @JsonInclude(Include.NON_EMPTY)
    public record Findings(Map<String, VariableChanges> variables, List<String> warnings, List<String> notices, Map<String, String> previews) {
        /** @throws IllegalArgumentException for a link that could end a link in Markdown */
        public Findings {
            variables = Objects.requireNonNullElse(variables, Map.of());
            warnings = Objects.requireNonNullElse(warnings, List.of());
            notices = Objects.requireNonNullElse(notices, List.of());
            previews = Objects.requireNonNullElse(previews, Map.of());
            check(variables.values(), warnings, notices, previews.values());
            if (!previews.values().stream().allMatch(link -> LINK.matcher(link).matches())) {
                throw new IllegalArgumentException("not a link");
            }
        }

        /** Warnings and notices, each once. */
        public Stream<String> sentences() {
            return Stream.concat(warnings.stream(), notices.stream()).distinct();
        }

        static Findings of(List<String> notices) {
            return new Findings(Map.of(), List.of(), notices, Map.of());
        }
    }

    private static void check(Collection<?>... all) {
        Stream.of(all).forEach(values -> values.forEach(Objects::requireNonNull));
    }

    /** A copy with these notices, for files that were converted before they were sent. */
    public Changes withNotices(List<String> notices) {
        return new Changes(texts, found, removals, new Findings(findings.variables, findings.warnings, notices, findings.previews));
    }

    /** A copy with these links to previews, by template ID. */
    public Changes withPreviews(Map<String, String> previews) {
        return new Changes(texts, found, removals, new Findings(findings.variables, findings.warnings, findings.notices, previews));
    }

    /** Variables that the new version adds and removes; truncated if there are many. */
    @JsonInclude(Include.NON_EMPTY)
    public record VariableChanges(List<String> added, List<String> removed) {
        private static final int MAX_NAMED = 100;

        public VariableChanges {
            added = Objects.requireNonNullElse(added, List.of());
            removed = Objects.requireNonNullElse(removed, List.of());
            Stream.of(added, removed).forEach(names -> names.forEach(Objects::requireNonNull));
        }

        static VariableChanges of(List<String> before, List<String> after) {
            return new VariableChanges(without(after, before), without(before, after));
        }

        private static List<String> without(List<String> names, List<String> others) {
            Set<String> known = new HashSet<>(others);
            return names.stream().filter(name -> !known.contains(name)).limit(MAX_NAMED).toList();
        }

        boolean isEmpty() {
            return added.isEmpty() && removed.isEmpty();
        }
    }

    /** Whether conflicts prevent the import. */
    @JsonIgnore
    public boolean isRefused() {
        return !found.preventing.isEmpty();
    }

    /** Whether the import changes nothing and has no conflict that prevents it. */
    @JsonIgnore
    public boolean isEmpty() {
        return Stream.of(texts.created, texts.changed, texts.blocks, texts.published, found.preventing, removals.templates, removals.blocks)
                .allMatch(List::isEmpty);
    }

    /** The numbers of created, changed and published templates and of new or changed blocks; empty if all are 0. */
    String inWords() {
        List<String> numbers = new ArrayList<>();
        add(numbers, texts.created, texts.created.size() + " created");
        add(numbers, texts.changed, texts.changed.size() + " changed");
        add(numbers, texts.published, texts.published.size() + " published");
        add(numbers, texts.blocks, Amount.of(texts.blocks.size(), "block"));
        return String.join(", ", numbers);
    }

    private static void add(List<String> numbers, List<String> counted, String number) {
        if (!counted.isEmpty()) {
            numbers.add(number);
        }
    }

    /** {@link #refusal(String)} for changes made in Stet itself. */
    public String refusal() {
        return refusal("in Stet");
    }

    /** One sentence that lists the conflicts that prevented the import, of which there is at least one. @param place see {@link Conflict#sentence} */
    public String refusal(String place) {
        return "Nothing was changed: " + Conflict.joinFirst(found.preventing.stream().map(conflict -> conflict.sentence(place)).toList());
    }
}
