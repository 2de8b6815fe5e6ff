package stet.files;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
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

    /** @throws Refusal if so much would be removed that the files are probably the wrong ones */
    static Pruning of(AccountReader reader, long account, AccountFiles files, AccountHeads heads, Instant now) {
        files.checkMayPrune();
        Set<String> templates = missing(heads.templates(), files.drafts().keySet(), files.unchanged().templates().keySet());
        Set<String> blocks = missing(heads.blockHeads(), files.blocks().keySet(), files.unchanged().blocks().keySet());
        if (!blocks.isEmpty()) {
            removeUsed(blocks, includes(reader, account, files, heads.templates(), templates));
        }
        check(files, templates, blocks);
        List<Conflict> conflicts = new ArrayList<>();
        templates.forEach(id -> Conflict.ofRemoval(heads.templates().get(id)).ifPresent(conflicts::add));
        blocks.forEach(name -> Conflict.ofRemoval(heads.blockHeads().get(name)).ifPresent(conflicts::add));
        Map<String, Integer> reviewLinks = templates.isEmpty() ? Map.of() : reader.read(dao -> dao.reviews().countOpen(account, List.copyOf(templates), now));
        return new Pruning(new Removals(List.copyOf(templates), List.copyOf(blocks), reviewLinks), conflicts);
    }

    /** Names that came from earlier pushes and are neither among the files nor omitted by the push. */
    private static Set<String> missing(Map<String, Head> heads, Set<String> files, Set<String> omitted) {
        return heads.entrySet().stream().filter(each -> each.getValue().how() == OriginKind.PUSH).map(Map.Entry::getKey)
                .filter(name -> !files.contains(name) && !omitted.contains(name)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static void check(AccountFiles files, Set<String> templates, Set<String> blocks) {
        boolean hasTemplates = !files.drafts().isEmpty() || !files.unchanged().templates().isEmpty();
        boolean hasBlocks = !files.blocks().isEmpty() || !files.unchanged().blocks().isEmpty();
        if (!hasTemplates && !templates.isEmpty()) {
            throw removesAll("templates");
        }
        if (!hasTemplates && !hasBlocks && !blocks.isEmpty()) {
            throw removesAll("unused shared blocks");
        }
        int count = templates.size() + blocks.size();
        if (count > MAX) {
            throw new Refusal("--prune would remove " + count + " templates and shared blocks; the limit is "
                    + MAX + ". Check that you are pushing the right files");
        }
    }

    private static Refusal removesAll(String kind) {
        return new Refusal("--prune would remove all " + kind + " from earlier pushes because their files are missing. Check that you are pushing the right files");
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
        boolean hasChanged = true;
        while (hasChanged) {
            Set<String> used = new HashSet<>();
            includes.stream().filter(include -> include.kind().equals("template") || !candidates.contains(include.includer()))
                    .forEach(include -> used.add(include.block()));
            hasChanged = candidates.removeAll(used);
        }
    }

    /** Prunes in the transaction that saves the files. */
    void run(Dao dao, long account, String note, Instant now) {
        dao.trash().delete(account, removals.templates(), note, now);
        removals.templates().forEach(id -> dao.sources().forget(account, id));
        dao.blocks().delete(account, removals.blocks(), note, now);
    }
}
