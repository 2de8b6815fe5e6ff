package stet.store;

import stet.core.Period;

/** What a request is counted against: at most {@code limit} requests of an account in a period of its plan. */
public record Charge(long account, String plan, Period period, long limit) {

    /** An account has one plan and one period, but for an instant: cheap beats even. */
    @Override
    public int hashCode() {
        return Long.hashCode(account);
    }
}
