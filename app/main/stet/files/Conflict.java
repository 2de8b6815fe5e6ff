package stet.files;

import static stet.core.FilesDigest.hex;

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

    /** Whether a shared block or image was changed, not a template. */
    @JsonIgnore
    public boolean isBlock() {
        return kind.equals("block");
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
        if (conflict.isPresent() || isSame && !publish) {
            return conflict;
        }
        boolean isLiveKnown = isLiveKnown(head) || hex(head.live()).equals(hex(file.sha256()))
                || merged(head, file.digest(), noted).filter(seen -> hex(head.live()).equals(seen.live())).isPresent();
        return isLiveKnown ? Optional.empty() : Optional.of(live(head, What.PUBLISHED));
    }

    /**
     * The conflict that replacing a draft or a shared block would cause, if any.
     *
     * @param digest the incoming files' digest
     * @param noted  what a pull recorded in the files about the template or block, or null
     */
    static Optional<Conflict> ofDraft(Head head, String digest, PulledState noted) {
        boolean mayReplace = digest.equals(head.digest()) || head.digest().equals(hex(head.source()))
                || merged(head, digest, noted).filter(seen -> head.digest().equals(seen.draft())).isPresent();
        return mayReplace ? Optional.empty() : Optional.of(draftChanged(head));
    }

    /** The changes made in Stet that the files' author knows of, if any. */
    private static Optional<PulledState> merged(Head head, String digest, PulledState noted) {
        return Optional.ofNullable(noted).filter(state -> state.isMerged(digest, head.source()));
    }

    /** Whether there is no live version, or it was made from the current draft or from files, or has not changed since files last arrived. */
    private static boolean isLiveKnown(Head head) {
        String live = hex(head.live());
        return live == null || live.equals(hex(head.sha256())) || live.equals(hex(head.known()));
    }

    /** The conflict that a removal would cause: what was changed in Stet since the last import or push. */
    static Optional<Conflict> ofRemoval(Head head) {
        if (!head.digest().equals(hex(head.source()))) {
            return Optional.of(draftChanged(head));
        }
        return isLiveKnown(head) ? Optional.empty() : Optional.of(live(head, What.PUBLISHED));
    }

    /** The change made in Stet since the last import or push, if any; also a rollback. */
    static Optional<Conflict> sinceFiles(Head head) {
        return ofRemoval(head).or(() -> head.rolledBack() ? Optional.of(live(head, What.ROLLED_BACK)) : Optional.empty());
    }

    private static Conflict draftChanged(Head head) {
        return new Conflict(head.kind(), head.id(), head.source() == null ? What.MADE : What.CHANGED, head.savedBy(), head.savedAt());
    }

    private static Conflict live(Head head, What what) {
        return new Conflict(head.kind(), head.id(), what, head.publishedBy(), head.publishedAt());
    }

    /** Attributes the conflict to the latest change, which may be to the name or tags instead of the draft. */
    Conflict withLatest(Dao dao, long account) {
        if (what == What.PUBLISHED || isBlock()) {
            return this;
        }
        List<Activity> last = dao.activity().page(account, new ActivityDao.Filter(null, id, OF_DRAFTS), Long.MAX_VALUE, 1).rows();
        boolean isLater = !last.isEmpty() && (at == null || !last.get(0).at().isBefore(at));
        return isLater ? new Conflict(kind, id, what, last.get(0).actor(), last.get(0).at()) : this;
    }

    /**
     * Joins the first sentences about conflicts and appends the number of the others. This number is a minimum if the list of conflicts is
     * full ({@link #MAX}).
     */
    static String joinFirst(List<String> sentences) {
        String first = sentences.stream().limit(MAX_NAMED).collect(Collectors.joining("; "));
        if (sentences.size() <= MAX_NAMED) {
            return first;
        }
        return first + "; and " + (sentences.size() < MAX ? "" : "at least ") + (sentences.size() - MAX_NAMED) + " more";
    }

    /** Whether the change prevents a push. A rollback does not, because a push keeps it. */
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
        return subject() + " " + what.words.formatted(place) + " by " + Objects.requireNonNullElse(by, "an unknown user")
                + (at == null ? "" : " at " + Timestamp.format(at));
    }

    private String subject() {
        if (ImageNames.isImage(id)) {
            return "image " + id.substring(ImageNames.FOLDER.length());
        }
        return (isBlock() ? "shared block " : "template ") + id;
    }
}
