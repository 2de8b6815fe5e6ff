package stet.http;

import com.sun.net.httpserver.Headers;
import java.util.List;

/**
 * The state of a quota in an answer's headers (draft-ietf-httpapi-ratelimit-headers-10).
 *
 * @param limit       requests a period
 * @param seconds     the length of the period
 * @param remaining   requests that are left in it
 * @param secondsLeft until it ends
 */
public record RateLimit(long limit, long seconds, long remaining, long secondsLeft) {

    /** The answer to a request beyond the limit. */
    public Answer exceeded() {
        return Failure.PLAN_LIMIT_EXCEEDED.answer().with("Retry-After", Long.toString(secondsLeft)).with(this);
    }

    void addTo(Headers headers) {
        headers.put("RateLimit-Policy", List.of("\"monthly\";q=" + limit + ";w=" + seconds));
        headers.put("RateLimit", List.of("\"monthly\";r=" + remaining + ";t=" + secondsLeft));
    }
}
