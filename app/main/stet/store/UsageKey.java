package stet.store;

import java.time.Instant;

/** What is counted together: the requests of an account in one period of its plan. */
public record UsageKey(long account, String plan, Instant periodStart) {

    /** An account has one plan, but for an instant: cheap beats even. */
    @Override
    public int hashCode() {
        return 31 * Long.hashCode(account) + periodStart.hashCode();
    }
}
