package stet.dao;

import java.time.Instant;
import stet.core.Account;
import stet.core.Period;

/** Identifies one request count: an account, a plan and a period. @param plan the plan's word */
public record UsageKey(long account, String plan, Instant periodStart) {
    public UsageKey(Account account, Period period) {
        this(account.id(), account.plan().word(), period.start());
    }
}
