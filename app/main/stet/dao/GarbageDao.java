package stet.dao;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import stet.core.Activity.ActivityGroup;
import stet.core.Activity;
import stet.core.DailyRequests;
import stet.core.Retention;

/**
 * Garbage collection. Removes unreferenced texts, permanently deleted templates with their versions, data of deleted accounts and expired
 * rows, a few rows at a time.
 *
 * <pre>
 * deleted account ─► its templates, blocks, images, statistics, activity and counts ─► the account
 * removed template, or a template of a deleted account ─► its versions ─► the template
 * any of these, a save, an import ─► garbage ─► unreferenced texts
 * </pre>
 */
public final class GarbageDao {
    /** Maximum number of rows that a statement removes, apart from cascades. A step usually takes a few tenths of a millisecond. */
    private static final int STEP_ROWS = 20;
    /** Maximum number of activity rows that a step reads. */
    private static final int STEP_READ = 2_000;
    private static final String REQUESTS_KEY = "account_id, period_start, day, key_id, template, missed";

    private final Sql sql;

    GarbageDao(Dao dao) {
        this.sql = dao.sql();
    }

    // ---- adding

    /** Marks a text for removal by the next garbage collection unless it is referenced by then. */
    void add(long text) {
        add(text, Instant.EPOCH);
    }

    /** Marks a text for removal after a given time unless it is referenced by then. */
    public void add(long text, Instant after) {
        sql.update("""
                insert or ignore into garbage (after, text)
                values (?, ?)
                """, after, text);
    }

    /** Whether a text is still in the garbage table with this removal time. */
    public boolean isWaiting(long text, Instant after) {
        return sql.exists("select 1 from garbage where after = ? and text = ?", after, text);
    }

    /** Whether any of these texts has been removed from the account. */
    public boolean isAnyRemoved(long account, Collection<Long> texts) {
        return sql.exists("""
                select 1 from json_each(?)
                where not exists (select 1 from texts where id = value and account_id = ?)
                """, Sql.array(texts), account);
    }

    /** Marks a text for removal now instead of after the given time. */
    public void release(long text, Instant after) {
        sql.update("""
                update or replace garbage
                set after = 0
                where after = ? and text = ?
                """, after, text);
    }

    /** Marks texts left by killed imports for removal now. An import running in another process then has to start over. */
    public void releaseStaged() {
        sql.update("update or replace garbage set after = 0 where after > 0");
    }

    // ---- removal of garbage

    /** Whether {@link #removeSome} has work to do. */
    public boolean exists(Instant now) {
        return sql.exists("""
                select 1 from garbage where after <= ?
                union all
                select 1 from templates where removed_at is not null
                union all
                select 1 from accounts where deleted_at is not null
                """, now);
    }

    /** Removes a text, or some rows of a template or account. @return whether there was work to do */
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

    /** Removes a few of an account's newest replaced texts immediately. */
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
                  and not exists (select 1 from images where text = ?1)
                  and not exists (select 1 from push_previews where text = ?1)
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
                    || removeRows("push_previews", "account_id, name, item", "account_id = ?", id)
                    || removeRows("includes", "account_id, kind, includer, block", "account_id = ?", id)
                    || removeWithTexts("blocks", "name", id)
                    || removeWithTexts("images", "sha256", id)
                    || removeRows("sources", "account_id, kind, id", "account_id = ?", id);
            if (!removed) {
                sql.update("delete from accounts where id = ?", id); // cascades to the account's other rows, such as request counts
            }
        });
        return account.isPresent();
    }

    /** Removes the first rows of a table of an account, and marks their texts for removal. @param key the rest of the primary key */
    private boolean removeWithTexts(String table, String key, long account) {
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, text from %s
                where account_id = ?
                order by %s
                limit ?
                """.formatted(table, key), account, STEP_ROWS);
        return removeRows(table, "account_id, " + key, "account_id = ?", account);
    }

    // ---- retention

    public Retention retention() {
        return sql.first(Retention.class, "select horizon, marked_at from retention").orElseThrow();
    }

    public void setRetention(Retention retention) {
        sql.update("update retention set horizon = ?, marked_at = ?", retention.horizon(), retention.markedAt());
    }

    /** Creation time of the oldest account, before which no account has data; the epoch if there are no accounts. */
    public Instant oldestAccountCreatedAt() {
        return sql.first(Instant.class, "select coalesce(min(created_at), 0) from accounts").orElseThrow();
    }

    /**
     * Removes some links and previews that had expired by a given time. Keeps review links whose guests' comments still exist, so that the
     * comments can be deleted with the link.
     *
     * @return whether any rows were removed
     */
    public boolean removeExpiredLinksAndPreviews(Instant time) {
        return removeRows("links", "expires_at, id", "expires_at <= ?", time)
                || removeRows("review_links", "expires_at, id", "expires_at <= ? and not exists ("
                        + "select 1 from comments where template = review_links.template and review_link = review_links.id)", time)
                || removeRows("push_previews", "expires_at, account_id, name, item", "expires_at <= ?", time);
    }

    /** Removes some of the oldest statistics of images' requests, which are kept for two months. @return whether any rows were removed */
    public boolean removeOldImageRequests(long today) {
        return sql.update("""
                delete from image_requests
                where (sha256, day) in (select sha256, day from image_requests where day < ? order by day limit ?)
                """, ImageDao.firstKeptDay(today), STEP_ROWS) > 0;
    }

    /** Removes some emails that were added before a given time, in any state. @return whether any were removed */
    public boolean removeMailsBefore(Instant time) {
        return removeRows("mails", "created_at, id", "created_at < ?", time);
    }

    /** Removes some activity rows recorded before a given time, in any account. @return whether any rows were removed */
    public boolean removeActivityBefore(Instant time) {
        return removeRows("activity", "at, id", "at < ?", time);
    }

    /** An account's activity rows of a group from {@code first} up to and including {@code last}. */
    public record Surplus(long account, ActivityGroup group, long first, long last) {
    }

    /** Finds the activity rows beyond the maximum of their group, in any account. */
    public List<Surplus> surplus() {
        int smallestMaximum = Arrays.stream(ActivityGroup.values()).mapToInt(group -> group.maxRows).min().orElseThrow();
        List<Long> accounts = sql.list(Long.class, """
                select id from accounts
                where exists (select 1 from activity where account_id = accounts.id limit 1 offset ?)
                """, smallestMaximum);
        List<Surplus> surplus = new ArrayList<>();
        for (long account : accounts) {
            for (ActivityGroup group : ActivityGroup.values()) {
                newestSurplusRow(account, group).ifPresent(last -> surplus.add(new Surplus(account, group, 0, last)));
            }
        }
        return surplus;
    }

    private Optional<Long> newestSurplusRow(long account, ActivityGroup group) {
        return sql.first(Long.class, """
                select id from activity
                where account_id = ? and kind in (select value from json_each(?))
                order by id desc
                limit 1 offset ?
                """, account, kinds(group), group.maxRows);
    }

    /** Reads some of the rows and removes those of the group. @return the rows that are left; empty if there are none */
    public Optional<Surplus> remove(Surplus surplus) {
        long end = sql.number("""
                select max(id) from (
                  select id from activity
                  where account_id = ? and id >= ? and id <= ?
                  order by id
                  limit ?)
                """, surplus.account, surplus.first, surplus.last, STEP_READ);
        if (removeRows("activity", "id", "account_id = ? and id >= ? and id <= ? and kind in (select value from json_each(?))",
                surplus.account, surplus.first, end, kinds(surplus.group))) {
            return Optional.of(surplus);
        }
        return end == 0 || end == surplus.last ? Optional.empty()
                : Optional.of(new Surplus(surplus.account, surplus.group, end + 1, surplus.last));
    }

    private static String kinds(ActivityGroup group) {
        return ActivityDao.words(Arrays.stream(Activity.ActivityKind.values()).filter(kind -> kind.group == group).toList());
    }

    /** The lowest account ID greater than {@code after} that has statistics older than {@code day}; 0 if there is none. */
    public long accountWithRequestsBefore(long after, long day) {
        return sql.number("""
                select id from accounts a
                where id > ?1 and exists (
                  select 1 from requests
                  where account_id = a.id and period_start < ?2 and day < ?3)
                order by id
                limit 1
                """, after, DailyRequests.start(day), day);
    }

    /** Removes some of an account's statistics older than {@code day}. @return whether any rows were removed */
    public boolean removeRequestsBefore(long account, long day) {
        return removeRows("requests", REQUESTS_KEY, "account_id = ? and period_start < ? and day < ?", account,
                DailyRequests.start(day), day);
    }

    /** Removes the first rows that match a condition, in key order. @return whether any were removed */
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
