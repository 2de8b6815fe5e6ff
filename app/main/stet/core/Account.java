package stet.core;

import java.time.Instant;

/**
 * Owner of templates and keys. People belong to it ({@link Member}).
 *
 * @param label         by which people tell it from their other accounts; may be empty
 * @param colour        of the label, or null
 * @param billingAnchor where the Pro months are counted from; null on an account that never was Pro
 * @param requestLimit  an administrator's own limit of requests a period, or null for the plan's
 * @param keyLimit      an administrator's own limit of keys, or null for the plan's
 * @param storageLimit  an administrator's own limit of stored bytes, or null for the default one
 * @param isSuspended   whether the administrator has suspended it: nobody works in it, and no key is answered
 */
public record Account(long id, String name, String label, Colour colour, Plan plan, Instant createdAt, Instant billingAnchor,
                      Long requestLimit, Long keyLimit, Long storageLimit, boolean isSuspended) {
    /** Its name behind its label: {@code Production (acme)}. */
    public String labelled() {
        return label.isEmpty() ? name : label + " (" + name + ")";
    }

    /** Whether its keys are answered at all (api.md, Errors). */
    public boolean active() {
        return plan != Plan.NONE && !isSuspended;
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
