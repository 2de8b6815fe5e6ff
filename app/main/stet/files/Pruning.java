package stet.files;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.ImageNames;
import stet.dao.BlockDao.IncludeRow;
import stet.dao.Dao;
import stet.dao.SourceDao.Head;
import stet.dao.SourceDao.OriginKind;
import stet.files.Changes.Removals;
import stet.files.ImportTry.AccountReader;
import stet.markup.Publisher;

/**
 * Removes templates and shared blocks that came from earlier pushes but are missing from this one. Moves these templates to the trash,
 * and deletes these blocks unless they are still included.
 *
 * @param conflicts the removals of templates and blocks that have since been changed in Stet
 */
record Pruning(Removals removals, List<Conflict> conflicts) {
    static final Pruning NOTHING = new Pruning(Removals.NONE, List.of());
    /** Maximum number of removals per push, which limits the last transaction's length and the damage if the wrong folder is pushed. */
    static final int MAX = 200;

    static Pruning of(AccountReader reader, long account, AccountFiles files, AccountHeads heads, Instant now) {
        Map<String, Head> templates = heads.templates();
        Map<String, Head> blocks = heads.blockHeads();
        files.checkMayPrune();
        List<Conflict> conflicts = new ArrayList<>();
        Set<String> pruned = new TreeSet<>();
        templates.forEach((id, head) -> {
            boolean isThere = files.drafts().containsKey(id) || files.unchanged().templates().containsKey(id);
            if (!isThere && head.how() == OriginKind.PUSH) {
                Conflict.ofRemoval(head).ifPresent(conflicts::add);
                pruned.add(id);
            }
        });
        Set<String> candidates = new TreeSet<>();
        blocks.forEach((name, head) -> {
            boolean isThere = files.blocks().containsKey(name) || files.unchanged().blocks().containsKey(name);
            if (!isThere && head.how() == OriginKind.PUSH) {
                candidates.add(name);
            }
        });
        if (!candidates.isEmpty()) {
            removeUsed(candidates, includes(reader, account, files, templates, pruned));
        }
        boolean hasTemplates = !files.drafts().isEmpty() || !files.unchanged().templates().isEmpty();
        boolean hasBlocks = !files.blocks().isEmpty() || !files.unchanged().blocks().isEmpty();
        if (!hasTemplates && (!pruned.isEmpty() || !hasBlocks && !candidates.isEmpty())) {
            throw new Refusal("--prune would remove all " + (pruned.isEmpty() ? "unused shared blocks" : "templates")
                    + " from earlier pushes because their files are missing. Check that you are pushing the right files");
        }
        candidates.forEach(name -> Conflict.ofRemoval(blocks.get(name)).ifPresent(conflicts::add));
        if (pruned.size() + candidates.size() > MAX) {
            throw new Refusal("--prune would remove " + (pruned.size() + candidates.size()) + " templates and shared blocks; the limit is "
                    + MAX + ". Check that you are pushing the right files");
        }
        return new Pruning(new Removals(List.copyOf(pruned), List.copyOf(candidates),
                pruned.isEmpty() ? Map.of() : reader.read(dao -> dao.reviews().open(account, List.copyOf(pruned), now))), conflicts);
    }

    /** All uses of shared blocks after the push, whether in pushed files or in unchanged templates and blocks. */
    private static List<IncludeRow> includes(AccountReader reader, long account, AccountFiles files, Map<String, Head> templates, Set<String> pruned) {
        Set<String> changed = new HashSet<>(pruned);
        List<IncludeRow> includes = new ArrayList<>();
        files.drafts().forEach((id, file) -> {
            if (!templates.containsKey(id) || !file.digest().equals(templates.get(id).digest())) {
                changed.add(id);
                Publisher.included(Utf8.text(files.draft(id).html())).forEach(block -> includes.add(new IncludeRow("template", id, block)));
            }
        });
        files.blocks().keySet().stream().filter(name -> !ImageNames.isImage(name)).forEach(name -> Publisher.included(Utf8.text(files.block(name)))
                .forEach(block -> includes.add(new IncludeRow("block", name, block))));
        Predicate<IncludeRow> isOld = include -> include.kind().equals("block") ? files.blocks().containsKey(include.includer())
                : changed.contains(include.includer());
        reader.read(dao -> dao.blocks().includes(account)).stream().filter(isOld.negate()).forEach(includes::add);
        return includes;
    }

    /** Removes from the candidates all blocks that are still included, at any depth. */
    private static void removeUsed(Set<String> candidates, List<IncludeRow> includes) {
        boolean isLess = true;
        while (isLess) {
            Set<String> used = new HashSet<>();
            includes.stream().filter(include -> include.kind().equals("template") || !candidates.contains(include.includer()))
                    .forEach(include -> used.add(include.block()));
            isLess = candidates.removeAll(used);
        }
    }

    /** Prunes in the transaction that saves the files. */
    void run(Dao dao, long account, String note, Instant now) {
        dao.trash().delete(account, removals.templates(), note, now);
        removals.templates().forEach(id -> dao.sources().forget(account, id));
        dao.blocks().delete(account, removals.blocks(), note, now);
    }
}
