package stet.files;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import stet.core.Activity;
import stet.core.Activity.Kind;
import stet.core.FilesDigest;
import stet.core.Timestamp;
import stet.dao.ActivityDao;
import stet.dao.Dao;
import stet.dao.SourceDao.Head;
import stet.files.AccountFiles.DraftFile;
import stet.files.Pulled.Seen;

/**
 * A template or shared block that was changed here since the last import or push, and that other files would replace.
 *
 * <pre>
 * draft: as its files say, as the last files said, or as the files know by pull ─► may be replaced
 * live:  none, of one of these drafts, or as it was when the last files came ────► may be replaced
 * </pre>
 *
 * @param kind {@code template} or {@code block}
 * @param by   name of the person or token at that time, or null where nobody was recorded
 * @param at   null where no time was recorded
 */
public record Conflict(String kind, String id, What what, String by, Instant at) {
    /** Conflicts that one sentence names, at most. */
    private static final int MAX_NAMED = 10;
    private static final List<Kind> OF_DRAFTS = List.of(Kind.TEMPLATE_CREATED, Kind.DRAFT_SAVED, Kind.TEMPLATE_RENAMED,
            Kind.TAGS_CHANGED, Kind.TEMPLATE_RESTORED);

    /** What was done to it here. */
    public enum What {
        @JsonProperty("made") MADE("was made here"),
        @JsonProperty("changed") CHANGED("was changed here"),
        @JsonProperty("published") PUBLISHED("has another live version, published here"),
        /** No conflict: the files' author wanted it. */
        @JsonProperty("rolled-back") ROLLED_BACK("serves an earlier version since a rollback");

        private final String words;

        What(String words) {
            this.words = words;
        }
    }

    private static String hex(byte[] digest) {
        return FilesDigest.hex(digest);
    }

    /** Whether neither draft nor live version was changed since files came; a block has no live version. */
    static boolean isAsItCame(Head head) {
        return head.digest().equals(hex(head.source())) && isLiveKnown(head, null, null);
    }

    /** Whether the live version is none, of the present draft, or one that the files know. @param draft digest of theirs, or null */
    static boolean isLiveKnown(Head head, String draft, Seen seen) {
        String live = hex(head.live());
        return live == null || live.equals(hex(head.sha256())) || live.equals(hex(head.known())) || live.equals(draft)
                || seen != null && live.equals(seen.live());
    }

    /**
     * @param digest  of the files that come
     * @param draft   digest of their draft, or null for that of a block, or if nothing else comes
     * @param publish whether they are to be served
     */
    static Optional<Conflict> of(Head head, String digest, String draft, boolean publish, Seen noted) {
        Seen seen = noted != null && noted.isMerged(digest, head.source()) ? noted : null;
        boolean isSame = digest.equals(head.digest());
        boolean mayReplace = isSame || head.digest().equals(hex(head.source()))
                || seen != null && head.digest().equals(seen.draft());
        if (!mayReplace) {
            return Optional.of(draftChanged(head));
        }
        return isSame && !publish || isLiveKnown(head, draft, seen) ? Optional.empty() : Optional.of(published(head));
    }

    static Optional<Conflict> of(Head head, DraftFile file, boolean publish, Seen seen) {
        return of(head, file.digest(), hex(file.sha256()), publish, seen);
    }

    /** The conflict with a removal. */
    static Optional<Conflict> ofRemoval(Head head) {
        return isAsItCame(head) ? Optional.empty()
                : Optional.of(head.digest().equals(hex(head.source())) ? published(head) : draftChanged(head));
    }

    /** What was done here since files came, if anything. */
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

    /** Names whoever changed name or tags, where that is newer: they are no part of the draft that was saved. */
    Conflict withLatest(Dao dao, long account) {
        if (what == What.PUBLISHED || kind.equals("block")) {
            return this;
        }
        List<Activity> last = dao.activity().page(account, new ActivityDao.Filter(null, id, OF_DRAFTS), Long.MAX_VALUE, 1).rows();
        return last.isEmpty() || at != null && last.get(0).at().isBefore(at) ? this
                : new Conflict(kind, id, what, last.get(0).actor(), last.get(0).at());
    }

    /** The first of many sentences, as one. Of more than a plan may have, there are at least as many. */
    static String first(List<String> sentences) {
        return sentences.stream().limit(MAX_NAMED).collect(Collectors.joining("; "))
                + (sentences.size() <= MAX_NAMED ? "" : "; and " + (sentences.size() < Import.MAX_CONFLICTS ? "" : "at least ")
                + (sentences.size() - MAX_NAMED) + " more");
    }

    String path() {
        return (kind.equals("block") ? AccountPath.Kind.BLOCK : AccountPath.Kind.HTML).path(id);
    }

    /** {@code templates/welcome.html was changed here by Ada at 2026-01-31T09:00:00.000Z}. */
    @Override
    public String toString() {
        return path() + " " + what.words + " by " + Objects.requireNonNullElse(by, "somebody who was not recorded")
                + (at == null ? "" : " at " + Timestamp.format(at));
    }
}
