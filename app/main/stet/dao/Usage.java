package stet.dao;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import stet.core.Account;
import stet.core.Plan;

/** The count of requests: sums, one for each account, plan and period, and the log of what was counted since. */
public final class Usage {
    /** Rows that one statement adds to the log, at most. */
    private static final int TOGETHER = 64;
    private static final String[] STATEMENTS = new String[TOGETHER + 1];

    private final Sql sql;

    /** The sum of one key, with its row in {@code usage}. */
    public static final class Count {
        /** Of the row in usage. */
        public final long id;
        /** In all. */
        public long used;
        /** By this transaction. */
        public long added;

        Count(long id, long used) {
            this.id = id;
            this.used = used;
        }
    }

    Usage(Dao dao) {
        this.sql = dao.sql();
    }

    public long used(Account account, Instant periodStart) {
        return sql.number("""
                select usage.used + coalesce(sum(usage_log.used), 0)
                from usage left join usage_log on usage_id = usage.id
                where account_id = ? and plan = ? and period_start = ?
                group by usage.id
                """, account.id(), account.plan().word(), periodStart);
    }

    /** Requests counted in each period that begins after an instant. */
    public Map<UsageKey, Long> usedSince(Instant from) {
        Map<UsageKey, Long> used = new HashMap<>();
        sql.list("""
                select account_id, plan, period_start, usage.used + coalesce(log.used, 0) as used
                from usage left join (
                  select usage_id, sum(used) as used from usage_log
                  group by usage_id
                ) as log on log.usage_id = usage.id
                where period_start > ?
                """, row -> used.put(new UsageKey(
                row.number("account_id"), row.text("plan"), row.instant("period_start")),
                row.number("used")), from);
        return used;
    }

    /** The sum of a key without the log; its row is made where there is none. */
    public Count entered(UsageKey key) {
        Object[] columns = {key.account(), key.plan(), key.periodStart()};
        sql.update("""
                insert into usage (account_id, plan, period_start, used)
                values (?, ?, ?, 0)
                on conflict do nothing
                """, columns);
        return sql.first("""
                select id, used from usage
                where account_id = ? and plan = ? and period_start = ?
                """, row -> new Count(row.number("id"), row.number("used")), columns).orElseThrow();
    }

    /** Adds what one transaction counts to the log, many rows a statement: half of the time of one each. */
    public void log(List<Count> counts) {
        for (int begin = 0; begin < counts.size(); begin += TOGETHER) {
            List<Count> some = counts.subList(begin, Math.min(begin + TOGETHER, counts.size()));
            List<Object> values = new ArrayList<>(2 * some.size());
            for (Count count : some) {
                values.add(count.id);
                values.add(count.added);
            }
            sql.update(statement(some.size()), values.toArray());
        }
    }

    /** The same text each time, as statements are kept by it. */
    private static String statement(int rows) {
        if (STATEMENTS[rows] == null) {
            StringJoiner values = new StringJoiner(", ", "insert into usage_log (usage_id, used) values ", "");
            for (int i = 0; i < rows; i++) {
                values.add("(?, ?)");
            }
            STATEMENTS[rows] = values.toString();
        }
        return STATEMENTS[rows];
    }

    /** Empties the log into the sums. */
    public void addUp() {
        sql.update("""
                update usage
                set used = usage.used + log.used
                from (select usage_id, sum(used) as used from usage_log group by usage_id) as log
                where id = log.usage_id
                """);
        sql.update("delete from usage_log");
    }

    /** Writes as a count does, and leaves nothing. SQLite would write no page for a row that stays the same. */
    public void probe() {
        sql.update("insert into usage_log (usage_id, used) values (0, 0)");
        sql.update("delete from usage_log where id = last_insert_rowid()");
    }

    /** Sets what the current period has used, for seeds. */
    public void set(Account account, Instant periodStart, long used) {
        addUp();
        sql.update("""
                insert into usage (account_id, plan, period_start, used)
                values (?, ?, ?, ?)
                on conflict do update
                set used = excluded.used
                """, account.id(), account.plan().word(), periodStart, used);
    }

    /** Forgets periods that begin then or later: a plan that is entered anew has used nothing. */
    public void forget(long account, Plan plan, Instant from) {
        addUp();
        sql.update("""
                delete from usage
                where account_id = ? and plan = ? and period_start >= ?
                """, account, plan.word(), from);
    }
}
