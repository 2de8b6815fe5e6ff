package stet.dao;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Activity.ActivityKind;
import stet.core.Draft;
import stet.core.Samples;
import stet.core.ServedTemplate;
import stet.core.TagList;
import stet.core.Template;
import stet.core.TemplateSummary;
import stet.core.Validation;
import stet.markup.DraftText;

/** Templates, their drafts, and the data that the API serves. */
public final class TemplateDao {
    /** Computes {@link TemplateSummary.State}. */
    private static final String STATE = """
            case
              when t.published is null then 'never-published'
              when t.sha256 = v.draft_sha256 then 'published'
              else 'changed'
            end as state""";

    private final Sql sql;
    private final Dao dao;

    TemplateDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /** @throws Refusal if the author has no {@linkplain MemberDao#room room} among the {@value Validation#TEMPLATES} templates */
    public void checkRoom(long account) {
        long room = dao.members().room(account, Validation.TEMPLATES);
        if (count(account) >= room) {
            throw new Refusal("Template limit " + MemberDao.reachedText(room, Validation.TEMPLATES) + "; delete a template first");
        }
    }

    /** The number of templates outside the trash. */
    public long count(long account) {
        return sql.number("""
                select count(*) from templates
                where account_id = ? and deleted_at is null
                """, account);
    }

    /** A template's test data; {@link Samples#NONE} for an unknown template. */
    public Samples samples(long account, String id) {
        return dao.sampleSets().of(row(account, id));
    }

    /** The template's row number, which other tables reference; 0 if the template does not exist or is in the trash. */
    long row(long account, String id) {
        return sql.number("""
                select row from templates
                where account_id = ? and id = ? and deleted_at is null
                """, account, id);
    }

    /** Whether the draft's HTML consists of exactly these bytes. */
    public boolean hasHtml(long account, String id, byte[] html) {
        return sql.exists("""
                select 1
                from templates t join texts x on x.id = t.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ? and t.deleted_at is null and x.html = ?
                """, account, id, html);
    }

    /**
     * The served version; empty if the template is unknown or was never published.
     *
     * @throws StoreException if the version is corrupted
     */
    public Optional<ServedTemplate> published(long account, String id) {
        return sql.first("""
                select t.name, t.updated_at, x.html, %s
                from templates t
                join versions v on v.template = t.row and v.number = t.published
                join texts x on x.id = v.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ? and t.deleted_at is null
                """.formatted(VersionRow.COLUMNS), row -> {
            byte[] html = row.bytes("html");
            VersionDao.check(sql, account, row, html);
            return new ServedTemplate(row.text("template"), row.text("name"), row.text("subject"), html,
                    TagList.ofLines(row.text("variables")), row.instant("updated_at"));
        }, account, id);
    }

    /** Length of the served HTML in bytes; 0 if nothing is served. */
    public long publishedBytes(long account, String id) {
        return sql.number("""
                select length(x.html)
                from templates t
                join versions v on v.template = t.row and v.number = t.published
                join texts x on x.id = v.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ? and t.deleted_at is null
                """, account, id);
    }

    public boolean exists(long account, String id) {
        return sql.exists("""
                select 1 from templates
                where account_id = ? and id = ? and deleted_at is null
                """, account, id);
    }

    /** Finds the name of an account that has this template. Only for the test double, where accounts are not private. */
    public Optional<String> accountName(String id) {
        return sql.first(String.class, """
                select a.name
                from templates t join accounts a on a.id = t.account_id
                where t.id = ? and t.deleted_at is null and a.deleted_at is null
                limit 1
                """, id);
    }

    public List<TemplateSummary> list(long account) {
        return sql.list(TemplateSummary.class, """
                select t.id, t.name, t.subject, t.updated_at, %s
                from templates t left join versions v on v.template = t.row and v.number = t.published
                where t.account_id = ? and t.deleted_at is null
                order by t.id
                """.formatted(STATE), account);
    }

    /** @throws java.util.NoSuchElementException if the template does not exist */
    public TemplateSummary.State state(long account, String id) {
        return sql.first(TemplateSummary.State.class, """
                select %s
                from templates t left join versions v on v.template = t.row and v.number = t.published
                where t.account_id = ? and t.id = ? and t.deleted_at is null
                """.formatted(STATE), account, id).orElseThrow();
    }

    public Optional<Template> find(long account, String id) {
        return sql.first("""
                select t.row, t.id, t.name, t.created_at, t.updated_at, t.published, t.revision, t.subject, x.html
                from templates t join texts x on x.id = t.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ? and t.deleted_at is null
                """, row -> new Template(row.text("id"), row.text("name"), row.text("subject"), row.bytes("html"),
                dao.sampleSets().of(row.number("row")), row.instant("created_at"), row.instant("updated_at"),
                row.optionalInteger("published"), row.number("revision")), account, id);
    }

    /**
     * Finds a template and verifies its draft against its SHA-256.
     *
     * @throws java.util.NoSuchElementException if the template does not exist
     * @throws StoreException                   if the draft is corrupted
     */
    public Template intact(long account, String id) {
        Template template = find(account, id).orElseThrow();
        checkDraft(account, template);
        return template;
    }

    /** Verifies a draft that was just read. @throws StoreException if the draft is corrupted */
    public void checkDraft(long account, Template template) {
        if (!isDraft(account, template.id(), Draft.sha256(template.subject(), template.html()))) {
            throw Digest.mismatch(sql, account, "the draft of template " + template.id());
        }
    }

    /** Whether the draft has this SHA-256, computed by {@link Draft#sha256(String, byte[])}. */
    boolean isDraft(long account, String id, byte[] sha256) {
        return sql.exists("""
                select 1 from templates
                where account_id = ? and id = ? and deleted_at is null and sha256 = ?
                """, account, id, sha256);
    }

    /**
     * The last save of a draft or shared block.
     *
     * @param by the author's name at the time; null if not recorded
     * @param at null if not recorded
     */
    public record Saved(long revision, String by, Instant at) {
    }

    public Optional<Saved> lastSave(long account, String id) {
        return sql.first(Saved.class, """
                select revision, saved_by as by, saved_at as at from templates
                where account_id = ? and id = ? and deleted_at is null
                """, account, id);
    }

    /** A draft's revision, without reading its text. */
    public Optional<Long> revision(long account, String id) {
        return sql.first(Long.class, """
                select revision from templates
                where account_id = ? and id = ? and deleted_at is null
                """, account, id);
    }

    private record SavedDraft(long row, String name, byte[] sha256, String subject, long text) {
    }

    /**
     * Creates a template or changes its draft.
     *
     * @return whether anything changed
     * @throws Refusal if a template with this ID is in the trash, or as {@link SampleDao#checkRoom} if there are more sets of test data than before
     */
    public boolean save(long account, Draft draft, Instant now) {
        return save(account, draft.id(), draft.name(), DraftText.of(draft), draft.samples(), now);
    }

    /**
     * Like {@link #save(long, Draft, Instant)}, using a text prepared before the transaction. Saving only test data does not change
     * {@code updatedAt}.
     *
     * @param name    null to keep the current name
     * @param samples null to keep the current test data
     */
    public boolean save(long account, String id, String name, DraftText text, Samples samples, Instant now) {
        Optional<SavedDraft> before = sql.first(SavedDraft.class, """
                select row, name, sha256, subject, text from templates
                where account_id = ? and id = ? and deleted_at is null
                """, account, id);
        if (before.isPresent()) {
            return change(account, id, before.get(), name == null ? before.get().name : name, text, samples, now);
        }
        create(account, id, name, text, now);
        if (samples != null) {
            dao.sampleSets().save(account, row(account, id), Samples.NONE, samples);
        }
        return true;
    }

    private void create(long account, String id, String name, DraftText text, Instant now) {
        dao.trash().checkFree(account, id);
        sql.update("""
                insert into templates (account_id, id, name, created_at, updated_at, revision, sha256, subject, text, saved_at, saved_by)
                values (?1, ?2, ?3, ?4, ?4, (select deleted_revision + 1 from accounts where id = ?1), ?5, ?6, ?7, ?4, ?8)
                """, account, id, name, now, text.sha256(), text.subject(), dao.addText(account, text.html()), dao.author().name());
        dao.blocks().saveIncludes(account, "template", id, text.blocks());
        dao.accounts().incrementContentRevision(account);
        dao.activity().add(account, ActivityKind.TEMPLATE_CREATED, id, name, now);
    }

    private boolean change(long account, String id, SavedDraft before, String name, DraftText text, Samples samples, Instant now) {
        boolean sameName = name.equals(before.name);
        boolean sameText = Arrays.equals(text.sha256(), before.sha256) && text.subject().equals(before.subject);
        Samples samplesBefore = dao.sampleSets().of(before.row);
        boolean sameSamples = samples == null || samples.equals(samplesBefore);
        if (sameName && sameText && sameSamples) {
            return false;
        }
        boolean sameHtml = sameText || hasHtml(account, id, text.html());
        long html = sameHtml ? before.text : replaceHtml(account, id, before, text);
        sql.update("""
                update templates
                set name = ?3, updated_at = iif(?7, updated_at, ?8), revision = revision + 1, sha256 = ?4, subject = ?5, text = ?6,
                  saved_at = ?8, saved_by = ?9
                where account_id = ?1 and row = ?2 and deleted_at is null
                """, account, before.row, name, text.sha256(), text.subject(), html, sameName && sameText, now, dao.author().name());
        if (!sameSamples) {
            dao.sampleSets().save(account, before.row, samplesBefore, samples);
        }
        dao.accounts().incrementContentRevision(account);
        dao.activity().addCounted(account, ActivityKind.DRAFT_SAVED, id, 1, now);
        return true;
    }

    /** Adjusts the rows that depend on a draft's HTML, before the draft itself is changed. @return ID of the new text */
    private long replaceHtml(long account, String id, SavedDraft before, DraftText text) {
        if (dao.comments().hasPlaces(before.row)) {
            dao.comments().move(before.row, Utf8.text(find(account, id).orElseThrow().html()), Utf8.text(text.html()));
        }
        dao.blocks().saveIncludes(account, "template", id, text.blocks());
        dao.garbage().add(before.text);
        return dao.versions().draftText(account, id, text.sha256(), text.html()).orElseGet(() -> dao.addText(account, text.html()));
    }

    /**
     * A name's last change.
     *
     * @param revision see schema.sql
     * @param by       the author's name at the time, or null if not recorded
     * @param at       null if not recorded
     */
    public record NamedTemplate(String name, long revision, String by, Instant at) {
    }

    public Optional<NamedTemplate> lastNaming(long account, String id) {
        return sql.first(NamedTemplate.class, """
                select name, name_revision as revision, named_by as by, named_at as at from templates
                where account_id = ? and id = ? and deleted_at is null
                """, account, id);
    }

    /** Changes the name with immediate effect (api.md, The template). Does nothing if there is no such template. */
    public void rename(long account, String id, String name, Instant now) {
        boolean changed = sql.update("""
                update templates
                set name = ?3, updated_at = ?4, named_by = ?5, named_at = ?4
                where account_id = ?1 and id = ?2 and deleted_at is null and name <> ?3
                """, account, id, Validation.name(name), now, dao.author().name()) > 0;
        if (changed) {
            dao.accounts().incrementContentRevision(account);
            dao.activity().add(account, ActivityKind.TEMPLATE_RENAMED, id, name, now);
        }
    }
}
