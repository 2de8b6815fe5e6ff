package stet.files;

import java.util.HexFormat;
import java.util.Map;
import stet.core.FilesDigest;
import stet.dao.SourceDao.Head;
import stet.dao.SourceDao.OriginKind;
import stet.files.AccountFiles.DraftFile;
import stet.files.Decisions.TemplateDecision;
import stet.sqlite.ImportTarget;

/** Records the files that an import's templates and shared blocks came from, by which later conflicts are found. */
record SourceNotes(ImportOptions options, Pulled pulled, ImportTarget target) {
    /** @param head the template's state before the import, or null if it is new */
    void addTemplate(String id, DraftFile file, Head head, TemplateDecision decision) {
        boolean isPublished = decision.isPublished();
        boolean isKnown = head != null && file.digest().equals(FilesDigest.hex(head.source()))
                && (mayStay(head.how()) || Conflict.ofRemoval(head).isPresent());
        if ((!isKnown || decision.isChanged() || isPublished) && isReplaced(head)) {
            boolean isLiveKnown = options.overwrite() || head == null || isPublished
                    || Conflict.ofTemplate(head, file, true, pulled.templates().get(id)).isEmpty();
            target.source("template", id, HexFormat.of().parseHex(file.digest()), isLiveKnown,
                    !isPublished && PublishRule.keepsRollback(head, file.sha256()));
        }
    }

    /** @param rule has the blocks among the files @param heads the account's blocks before the import, by name */
    void addBlocks(PublishRule rule, Map<String, Head> heads) {
        rule.blocks().forEach((name, digest) -> {
            Head head = heads.get(name);
            boolean isKnown = head != null && digest.equals(FilesDigest.hex(head.source())) && mayStay(head.how());
            if ((!isKnown || rule.newBlocks().contains(name)) && isReplaced(head)) {
                target.source("block", name, HexFormat.of().parseHex(digest), false, false);
            }
        });
    }

    /**
     * Whether the new source replaces a recorded one. A copy keeps a source recorded by a seed, import or push, so that the next push does
     * not silently revert the copy.
     */
    private boolean isReplaced(Head head) {
        return options.origin().how() != OriginKind.COPY || head == null || head.source() == null || head.how() == OriginKind.COPY;
    }

    /**
     * Whether a recorded source with this origin can stay. A push replaces sources recorded by a seed, import or copy, so that a later push
     * may prune those templates and blocks.
     */
    private boolean mayStay(OriginKind how) {
        return options.origin().how() != OriginKind.PUSH || how == OriginKind.PUSH;
    }
}
