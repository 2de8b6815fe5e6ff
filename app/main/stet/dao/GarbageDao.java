package stet.dao;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import stet.core.DailyRequests;

/**
 * Garbage collection: removes replaced texts, deleted templates with their versions, deleted accounts with all they had, expired
 * links, and old statistics and activity, a few rows at a time.
 *
 * <pre>
 * account without a name ─► its templates, blocks, statistics, activity and counts ─► itself
 * template of no account in the trash, or of such an account ─► its versions ─► itself
 * either, a save, an import ─► garbage ─► its texts that nothing refers to
 * </pre>
 */
public final class GarbageDao {
    /** Approximate bounds of one transaction: some milliseconds. */
    public static final int MAX_ROWS = 200;
    public static final int MAX_BYTES = 512 << 10;
    /** Newest rows of activity of an account that are kept, each some 200 bytes. */
    public static final int MAX_ACTIVITY = 200_000;
    private static final String REQUESTS_KEY = "account_id, period_start, day, key_id, template, missed";
    /** One step of a template or an account counts as so many rows at least, as it takes several statements. */
    private static final int MIN_STEP_ROWS = 10;

    private final Sql sql;

    GarbageDao(Sql sql) {
        this.sql = sql;
    }

    /** Has a text removed soon, unless something refers to it then. */
    public void add(long text) {
        add(text, Instant.EPOCH);
    }

    /** Has a text removed after a time, unless something refers to it then. */
    public void add(long text, Instant after) {
        sql.update("""
                insert or ignore into garbage (after, text)
                values (?, ?)
                """, after, text);
    }

    /** Has a text that was added with a time removed soon. */
    public void release(long text, Instant after) {
        sql.update("""
                update or replace garbage
                set after = 0
                where after = ? and text = ?
                """, after, text);
    }

    /** Has the texts of killed imports removed soon. An import under way in another process begins anew. */
    public void releaseStaged() {
        sql.update("update or replace garbage set after = 0 where after > 0");
    }

    /** Whether there is anything to remove. */
    public boolean exists(Instant now) {
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

    public void removeSome(Instant now) {
        int left = MAX_ROWS - removeTexts(now);
        left -= left > 0 ? removeRows("links", "expires_at, id", "expires_at <= ?", left, now) : 0;
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
        int blocks = removeRows("version_blocks", "template, number, block", "template = ?", limit, template);
        if (blocks > 0 || template == 0) {
            return blocks;
        }
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, text from (select text from versions where template = ?1 order by number limit ?2)
                union
                select 0, draft_text from (select draft_text from versions where template = ?1 order by number limit ?2)
                """, template, limit);
        int versions = removeRows("versions", "template, number", "template = ?", limit, template);
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
        int removed = removeRows("requests", REQUESTS_KEY, "account_id = ?", limit, account);
        if (removed == 0) {
            removed = removeRows("activity", "id", "account_id = ?", limit, account);
        }
        if (removed == 0) {
            removed = removeRows("includes", "account_id, kind, includer, block", "account_id = ?", limit, account);
        }
        if (removed == 0) {
            sql.update("""
                    insert or ignore into garbage (after, text)
                    select 0, text from blocks
                    where account_id = ?
                    order by name
                    limit ?
                    """, account, limit);
            removed = removeRows("blocks", "account_id, name", "account_id = ?", limit, account);
        }
        if (removed == 0) {
            new Usage(sql).addUp();
            removed = sql.update("delete from accounts where id = ?", account); // its counts and misses cascade
        }
        return removed;
    }

    public boolean hasActivityBefore(Instant time) {
        return sql.exists("select 1 from activity where at < ?", time);
    }

    /** Removes some of the oldest activity of all accounts. @return number of removed rows */
    public int removeActivityBefore(Instant time) {
        return removeRows("activity", "at, id", "at < ?", MAX_ROWS, time);
    }

    /** Activity of one account, up to a row. */
    public record Surplus(long account, long last) {
    }

    /** Activity of an account beyond the newest rows, which are kept. */
    public Optional<Surplus> surplus() {
        return sql.first(Surplus.class, """
                select id as account, (
                  select id from activity
                  where account_id = accounts.id
                  order by id desc
                  limit 1 offset ?) as last
                from accounts
                where last is not null
                limit 1
                """, MAX_ACTIVITY);
    }

    public int remove(Surplus surplus) {
        return removeRows("activity", "id", "account_id = ? and id <= ?", MAX_ROWS, surplus.account, surplus.last);
    }

    /** The first account behind another one that has statistics of days before this one; 0 where there is none. */
    public long accountWithRequestsBefore(long behind, long day) {
        return sql.number("""
                select id from accounts a
                where id > ?1 and exists (
                  select 1 from requests
                  where account_id = a.id and period_start < ?2 and day < ?3)
                order by id
                limit 1
                """, behind, DailyRequests.start(day), day);
    }

    public int removeRequestsBefore(long account, long day) {
        return removeRows("requests", REQUESTS_KEY, "account_id = ? and period_start < ? and day < ?", MAX_ROWS,
                account, DailyRequests.start(day), day);
    }

    /** Removes the first rows that a condition is true of, in the order of their key. */
    private int removeRows(String table, String key, String condition, int limit, Object... arguments) {
        Object[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = limit;
        return sql.update("""
                delete from %1$s
                where (%2$s) in (
                  select %2$s from %1$s
                  where %3$s
                  order by %2$s
                  limit ?)
                """.formatted(table, key, condition), all);
    }
}
