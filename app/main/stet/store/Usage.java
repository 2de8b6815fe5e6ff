package stet.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import stet.core.Account;
import stet.core.Plan;

/** The count of requests: sums, one for each account, plan and period, and the log of what was counted since. */
public final class Usage {
    /** Rows that one statement adds to the log, at most. */
    private static final int TOGETHER = 64;
    private static final String[] STATEMENTS = new String[TOGETHER + 1];

    private final Sql sql;

    Usage(Sql sql) {
        this.sql = sql;
    }

    /** {@code now}, or when a request of the account was last counted where that is later, as the counter takes it. */
    public Instant steady(Account account, Instant now) {
        Instant countedAt = countedAt(account.id());
        return now.isBefore(countedAt) ? countedAt : now;
    }

    /** When a request of the account was last counted; 1970 where none was. */
    Instant countedAt(long account) {
        return Instant.ofEpochMilli(sql.number("""
                select max(counted_at) from usage_parts
                where account_id = ?
                """, account));
    }

    /** Requests counted in the period that begins then. */
    public long used(Account account, Instant periodStart) {
        return sql.number("""
                select sum(used) from usage_parts
                where account_id = ? and plan = ? and period_start = ?
                """, account.id(), account.plan().word(), periodStart);
    }

    /** What a meter shows without the log. */
    long addedUp(Meter meter) {
        return sql.number("""
                select used from usage
                where account_id = ? and plan = ? and period_start = ?
                """, meter.account(), meter.plan(), meter.periodStart());
    }

    /** Adds what one transaction counts to the log, many rows a statement: half of the time of one each. */
    void log(List<Tally.Count> counts) {
        for (int begin = 0; begin < counts.size(); begin += TOGETHER) {
            List<Tally.Count> some = counts.subList(begin, Math.min(begin + TOGETHER, counts.size()));
            List<Object> values = new ArrayList<>(5 * some.size());
            for (Tally.Count count : some) {
                Meter meter = count.meter;
                Collections.addAll(values, meter.account(), meter.plan(), meter.periodStart(), count.added, count.countedAt);
            }
            sql.update(statement(some.size()), values.toArray());
        }
    }

    /** The same text each time, as statements are kept by it. */
    private static String statement(int rows) {
        if (STATEMENTS[rows] == null) {
            STATEMENTS[rows] = "insert into usage_log (account_id, plan, period_start, used, counted_at) values "
                    + String.join(", ", Collections.nCopies(rows, "(?, ?, ?, ?, ?)"));
        }
        return STATEMENTS[rows];
    }

    /** Empties the log into the sums. */
    void addUp() {
        sql.update("""
                insert into usage (account_id, plan, period_start, used, counted_at)
                select account_id, plan, period_start, sum(used), max(counted_at) from usage_log
                where account_id in (select id from accounts)
                group by account_id, plan, period_start
                on conflict do update
                set used = used + excluded.used, counted_at = max(counted_at, excluded.counted_at)
                """);
        empty();
    }

    /** The same where the sums of all that is in the log are known: a third of the time for 1,000 meters and 10,000 rows. */
    void addUp(Collection<Tally.Count> counts) {
        counts.forEach(count -> put(count.meter, count.used, Instant.ofEpochMilli(count.countedAt)));
        empty();
    }

    private void empty() {
        sql.update("delete from usage_log");
    }

    /** Sets what the current period has used, for seeds. */
    public void set(Account account, Instant periodStart, long used, Instant now) {
        addUp();
        put(new Meter(account.id(), account.plan().word(), periodStart), used, now);
    }

    private void put(Meter meter, long used, Instant countedAt) {
        sql.update("""
                insert into usage (account_id, plan, period_start, used, counted_at)
                values (?, ?, ?, ?, ?)
                on conflict do update
                set used = excluded.used, counted_at = max(counted_at, excluded.counted_at)
                """, meter.account(), meter.plan(), meter.periodStart(), used, countedAt);
    }

    /** Forgets periods that begin then or later: a plan that is entered anew has used nothing. */
    void forget(long account, Plan plan, Instant from) {
        addUp();
        sql.update("""
                delete from usage
                where account_id = ? and plan = ? and period_start >= ?
                """, account, plan.word(), from);
    }
}
