package stet.files;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import stet.files.Changes.Findings;
import stet.files.Changes.SavedTexts;
import stet.files.Changes.VariableChanges;
import stet.markup.Problems.Level;

/**
 * The decisions of an import's try. Some of them still hold in the next try.
 *
 * @param blocks    warnings about new or changed blocks; empty if nothing is decided
 * @param templates by ID
 */
record Decisions(Optional<List<String>> blocks, SortedMap<String, TemplateDecision> templates) {
    static final Decisions NONE = new Decisions(Optional.empty(), Collections.emptySortedMap());
    /** Maximum number of added and removed variables in a report, apart from those of the last template. */
    private static final int MAX_VARIABLES = 20_000;

    /**
     * @param isChanged whether an existing template's draft, test data or details differ
     * @param version   empty if the live version stays
     * @param warnings  see {@link UnseenChanges}
     */
    record TemplateDecision(boolean isNew, boolean isChanged, Optional<NewVersion> version, List<String> warnings) {
        boolean isPublished() {
            return version.isPresent();
        }
    }

    /** @param problems those that do not prevent publishing */
    record NewVersion(VariableChanges variables, Map<Level, List<String>> problems) {
    }

    /** IDs of the templates that others decide about again. */
    Set<String> without(Decisions others) {
        Set<String> ids = new TreeSet<>(templates.keySet());
        ids.removeAll(others.templates.keySet());
        return ids;
    }

    SavedTexts texts(Set<String> newBlocks) {
        List<String> created = ids(TemplateDecision::isNew);
        List<String> changed = ids(TemplateDecision::isChanged);
        return new SavedTexts(created, changed, templates.size() - created.size() - changed.size(), List.copyOf(newBlocks),
                ids(TemplateDecision::isPublished));
    }

    private List<String> ids(Predicate<TemplateDecision> condition) {
        return templates.keySet().stream().filter(id -> condition.test(templates.get(id))).toList();
    }

    Findings findings(List<String> notices) {
        return new Findings(variables(), warnings(), notices, Map.of());
    }

    private SortedMap<String, VariableChanges> variables() {
        SortedMap<String, VariableChanges> variables = new TreeMap<>();
        int named = 0;
        for (Map.Entry<String, TemplateDecision> each : templates.entrySet()) {
            Optional<VariableChanges> changes = each.getValue().version.map(NewVersion::variables).filter(names -> !names.isEmpty());
            if (changes.isPresent() && named < MAX_VARIABLES) {
                variables.put(each.getKey(), changes.get());
                named += changes.get().added().size() + changes.get().removed().size();
            }
        }
        return variables;
    }

    /** The first warnings and problems, errors first. */
    private List<String> warnings() {
        Map<Level, List<String>> problems = new EnumMap<>(Level.class); // errors before warnings
        add(problems, Level.WARNING, blocks.orElseThrow());
        templates.values().forEach(decision -> {
            add(problems, Level.WARNING, decision.warnings);
            decision.version.ifPresent(version -> version.problems.forEach((level, sentences) -> add(problems, level, sentences)));
        });
        return problems.values().stream().flatMap(List::stream).limit(AccountFiles.MAX_WARNINGS).toList();
    }

    private static void add(Map<Level, List<String>> problems, Level level, List<String> sentences) {
        problems.computeIfAbsent(level, any -> new ArrayList<>()).addAll(sentences);
    }
}
