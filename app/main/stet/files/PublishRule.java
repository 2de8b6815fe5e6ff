package stet.files;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import stet.dao.SourceDao.Head;

/**
 * The rule for what files publish: a template whose published text differs from its live version because of these files.
 *
 * <pre>
 * never published ─────────────────────────────────────────────────────────────────────────► published
 * the draft's subject or HTML differs from the live version's ─────────────────────────────► published
 * a block among the files differs from the live version's, and the template includes it ───► published
 * only the name, tags, test data or a block that is not among the files has changed ───────► not published
 * </pre>
 *
 * <p>A block that the account already has is among the files even if a push omits it. An unpublished edit of any other block goes live only
 * when a template that includes the block is published for its own text or for a block among the files.
 */
final class PublishRule {
    /** Digests of the shared blocks among the files, by name. */
    private final Map<String, String> blocks;

    PublishRule(AccountFiles files) {
        blocks = new TreeMap<>(files.unchanged().blocks());
        blocks.putAll(files.blockDigests());
    }

    /**
     * Whether the live version is what these files publish, so that the draft need not be expanded.
     *
     * @param head  the template's current state, or null if the template is new
     * @param draft SHA-256 of the draft in the files
     */
    boolean isServed(Head head, byte[] draft) {
        return head != null && Arrays.equals(head.live(), draft) && live(head).entrySet().stream().noneMatch(this::isChanged);
    }

    /** The rule for an expanded draft. @param included SHA-256 of the blocks that the expanded draft includes, by name */
    boolean publishes(Head head, byte[] draft, Map<String, byte[]> included) {
        return head == null || !Arrays.equals(head.live(), draft)
                || live(head).entrySet().stream().anyMatch(block -> included.containsKey(block.getKey()) && isChanged(block));
    }

    /** @param block a block's name and its digest in the live version */
    private boolean isChanged(Map.Entry<String, String> block) {
        return !blocks.getOrDefault(block.getKey(), block.getValue()).equals(block.getValue());
    }

    /** Digests of the live version's blocks, by name. */
    private static Map<String, String> live(Head head) {
        Map<String, String> live = new TreeMap<>();
        if (head.blocks() != null) {
            head.blocks().lines().forEach(line -> live.put(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1)));
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
    }}
