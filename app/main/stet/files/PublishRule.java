package stet.files;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import stet.dao.SourceDao.Head;

/**
 * The rule for what files publish: a template whose published text differs from its live version because of these files.
 *
 * <pre>
 * not asked to publish, or the files say "published": false ───────────────────────────────► not published
 * never published ─────────────────────────────────────────────────────────────────────────► published
 * rolled back, and neither the draft nor a block among its files has changed since ────────► not published
 * the draft's subject or HTML differs from the live version's ─────────────────────────────► published
 * a block among the files differs from the live version's, and the template includes it ───► published
 * only the name, tags, test data or a block that is not among the files has changed ───────► not published
 * </pre>
 *
 * <p>A block that the account already has is among the files even if a push omits it. An unpublished edit of any other block goes live only
 * when a template that includes the block is published for its own text or for a block among the files.
 */
final class PublishRule {
    private final PublishMode mode;
    /** Digests of the shared blocks among the files, by name. */
    private final SortedMap<String, String> blocks;
    /** Names of those that the account does not have, or has with another text. */
    private final Set<String> newBlocks;

    PublishRule(PublishMode mode, AccountFiles files, AccountHeads heads) {
        this.mode = mode;
        this.blocks = new TreeMap<>(files.unchanged().blocks());
        this.blocks.putAll(files.blockDigests());
        SortedMap<String, String> changed = new TreeMap<>(blocks);
        changed.entrySet().removeAll(heads.blocks().entrySet());
        this.newBlocks = changed.keySet();
    }

    /** Digests of the shared blocks among the files, by name, with those that a push omitted. */
    SortedMap<String, String> blocks() {
        return blocks;
    }

    /** Names of the new or changed blocks in the files. */
    Set<String> newBlocks() {
        return newBlocks;
    }

    /**
     * The part of the rule that needs no text: false if the draft need not be expanded, because it is not to be published or because the live
     * version is what these files publish.
     *
     * @param head      the template's current state, or null if the template is new
     * @param published whether the files mark the draft as published
     * @param draft     SHA-256 of the draft in the files
     */
    boolean mayPublish(Head head, boolean published, byte[] draft) {
        return mode.includes(published) && !isServed(head, draft);
    }

    private boolean isServed(Head head, byte[] draft) {
        return head != null && Arrays.equals(head.live(), draft) && live(head).entrySet().stream().noneMatch(this::isChanged);
    }

    /**
     * The rest of the rule, for an expanded draft that {@link #mayPublish}.
     *
     * @param own      SHA-256 of the draft in the files
     * @param draft    SHA-256 of the draft with what the account adds to the files
     * @param included names of the blocks that the expanded draft includes
     */
    boolean publishes(Head head, byte[] own, byte[] draft, Set<String> included) {
        if (head == null) {
            return true;
        }
        boolean isRolledBack = keepsRollback(head, draft) && Collections.disjoint(newBlocks, included);
        return !isRolledBack && (!Arrays.equals(head.live(), own)
                || live(head).entrySet().stream().anyMatch(block -> included.contains(block.getKey()) && isChanged(block)));
    }

    /** Whether a template that these files do not publish keeps serving the version to which it was rolled back. */
    boolean staysRolledBack(Head head) {
        return mode != PublishMode.NONE && head != null && head.rolledBack() && !isServed(head, head.sha256());
    }

    /** @param block a block's name and its digest in the live version */
    private boolean isChanged(Map.Entry<String, String> block) {
        return !blocks.getOrDefault(block.getKey(), block.getValue()).equals(block.getValue());
    }

    /** Digests of the live version's blocks, by name. */
    private static Map<String, String> live(Head head) {
        Map<String, String> live = new TreeMap<>();
        if (head.blocks() != null) {
            head.blocks().lines().map(line -> line.split(" ", 2)).forEach(block -> live.put(block[0], block[1]));
        }
        return live;
    }

    /**
     * Whether a rollback outlasts files with this draft: neither the draft nor any of its blocks has changed since the last push or import.
     *
     * @param draft SHA-256 of the draft in the files
     */
    static boolean keepsRollback(Head head, byte[] draft) {
        return head != null && head.rolledBack() && Arrays.equals(draft, head.sha256()) && Arrays.equals(draft, head.sourceDraft());
    }
}
