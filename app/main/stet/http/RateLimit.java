package stet.http;

import com.sun.net.httpserver.Headers;
import java.util.List;

/**
 * A quota's state in a response's headers (draft-ietf-httpapi-ratelimit-headers-10).
 *
 * @param limit       maximum number of requests per period
 * @param seconds     length of the period
 * @param remaining   number of requests left in the period
 * @param secondsLeft seconds until the period ends
 */
public record RateLimit(long limit, long seconds, long remaining, long secondsLeft) {

    /** The 429 for a request over the limit. */
    public Response exceeded() {
        return Failure.PLAN_LIMIT_EXCEEDED.response().with("Retry-After", Long.toString(secondsLeft)).with(this);
    }

    void addTo(Headers headers) {
        headers.put("RateLimit-Policy", List.of("\"monthly\";q=" + limit + ";w=" + seconds));
        headers.put("RateLimit", List.of("\"monthly\";r=" + remaining + ";t=" + secondsLeft));
    }
}
