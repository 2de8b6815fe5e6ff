package stet.dao;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import stet.base.Secret;
import stet.base.Utf8;
import stet.core.Activity.ActivityKind;
import stet.core.TemplateDetails;
import stet.dao.ImageDao.NewImage;
import stet.images.ImageFile;
import stet.markup.DraftText;

/**
 * An import staged in the write connection's temporary tables, and the statements that apply it to the account. The import's new texts
 * are already in the table {@code texts}, but no draft, block or version references them yet.
 */
public final class StagedDao {
    private static final List<String> DRAFT_TABLES =
            List.of("staged_drafts", "staged_samples", "staged_details", "staged_versions", "staged_version_blocks");

    private final Sql sql;
    private final Dao dao;
    private final long id;

    /** @param id the import's ID, unique per {@code Db} */
    StagedDao(Dao dao, long id) {
        this.sql = dao.sql();
        this.dao = dao;
        this.id = id;
    }

    // ---- staging

    public void createTables() {
        sql.execute("""
                create temp table if not exists staged_blocks (
                  import, name, sha256, text, type, bytes, width, height, primary key (import, name)) without rowid;
                create temp table if not exists staged_includes (
                  import, kind, includer, block, primary key (import, kind, includer, block)) without rowid;
                create temp table if not exists staged_drafts (
                  import, id, name, moved, subject, sha256, text, default_samples, primary key (import, id)) without rowid;
                create temp table if not exists staged_samples (
                  import, id, name, document, sha256, is_default, primary key (import, id, name));
                create temp table if not exists staged_details (import, id, details, primary key (import, id)) without rowid;
                create temp table if not exists staged_versions (
                  import, id, number, published_at, published_by, note, sha256, draft_sha256, row_sha256, variables, subject, text,
                  primary key (import, id)) without rowid;
                create temp table if not exists staged_version_blocks (
                  import, id, block, sha256, primary key (import, id, block)) without rowid;
                create temp table if not exists staged_sources (
                  import, kind, id, sha256, is_live_known, keeps_rollback, primary key (import, kind, id)) without rowid;
                """);
    }

    /** @param values column values, without the import's ID */
    private void insert(String table, Object... values) {
        List<Object> row = new ArrayList<>(Arrays.asList(values));
        row.add(0, id);
        sql.update("insert into " + table + " values (?" + ", ?".repeat(values.length) + ")", row.toArray());
    }

    /** @param blocks names of the blocks that the HTML includes */
    public void addBlock(String name, byte[] sha256, long text, List<String> blocks) {
        insert("staged_blocks", name, sha256, text, null, null, null, null);
        blocks.forEach(block -> insert("staged_includes", "block", name, block));
    }

    public void addImage(String name, byte[] sha256, long text, ImageFile file) {
        insert("staged_blocks", name, sha256, text, file.type().extension(), file.bytes().length, file.width(), file.height());
    }

    /**
     * @param moved          whether the name, subject or HTML differs
     * @param text           null if the HTML is unchanged
     * @param defaultSamples null if the default is unchanged
     */
    public void addDraft(String template, String name, boolean moved, DraftText draft, Long text, String defaultSamples) {
        insert("staged_drafts", template, name, moved, draft.subject(), draft.sha256(), text, defaultSamples);
        if (text != null) {
            draft.blocks().forEach(block -> insert("staged_includes", "template", template, block));
        }
    }

    /** @param document null to remove the set */
    public void addSamples(String template, String name, String document, boolean isDefault) {
        insert("staged_samples", template, name, document, document == null ? null : Secret.sha256(document), isDefault);
    }

    /**
     * Adds or replaces a source.
     *
     * @param kind          {@code template} or {@code block}
     * @param sha256        digest of the files
     * @param isLiveKnown   whether the files' author knows the version that will be live
     * @param keepsRollback whether a rollback stays in effect
     */
    public void addSource(String kind, String name, byte[] sha256, boolean isLiveKnown, boolean keepsRollback) {
        sql.update("delete from staged_sources where import = ? and kind = ? and id = ?", id, kind, name);
        insert("staged_sources", kind, name, sha256, isLiveKnown, keepsRollback);
    }

    public void addDetails(String template, TemplateDetails details) {
        insert("staged_details", template, details.json());
    }

    /** @param text null if the HTML equals the draft's HTML @param blocks SHA-256 by name */
    public void addVersion(VersionRow version, Long text, Map<String, byte[]> blocks) {
        insert("staged_versions", version.template(), version.number(), version.publishedAt(), version.publishedBy(), version.note(),
                version.sha256(), version.draftSha256(), version.digest(), version.variables(), version.subject(), text);
        blocks.forEach((block, digest) -> insert("staged_version_blocks", version.template(), block, digest));
    }

    /** Removes a draft with its test data, details, version and source so that they can be staged again. */
    public void remove(String template) {
        for (String table : DRAFT_TABLES) {
            sql.update("delete from " + table + " where import = ? and id = ?", id, template);
        }
        sql.update("delete from staged_includes where import = ? and kind = 'template' and includer = ?", id, template);
        sql.update("delete from staged_sources where import = ? and kind = 'template' and id = ?", id, template);
    }

    /** Removes everything that the import has staged. */
    public void clear() {
        DRAFT_TABLES.forEach(table -> sql.update("delete from " + table + " where import = ?", id));
        sql.update("delete from staged_blocks where import = ?", id);
        sql.update("delete from staged_sources where import = ?", id);
        sql.update("delete from staged_includes where import = ?", id);
    }

    // ---- applying

    /**
     * Applies the import. Foreign keys can be off, because the statements themselves keep references valid.
     *
     * @throws stet.base.Refusal if the account would exceed a limit of images or of sets of test data
     */
    public void save(long account, SourceDao.FilesOrigin origin, Instant now) {
        ImageDao.ImageUse before = dao.images().use(account);
        saveImages(account, now);
        saveBlocks(account, now);
        dao.images().checkGrowth(account, before);
        saveDrafts(account, now);
        saveSamples(account);
        saveIncludes(account);
        saveDetails(account);
        publish(account, now);
        saveSources(account, origin, now);
        addActivity(account, origin, now);
        List<String> blocks = sql.list(String.class, "select name from staged_blocks where import = ?", id);
        if (!blocks.isEmpty()) {
            dao.blocks().touchTemplates(account, blocks, now);
        }
        dao.sampleSets().checkRoom(account);
        dao.accounts().incrementContentRevision(account);
    }

    /** Adds the images' files. A file that was staged twice, or that the account got after the comparison, is added once. */
    private void saveImages(long account, Instant now) {
        List<NewImage> images = sql.list(NewImage.class, """
                select name, sha256, text, type, bytes, width, height from staged_blocks
                where import = ? and type is not null
                """, id);
        images.forEach(image -> dao.images().add(account, image, now));
        if (!images.isEmpty()) {
            sql.update("""
                    update staged_blocks
                    set text = i.text
                    from images i
                    where staged_blocks.import = ?1 and staged_blocks.type is not null
                      and i.account_id = ?2 and i.sha256 = staged_blocks.sha256
                    """, id, account);
        }
    }

    private void saveBlocks(long account, Instant now) {
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, b.text from staged_blocks s
                join blocks b on b.account_id = ?2 and b.name = s.name
                where s.import = ?1
                """, id, account);
        sql.update("""
                insert into blocks (account_id, name, kind, updated_at, revision, sha256, text, saved_by)
                select ?2, name, iif(type is null, 'html', 'image'), ?3, (select deleted_revision + 1 from accounts where id = ?2), sha256, text, ?4
                from staged_blocks
                where import = ?1
                on conflict do update
                set updated_at = ?3, revision = revision + 1, sha256 = excluded.sha256, text = excluded.text, saved_by = ?4
                """, id, account, now, dao.author().name());
    }

    private record Replaced(long template, byte[] before, byte[] after) {
    }

    /** Moves the places of comments on drafts whose HTML changes. Reads one draft at a time. */
    private void moveComments(long account) {
        List<Long> templates = sql.list(Long.class, """
                select t.row from staged_drafts s
                join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                where s.import = ?1 and s.text is not null
                """, id, account);
        for (long template : templates) {
            if (dao.comments().hasPlaces(template)) {
                Replaced replaced = sql.first(Replaced.class, """
                        select t.row as template, x.html as before, y.html as after
                        from templates t join staged_drafts s on s.import = ?1 and s.id = t.id
                        join texts x on x.id = t.text and x.account_id = t.account_id
                        join texts y on y.id = s.text and y.account_id = t.account_id
                        where t.account_id = ?2 and t.row = ?3 and t.deleted_at is null
                        """, id, account, template).orElseThrow();
                dao.comments().move(template, Utf8.text(replaced.before), Utf8.text(replaced.after));
            }
        }
    }

    private void saveDrafts(long account, Instant now) {
        moveComments(account);
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, t.text from staged_drafts s
                join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                where s.import = ?1 and s.text is not null
                """, id, account);
        sql.update("""
                insert into templates (
                  account_id, id, name, created_at, updated_at, revision, sha256, subject, text, saved_at, saved_by, published)
                select ?2, s.id, s.name, ?3, iif(s.moved or v.number, ?3, t.updated_at),
                  (select deleted_revision + 1 from accounts where id = ?2), s.sha256, s.subject, coalesce(s.text, t.text), ?3, ?4,
                  coalesce(v.number, t.published)
                from staged_drafts s
                left join staged_versions v on v.import = s.import and v.id = s.id
                left join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                where s.import = ?1
                on conflict (account_id, id) where removed_at is null do update
                set named_by = iif(name = excluded.name, named_by, ?4), named_at = iif(name = excluded.name, named_at, ?3),
                  name = excluded.name, updated_at = excluded.updated_at, revision = revision + 1, sha256 = excluded.sha256,
                  subject = excluded.subject, text = excluded.text, saved_at = ?3, saved_by = ?4, published = excluded.published,
                  requested_at = iif(excluded.published is published, requested_at, null),
                  requested_by = iif(excluded.published is published, requested_by, null),
                  request_note = iif(excluded.published is published, request_note, null)
                """, id, account, now, dao.author().name());
    }

    private void saveSamples(long account) {
        sql.update("""
                delete from samples
                where (template, name) in (
                  select t.row, s.name from staged_samples s
                  join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                  where s.import = ?1 and s.document is null)
                """, id, account);
        sql.update("""
                insert into samples (template, name, document, sha256, is_default)
                select t.row, s.name, s.document, s.sha256, s.is_default from staged_samples s
                join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                where s.import = ?1 and s.document is not null
                on conflict do update
                set document = excluded.document, sha256 = excluded.sha256, is_default = excluded.is_default
                """, id, account);
        sql.update("""
                update samples
                set is_default = samples.name = s.default_samples
                from staged_drafts s join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                where s.import = ?1 and s.default_samples is not null and samples.template = t.row
                  and is_default <> (samples.name = s.default_samples)
                """, id, account);
    }

    private void saveIncludes(long account) {
        sql.update("""
                delete from includes
                where account_id = ?2 and kind = 'block' and includer in (select name from staged_blocks where import = ?1)
                """, id, account);
        sql.update("""
                delete from includes
                where account_id = ?2 and kind = 'template'
                  and includer in (select id from staged_drafts where import = ?1 and text is not null)
                  and (includer, block) not in (
                    select includer, block from staged_includes where import = ?1 and kind = 'template')
                """, id, account);
        sql.update("""
                insert or ignore into includes (account_id, kind, includer, block)
                select ?2, kind, includer, block from staged_includes
                where import = ?1
                """, id, account);
    }

    private void saveDetails(long account) {
        sql.update("""
                update templates
                set %s
                from staged_details s
                where s.import = ?1 and templates.account_id = ?2 and templates.id = s.id and templates.deleted_at is null
                """.formatted(DetailsDao.assignments("s.details")), id, account);
    }

    private void publish(long account, Instant now) {
        sql.update("""
                insert into versions (
                  template, number, published_at, note, sha256, draft_sha256, row_sha256, variables, subject, text, draft_text,
                  published_by)
                select t.row, s.number, s.published_at, s.note, s.sha256, s.draft_sha256, s.row_sha256, s.variables, s.subject,
                  coalesce(s.text, t.text), t.text, s.published_by
                from staged_versions s join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                where s.import = ?1
                """, id, account);
        sql.update("""
                insert into version_blocks (template, number, block, sha256)
                select t.row, v.number, s.block, s.sha256
                from staged_versions v
                join templates t on t.account_id = ?2 and t.id = v.id and t.deleted_at is null
                join staged_version_blocks s on s.import = v.import and s.id = v.id
                where v.import = ?1
                """, id, account);
        sql.update("""
                update templates
                set published = s.number, updated_at = ?3, requested_at = null, requested_by = null, request_note = null
                from staged_versions s
                where s.import = ?1 and templates.account_id = ?2 and templates.id = s.id and templates.deleted_at is null
                  and s.id not in (select id from staged_drafts where import = ?1)
                """, id, account, now);
    }

    private void saveSources(long account, SourceDao.FilesOrigin origin, Instant now) {
        sql.update("""
                insert or replace into sources (account_id, kind, id, sha256, draft_sha256, live_sha256, rolled_back, how, at, by, note)
                select ?2, s.kind, s.id, s.sha256, t.sha256, iif(s.is_live_known, v.draft_sha256, o.live_sha256), s.keeps_rollback, ?4, ?3, ?5, ?6
                from staged_sources s
                left join sources o on o.account_id = ?2 and o.kind = s.kind and o.id = s.id and (o.how <> 'copy' or ?4 = 'copy')
                left join templates t on s.kind = 'template' and t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                left join versions v on v.template = t.row and v.number = t.published
                where s.import = ?1
                """, id, account, now, origin.how(), dao.author().name(), origin.note());
    }

    /** Adds an activity row for each template and shared block that a push or copy changes; an import is one row, which its caller adds. */
    private void addActivity(long account, SourceDao.FilesOrigin origin, Instant now) {
        if (origin.how() == SourceDao.OriginKind.IMPORT) {
            return;
        }
        dao.activity().log(account, sql.list(ActivityDao.Recorded.class, """
                insert into activity (account_id, at, user_id, actor, address, kind, subject, number, detail)
                select ?2, ?3, ?4, ?5, ?6, iif(v.id is null, ?8, ?9), c.id, iif(v.id is null, 0, t.published), ?7
                from (
                  select id from staged_drafts where import = ?1
                  union
                  select id from staged_details where import = ?1
                  union
                  select id from staged_versions where import = ?1) c
                join templates t on t.account_id = ?2 and t.id = c.id and t.deleted_at is null
                left join staged_versions v on v.import = ?1 and v.id = c.id
                union all
                select ?2, ?3, ?4, ?5, ?6, ?8, name, 0, ?7 from staged_blocks
                where import = ?1
                returning kind, subject, number, detail
                """, id, account, now, dao.author().user(), dao.author().name(), dao.author().address(), origin.note(),
                origin.how() == SourceDao.OriginKind.COPY ? ActivityKind.COPIED : ActivityKind.PUSHED, ActivityKind.TEMPLATE_PUBLISHED));
    }
}
