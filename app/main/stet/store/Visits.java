package stet.store;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import stet.core.Account;
import stet.core.DailyRequests;

/** Who came: the sessions of the web application, and what the counted requests were. */
public final class Visits {
    /** Missed and refused requests that are kept of an account. */
    private static final int MISSES = 50;

    private final Sql sql;

    Visits(Sql sql) {
        this.sql = sql;
    }

    // ---- sessions

    /** A session: whose it is, and when it was last used. */
    public record Session(Account account, Instant seenAt) {
    }

    public void addSession(byte[] hash, long account, Instant now) {
        sql.update("""
                insert into sessions (hash, account_id, created_at, seen_at)
                values (?, ?, ?, ?)
                """, hash, account, now, now);
    }

    /** A session that has not idled, and not lasted, too long. */
    public Optional<Session> session(byte[] hash, Instant now, Duration idle, Duration lasting) {
        return sql.first("""
                select a.*, s.seen_at
                from sessions s join accounts a on a.id = s.account_id
                where s.hash = ? and s.seen_at > ? and s.created_at > ?
                """, row -> new Session(Dao.account(row), row.instant("seen_at")), hash, now.minus(idle), now.minus(lasting));
    }

    public void seen(byte[] hash, Instant now) {
        sql.update("""
                update sessions
                set seen_at = ?
                where hash = ?
                """, now, hash);
    }

    public void deleteSession(byte[] hash) {
        sql.update("""
                delete from sessions
                where hash = ?
                """, hash);
    }

    public void deleteSessions(long account) {
        sql.update("""
                delete from sessions
                where account_id = ?
                """, account);
    }

    public void deleteSessionsBefore(Instant lastSeen) {
        sql.update("""
                delete from sessions
                where seen_at < ?
                """, lastSeen);
    }

    // ---- requests

    /** Adds to what was noted of a day. */
    void add(Statistics.Row row, long requests, Instant lastAt) {
        sql.update("""
                insert into requests (account_id, period_start, day, key_id, template, missed, requests, last_at)
                select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
                where exists (select 1 from accounts where id = ?1)
                on conflict do update
                set requests = requests + ?7, last_at = max(last_at, ?8)
                """, row.account(), row.periodStart(), row.day(), row.key(), row.template(), row.missed() ? 1L : 0L,
                requests, lastAt);
    }

    void addMiss(Statistics.Miss miss) {
        sql.update("""
                insert into misses (account_id, at, key_id, template, status)
                select ?1, ?2, ?3, ?4, ?5
                where exists (select 1 from accounts where id = ?1)
                """, miss.account(), miss.at(), miss.key(), miss.template(), miss.status());
        sql.update("""
                delete from misses
                where account_id = ?1 and id <= (
                  select id from misses
                  where account_id = ?1
                  order by id desc
                  limit 1 offset ?2)
                """, miss.account(), MISSES);
    }

    /** Sums of a period's requests, for each day that has some. */
    public List<DailyRequests.Sum<Long>> byDay(long account, Instant periodStart) {
        return sql.list("""
                select day, sum(iif(missed, 0, requests)) as ok, sum(iif(missed, requests, 0)) as missed
                from requests
                where account_id = ? and period_start = ?
                group by day
                order by day
                """, row -> new DailyRequests.Sum<>(row.number("day"), null, row.number("ok"), row.number("missed")),
                account, periodStart);
    }

    /** The same for each key. */
    public List<DailyRequests.Sum<Long>> byKey(long account, Instant periodStart) {
        return sql.list("""
                select s.key_id, k.name, s.ok, s.missed
                from (
                  select key_id, sum(iif(missed, 0, requests)) as ok, sum(iif(missed, requests, 0)) as missed
                  from requests
                  where account_id = ?1 and period_start = ?2
                  group by key_id) s
                left join api_keys k on k.account_id = ?1 and k.id = s.key_id
                order by s.key_id
                """, row -> new DailyRequests.Sum<>(row.number("key_id"), row.text("name"), row.number("ok"), row.number("missed")),
                account, periodStart);
    }

    /** The same for the templates with the most requests, by id; ids of no template are under the empty one. */
    public List<DailyRequests.Sum<String>> byTemplate(long account, Instant periodStart, int most) {
        return sql.list("""
                select template, ok, missed
                from (
                  select template, sum(iif(missed, 0, requests)) as ok, sum(iif(missed, requests, 0)) as missed
                  from requests
                  where account_id = ? and period_start = ?
                  group by template
                  order by sum(requests) desc, template
                  limit ?)
                order by template
                """, row -> new DailyRequests.Sum<>(row.text("template"), null, row.number("ok"), row.number("missed")),
                account, periodStart, most);
    }

    /** What the requests for one template were since a day, the latest first. */
    public List<DailyRequests> traffic(long account, String template, long sinceDay) {
        return sql.list("""
                select r.day, r.key_id, k.name, r.template, r.missed, r.requests, r.last_at
                from requests r left join api_keys k on k.account_id = r.account_id and k.id = r.key_id
                where r.account_id = ? and r.template = ? and r.day >= ?
                order by r.last_at desc
                """, Visits::traffic, account, template, sinceDay);
    }

    /** When each key of an account was last used, by its id. */
    public Map<Long, Instant> lastUsed(long account) {
        Map<Long, Instant> last = new HashMap<>();
        sql.list("""
                select key_id, max(last_at) as last_at from requests
                where account_id = ?
                group by key_id
                """, row -> last.put(row.number("key_id"), row.instant("last_at")), account);
        return last;
    }

    /** The last requests that were missed or refused, the latest first. */
    public List<DailyRequests.Miss> misses(long account) {
        return sql.list("""
                select m.at, k.name, m.template, m.status
                from misses m left join api_keys k on k.account_id = m.account_id and k.id = m.key_id
                where m.account_id = ?
                order by m.id desc
                """, row -> new DailyRequests.Miss(row.instant("at"), row.text("name"), row.text("template"),
                (int) row.number("status")), account);
    }

    private static DailyRequests traffic(Sql.Row row) throws SQLException {
        return new DailyRequests(row.number("day"), row.number("key_id"), row.text("name"), row.text("template"),
                row.number("missed") == 1, row.number("requests"), row.instant("last_at"));
    }
}
