package stet.dao;

import java.time.Instant;
import stet.core.Account;
import stet.core.Period;

/** Requests counted together: those of one account in one period of its plan. */
public record UsageKey(long account, String plan, Instant periodStart) {
    public UsageKey(Account account, Period period) {
        this(account.id(), account.plan().word(), period.start());
    }
}
