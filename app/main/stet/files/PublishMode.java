package stet.files;

import stet.base.Refusal;

/** Whether to publish drafts that would change the live version. */
public enum PublishMode {
    NONE,
    /** Publishes drafts, but rejects the import if a draft has errors. */
    CHECKED,
    /** Publishes drafts despite errors. */
    FORCED,
    /** Publishes a seed's drafts as CHECKED does, but what an export of live versions contains despite errors: it was served. */
    SERVED;

    /** @throws Refusal if force is set without publish */
    public static PublishMode of(boolean publish, boolean force) {
        if (force && !publish) {
            throw new Refusal("force", "force requires publish");
        }
        if (!publish) {
            return NONE;
        }
        return force ? FORCED : CHECKED;
    }

    /** Whether to publish a draft. @param published whether the draft's files mark it as published */
    boolean includes(boolean published) {
        return published && this != NONE;
    }

    /** Whether to publish this draft despite errors. */
    boolean isForced(AccountFiles.DraftFile file) {
        return this == FORCED || this == SERVED && file.updatedAt() != null;
    }
}
