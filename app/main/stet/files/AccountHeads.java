package stet.files;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import stet.base.Refusal;
import stet.core.FilesDigest;
import stet.core.Validation;
import stet.dao.Dao;
import stet.dao.SourceDao.Head;

/** An account's state without its texts, for comparison with files. @param blocks SHA-256 in hex by name @param room as of the reader */
record AccountHeads(long revision, Map<String, Head> templates, Set<String> trash, Map<String, Head> blockHeads,
                    Map<String, String> blocks, AccountRoom room) {
    /** The number of templates and shared blocks up to which the author may add some. */
    record AccountRoom(long templates, long blocks) {
        static final AccountRoom ALL = new AccountRoom(Validation.TEMPLATES, Validation.BLOCKS);

        static AccountRoom of(Dao dao, long account) {
            return new AccountRoom(dao.users().room(account, Validation.TEMPLATES), dao.users().room(account, Validation.BLOCKS));
        }

        /** Checks that an import does not exceed the number of templates or blocks. */
        void check(Set<String> templatesBefore, Set<String> templatesAdded, Set<String> blocksBefore, Set<String> blocksAdded) {
            check(templatesBefore, templatesAdded, templates, AccountPath.PathKind.HTML);
            check(blocksBefore, blocksAdded, blocks, AccountPath.PathKind.BLOCK);
        }

        private static void check(Set<String> present, Set<String> added, long room, AccountPath.PathKind kind) {
            long more = added.stream().filter(each -> !present.contains(each)).count();
            long count = present.size() + more;
            if (more > 0 && count > room) {
                throw new Refusal("The account would have " + count + " " + kind.plural + "; the limit is " + room
                        + (room < kind.maxFiles ? " for writers" : ""));
            }
        }
    }

    static AccountHeads of(Dao dao, long account, boolean copies) {
        Map<String, Head> heads = dao.sources().blocks(account, copies);
        return new AccountHeads(dao.accounts().contentRevision(account), dao.sources().templates(account, copies), dao.trash().ids(account), heads,
                heads.values().stream().collect(Collectors.toMap(Head::id, Head::digest)), AccountRoom.of(dao, account));
    }

    /**
     * The state of a template that a push omitted.
     *
     * @throws Conflict.Outdated if the template has changed or been deleted since the push computed its digest
     */
    Head unchanged(AccountFiles files, String id) {
        Head head = templates.get(id);
        if (head == null || !head.digest().equals(files.unchanged().templates().get(id))) {
            throw new Conflict.Outdated();
        }
        return head;
    }

    /** @param isToPublish decides whether to publish a draft, given the setting in its files */
    List<Conflict> conflicts(AccountFiles files, Predicate<Boolean> isToPublish) {
        List<Conflict> conflicts = new ArrayList<>();
        files.drafts().keySet().stream().filter(templates::containsKey).forEach(id -> {
            AccountFiles.DraftFile file = files.draftFile(id);
            Conflict.of(templates.get(id), file, isToPublish.test(file.published()), files.pulled().templates().get(id))
                    .ifPresent(conflicts::add);
        });
        files.unchanged().templates().forEach((id, digest) -> Conflict.of(unchanged(files, id), digest, null,
                isToPublish.test(!files.unchanged().unpublished().contains(id)), files.pulled().templates().get(id))
                .ifPresent(conflicts::add));
        files.blocks().forEach((name, sha256) -> Optional.ofNullable(blockHeads.get(name)).flatMap(head ->
                Conflict.of(head, FilesDigest.hex(sha256), null, false, files.pulled().blocks().get(name))).ifPresent(conflicts::add));
        return conflicts;
    }

    /**
     * The changes that the files would make, determined from digests without expanding drafts. Omits what would be published or pruned.
     */
    Changes refused(AccountFiles files, List<Conflict> conflicts) {
        List<String> created = files.drafts().keySet().stream().filter(id -> !templates.containsKey(id)).toList();
        List<String> changed = files.drafts().keySet().stream().filter(id -> templates.containsKey(id)
                && !files.drafts().get(id).digest().equals(templates.get(id).digest())).toList();
        SortedMap<String, String> newBlocks = files.blockDigests();
        newBlocks.entrySet().removeAll(blocks.entrySet());
        return new Changes(created, changed, files.drafts().size() + files.unchanged().templates().size() - created.size() - changed.size(),
                List.copyOf(newBlocks.keySet()), List.of(), conflicts, List.of(), List.of(), List.of(), Map.of(), Map.of(), List.of(), files.notices());
    }
}
