package stet.core;

import java.time.Instant;

/**
 * The owner of templates and keys.
 *
 * @param billingAnchor start of the first Pro month; null on an account that never was Pro
 * @param requestLimit  requests a period that an operator granted, or null for the plan's
 * @param keyLimit      keys that an operator granted, or null for the plan's
 */
public record Account(long id, String email, Plan plan, Instant createdAt, Instant billingAnchor,
                      Long requestLimit, Integer keyLimit) {

    /** Whether it has an active plan; its keys are answered with 403 otherwise (api.md, Errors). */
    public boolean active() {
        return plan != Plan.NONE;
    }

    /** Requests allowed in one period. */
    public long requests() {
        return requestLimit != null ? requestLimit : plan.requests();
    }

    /** Keys allowed at the same time. */
    public int keys() {
        return keyLimit != null ? keyLimit : plan.keys();
    }

    public Period period(Instant now) {
        return plan == Plan.PRO ? Period.pro(billingAnchor, now) : Period.free(createdAt, now);
    }
}
