package stet.core;

import java.time.Instant;

/**
 * Who owns templates and keys.
 *
 * @param billingAnchor where the Pro months are counted from; null on an account that never was Pro
 * @param requestLimit  an operator's own limit of requests a period, or null for the plan's
 * @param keyLimit      an operator's own limit of keys, or null for the plan's
 */
public record Account(long id, String email, Plan plan, Instant createdAt, Instant billingAnchor,
                      Long requestLimit, Long keyLimit) {

    /** Whether its keys are answered at all (api.md, Errors). */
    public boolean active() {
        return plan != Plan.NONE;
    }

    /** Requests that a period grants. */
    public long requests() {
        return requestLimit != null ? requestLimit : plan.requests();
    }

    /** Keys that it may have. */
    public long keys() {
        return keyLimit != null ? keyLimit : plan.keys();
    }

    public Period period(Instant now) {
        return plan == Plan.PRO ? Period.pro(billingAnchor, now) : Period.free(createdAt, now);
    }
}
