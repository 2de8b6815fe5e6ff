package stet.files;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import stet.base.Amount;

/**
 * The changes that an import makes to an account. In JSON, empty fields after {@code published} are omitted.
 *
 * @param created       IDs of new templates
 * @param changed       IDs of templates with a changed draft
 * @param unchanged     number of templates identical to the files
 * @param blocks        names of new or changed shared blocks
 * @param published     IDs of templates with a new live version
 * @param conflicts     changes made in Stet that prevent the import
 * @param overwritten   changes made in Stet that will be overwritten
 * @param pruned        IDs of templates moved to the trash
 * @param prunedBlocks  names of deleted shared blocks
 * @param prunedReviewLinks number of open review links that stop working, by ID of a pruned template
 * @param variables     changes to published templates' variables, which affect callers, by template ID
 * @param warnings      problems in published drafts, each with its level, file and line, errors first; also templates that stay
 *                      rolled back, and files of which only line endings changed or which begin with a byte order mark
 * @param notices       see {@link AccountFiles#notices}
 * @param previews      links to previews, by template ID; see {@link Import#preview}
 */
public record Changes(List<String> created, List<String> changed, int unchanged, List<String> blocks, List<String> published,
                   @JsonInclude(Include.NON_EMPTY) List<Conflict> conflicts,
                   @JsonInclude(Include.NON_EMPTY) List<Conflict> overwritten,
                   @JsonInclude(Include.NON_EMPTY) List<String> pruned,
                   @JsonInclude(Include.NON_EMPTY) List<String> prunedBlocks,
                   @JsonInclude(Include.NON_EMPTY) Map<String, Integer> prunedReviewLinks,
                   @JsonInclude(Include.NON_EMPTY) Map<String, VariableChanges> variables,
                   @JsonInclude(Include.NON_EMPTY) List<String> warnings,
                   @JsonInclude(Include.NON_EMPTY) List<String> notices,
                   @JsonInclude(Include.NON_EMPTY) Map<String, String> previews) {
    private static final Pattern LINK = Pattern.compile("https?://[A-Za-z0-9._~:/?#@!$&*+,;=%\\[\\]-]+");

    /**
     * Replaces null with an empty list or map, because JSON from another version of Stet may lack fields.
     *
     * @throws NullPointerException     for another missing value, because the JSON may come from any server
     * @throws IllegalArgumentException for a link that could end a link in Markdown
     */
    public Changes {
        conflicts = Objects.requireNonNullElse(conflicts, List.of());
        overwritten = Objects.requireNonNullElse(overwritten, List.of());
        pruned = Objects.requireNonNullElse(pruned, List.of());
        prunedBlocks = Objects.requireNonNullElse(prunedBlocks, List.of());
        prunedReviewLinks = Objects.requireNonNullElse(prunedReviewLinks, Map.of());
        variables = Objects.requireNonNullElse(variables, Map.of());
        warnings = Objects.requireNonNullElse(warnings, List.of());
        notices = Objects.requireNonNullElse(notices, List.of());
        previews = Objects.requireNonNullElse(previews, Map.of());
        Stream.of(created, changed, blocks, published, conflicts, overwritten, pruned, prunedBlocks, variables.values(), warnings, notices,
                        previews.values()).forEach(values -> values.forEach(Objects::requireNonNull));
        if (!previews.values().stream().allMatch(link -> LINK.matcher(link).matches())) {
            throw new IllegalArgumentException("not a link");
        }
    }

    /** A copy with these notices, for files that were converted before they were sent. */
    public Changes with(List<String> found) {
        return new Changes(created, changed, unchanged, blocks, published, conflicts, overwritten, pruned, prunedBlocks, prunedReviewLinks,
                variables, warnings, found, previews);
    }

    /** A copy with these previews. */
    public Changes with(Map<String, String> links) {
        return new Changes(created, changed, unchanged, blocks, published, conflicts, overwritten, pruned, prunedBlocks, prunedReviewLinks,
                variables, warnings, notices, links);
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
        return !conflicts.isEmpty();
    }

    @JsonIgnore
    public boolean isEmpty() {
        return Stream.of(created, changed, blocks, published, conflicts, pruned, prunedBlocks).allMatch(List::isEmpty);
    }

    /** The numbers of created, changed and published templates and of new or changed blocks; empty if all are 0. */
    String inWords() {
        return Stream.of(created.size() + " created", changed.size() + " changed", published.size() + " published",
                Amount.of(blocks.size(), "block")).filter(words -> !words.startsWith("0 ")).collect(Collectors.joining(", "));
    }

    public String refusal() {
        return refusal("in Stet");
    }

    /** One sentence that lists the conflicts that prevented the import. @param place see {@link Conflict#sentence} */
    public String refusal(String place) {
        return "Nothing was changed: " + Conflict.first(conflicts.stream().map(conflict -> conflict.sentence(place)).toList());
    }
}
