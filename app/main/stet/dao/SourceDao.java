package stet.dao;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import stet.base.Timestamp;
import stet.core.FilesDigest;
import stet.core.TemplateDetails;
import stet.core.Validation;

/** Digests for comparing templates and shared blocks with their original files without reading texts. */
public final class SourceDao {
    private final Sql sql;
    private final Dao dao;

    SourceDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /** Ways in which files arrive. */
    public enum OriginKind {
        @JsonProperty("seed") SEED,
        @JsonProperty("import") IMPORT,
        @JsonProperty("push") PUSH,
        @JsonProperty("copy") COPY
    }

    /**
     * The way in which files arrived, and their origin.
     *
     * @param note where the files come from, such as a commit, or empty; new versions get the same note
     */
    public record FilesOrigin(OriginKind how, String note) {
        /** @throws stet.base.Refusal if the note is invalid */
        public FilesOrigin {
            Validation.note(note);
        }
    }

    /** The last seed, import, push or copy recorded for a template or block. @param by the author's name at the time; null for a seed */
    public record SourceRow(OriginKind how, Instant at, String by, String note) {
        public SourceRow {
            Objects.requireNonNull(how);
            Objects.requireNonNull(at);
            Objects.requireNonNull(note);
        }

        /** For example, {@code push by token ci at 2026-01-31T09:00:00.000Z: 3f2c1ab}. */
        @Override
        public String toString() {
            return how.name().toLowerCase(Locale.ROOT) + (by == null ? "" : " by " + by) + " at " + Timestamp.format(at)
                    + (note.isEmpty() ? "" : ": " + note);
        }
    }

    /**
     * A template or shared block without its text. Every change to a template's files or live version changes its {@code revision},
     * {@code published}, {@code updatedAt} or details. A shared block has no name, details, samples or versions.
     *
     * @param kind    {@code template} or {@code block}
     * @param samples formatted by {@link stet.core.Samples#lines}, or null
     * @param live    draft digest of the live version, or null
     * @param source  digest of the original files; null for a template or block created in Stet
     * @param sourceDraft draft digest of the original files, or null
     * @param known   draft digest of the last live version that the files' author knows, or null
     * @param blocks  the live version's blocks, formatted as in {@link VersionRow}
     */
    public record Head(String kind, String id, String name, byte[] sha256, long revision, int published, Instant updatedAt, TemplateDetails details,
                       String samples, String savedBy, Instant savedAt, byte[] live, String publishedBy, Instant publishedAt,
                       byte[] source, byte[] sourceDraft, byte[] known, boolean rolledBack, OriginKind how, String blocks) {
        public boolean isUnchanged(Head other) {
            return other != null && revision == other.revision && published == other.published
                    && updatedAt.equals(other.updatedAt) && details.equals(other.details);
        }

        /** Digest of the files that an export would write. */
        public String digest() {
            return kind.equals("block") ? FilesDigest.hex(sha256) : FilesDigest.ofTemplate(sha256, name, details, samples);
        }
    }

    /**
     * Templates by ID.
     *
     * @param copies whether a copy from another account counts as the source; if not, it counts as a change made in Stet
     */
    public Map<String, Head> templates(long account, boolean copies) {
        Map<String, Head> heads = new HashMap<>();
        sql.list(Head.class, """
                select 'template' as kind, t.id, t.name, t.sha256, t.revision, t.published, t.updated_at, %s as details, t.saved_by, t.saved_at,
                  v.draft_sha256 as live, v.published_by, v.published_at, s.sha256 as source, s.draft_sha256 as source_draft,
                  s.live_sha256 as known, coalesce(s.rolled_back, 0) as rolled_back, s.how, (
                    select group_concat(line, char(10)) from (
                      select is_default || ' ' || name || ' ' || lower(hex(sha256)) as line from samples
                      where template = t.row
                      order by name)) as samples, (
                    select group_concat(block || ' ' || lower(hex(sha256)), char(10)) from version_blocks
                    where template = t.row and number = t.published) as blocks
                from templates t
                left join versions v on v.template = t.row and v.number = t.published
                left join sources s on s.account_id = t.account_id and s.kind = 'template' and s.id = t.id and (s.how <> 'copy' or ?)
                where t.account_id = ? and t.deleted_at is null
                """.formatted(DetailsDao.json()), copies, account).forEach(head -> heads.put(head.id, head));
        return heads;
    }

    /** Shared blocks by name. @param copies as for {@link #templates(long, boolean)} */
    public Map<String, Head> blocks(long account, boolean copies) {
        Map<String, Head> heads = new HashMap<>();
        sql.list(Head.class, """
                select 'block' as kind, b.name as id, '' as name, b.sha256, b.revision, 0 as published, b.updated_at, '{}' as details,
                  null as samples, b.saved_by, b.updated_at as saved_at, null as live, null as published_by, null as published_at,
                  s.sha256 as source, null as source_draft, null as known, 0 as rolled_back, s.how, null as blocks
                from blocks b
                left join sources s on s.account_id = b.account_id and s.kind = 'block' and s.id = b.name and (s.how <> 'copy' or ?)
                where b.account_id = ?
                """, copies, account).forEach(head -> heads.put(head.id, head));
        return heads;
    }

    /** Templates by ID, for a comparison with files, in which a copy from another account counts as a change made in Stet. */
    public Map<String, Head> templates(long account) {
        return templates(account, false);
    }

    /** Shared blocks by name, as {@link #templates(long)}. */
    public Map<String, Head> blocks(long account) {
        return blocks(account, false);
    }

    /** @param kind {@code template} or {@code block} */
    public Optional<SourceRow> find(long account, String kind, String id) {
        return sql.first(SourceRow.class, """
                select how, at, by, note from sources
                where account_id = ? and kind = ? and id = ?
                """, account, kind, id);
    }

    /** The newest seed, import or push recorded for one of the account's templates or shared blocks. */
    public Optional<SourceRow> last(long account) {
        return sql.first(SourceRow.class, """
                select how, at, by, note from sources
                where account_id = ? and how <> 'copy'
                order by at desc, kind, id
                limit 1
                """, account);
    }

    /** Records that a template's live version was changed in Stet, so that the files' author does not know it. */
    void recordPublication(long account, String id) {
        recordLiveVersion(account, id, false);
    }

    /** Records that the files' author changed a template's live version with the rollback command, and knows it. */
    void recordRollback(long account, String id) {
        recordLiveVersion(account, id, true);
    }

    /** Does nothing if the template has no source. @param byFiles whether the files' author made the change */
    private void recordLiveVersion(long account, String id, boolean byFiles) {
        sql.update("""
                update sources
                set rolled_back = ?3, live_sha256 = iif(?3, (
                  select v.draft_sha256 from templates t join versions v on v.template = t.row and v.number = t.published
                  where t.account_id = ?1 and t.id = ?2 and t.deleted_at is null), null)
                where account_id = ?1 and kind = 'template' and id = ?2
                """, account, id, byFiles);
    }

    /** Removes a template's source, so that restoring the template from the trash counts as a change made in Stet. */
    public void forget(long account, String id) {
        sql.update("delete from sources where account_id = ? and kind = 'template' and id = ?", account, id);
    }

    /** Records a seed as the source of a template or shared block. @param digest by {@link FilesDigest} */
    public void recordSeed(long account, String kind, String id, byte[] digest, Instant now) {
        sql.update("""
                insert into sources (account_id, kind, id, sha256, draft_sha256, live_sha256, how, at, by)
                values (?1, ?2, ?3, ?4, (
                  select sha256 from templates
                  where ?2 = 'template' and account_id = ?1 and id = ?3 and deleted_at is null), (
                  select v.draft_sha256 from templates t join versions v on v.template = t.row and v.number = t.published
                  where ?2 = 'template' and t.account_id = ?1 and t.id = ?3 and t.deleted_at is null), ?5, ?6, ?7)
                """, account, kind, id, digest, OriginKind.SEED, now, dao.author().name());
    }
}
