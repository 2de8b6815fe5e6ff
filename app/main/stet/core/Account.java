package stet.core;

import java.time.Instant;

/**
 * An account, which owns templates and keys. In the code, its users are called members.
 *
 * @param label         text that helps users tell their accounts apart; may be empty
 * @param colour        the label's colour, or null
 * @param billingAnchor start of the Pro billing months; null if the account was never on Pro
 * @param requestLimit  overrides the plan's requests per period; null for the plan's limit
 * @param keyLimit      overrides the plan's number of keys; null for the plan's limit
 * @param storageLimit  overrides the default limit on stored bytes; null for the default
 * @param isSuspended   true if an administrator suspended the account: nobody can use it, and requests with its keys get 403
 */
public record Account(long id, String name, String label, Colour colour, Plan plan, Instant createdAt, Instant billingAnchor,
                      Long requestLimit, Long keyLimit, Long storageLimit, boolean isSuspended) {
    /** Maximum value of an account's own request and key limits. */
    public static final long MAX_LIMIT = 999_999_999;

    /** The label and name, such as {@code Production (acme)}, or only the name if there is no label. */
    public String labelled() {
        return label.isEmpty() ? name : label + " (" + name + ")";
    }

    /** True if requests with the account's keys are served; otherwise, they get 403 (api.md, Errors). */
    public boolean isActive() {
        return plan != Plan.NONE && !isSuspended;
    }

    /** Maximum number of requests per period. */
    public long requests() {
        return requestLimit != null ? requestLimit : plan.requests();
    }

    /** Maximum number of keys. */
    public long keys() {
        return keyLimit != null ? keyLimit : plan.keys();
    }

    /** The quota period that contains a time. */
    public Period period(Instant now) {
        return plan == Plan.PRO ? Period.pro(billingAnchor, now) : Period.free(createdAt, now);
    }
}
