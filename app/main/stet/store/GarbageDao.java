package stet.store;

import java.time.Instant;
import java.util.List;
import stet.core.Actor;

/**
 * Garbage collection: removes replaced texts, deleted templates with their versions, deleted accounts with all they had, and
 * expired links, a few rows at a time.
 *
 * <pre>
 * account without a name ─► its templates, blocks, statistics, activity and counts ─► itself
 * template of no account in the trash, or of such an account ─► its versions ─► itself
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
        return sql.exists("""
                select 1 from garbage where after <= ?
                union all
                select 1 from trash where account_id is null
                union all
                select 1 from accounts where name is null
                union all
                select 1 from links where expires_at <= ?
                """, now, now);
    }

    /** Removes some garbage; for one transaction. */
    void removeSome(Instant now) {
        int left = MAX_ROWS - removeTexts(now);
        left -= left > 0 ? new LinkDao(sql, Actor.NONE).deleteExpired(now, left) : 0;
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

    private record Candidate(Instant after, long text, long bytes) {
    }

    private int removeTexts(Instant now) {
        List<Candidate> texts = sql.list(Candidate.class, """
                select g.after, g.text, coalesce(length(x.html), 0) as bytes
                from garbage g left join texts x on x.id = g.text
                where g.after <= ?
                order by g.after
                limit ?
                """, now, MAX_ROWS);
        long bytes = 0;
        int removed = 0;
        for (Candidate garbage : texts) {
            if (bytes > 0 && bytes + garbage.bytes > MAX_BYTES) {
                return MAX_ROWS;
            }
            sql.update("""
                    delete from texts
                    where id = ?1
                      and not exists (select 1 from templates where text = ?1)
                      and not exists (select 1 from versions where text = ?1)
                      and not exists (select 1 from versions where draft_text = ?1)
                      and not exists (select 1 from blocks where text = ?1)
                    """, garbage.text);
            sql.update("""
                    delete from garbage
                    where after = ? and text = ?
                    """, garbage.after, garbage.text);
            bytes += garbage.bytes;
            removed++;
        }
        return removed;
    }

    /** Removes some rows of a deleted template, or the template itself. @return about how many rows; 0 when there is none */
    private int removeTemplate(int limit) {
        long template = sql.number("""
                select template from trash where account_id is null
                union all
                select d.template from accounts a join trash d on d.account_id = a.id
                where a.name is null
                union all
                select t.row from accounts a join templates t on t.account_id = a.id
                where a.name is null
                limit 1
                """);
        int blocks = removeRows("version_blocks", "template, number, block", "template", template, limit);
        if (blocks > 0 || template == 0) {
            return blocks;
        }
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, text from (select text from versions where template = ?1 order by number limit ?2)
                union
                select 0, draft_text from (select draft_text from versions where template = ?1 order by number limit ?2)
                """, template, limit);
        int versions = removeRows("versions", "template, number", "template", template, limit);
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
        long account = sql.number("""
                select id from accounts
                where name is null
                limit 1
                """);
        if (account == 0) {
            return 0;
        }
        String requests = "account_id, period_start, day, key_id, template, missed";
        int removed = removeRows("requests", requests, "account_id", account, limit);
        if (removed == 0) {
            removed = removeRows("activity", "id", "account_id", account, limit);
        }
        if (removed == 0) {
            removed = removeRows("includes", "account_id, kind, includer, block", "account_id", account, limit);
        }
        if (removed == 0) {
            sql.update("""
                    insert or ignore into garbage (after, text)
                    select 0, text from blocks
                    where account_id = ?
                    order by name
                    limit ?
                    """, account, limit);
            removed = removeRows("blocks", "account_id, name", "account_id", account, limit);
        }
        if (removed == 0) {
            new Usage(sql).addUp();
            removed = sql.update("delete from accounts where id = ?", account); // its counts and misses cascade
        }
        return removed;
    }

    /** Removes the first rows of an owner, in the order of the primary key. */
    private int removeRows(String table, String key, String owner, long id, int limit) {
        return sql.update("""
                delete from %1$s
                where (%2$s) in (
                  select %2$s from %1$s
                  where %3$s = ?
                  order by %2$s
                  limit ?)
                """.formatted(table, key, owner), id, limit);
    }
}
