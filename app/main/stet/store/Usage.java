package stet.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import stet.core.Account;
import stet.core.Plan;

/** The count of requests: a row for each account, plan and period. The {@link Counter} alone adds to it. */
public final class Usage {
    /** Accounts that one statement counts for, at most. */
    static final int TOGETHER = 64;
    private static final String[] STATEMENTS = new String[TOGETHER + 1];

    private final Sql sql;

    Usage(Sql sql) {
        this.sql = sql;
    }

    /** {@code now}, or when a request of the account was last counted where that is later, as the counter takes it. */
    public Instant steady(Account account, Instant now) {
        Instant countedAt = Instant.ofEpochMilli(sql.number("""
                select max(counted_at) from usage
                where account_id = ?
                """, account.id()));
        return now.isBefore(countedAt) ? countedAt : now;
    }

    /** Requests counted in the period that begins then. */
    public long used(Account account, Instant periodStart) {
        return sql.number("""
                select used from usage
                where account_id = ? and plan = ? and period_start = ?
                """, account.id(), account.plan().word(), periodStart);
    }

    /**
     * Counts some requests, all of them or none.
     *
     * @return what is used with them, or 0 when that would be over the limit
     */
    long count(Charge charge, int requests, Instant now) {
        return sql.number("""
                insert into usage (account_id, plan, period_start, used, counted_at)
                select ?1, ?2, ?3, ?4, ?6 where ?4 <= ?5
                on conflict do update
                set used = used + ?4, counted_at = max(counted_at, ?6)
                where used + ?4 <= ?5
                returning used
                """, charge.account(), charge.plan(), charge.period().start(), (long) requests, charge.limit(), now);
    }

    /**
     * Counts for several accounts in one statement, which takes half the time of one each: for an account all of its
     * requests or none.
     *
     * @param charges  of {@link #TOGETHER} accounts at most, one of each
     * @param requests how many of a charge
     * @return what is used with them, by account; an account is missing where that would be over the limit, and where
     *         its period is new
     */
    Map<Long, Long> count(Collection<Charge> charges, ToLongFunction<Charge> requests, Instant now) {
        List<Object> arguments = new ArrayList<>(5 * charges.size() + 1);
        for (Charge charge : charges) {
            Collections.addAll(arguments, charge.account(), charge.plan(), charge.period().start(),
                    requests.applyAsLong(charge), charge.limit());
        }
        arguments.add(now);
        return sql.numbers(statement(charges.size()), arguments.toArray());
    }

    /** The same text each time, as statements are kept by it. */
    private static String statement(int accounts) {
        if (STATEMENTS[accounts] == null) {
            STATEMENTS[accounts] = """
                    with wanted (account, plan, start, requests, most) as (values %s)
                    update usage
                    set used = used + requests, counted_at = max(counted_at, ?)
                    from wanted
                    where account_id = account and usage.plan = wanted.plan and period_start = start and used + requests <= most
                    returning account_id, used
                    """.formatted(String.join(", ", Collections.nCopies(accounts, "(?, ?, ?, ?, ?)")));
        }
        return STATEMENTS[accounts];
    }

    /** Sets what the current period has used, for seeds. */
    public void set(Account account, Instant periodStart, long used, Instant now) {
        sql.update("""
                insert into usage (account_id, plan, period_start, used, counted_at)
                values (?, ?, ?, ?, ?)
                on conflict do update
                set used = excluded.used
                """, account.id(), account.plan().word(), periodStart, used, now);
    }

    /** Forgets periods that begin then or later: a plan that is entered anew has used nothing. */
    void forget(long account, Plan plan, Instant from) {
        sql.update("""
                delete from usage
                where account_id = ? and plan = ? and period_start >= ?
                """, account, plan.word(), from);
    }
}
