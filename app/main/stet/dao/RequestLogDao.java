package stet.dao;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import stet.core.DailyRequests;
import stet.core.Period;

/** Request statistics: daily sums, and the latest 403, 404 and 429 responses. {@code Statistics} writes them. */
public final class RequestLogDao {
    /** Maximum number of rows for failed requests per account and status. */
    private static final int MAX_MISSES = 50;

    private final Sql sql;

    public record RequestRow(long account, Instant periodStart, long day, long key, String template, boolean missed) {
        /** Replaces the generated method, whose linking took 8% of the CPU time from startup to the first response. */
        @Override
        public int hashCode() {
            return Objects.hash(account, periodStart, day, key, template, missed);
        }
    }

    public record MissRow(long account, long key, String template, long status) {
    }

    /** The request count and the time of the last request. */
    public record Tally(long requests, Instant lastAt) {
        public Tally plus(Tally other) {
            return new Tally(requests + other.requests, lastAt.isAfter(other.lastAt) ? lastAt : other.lastAt);
        }
    }

    RequestLogDao(Dao dao) {
        this.sql = dao.sql();
    }

    /** Adds requests to the daily sums, and updates the last use of their key and template. Does nothing if the account no longer exists. */
    public void add(RequestRow row, Tally tally) {
        sql.update("""
                insert into requests (account_id, period_start, day, key_id, template, missed, requests, last_at)
                select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
                where exists (select 1 from accounts where id = ?1)
                on conflict do update
                set requests = requests + ?7, last_at = max(last_at, ?8)
                """, row.account(), row.periodStart(), row.day(), row.key(), row.template(), row.missed(),
                tally.requests(), tally.lastAt());
        sql.update("""
                insert into secret_uses (secret_id, last_at)
                select id, ?3 from secrets
                where account_id = ?1 and id = ?2
                on conflict do update
                set last_at = max(last_at, ?3)
                """, row.account(), row.key(), tally.lastAt());
        sql.update("""
                insert into template_uses (template, key_id, last_at)
                select row, ?3, ?4 from templates
                where account_id = ?1 and id = ?2 and deleted_at is null
                on conflict do update
                set key_id = excluded.key_id, last_at = excluded.last_at
                where excluded.last_at >= last_at
                """, row.account(), row.template(), row.key(), tally.lastAt());
    }

    /** Adds 403, 404 or 429 responses, and keeps only the newest {@value #MAX_MISSES} rows of the account and status. */
    public void addMiss(MissRow row, Tally tally) {
        sql.update("""
                insert into misses (account_id, status, key_id, template, at, times)
                select ?1, ?2, ?3, ?4, ?5, ?6
                where exists (select 1 from accounts where id = ?1)
                on conflict do update
                set at = max(at, ?5), times = times + ?6
                """, row.account(), row.status(), row.key(), row.template(), tally.lastAt(), tally.requests());
        sql.update("""
                delete from misses
                where (account_id, status, key_id, template) in (
                  select account_id, status, key_id, template from misses
                  where account_id = ?1 and status = ?2
                  order by at desc
                  limit -1 offset ?3)
                """, row.account(), row.status(), MAX_MISSES);
    }

    /** A period's requests by day; days without requests are omitted. */
    public List<DailyRequests.Sum<Long>> byDay(long account, Instant periodStart) {
        return sums(Long.class, "day", account, periodStart, Integer.MAX_VALUE);
    }

    /** A period's requests by key. Sums by day first, because the rows are stored in that order. */
    public List<DailyRequests.Sum<Long>> byKey(long account, Instant periodStart) {
        return sql.list("""
                select key_id, (select name from secrets where account_id = ?1 and id = key_id) as name, sum(ok) as ok, sum(missed) as missed
                from (
                  select key_id, sum(iif(missed, 0, requests)) as ok, sum(iif(missed, requests, 0)) as missed
                  from requests
                  where account_id = ?1 and period_start = ?2
                  group by day, key_id)
                group by key_id
                order by key_id
                """, row -> new DailyRequests.Sum<>(row.number("key_id"), row.text("name"), row.number("ok"), row.number("missed")),
                account, periodStart);
    }

    /**
     * A period's requests by template ID, for the most requested templates. Unknown IDs are counted together under the empty ID.
     */
    public List<DailyRequests.Sum<String>> byTemplate(long account, Instant periodStart, int limit) {
        return sums(String.class, "template", account, periodStart, limit);
    }

    private <T> List<DailyRequests.Sum<T>> sums(Class<T> type, String group, long account, Instant periodStart, int limit) {
        return sql.list("""
                select %1$s, ok, missed
                from (
                  select %1$s, sum(iif(missed, 0, requests)) as ok, sum(iif(missed, requests, 0)) as missed
                  from requests
                  where account_id = ?1 and period_start = ?2
                  group by %1$s
                  order by sum(requests) desc, %1$s
                  limit ?3)
                order by %1$s
                """.formatted(group), row -> new DailyRequests.Sum<>(type.cast(row.value(type, 1)), null, row.number("ok"),
                row.number("missed")), account, periodStart, limit);
    }

    /**
     * For each template, the keys that have requested it since a given day, most recent first. Walks the index by period, day and
     * key, and looks up only these templates under each key, so that older periods and other templates are skipped.
     */
    public Map<String, List<DailyRequests.Caller>> callers(long account, Set<String> templates, long sinceDay) {
        Map<String, List<DailyRequests.Caller>> callers = new HashMap<>();
        sql.list("""
                with recursive
                  periods (period) as (
                    select min(period_start) from requests where account_id = ?1 and period_start > ?2
                    union all
                    select (select min(period_start) from requests where account_id = ?1 and period_start > period)
                    from periods where period is not null),
                  days (period, day) as (
                    select period, (select min(day) from requests where account_id = ?1 and period_start = period and day >= ?3)
                    from periods where period is not null
                    union all
                    select period, (
                      select min(r.day) from requests r where r.account_id = ?1 and r.period_start = period and r.day > d.day)
                    from days d where day is not null),
                  keys (period, day, key) as (
                    select period, day, (
                      select min(key_id) from requests r where r.account_id = ?1 and r.period_start = period and r.day = d.day)
                    from days d where day is not null
                    union all
                    select period, day, (
                      select min(key_id) from requests r
                      where r.account_id = ?1 and r.period_start = period and r.day = k.day and key_id > key)
                    from keys k where key is not null)
                select c.template, a.name as key_name, a.start, c.requests, c.last_at
                from (
                  select r.template, k.key, sum(r.requests) as requests, max(r.last_at) as last_at
                  from keys k cross join json_each(?4) t cross join requests r -- in this order
                  where r.account_id = ?1 and r.period_start = k.period and r.day = k.day and r.key_id = k.key and r.template = t.value
                  group by r.template, k.key) c
                left join secrets a on a.account_id = ?1 and a.id = c.key
                order by c.last_at desc
                """, row -> callers.computeIfAbsent(row.text("template"), any -> new ArrayList<>()).add(row.as(DailyRequests.Caller.class)),
                account, DailyRequests.start(sinceDay).minus(Period.LONGEST), sinceDay, Sql.array(templates));
        return callers;
    }

    /** The last request for a template; empty if the template was never requested. */
    public Optional<DailyRequests.Last> lastFetched(long account, String template) {
        return sql.first(DailyRequests.Last.class, """
                select u.last_at as at, k.name as key_name
                from templates t
                join template_uses u on u.template = t.row
                left join secrets k on k.account_id = t.account_id and k.id = u.key_id
                where t.account_id = ? and t.id = ? and t.deleted_at is null
                """, account, template);
    }

    /** The latest 403, 404 and 429 responses by key, template and status, newest first. */
    public List<DailyRequests.Miss> misses(long account) {
        return sql.list(DailyRequests.Miss.class, """
                select m.at, k.name as key_name, m.template, m.status, m.times
                from misses m left join secrets k on k.account_id = m.account_id and k.id = m.key_id
                where m.account_id = ?
                order by m.at desc, m.template
                """, account);
    }
}
