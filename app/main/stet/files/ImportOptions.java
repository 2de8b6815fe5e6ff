package stet.files;

import stet.dao.SourceDao.FilesOrigin;
import stet.dao.SourceDao.OriginKind;

/**
 * Options of an import.
 *
 * @param overwrite whether to replace changes made in Stet since the last import or push
 * @param prune     whether to remove templates and blocks that an earlier push added but that are no longer in the files
 * @param renames   whether published templates may be renamed
 */
public record ImportOptions(PublishMode publishing, boolean overwrite, boolean prune, boolean renames, FilesOrigin origin) {
    public static ImportOptions of(PublishMode publishing, boolean overwrite) {
        return new ImportOptions(publishing, overwrite, false, true, new FilesOrigin(OriginKind.IMPORT, ""));
    }

    /** For a seed's new account, in which nothing can be overwritten, pruned or renamed. */
    static ImportOptions ofSeed(PublishMode publishing) {
        return new ImportOptions(publishing, false, false, true, new FilesOrigin(OriginKind.SEED, ""));
    }
}
