package stet.files;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import stet.base.Refusal;
import stet.base.Timestamp;
import stet.core.Activity.ActivityKind;
import stet.core.Activity;
import stet.core.FilesDigest;
import stet.core.ImageNames;
import stet.dao.ActivityDao;
import stet.dao.Dao;
import stet.dao.SourceDao.Head;
import stet.files.AccountFiles.DraftFile;
import stet.files.Pulled.PulledState;

/**
 * A template or shared block that was changed in Stet since the last import or push, and that the incoming files would overwrite.
 *
 * <pre>
 * draft: same as in these files or the last files, or recorded in these files by pull ─► may be replaced
 * live:  none, made from such a draft, or unchanged since files last arrived ──────────► may be replaced
 * </pre>
 *
 * @param kind {@code template} or {@code block}
 * @param by   name of the user or token at the time; null if not recorded
 * @param at   null if not recorded
 */
public record Conflict(String kind, String id, What what, String by, Instant at) {
    /** Maximum number of conflicts in a plan. Plans are limited because commands accept at most 100,000 JSON tokens. */
    static final int MAX = 1_000;
    /** Maximum number of conflicts named in one sentence. */
    private static final int MAX_NAMED = 10;
    private static final List<ActivityKind> OF_DRAFTS = List.of(ActivityKind.TEMPLATE_CREATED, ActivityKind.DRAFT_SAVED, ActivityKind.TEMPLATE_RENAMED,
            ActivityKind.TAGS_CHANGED, ActivityKind.TEMPLATE_RESTORED);

    /** The kind of change made in Stet. */
    public enum What {
        @JsonProperty("made") MADE("was created %s and last changed"),
        @JsonProperty("changed") CHANGED("was changed %s"),
        @JsonProperty("published") PUBLISHED("has a different live version, published %s"),
        /** Not a conflict, because a push keeps the rollback until the template's files or its shared blocks change. */
        @JsonProperty("rolled-back") ROLLED_BACK("was rolled back to an earlier version");

        private final String words;

        What(String words) {
            this.words = words;
        }
    }

    /** Thrown if the account changed after the push decided which files to omit; it then sends the others. */
    public static final class Outdated extends Refusal {
        private static final long serialVersionUID = 1;

        Outdated() {
            super("The account changed during the push. Nothing was saved. Push again");
        }
    }

    public Conflict {
        Objects.requireNonNull(kind);
        Objects.requireNonNull(id);
        Objects.requireNonNull(what);
    }

    private static String hex(byte[] digest) {
        return FilesDigest.hex(digest);
    }

    /**
     * The conflict that replacing a template with its files would cause, if any.
     *
     * @param publish whether the files may publish the draft
     * @param noted   what a pull recorded in the files about the template, or null
     */
    static Optional<Conflict> ofTemplate(Head head, DraftFile file, boolean publish, PulledState noted) {
        Optional<Conflict> conflict = ofDraft(head, file.digest(), noted);
        boolean isSame = file.digest().equals(head.digest());
        return conflict.isPresent() || isSame && !publish || isLiveKnown(head, hex(file.sha256()), merged(head, file.digest(), noted))
                ? conflict : Optional.of(published(head));
    }

    /** Like {@link #ofTemplate}, for a shared block, which has no live version of its own. */
    static Optional<Conflict> ofBlock(Head head, String digest, PulledState noted) {
        return ofDraft(head, digest, noted);
    }

    /** @param digest the incoming files' digest */
    private static Optional<Conflict> ofDraft(Head head, String digest, PulledState noted) {
        PulledState seen = merged(head, digest, noted);
        boolean mayReplace = digest.equals(head.digest()) || head.digest().equals(hex(head.source()))
                || seen != null && head.digest().equals(seen.draft());
        return mayReplace ? Optional.empty() : Optional.of(draftChanged(head));
    }

    /** The changes made in Stet that the files' author knows of, or null. */
    private static PulledState merged(Head head, String digest, PulledState noted) {
        return noted != null && noted.isMerged(digest, head.source()) ? noted : null;
    }

    /**
     * Whether the live version, if any, was made from the current draft, from the draft in the files, or from a draft that the files'
     * author knows.
     *
     * @param draft digest of the draft in the files; null if there are no files to compare
     */
    private static boolean isLiveKnown(Head head, String draft, PulledState seen) {
        String live = hex(head.live());
        return live == null || live.equals(hex(head.sha256())) || live.equals(hex(head.known())) || live.equals(draft)
                || seen != null && live.equals(seen.live());
    }

    /** The conflict that a removal would cause: what was changed in Stet since the last import or push. */
    static Optional<Conflict> ofRemoval(Head head) {
        return !head.digest().equals(hex(head.source())) ? Optional.of(draftChanged(head))
                : isLiveKnown(head, null, null) ? Optional.empty() : Optional.of(published(head));
    }

    /** The change made in Stet since the last import or push, if any. */
    static Optional<Conflict> sinceFiles(Head head) {
        return ofRemoval(head).or(() -> !head.rolledBack() ? Optional.empty()
                : Optional.of(new Conflict(head.kind(), head.id(), What.ROLLED_BACK, head.publishedBy(), head.publishedAt())));
    }

    private static Conflict draftChanged(Head head) {
        return new Conflict(head.kind(), head.id(), head.source() == null ? What.MADE : What.CHANGED, head.savedBy(), head.savedAt());
    }

    private static Conflict published(Head head) {
        return new Conflict(head.kind(), head.id(), What.PUBLISHED, head.publishedBy(), head.publishedAt());
    }

    /** Attributes the conflict to the latest change, which may be to the name or tags instead of the draft. */
    Conflict withLatest(Dao dao, long account) {
        if (what == What.PUBLISHED || kind.equals("block")) {
            return this;
        }
        List<Activity> last = dao.activity().page(account, new ActivityDao.Filter(null, id, OF_DRAFTS), Long.MAX_VALUE, 1).rows();
        return last.isEmpty() || at != null && last.get(0).at().isBefore(at) ? this
                : new Conflict(kind, id, what, last.get(0).actor(), last.get(0).at());
    }

    /**
     * Joins the first sentences and appends the number of omitted sentences. This number is a minimum if the list of conflicts is full
     * ({@link #MAX}).
     */
    static String first(List<String> sentences) {
        return sentences.stream().limit(MAX_NAMED).collect(Collectors.joining("; "))
                + (sentences.size() <= MAX_NAMED ? "" : "; and " + (sentences.size() < MAX ? "" : "at least ")
                + (sentences.size() - MAX_NAMED) + " more");
    }

    /** False for a rollback, because a push does not undo it. */
    @JsonIgnore
    public boolean preventsPush() {
        return what != What.ROLLED_BACK;
    }

    /** For example, {@code template welcome was changed in Stet by Ada at 2026-01-31T09:00:00.000Z}. */
    @Override
    public String toString() {
        return sentence("in Stet");
    }

    /** @param place where the change was made: {@code in Stet}, or {@code in NAME} for another account */
    String sentence(String place) {
        return (ImageNames.isImage(id) ? "image " + id.substring(ImageNames.FOLDER.length()) : (kind.equals("block") ? "shared block " : "template ") + id) + " " + what.words.formatted(place) + " by " + Objects.requireNonNullElse(by, "an unknown user")
                + (at == null ? "" : " at " + Timestamp.format(at));
    }
}
