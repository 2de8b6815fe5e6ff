package stet.dao;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;
import stet.core.DailyRequests;
import stet.core.Retention;

/**
 * Garbage collection: removes replaced texts, removed templates with their versions, deleted accounts with all they had, and what
 * was kept long enough, a few rows at a time.
 *
 * <pre>
 * deleted account ─► its templates, blocks, statistics, activity and counts ─► itself
 * removed template, or one of such an account ─► its versions ─► itself
 * either, a save, an import ─► garbage ─► its texts that nothing refers to
 * </pre>
 */
public final class GarbageDao {
    /** Rows that one step removes at most: some tenths of a millisecond. */
    private static final int STEP_ROWS = 20;
    /** Newest rows of activity of an account that are kept, each some 200 bytes. */
    public static final int MAX_ACTIVITY = 200_000;
    private static final String REQUESTS_KEY = "account_id, period_start, day, key_id, template, missed";

    private final Sql sql;
    private final Dao dao;

    GarbageDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    // ---- added

    /** Has a text removed soon, unless something refers to it then. */
    void add(long text) {
        add(text, Instant.EPOCH);
    }

    /** Has a text removed after a time, unless something refers to it then. */
    public void add(long text, Instant after) {
        sql.update("""
                insert or ignore into garbage (after, text)
                values (?, ?)
                """, after, text);
    }

    /** Whether a text that was added with a time still waits for it. */
    public boolean isWaiting(long text, Instant after) {
        return sql.exists("select 1 from garbage where after = ? and text = ?", after, text);
    }

    /** Whether one of these texts of an account was removed. */
    public boolean isRemoved(long account, Collection<Long> texts) {
        return sql.exists("""
                select 1 from json_each(?)
                where not exists (select 1 from texts where id = value and account_id = ?)
                """, texts.toString(), account);
    }

    /** Has a text that was added with a time removed soon. */
    public void release(long text, Instant after) {
        sql.update("""
                update or replace garbage
                set after = 0
                where after = ? and text = ?
                """, after, text);
    }

    /** Has the texts of killed imports removed soon. An import under way in another process starts over. */
    public void releaseStaged() {
        sql.update("update or replace garbage set after = 0 where after > 0");
    }

    // ---- removed soon

    /** Whether there is anything to {@link #removeSome}. */
    public boolean exists(Instant now) {
        return sql.exists("""
                select 1 from garbage where after <= ?
                union all
                select 1 from templates where removed_at is not null
                union all
                select 1 from accounts where deleted_at is not null
                """, now);
    }

    /** Removes a text, or some rows of a template or account. @return whether there was anything */
    public boolean removeSome(Instant now) {
        return removeText(now) || removeOfTemplate() || removeOfAccount();
    }

    private record Garbage(Instant after, long text) {
    }

    private boolean removeText(Instant now) {
        Optional<Garbage> first = sql.first(Garbage.class, """
                select after, text from garbage
                where after <= ?
                order by after
                limit 1
                """, now);
        first.ifPresent(this::remove);
        return first.isPresent();
    }

    /** Removes the newest replaced texts of an account at once, a few of them. */
    void removeReplaced(long account) {
        sql.list(Garbage.class, """
                select g.after, g.text
                from garbage g join texts x on x.id = g.text
                where g.after = 0 and x.account_id = ?
                order by g.text desc
                limit 4
                """, account).forEach(this::remove);
    }

    private void remove(Garbage garbage) {
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
    }

    private boolean removeOfTemplate() {
        Optional<Long> template = sql.first(Long.class, """
                select row from templates where removed_at is not null
                union all
                select t.row from accounts a join templates t on t.account_id = a.id
                where a.deleted_at is not null
                limit 1
                """);
        template.ifPresent(row -> {
            if (!removeRows("version_blocks", "template, number, block", "template = ?", row) && !removeVersions(row)) {
                sql.update("""
                        insert or ignore into garbage (after, text)
                        select 0, text from templates
                        where row = ?
                        """, row);
                sql.update("delete from samples where template = ?", row);
                sql.update("delete from templates where row = ?", row);
            }
        });
        return template.isPresent();
    }

    private boolean removeVersions(long template) {
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, text from (select text from versions where template = ?1 order by number limit ?2)
                union
                select 0, draft_text from (select draft_text from versions where template = ?1 order by number limit ?2)
                """, template, STEP_ROWS);
        return removeRows("versions", "template, number", "template = ?", template);
    }

    private boolean removeOfAccount() {
        Optional<Long> account = sql.first(Long.class, """
                select id from accounts
                where deleted_at is not null
                limit 1
                """);
        account.ifPresent(id -> {
            boolean removed = removeRows("requests", REQUESTS_KEY, "account_id = ?", id)
                    || removeRows("activity", "id", "account_id = ?", id)
                    || removeRows("includes", "account_id, kind, includer, block", "account_id = ?", id)
                    || removeBlocks(id) || removeRows("sources", "account_id, kind, id", "account_id = ?", id);
            if (!removed) {
                sql.update("delete from accounts where id = ?", id); // its counts and misses cascade
            }
        });
        return account.isPresent();
    }

    private boolean removeBlocks(long account) {
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, text from blocks
                where account_id = ?
                order by name
                limit ?
                """, account, STEP_ROWS);
        return removeRows("blocks", "account_id, name", "account_id = ?", account);
    }

    // ---- removed after a time

    public Retention retention() {
        return sql.first(Retention.class, "select horizon, marked_at from retention").orElseThrow();
    }

    public void setRetention(Retention retention) {
        sql.update("update retention set horizon = ?, marked_at = ?", retention.horizon(), retention.markedAt());
    }

    /** Time before which nothing that is kept for a time can be. */
    public Instant oldest() {
        return sql.first(Instant.class, "select coalesce(min(created_at), 0) from accounts").orElseThrow();
    }

    /** Removes links that expired before a time, some of them. @return whether there was any */
    public boolean removeLinksBefore(Instant time) {
        return removeRows("links", "expires_at, id", "expires_at <= ?", time)
                || removeRows("review_links", "expires_at, id", "expires_at <= ?", time);
    }

    /** Removes some of the oldest activity of all accounts. @return whether there was any */
    public boolean removeActivityBefore(Instant time) {
        return removeRows("activity", "at, id", "at < ?", time);
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

    public boolean remove(Surplus surplus) {
        return removeRows("activity", "id", "account_id = ? and id <= ?", surplus.account, surplus.last);
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

    public boolean removeRequestsBefore(long account, long day) {
        return removeRows("requests", REQUESTS_KEY, "account_id = ? and period_start < ? and day < ?", account,
                DailyRequests.start(day), day);
    }

    /** Removes the first rows that a condition is true of, in the order of their key. @return whether there was any */
    private boolean removeRows(String table, String key, String condition, Object... arguments) {
        Object[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = STEP_ROWS;
        return sql.update("""
                delete from %1$s
                where (%2$s) in (
                  select %2$s from %1$s
                  where %3$s
                  order by %2$s
                  limit ?)
                """.formatted(table, key, condition), all) > 0;
    }
}
