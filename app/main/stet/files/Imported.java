package stet.files;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import stet.core.Draft;
import stet.core.Problem;
import stet.core.Problems;
import stet.core.Publisher;
import stet.core.Refusal;
import stet.core.Utf8;
import stet.store.Dao;

/**
 * What an import did.
 *
 * @param created   ids of templates that are new
 * @param changed   ids of templates whose draft is another now
 * @param unchanged how many templates were as in the files
 * @param blocks    names of the shared blocks that are new or have another text
 * @param published ids of templates of which another version is served now
 */
public record Imported(List<String> created, List<String> changed, int unchanged, List<String> blocks, List<String> published) {

    /**
     * Saves the blocks, then the drafts, and then publishes what that changed; for one transaction.
     *
     * @param force publishes drafts with their errors too
     * @throws Refusal naming the file and line, when a draft cannot be published
     */
    public static Imported into(Dao dao, long account, AccountFiles files, boolean publish, boolean force, Instant now) {
        List<String> blocks = new ArrayList<>();
        files.blocks().forEach((name, html) -> {
            if (dao.blocks().save(account, name, html, now)) {
                blocks.add(name);
            }
        });
        List<String> created = new ArrayList<>();
        List<String> changed = new ArrayList<>();
        files.drafts().forEach((id, file) -> {
            boolean isNew = !dao.hasTemplate(account, id);
            if (dao.save(account, file.draft(), now)) {
                (isNew ? created : changed).add(id);
            }
        });
        List<String> published = new ArrayList<>();
        for (Map.Entry<String, AccountFiles.DraftFile> file : files.drafts().entrySet()) {
            if (publish && file.getValue().published() && publish(dao, account, file.getKey(), files, force, now)) {
                published.add(file.getKey());
            }
        }
        return new Imported(created, changed, files.drafts().size() - created.size() - changed.size(), blocks, published);
    }

    private static boolean publish(Dao dao, long account, String id, AccountFiles files, boolean force, Instant now) {
        try {
            return dao.publishChanged(account, id, "", force, now).isPresent();
        } catch (Refusal refusal) {
            throw inFiles(dao, account, id, files, force).orElse(refusal.in(Place.path(Place.Kind.HTML, id)));
        }
    }

    /** The problems of a draft, each with the name of its file. */
    private static Optional<Refusal> inFiles(Dao dao, long account, String id, AccountFiles files, boolean force) {
        Publisher publisher = new Publisher(name -> dao.blocks().html(account, name).flatMap(Utf8::decode));
        Draft draft = files.drafts().get(id).draft();
        publisher.expand(draft.subject(), Utf8.decode(draft.html()).orElseThrow());
        String sentences = Problems.sentence(publisher.problems().stopping(force).stream()
                .map(problem -> sentence(problem, id, files)).toList());
        return sentences.isEmpty() ? Optional.empty() : Optional.of(new Refusal("html", sentences));
    }

    private static String sentence(Problem problem, String id, AccountFiles files) {
        if (problem.block() != null && !files.blocks().containsKey(problem.block())) {
            return Place.path(Place.Kind.HTML, id) + ": " + problem;
        }
        if (problem.block() != null) {
            return Place.path(Place.Kind.BLOCK, problem.block()) + ": line " + problem.line() + ": " + problem.sentence();
        }
        return problem.field().equals("subject")
                ? Place.path(Place.Kind.JSON, id) + ": \"subject\": " + problem.sentence()
                : Place.path(Place.Kind.HTML, id) + ": line " + problem.line() + ": " + problem.sentence();
    }
}
