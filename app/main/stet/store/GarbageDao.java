package stet.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Removes little by little what nobody reaches any more: texts that were replaced, deleted templates with their versions,
 * deleted accounts with all they had.
 *
 * <pre>
 * account without an e-mail address ─► its templates, blocks, statistics and counts ─► itself
 * template without an account, or of such a one ─► its versions ─► itself
 * either, a save, an import ─► texts ─► those that nothing has are deleted
 * </pre>
 */
final class GarbageDao {
    /** Rows, and bytes of texts, that one transaction removes, more or less: some milliseconds. */
    static final int ROWS = 200;
    static final int BYTES = 512 << 10;
    /** What one piece of a template or an account counts at least, as it takes some statements. */
    private static final int STATEMENTS = 10;

    private final Sql sql;

    GarbageDao(Sql sql) {
        this.sql = sql;
    }

    /** No import is under way: what those that were killed have written can go. One that is, in another process, begins anew. */
    void abandonStaged() {
        sql.update("update or replace garbage set after = 0 where after > 0");
    }

    /** Whether there is anything to remove by now. */
    boolean exists(Instant now) {
        return sql.number("""
                select exists (select 1 from garbage where after <= ?)
                  or exists (select 1 from templates where account_id is null)
                  or exists (select 1 from accounts where email is null)
                """, now) == 1;
    }

    /** Removes some of it; for one transaction. */
    void removeSome(Instant now) {
        int left = ROWS - removeTexts(now);
        while (left > 0) {
            int removed = removeTemplate(left);
            if (removed == 0) {
                removed = removeOfAccount(left);
            }
            if (removed == 0) {
                return;
            }
            left -= Math.max(removed, STATEMENTS);
        }
    }

    /** A text that may go. */
    private record Discarded(Instant after, long text, long bytes) {
    }

    private int removeTexts(Instant now) {
        List<Discarded> texts = sql.list("""
                select g.after, g.text, coalesce(length(x.html), 0) as bytes
                from garbage g left join texts x on x.id = g.text
                where g.after <= ?
                order by g.after
                limit ?
                """, row -> new Discarded(row.instant("after"), row.number("text"), row.number("bytes")), now, ROWS);
        long bytes = 0;
        int removed = 0;
        for (Discarded discarded : texts) {
            if (bytes > 0 && bytes + discarded.bytes > BYTES) {
                return ROWS;
            }
            sql.update("""
                    delete from texts
                    where id = ?1
                      and not exists (select 1 from templates where text = ?1)
                      and not exists (select 1 from versions where text = ?1)
                      and not exists (select 1 from versions where draft_text = ?1)
                      and not exists (select 1 from blocks where text = ?1)
                    """, discarded.text);
            sql.update("""
                    delete from garbage
                    where after = ? and text = ?
                    """, discarded.after, discarded.text);
            bytes += discarded.bytes;
            removed++;
        }
        return removed;
    }

    /** Some of what a deleted template has, or itself. @return rows, about; 0 when there is none */
    private int removeTemplate(int most) {
        Optional<Long> template = sql.first("""
                select row from templates where account_id is null
                union all
                select t.row from accounts a join templates t on t.account_id = a.id
                where a.email is null
                limit 1
                """, row -> row.number("row"));
        return template.map(row -> removeTemplate(row, most)).orElse(0);
    }

    private int removeTemplate(long template, int most) {
        int blocks = sql.update("""
                delete from version_blocks
                where (template, number, block) in (
                  select template, number, block from version_blocks
                  where template = ?1
                  limit ?2)
                """, template, most);
        if (blocks > 0) {
            return blocks;
        }
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, text from (select text from versions where template = ?1 order by number limit ?2)
                union
                select 0, draft_text from (select draft_text from versions where template = ?1 order by number limit ?2)
                """, template, most);
        int versions = sql.update("""
                delete from versions
                where template = ?1 and number in (
                  select number from versions
                  where template = ?1
                  order by number
                  limit ?2)
                """, template, most);
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

    /** Some of what a deleted account has beside templates, or itself. @return rows, about; 0 when there is none */
    private int removeOfAccount(int most) {
        Optional<Long> account = sql.first("""
                select id from accounts
                where email is null
                limit 1
                """, row -> row.number("id"));
        return account.map(id -> removeOfAccount(id, most)).orElse(0);
    }

    private int removeOfAccount(long account, int most) {
        int requests = sql.update("""
                delete from requests
                where (account_id, period_start, day, key_id, template, missed) in (
                  select account_id, period_start, day, key_id, template, missed from requests
                  where account_id = ?
                  limit ?)
                """, account, most);
        if (requests > 0) {
            return requests;
        }
        int includes = sql.update("""
                delete from includes
                where (account_id, kind, includer, block) in (
                  select account_id, kind, includer, block from includes
                  where account_id = ?
                  limit ?)
                """, account, most);
        if (includes > 0) {
            return includes;
        }
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, text from blocks
                where account_id = ?
                order by name
                limit ?
                """, account, most);
        int blocks = sql.update("""
                delete from blocks
                where account_id = ?1 and name in (
                  select name from blocks
                  where account_id = ?1
                  order by name
                  limit ?2)
                """, account, most);
        if (blocks > 0) {
            return blocks;
        }
        new Usage(sql).addUp();
        return sql.update("delete from accounts where id = ?", account); // its counts go with it, and its last misses
    }
}
