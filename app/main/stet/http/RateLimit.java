package stet.http;

/** The state of a quota in an answer's headers (draft-ietf-httpapi-ratelimit-headers-10). */
public final class RateLimit {
    private RateLimit() {
    }

    /**
     * @param limit       requests a period
     * @param seconds     the length of the period
     * @param remaining   requests that are left of it
     * @param secondsLeft until it ends
     */
    public static Answer on(Answer plain, long limit, long seconds, long remaining, long secondsLeft) {
        return plain.with("RateLimit-Policy", "\"monthly\";q=" + limit + ";w=" + seconds,
                "RateLimit", "\"monthly\";r=" + remaining + ";t=" + secondsLeft);
    }

    /** The answer to a request that the period does not grant. */
    public static Answer exceeded(long limit, long seconds, long secondsLeft) {
        return on(Failure.PLAN_LIMIT_EXCEEDED.answer(), limit, seconds, 0, secondsLeft)
                .with("Retry-After", Long.toString(secondsLeft));
    }
}
