package stet.sqlite;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import stet.core.Account;
import stet.core.Activity.Kind;
import stet.core.Refusal;
import stet.core.Samples;
import stet.core.TagList;
import stet.core.Validation;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.GarbageDao;
import stet.dao.Sql;
import stet.dao.StoreException;
import stet.dao.VersionDao;
import stet.dao.VersionRow;
import stet.markup.DraftText;

/**
 * Stages an import of any size: many short transactions write it before the one that makes it the account's.
 *
 * <pre>
 * texts    ─► texts, which nothing refers to yet, and garbage ─┐
 * the rest ─► temporary tables of the writing connection ──────┴─► commit: one short transaction ─► the account's
 * </pre>
 *
 * <p>Nothing is visible before the commit. {@link GarbageDao} removes the texts of a killed import.
 */
public final class Staging implements AutoCloseable {
    /** Bounds of what waits in memory to be written. */
    private static final int BATCH_BYTES = 256 << 10;
    private static final int BATCH_ROWS = 250;
    /** Bound of the last transaction: 2 to 3 us a row, some 0.3 s in all. */
    static final long MAX_ROWS = 100_000;
    /** Bound of the test data in it, which the last transaction copies: 4 us a KiB. */
    private static final long MAX_SAMPLE_CHARACTERS = 16 << 20;
    /** Test data that takes as long as a row. */
    private static final int CHARACTERS_OF_ROW = 512;
    /** An import that takes longer has to begin anew. */
    private static final Duration TIMEOUT = Duration.ofDays(1);
    private static final List<String> DRAFT_TABLES =
            List.of("staged_drafts", "staged_samples", "staged_tags", "staged_versions", "staged_version_blocks");
    private static final AtomicLong IMPORTS = new AtomicLong();

    private final long id = IMPORTS.incrementAndGet();
    private final Db db;
    private final Account account;
    private final Author author;
    private final Instant deadline;
    private final Queue<Consumer<Dao>> batch = new ArrayDeque<>();
    private final Queue<Long> texts = new ArrayDeque<>();
    private long batchBytes;
    private long batchRows;
    private long rows;
    private long sampleCharacters;

    public Staging(Db db, Account account, Author author, Instant now) {
        this.db = db;
        this.account = account;
        this.author = author;
        this.deadline = now.plus(TIMEOUT);
        db.writeUncached(dao -> dao.sql().execute("""
                create temp table if not exists staged_blocks (
                  import, name, sha256, text, primary key (import, name)) without rowid;
                create temp table if not exists staged_includes (
                  import, kind, includer, block, primary key (import, kind, includer, block)) without rowid;
                create temp table if not exists staged_drafts (
                  import, id, name, moved, subject, sha256, text, default_samples, primary key (import, id)) without rowid;
                create temp table if not exists staged_samples (import, id, name, document, primary key (import, id, name));
                create temp table if not exists staged_tags (import, id, tags, primary key (import, id)) without rowid;
                create temp table if not exists staged_versions (
                  import, id, sha256, variables, text, primary key (import, id)) without rowid;
                create temp table if not exists staged_version_blocks (
                  import, id, block, sha256, primary key (import, id, block)) without rowid;
                """));
    }

    /** Stages a shared block, new or with another text. @param blocks named in its html */
    public void block(String name, byte[] html, byte[] sha256, List<String> blocks) {
        Validation.id("name", name);
        stage(html.length, 1 + blocks.size(), dao -> {
            insert(dao, "staged_blocks", name, sha256, add(dao, html));
            blocks.forEach(block -> insert(dao, "staged_includes", "block", name, block));
        });
    }

    /**
     * Stages a draft, new or changed, with the sets of its test data that differ.
     *
     * @param moved   whether name, subject or html differ
     * @param newHtml whether the html differs
     * @param before  test data that the template has
     */
    public void draft(String template, String name, DraftText text, boolean moved, boolean newHtml, Samples before,
                      Samples samples) {
        Map<String, String> changed = without(samples, before);
        Map<String, String> replaced = without(before, samples);
        Set<String> removed = new TreeSet<>(replaced.keySet());
        removed.removeAll(changed.keySet());
        long characters = characters(changed) + charactersOfMovedDefault(before, samples, changed);
        sampleCharacters += characters;
        if (sampleCharacters > MAX_SAMPLE_CHARACTERS) {
            throw new Refusal("The import has more than " + (MAX_SAMPLE_CHARACTERS >> 20) + " MiB of test data that is new or"
                    + " changed: import it in parts");
        }
        stage(characters + (newHtml ? text.html().length : 0), 1 + text.blocks().size() + changed.size() + removed.size()
                + (characters + characters(replaced)) / CHARACTERS_OF_ROW, dao -> {
            Long added = !newHtml ? null : dao.versions().draftText(account.id(), template, text.sha256(), text.html())
                    .orElseGet(() -> add(dao, text.html()));
            insert(dao, "staged_drafts", template, name, moved, text.subject(), text.sha256(), added, samples.defaultName());
            if (newHtml) {
                text.blocks().forEach(block -> insert(dao, "staged_includes", "template", template, block));
            }
            removed.forEach(set -> insert(dao, "staged_samples", template, set, null));
            changed.forEach((set, document) -> insert(dao, "staged_samples", template, set, document));
        });
    }

    /** The documents that are not the same in others. */
    private static Map<String, String> without(Samples samples, Samples others) {
        Map<String, String> documents = new TreeMap<>(samples.documents());
        documents.entrySet().removeAll(others.documents().entrySet());
        return documents;
    }

    /** Rows of another default are written whole, with their documents. @param changed documents, which are written anyway */
    private static long charactersOfMovedDefault(Samples before, Samples samples, Map<String, String> changed) {
        return Objects.equals(before.defaultName(), samples.defaultName()) ? 0
                : Stream.of(before.defaultName(), samples.defaultName()).filter(name -> name != null && !changed.containsKey(name))
                        .mapToLong(name -> samples.documents().getOrDefault(name, "").length()).sum();
    }

    private static long characters(Map<String, String> documents) {
        return documents.values().stream().mapToLong(String::length).sum();
    }

    /** Stages the tags of a template, new or there already. They are no part of its draft. */
    public void tags(String template, List<String> tags) {
        stage(0, 1, dao -> insert(dao, "staged_tags", template, TagList.lines(tags)));
    }

    /** Stages a version of a template, made from its draft. */
    public void version(String template, VersionDao.Prepared prepared) {
        Map<String, byte[]> blocks = prepared.publication().blocks();
        byte[] html = prepared.publication().html();
        stage(prepared.isDraft() ? 0 : html.length, 1 + blocks.size(), dao -> {
            Long added = prepared.isDraft() ? null : dao.versions().text(account.id(), template, prepared.sha256(), html)
                    .orElseGet(() -> add(dao, html));
            insert(dao, "staged_versions", template, prepared.sha256(), TagList.lines(prepared.publication().variables()), added);
            blocks.forEach((block, sha256) -> insert(dao, "staged_version_blocks", template, block, sha256));
        });
    }

    private long add(Dao dao, byte[] html) {
        long text = dao.addText(account.id(), html);
        dao.garbage().add(text, deadline);
        texts.add(text);
        return text;
    }

    /** @param values of all columns behind the number of the import */
    private void insert(Dao dao, String table, Object... values) {
        List<Object> row = new ArrayList<>(Arrays.asList(values));
        row.add(0, id);
        dao.sql().update("insert into " + table + " values (?" + ", ?".repeat(values.length) + ")", row.toArray());
    }

    private void stage(long moreBytes, long moreRows, Consumer<Dao> work) {
        if (batchBytes + moreBytes > BATCH_BYTES || batchRows + moreRows > BATCH_ROWS) {
            write();
        }
        rows += moreRows;
        if (rows > MAX_ROWS) {
            throw new Refusal("The import changes too much at once, more than " + MAX_ROWS + " templates, sets of test data (each "
                    + CHARACTERS_OF_ROW + " characters count as one) and uses of shared blocks: import it in parts");
        }
        batch.add(work);
        batchBytes += moreBytes;
        batchRows += moreRows;
    }

    private void write() {
        if (!batch.isEmpty()) {
            if (!db.inSlices(dao -> {
                dao.storage().bounded(account.id(), () -> {
                    batch.remove().accept(dao);
                    return null;
                });
                return !batch.isEmpty();
            })) {
                throw new StoreException("the import is stopped");
            }
            clearBatch();
        }
    }

    private void clearBatch() {
        batch.clear();
        batchBytes = 0;
        batchRows = 0;
    }

    /** Removes a draft and its version, to be staged anew. */
    public void remove(String template) {
        write();
        db.writeUncached(dao -> {
            for (String table : DRAFT_TABLES) {
                dao.sql().update("delete from " + table + " where import = ? and id = ?", id, template);
            }
            dao.sql().update("delete from staged_includes where import = ? and kind = 'template' and includer = ?", id, template);
        });
    }

    public void clear() {
        clearBatch();
        db.writeUncached(dao -> Stream.concat(DRAFT_TABLES.stream(), Stream.of("staged_blocks", "staged_includes"))
                .forEach(table -> dao.sql().update("delete from " + table + " where import = ?", id)));
    }

    /**
     * Makes everything the account's, in one transaction that writes rows but no texts.
     *
     * @param contentRevision of the account when it was compared with the files
     * @param detail          of the activity; empty where nothing is changed
     * @return false when the account has changed since, or garbage collection has taken the texts; then nothing is done
     */
    public boolean commit(long contentRevision, String detail, Instant now) {
        write();
        return db.withoutForeignKeys(() -> db.write(account, author.checked(dao -> {
            if (dao.accounts().contentRevision(account.id()) != contentRevision || areTextsMissing(dao.sql())) {
                return false;
            }
            saveBlocks(dao.sql(), now);
            saveDrafts(dao.sql(), now);
            saveTags(dao.sql());
            publish(dao, now);
            List<String> blocks = dao.sql().list(String.class, "select name from staged_blocks where import = ?", id);
            if (!blocks.isEmpty()) {
                dao.blocks().touchUsers(account.id(), blocks, now);
            }
            dao.sampleSets().checkRoom(account.id());
            dao.accounts().incrementContentRevision(account.id());
            if (!detail.isEmpty()) {
                dao.activity().add(account.id(), Kind.IMPORTED, "", detail, now);
            }
            return true;
        }))); // the statements themselves make sure that references hold
    }

    private boolean areTextsMissing(Sql sql) {
        return sql.exists("""
                select 1
                from (
                  select text from staged_blocks where import = ?1
                  union all
                  select text from staged_drafts where import = ?1
                  union all
                  select text from staged_versions where import = ?1) as staged
                where text is not null
                  and not exists (select 1 from texts where id = staged.text and account_id = ?2)
                """, id, account.id());
    }

    private void saveBlocks(Sql sql, Instant now) {
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, b.text from staged_blocks s
                join blocks b on b.account_id = ?2 and b.name = s.name
                where s.import = ?1
                """, id, account.id());
        sql.update("""
                insert into blocks (account_id, name, updated_at, revision, sha256, text, saved_by)
                select ?2, name, ?3, (select deleted_revision + 1 from accounts where id = ?2), sha256, text, ?4 from staged_blocks
                where import = ?1
                on conflict do update
                set updated_at = ?3, revision = revision + 1, sha256 = excluded.sha256, text = excluded.text, saved_by = ?4
                """, id, account.id(), now, author.actor().name());
        sql.update("""
                delete from includes
                where account_id = ?2 and kind = 'block' and includer in (select name from staged_blocks where import = ?1)
                """, id, account.id());
    }

    private void saveDrafts(Sql sql, Instant now) {
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, t.text from staged_drafts s
                join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                where s.import = ?1 and s.text is not null
                """, id, account.id());
        sql.update("""
                insert into templates (
                  account_id, id, name, created_at, updated_at, revision, sha256, subject, text, saved_at, saved_by)
                select ?2, s.id, s.name, ?3, case when s.moved then ?3 else t.updated_at end,
                  (select deleted_revision + 1 from accounts where id = ?2), s.sha256, s.subject, coalesce(s.text, t.text), ?3, ?4
                from staged_drafts s left join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                where s.import = ?1
                on conflict (account_id, id) where removed_at is null do update
                set name = excluded.name, updated_at = excluded.updated_at, revision = revision + 1, sha256 = excluded.sha256,
                  subject = excluded.subject, text = excluded.text, saved_at = ?3, saved_by = ?4
                """, id, account.id(), now, author.actor().name());
        sql.update("""
                delete from samples
                where (template, name) in (
                  select t.row, s.name from staged_samples s
                  join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                  where s.import = ?1)
                """, id, account.id());
        sql.update("""
                insert into samples (template, name, document, is_default)
                select t.row, s.name, s.document, s.name = d.default_samples from staged_samples s
                join staged_drafts d on d.import = s.import and d.id = s.id
                join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                where s.import = ?1 and s.document is not null
                """, id, account.id());
        sql.update("""
                update samples
                set is_default = samples.name = s.default_samples
                from staged_drafts s join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                where s.import = ?1 and samples.template = t.row and is_default <> (samples.name = s.default_samples)
                """, id, account.id());
        sql.update("""
                delete from includes
                where account_id = ?2 and kind = 'template'
                  and includer in (select id from staged_drafts where import = ?1 and text is not null)
                """, id, account.id());
        sql.update("""
                insert into includes (account_id, kind, includer, block)
                select ?2, kind, includer, block from staged_includes
                where import = ?1
                """, id, account.id());
    }

    private void saveTags(Sql sql) {
        sql.update("""
                update templates
                set tags = (select tags from staged_tags where import = ?1 and id = templates.id)
                where account_id = ?2 and deleted_at is null and id in (select id from staged_tags where import = ?1)
                """, id, account.id());
    }

    private record Publication(long templateRow, long text, long draftText, VersionRow version) {
    }

    private void publish(Dao dao, Instant now) {
        Sql sql = dao.sql();
        for (Publication each : sql.list(Publication.class, """
                select t.row as template_row, coalesce(s.text, t.text) as text, t.text as draft_text, t.id as template,
                  1 + coalesce((select max(number) from versions where template = t.row), 0) as number, ?3 as published_at,
                  ?4 as published_by, '' as note, s.sha256, t.sha256 as draft_sha256, s.variables, t.subject, (
                    select group_concat(line, char(10)) from (
                      select block || ' ' || lower(hex(sha256)) as line from staged_version_blocks
                      where import = s.import and id = s.id
                      order by block)) as blocks
                from staged_versions s join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                where s.import = ?1
                """, id, account.id(), now, author.actor().name())) {
            dao.versions().add(each.templateRow, each.version, each.text, each.draftText);
        }
        sql.update("""
                update templates
                set published = (select max(number) from versions where template = templates.row), updated_at = ?3,
                  requested_at = null, requested_by = null, request_note = null
                where account_id = ?2 and deleted_at is null and id in (select id from staged_versions where import = ?1)
                """, id, account.id(), now);
        sql.update("""
                insert into version_blocks (template, number, block, sha256)
                select t.row, t.published, s.block, s.sha256
                from staged_version_blocks s join templates t on t.account_id = ?2 and t.id = s.id and t.deleted_at is null
                where s.import = ?1
                """, id, account.id());
    }

    /** Leaves the staged texts to garbage collection, which keeps those that are in use. */
    @Override
    public void close() {
        try {
            clear();
            if (!texts.isEmpty()) {
                db.inSlices(dao -> {
                    dao.garbage().release(texts.remove(), deadline);
                    return !texts.isEmpty();
                });
            }
        } catch (StoreException full) {
            // Garbage collection looks at them after a day anyway.
        }
    }
}
