package stet.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Garbage collection: removes replaced texts, deleted templates with their versions, and deleted accounts with all they had, a
 * few rows at a time.
 *
 * <pre>
 * account without an e-mail address ─► its templates, blocks, statistics and counts ─► itself
 * template without an account, or of such an account ─► its versions ─► itself
 * either, a save, an import ─► garbage ─► its texts that nothing refers to
 * </pre>
 */
final class GarbageDao {
    /** Approximate bounds of one transaction: some milliseconds. */
    static final int MAX_ROWS = 200;
    static final int MAX_BYTES = 512 << 10;
    /** One step of a template or an account counts as so many rows at least, as it takes several statements. */
    private static final int MIN_STEP_ROWS = 10;

    private final Sql sql;

    GarbageDao(Sql sql) {
        this.sql = sql;
    }

    /** Has a text removed soon, unless something refers to it then. */
    void add(long text) {
        add(text, Instant.EPOCH);
    }

    /** Has a text removed after a time, unless something refers to it then. */
    void add(long text, Instant after) {
        sql.update("""
                insert or ignore into garbage (after, text)
                values (?, ?)
                """, after, text);
    }

    /** Has a text that was added with a time removed soon. */
    void release(long text, Instant after) {
        sql.update("""
                update or replace garbage
                set after = 0
                where after = ? and text = ?
                """, after, text);
    }

    /** Has the texts of killed imports removed soon. An import under way in another process begins anew. */
    void releaseStaged() {
        sql.update("update or replace garbage set after = 0 where after > 0");
    }

    /** Whether there is anything to remove. */
    boolean exists(Instant now) {
        return sql.number("""
                select exists (select 1 from garbage where after <= ?)
                  or exists (select 1 from templates where account_id is null)
                  or exists (select 1 from accounts where email is null)
                """, now) == 1;
    }

    /** Removes some garbage; for one transaction. */
    void removeSome(Instant now) {
        int left = MAX_ROWS - removeTexts(now);
        while (left > 0) {
            int removed = removeTemplate(left);
            if (removed == 0) {
                removed = removeAccount(left);
            }
            if (removed == 0) {
                return;
            }
            left -= Math.max(removed, MIN_STEP_ROWS);
        }
    }

    private record Candidate(Instant after, long id, long bytes) {
    }

    private int removeTexts(Instant now) {
        List<Candidate> texts = sql.list("""
                select g.after, g.text, coalesce(length(x.html), 0) as bytes
                from garbage g left join texts x on x.id = g.text
                where g.after <= ?
                order by g.after
                limit ?
                """, row -> new Candidate(row.instant("after"), row.number("text"), row.number("bytes")), now, MAX_ROWS);
        long bytes = 0;
        int removed = 0;
        for (Candidate text : texts) {
            if (bytes > 0 && bytes + text.bytes > MAX_BYTES) {
                return MAX_ROWS;
            }
            sql.update("""
                    delete from texts
                    where id = ?1
                      and not exists (select 1 from templates where text = ?1)
                      and not exists (select 1 from versions where text = ?1)
                      and not exists (select 1 from versions where draft_text = ?1)
                      and not exists (select 1 from blocks where text = ?1)
                    """, text.id);
            sql.update("""
                    delete from garbage
                    where after = ? and text = ?
                    """, text.after, text.id);
            bytes += text.bytes;
            removed++;
        }
        return removed;
    }

    /** Removes some rows of a deleted template, or the template itself. @return about how many rows; 0 when there is none */
    private int removeTemplate(int limit) {
        Optional<Long> template = sql.first("""
                select row from templates where account_id is null
                union all
                select t.row from accounts a join templates t on t.account_id = a.id
                where a.email is null
                limit 1
                """, row -> row.number("row"));
        return template.map(row -> removeTemplate(row, limit)).orElse(0);
    }

    private int removeTemplate(long template, int limit) {
        int blocks = sql.update("""
                delete from version_blocks
                where (template, number, block) in (
                  select template, number, block from version_blocks
                  where template = ?1
                  limit ?2)
                """, template, limit);
        if (blocks > 0) {
            return blocks;
        }
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, text from (select text from versions where template = ?1 order by number limit ?2)
                union
                select 0, draft_text from (select draft_text from versions where template = ?1 order by number limit ?2)
                """, template, limit);
        int versions = sql.update("""
                delete from versions
                where template = ?1 and number in (
                  select number from versions
                  where template = ?1
                  order by number
                  limit ?2)
                """, template, limit);
        if (versions > 0) {
            return versions;
        }
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, text from templates
                where row = ?
                """, template);
        int samples = sql.update("delete from samples where template = ?", template);
        return samples + sql.update("delete from templates where row = ?", template);
    }

    /** Removes some rows of a deleted account without templates, or the account. @return about how many; 0 when there is none */
    private int removeAccount(int limit) {
        Optional<Long> account = sql.first("""
                select id from accounts
                where email is null
                limit 1
                """, row -> row.number("id"));
        return account.map(id -> removeAccount(id, limit)).orElse(0);
    }

    private int removeAccount(long account, int limit) {
        int requests = sql.update("""
                delete from requests
                where (account_id, period_start, day, key_id, template, missed) in (
                  select account_id, period_start, day, key_id, template, missed from requests
                  where account_id = ?
                  limit ?)
                """, account, limit);
        if (requests > 0) {
            return requests;
        }
        int includes = sql.update("""
                delete from includes
                where (account_id, kind, includer, block) in (
                  select account_id, kind, includer, block from includes
                  where account_id = ?
                  limit ?)
                """, account, limit);
        if (includes > 0) {
            return includes;
        }
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, text from blocks
                where account_id = ?
                order by name
                limit ?
                """, account, limit);
        int blocks = sql.update("""
                delete from blocks
                where account_id = ?1 and name in (
                  select name from blocks
                  where account_id = ?1
                  order by name
                  limit ?2)
                """, account, limit);
        if (blocks > 0) {
            return blocks;
        }
        new Usage(sql).addUp();
        return sql.update("delete from accounts where id = ?", account); // its counts go with it, and its last misses
    }
}
