package stet.dao;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import stet.core.Account;
import stet.core.Plan;

/** Request counts: one row per account, plan and period. */
public final class UsageDao {
    private final Sql sql;

    UsageDao(Dao dao) {
        this.sql = dao.sql();
    }

    /** Number of requests used in a period. */
    public long used(Account account, Instant periodStart) {
        return sql.number("""
                select used from usage
                where account_id = ? and plan = ? and period_start = ?
                """, account.id(), account.plan(), periodStart);
    }

    /** Request counts of all periods that start after an instant, for each account's current plan. Does not read older periods. */
    public Map<UsageKey, Long> usedSince(Instant from) {
        Map<UsageKey, Long> used = new HashMap<>();
        sql.list("""
                select u.account_id, u.plan, u.period_start, u.used
                from accounts a cross join usage u -- in this order
                where u.account_id = a.id and u.plan = a.plan and u.period_start > ? and a.deleted_at is null
                """, row -> used.put(new UsageKey(
                row.number("account_id"), row.text("plan"), row.instant("period_start")),
                row.number("used")), from);
        return used;
    }

    /**
     * Counts requests in a period, up to the account's limit.
     *
     * @return number of requests used before this call
     */
    public long count(Account account, Instant periodStart, long requests) {
        long after = sql.number("""
                update usage
                set used = used + ?4
                where account_id = ?1 and plan = ?2 and period_start = ?3 and used + ?4 <= ?5
                returning used
                """, account.id(), account.plan(), periodStart, requests, account.requests());
        if (after > 0) {
            return after - requests;
        }
        long before = used(account, periodStart); // the period has no count yet, or the limit is near
        long granted = Math.min(requests, account.requests() - before);
        if (granted > 0) {
            set(account, periodStart, before + granted);
        }
        return before;
    }

    /** Tests disk writes by inserting and deleting a row. Setting a row to its current value might not write a page. */
    public void probe() {
        sql.update("insert into opened (number) values (0)");
        sql.update("delete from opened where rowid = last_insert_rowid()");
    }

    public void set(Account account, Instant periodStart, long used) {
        sql.update("""
                insert into usage (account_id, plan, period_start, used)
                values (?, ?, ?, ?)
                on conflict do update
                set used = excluded.used
                """, account.id(), account.plan(), periodStart, used);
    }

    /** Deletes the counts of periods that start at or after an instant, so that the plan starts with no used requests. */
    void forget(long account, Plan plan, Instant from) {
        sql.update("""
                delete from usage
                where account_id = ? and plan = ? and period_start >= ?
                """, account, plan, from);
    }
}
