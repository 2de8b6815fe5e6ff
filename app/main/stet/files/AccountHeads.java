package stet.files;

import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import stet.base.Refusal;
import stet.core.ImageNames;
import stet.core.Validation;
import stet.dao.Dao;
import stet.dao.SourceDao.Head;

/**
 * An account's state without its texts, for comparison with files.
 *
 * @param templates  by ID
 * @param trash      IDs of the templates in the trash
 * @param blockHeads shared blocks and images by name
 * @param blocks     their digests
 * @param room       how much of the account's limits the author may use
 */
record AccountHeads(long revision, Map<String, Head> templates, Set<String> trash, Map<String, Head> blockHeads,
                    Map<String, String> blocks, AccountRoom room) {
    /** A new account, to which a seed is added. */
    static final AccountHeads EMPTY = new AccountHeads(0, Map.of(), Set.of(), Map.of(), Map.of(), AccountRoom.ALL);

    /** The numbers of templates, shared blocks and images that the account may have with the author's additions. */
    record AccountRoom(long templates, long blocks, long images) {
        static final AccountRoom ALL = new AccountRoom(Validation.TEMPLATES, Validation.BLOCKS, Validation.IMAGES);

        static AccountRoom of(Dao dao, long account) {
            return new AccountRoom(dao.members().room(account, Validation.TEMPLATES), dao.members().room(account, Validation.BLOCKS),
                    dao.members().room(account, Validation.IMAGES));
        }

        /** Checks that an import does not exceed the number of templates, shared blocks or images. Images are among the blocks. */
        void check(Set<String> templatesBefore, Set<String> templatesAdded, Set<String> blocksBefore, Set<String> blocksAdded) {
            check(templatesBefore, templatesAdded, templates, AccountPath.PathKind.HTML);
            Predicate<String> isImage = ImageNames::isImage;
            check(only(blocksBefore, isImage.negate()), only(blocksAdded, isImage.negate()), blocks, AccountPath.PathKind.BLOCK);
            check(only(blocksBefore, isImage), only(blocksAdded, isImage), images, AccountPath.PathKind.IMAGE);
        }

        private static Set<String> only(Set<String> names, Predicate<String> condition) {
            return names.stream().filter(condition).collect(Collectors.toSet());
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

    /** @param copies whether a copy from another account counts as the source ({@link stet.dao.SourceDao#templates}) */
    static AccountHeads of(Dao dao, long account, boolean copies) {
        Map<String, Head> heads = dao.sources().blocks(account, copies);
        return new AccountHeads(dao.accounts().contentRevision(account), dao.sources().templates(account, copies), dao.trash().ids(account), heads,
                heads.values().stream().collect(Collectors.toMap(Head::id, Head::digest)), AccountRoom.of(dao, account));
    }

    /**
     * Checks that the account has what a push omitted.
     *
     * @throws Conflict.Outdated if a template or block has changed or been deleted since the push computed its digest
     */
    void checkHas(Unchanged omitted) {
        omitted.templates().forEach((id, digest) -> {
            Head head = templates.get(id);
            if (head == null || !head.digest().equals(digest)) {
                throw new Conflict.Outdated();
            }
        });
        if (!blocks.entrySet().containsAll(omitted.blocks().entrySet())) {
            throw new Conflict.Outdated();
        }
    }

    /** Whether a decision about a template still holds: nothing that it depends on has changed since the earlier state. */
    boolean isUnchanged(String template, AccountHeads earlier) {
        Head current = templates.get(template);
        return current == null ? !earlier.templates.containsKey(template) : current.isUnchanged(earlier.templates.get(template));
    }
}
