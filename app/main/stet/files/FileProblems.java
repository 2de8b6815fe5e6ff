package stet.files;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Draft;
import stet.markup.BlockCheck;
import stet.markup.Problems.Level;
import stet.markup.Problems.Problem;
import stet.markup.Problems;
import stet.markup.Publisher.Expansion;
import stet.markup.Publisher;

/** Checks the drafts and shared blocks of an account's files for publishing, and names the files of their problems. */
record FileProblems(AccountFiles files) {
    /** @param problems up to 100 problems that do not prevent publishing */
    record Expanded(Expansion expansion, Map<Level, List<String>> problems) {
    }

    /**
     * Expands a draft from these files.
     *
     * @param block looks up a shared block's HTML by name
     * @throws Refusal naming each problem that prevents publishing with its file and line
     */
    Expanded expand(Draft draft, boolean force, Function<String, Optional<String>> block) {
        Publisher publisher = new Publisher(block);
        try {
            Expansion expansion = publisher.publish(draft.subject(), Utf8.text(draft.html()), force);
            Map<Level, List<String>> problems = new EnumMap<>(Level.class);
            publisher.problems().rows().stream().limit(AccountFiles.MAX_WARNINGS).forEach(row ->
                    problems.computeIfAbsent(row.problem().level(), any -> new ArrayList<>()).add(labelled(row, draft.id())));
            return new Expanded(expansion, problems);
        } catch (Refusal refusal) {
            String sentences = Problems.sentence(publisher.problems().stopping(force).stream()
                    .map(row -> sentence(row, draft.id())).toList());
            throw sentences.isEmpty() ? refusal.in(files.shown(AccountPath.PathKind.HTML.path(draft.id()))) : new Refusal("html", sentences);
        }
    }

    /**
     * Checks that emails can include these files' blocks.
     *
     * @param names  of blocks in these files
     * @param lookup looks up a shared block's HTML by name
     * @throws Refusal naming the first problem with its file
     */
    void checkBlocks(Collection<String> names, Function<String, Optional<String>> lookup) {
        BlockCheck check = new BlockCheck(lookup);
        names.forEach(name -> check.problem(name).ifPresent(row -> {
            String block = row.problem().block();
            boolean isHere = block != null && files.blocks().containsKey(block);
            throw new Refusal("html", isHere || block == null ? row.place() + ": " + row.problem().sentence() : row.toString())
                    .in(AccountPath.ofBlock(isHere ? block : name));
        }));
    }

    /** Formats a draft's problem with its level and file. */
    String labelled(Problems.ProblemRow row, String id) {
        return row.problem().level().label() + ": " + sentence(row, id);
    }

    /** Formats a draft's problem with its file. */
    private String sentence(Problems.ProblemRow row, String id) {
        Problem problem = row.problem();
        String html = files.shown(AccountPath.PathKind.HTML.path(id));
        if (problem.block() != null && !files.blocks().containsKey(problem.block())) {
            return html + ": " + row;
        }
        if (problem.block() == null && problem.field().equals("subject")) {
            return files.shown(AccountPath.PathKind.JSON.path(id)) + ": \"subject\": " + problem.sentence();
        }
        String path = problem.block() == null ? html : AccountPath.ofBlock(problem.block());
        return path + ": " + row.place() + ": " + problem.sentence();
    }
}
