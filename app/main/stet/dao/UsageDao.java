package stet.dao;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stet.core.Account;
import stet.core.Plan;

/** Request counts: one row per account, plan and period. */
public final class UsageDao {
    /** Maximum number of accounts in a statement. Each number has its own statement, which stays in memory. */
    private static final int MAX_ROWS = 32;

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

    /** Requests of an account to be counted in a period. */
    public record Demand(Account account, Instant periodStart, long requests) {
    }

    /** Values that the accounts of a statement share. */
    private record Terms(Plan plan, long limit) {
    }

    /**
     * Counts requests, up to each account's limit. Uses one statement for all accounts with the same plan and limit, which takes half the
     * CPU time of a statement for each account.
     *
     * @param demands at most one for each account
     * @return number of requests used before this call, by account ID
     */
    public Map<Long, Long> count(List<Demand> demands) {
        Map<Terms, List<Demand>> groups = new HashMap<>();
        for (Demand demand : demands) {
            groups.computeIfAbsent(new Terms(demand.account.plan(), demand.account.requests()), any -> new ArrayList<>()).add(demand);
        }
        Map<Long, Long> before = new HashMap<>();
        groups.forEach((terms, group) -> {
            group.removeIf(demand -> demand.requests > terms.limit); // would otherwise exceed the limit of a period without a count
            for (int i = 0; i < group.size(); i += MAX_ROWS) {
                before.putAll(countWithin(terms, group.subList(i, Math.min(i + MAX_ROWS, group.size()))));
            }
        });
        for (Demand demand : demands) {
            if (!before.containsKey(demand.account.id())) {
                before.put(demand.account.id(), countUpToLimit(demand));
            }
        }
        return before;
    }

    /** Counts the requests of all accounts that stay within the limit. @return as for {@link #count}, of these accounts */
    private Map<Long, Long> countWithin(Terms terms, List<Demand> demands) {
        Object[] arguments = new Object[3 * demands.size() + 2];
        Map<Long, Demand> byAccount = new HashMap<>();
        int next = 0;
        for (Demand demand : demands) {
            byAccount.put(demand.account.id(), demand);
            arguments[next++] = demand.account.id();
            arguments[next++] = demand.periodStart;
            arguments[next++] = demand.requests;
        }
        arguments[next++] = terms.plan;
        arguments[next] = terms.limit;
        Map<Long, Long> before = new HashMap<>();
        sql.list("""
                with demands (account_id, period_start, requests) as (
                  values (?, ?, ?)""" + ", (?, ?, ?)".repeat(demands.size() - 1) + """
                )
                insert into usage (account_id, plan, period_start, used)
                select account_id, ?, period_start, requests from demands
                where true -- otherwise, SQLite would read "on" as part of a join
                on conflict do update
                set used = used + excluded.used
                where used + excluded.used <= ?
                returning account_id, used
                """, row -> {
            long account = row.number("account_id");
            return before.put(account, row.number("used") - byAccount.get(account).requests);
        }, arguments);
        return before;
    }

    private long countUpToLimit(Demand demand) {
        long before = used(demand.account, demand.periodStart);
        long granted = Math.min(demand.requests, demand.account.requests() - before);
        if (granted > 0) {
            set(demand.account, demand.periodStart, before + granted);
        }
        return before;
    }

    /** Sets the number of requests used in a period. */
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
