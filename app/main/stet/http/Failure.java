package stet.http;

import java.util.Map;
import stet.base.Json;
import stet.base.Utf8;

/** Error responses of the retrieval API (bodies as specified in api.md), the push API, the web application and the test double. */
public enum Failure {
    // 401 and 403: plain text (api.md, Errors)
    MISSING_API_KEY(401, Answer.TEXT, "Missing API key"),
    INVALID_API_KEY(401, Answer.TEXT, "Invalid API key", "WWW-Authenticate", Failure.INVALID_TOKEN),
    NO_ACTIVE_SUBSCRIPTION(403, Answer.TEXT, "No active subscription found"),
    // 404: JSON (api.md, Errors)
    NOT_FOUND(404, Answer.JSON, "{\"error\":\"Not found\"}"),
    TEMPLATE_NOT_PUBLISHED(404, Answer.JSON, "{\"error\":\"template_not_published\"}"),
    // 429: plain text, 500: JSON (api.md, Errors)
    PLAN_LIMIT_EXCEEDED(429, Answer.TEXT, "Plan limit exceeded"),
    INTERNAL_SERVER_ERROR(500, Answer.JSON, "{\"error\":\"Internal server error\"}"),
    // 400, 405, 412: JSON (api.md, Errors)
    INVALID_FORMAT(400, Answer.JSON, "{\"error\":\"invalid_format\"}"),
    METHOD_NOT_ALLOWED(405, Answer.JSON, "{\"error\":\"Method not allowed\"}"),
    PRECONDITION_FAILED(412, Answer.JSON, "{\"error\":\"Precondition failed\"}"),
    // any route
    MALFORMED_HEAD(400, Answer.JSON, "{\"error\":\"The request must have one Host header and at most one numeric Content-Length header\"}",
            "Connection", "close"), // RFC 9112, 6.3
    // the web application
    BAD_REQUEST(400, Answer.JSON, "{\"error\":\"The request is incomplete or malformed\"}"),
    TOO_MANY_TEMPLATES(400, Answer.JSON, "{\"error\":\"A request can include at most 100 templates\"}"),
    SIGNED_OUT(401, Answer.JSON, "{\"error\":\"Signed out\",\"setup\":false}"),
    SET_UP_FIRST(401, Answer.JSON, "{\"error\":\"Signed out\",\"setup\":true}"),
    SIGNED_IN_BY_PROXY(401, Answer.JSON, "{\"error\":\"Signed out\",\"setup\":false,\"proxy\":true}"),
    AMBIGUOUS_USER(400, Answer.JSON, "{\"error\":\"The proxy sent a sign-in header more than once\"}"),
    TWO_FACTOR_NEEDED(403, Answer.JSON, "{\"error\":\"This account requires two-factor authentication; set it up on the Security page\","
            + "\"twoFactor\":true}"),
    NO_MEMBER(403, Answer.JSON, "{\"error\":\"You no longer belong to this account\"}"),
    ACCOUNT_SUSPENDED(403, Answer.JSON, "{\"error\":\"This account is suspended; contact an administrator\"}"),
    EDITORS_ONLY(403, Answer.JSON, "{\"error\":\"Only editors and owners of the account can do this\"}"),
    OWNERS_ONLY(403, Answer.JSON, "{\"error\":\"Only owners of the account can do this\"}"),
    ADMINISTRATORS_ONLY(403, Answer.JSON, "{\"error\":\"Only administrators of this server can do this\"}"),
    CROSS_SITE(403, Answer.JSON, "{\"error\":\"Requests from another site are not allowed\"}"),
    UNKNOWN_HOST(403, Answer.JSON, "{\"error\":\"Unknown host\"}"),
    ACCOUNT_SWITCHED(409, Answer.JSON, "{\"error\":\"You have switched to another account; reload the page\"}"),
    BLOCK_SAVED_MEANWHILE(409, Answer.JSON, "{\"error\":\"A shared block was changed; review the changes again\"}"),
    SETTING_CHANGED(409, Answer.JSON, "{\"error\":\"This has been changed since you opened it\"}"),
    CONTENT_TOO_LARGE(413, Answer.JSON, "{\"error\":\"The request is too large\"}"),
    UNSUPPORTED_MEDIA_TYPE(415, Answer.JSON, "{\"error\":\"Unsupported media type\"}"),
    TOO_MANY_TRIES(429, Answer.JSON, "{\"error\":\"Too many attempts; try again later\"}", "Retry-After", "10"),
    DISK_FULL(500, Answer.JSON, "{\"error\":\"The server cannot save now: the disk is full\"}"),
    DISK_READ_ONLY(500, Answer.JSON, "{\"error\":\"The server cannot save now: the disk is read-only\"}"),
    DISK_FAILED(500, Answer.JSON, "{\"error\":\"The server cannot save now: the disk failed\"}"),
    DATABASE_LOCKED(500, Answer.JSON, "{\"error\":\"The server cannot save now: another program has locked the database\"}"),
    DATABASE_GONE(500, Answer.JSON, "{\"error\":\"The server cannot save now: one of its files was removed, replaced or truncated\"}"),
    BUSY(503, Answer.JSON, "{\"error\":\"The server is busy; try again in a few seconds\"}", "Retry-After", "2"),
    // the push API
    MISSING_TOKEN(401, Answer.JSON, Failure.NO_TOKEN, "WWW-Authenticate", "Bearer realm=\"stet\""),
    WRONG_TOKEN(401, Answer.JSON, Failure.NO_TOKEN, "WWW-Authenticate", Failure.INVALID_TOKEN),
    EDITOR_TOKENS_ONLY(403, Answer.JSON, "{\"error\":\"Publishing, pruning and rollback require a deploy token with the editor role\"}"),
    // the test double
    UNKNOWN_CONTROLS(403, Answer.JSON,
            "{\"error\":\"Access the controls through localhost, a loopback address or a host listed in --expose\"}");

    private static final String NO_TOKEN =
            "{\"error\":\"The deploy token is missing, unknown, deleted or expired; API keys are not accepted\"}";
    /** The challenge if a token was sent; a request without one gets no error code (RFC 6750, 3 and 3.1). */
    private static final String INVALID_TOKEN = "Bearer realm=\"stet\", error=\"invalid_token\"";

    /** Length of the longest host name (RFC 1035, 2.3.4), with a port. */
    private static final int MAX_HOST_CHARACTERS = 260;

    private final Answer answer;

    Failure(int status, String type, String body) {
        answer = headers(Answer.unstored(status, type, Utf8.encode(body)));
    }

    Failure(int status, String type, String body, String header, String value) {
        answer = headers(Answer.unstored(status, type, Utf8.encode(body))).with(header, value);
    }

    private static Answer headers(Answer plain) {
        return switch (plain.status()) {
            case 401 -> plain.with("WWW-Authenticate", // RFC 9110, 15.5.2; RFC 6750, 3
                    (plain.type().equals(Answer.JSON) ? "Cookie" : "Bearer") + " realm=\"stet\"");
            case 405 -> plain.with("Allow", "GET, HEAD"); // RFC 9110, 15.5.6
            default -> plain;
        };
    }

    public Answer answer() {
        return answer;
    }

    /** @throws Thrown unless the condition holds */
    public void unless(boolean holds) {
        when(!holds);
    }

    /** @throws Thrown if the condition holds */
    public void when(boolean holds) {
        if (holds) {
            throw thrown();
        }
    }

    /** An exception with this failure. Most code throws this exception instead of returning {@link #answer}. */
    public Thrown thrown() {
        return new Thrown(this, answer);
    }

    /** An exception with this failure and {@code Retry-After}. */
    public Thrown thrown(long retryAfterSeconds) {
        return new Thrown(this, answer.with("Retry-After", Long.toString(retryAfterSeconds)));
    }

    private record WithTheirs(String error, Object theirs) {
    }

    /** An exception with this failure and the current values, which the page shows before they are replaced. */
    public Thrown thrown(Object theirs) {
        return new Thrown(this, Answer.json(answer.status(), new WithTheirs(thrown().error(), theirs)));
    }

    /**
     * {@link #UNKNOWN_HOST} with both hosts, because the request's host may be right for the browser and changed by a proxy.
     *
     * @param given the Host header, or null
     */
    public static Thrown unknownHost(String given, String expected) {
        String host = given == null ? "The request has no host"
                : "Unknown host \"" + given.substring(0, Math.min(given.length(), MAX_HOST_CHARACTERS)) + "\"";
        return new Thrown(UNKNOWN_HOST, Answer.json(403, Map.of("error", host + "; Stet expects \"" + expected
                + "\". Set --base-url to the URL that browsers use, and make sure that proxies pass on the Host header unchanged.")));
    }

    /** Carries a failure up to the handler. */
    public static final class Thrown extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient Failure failure;
        private final transient Answer answer;

        private Thrown(Failure failure, Answer answer) {
            super(failure.name(), null, false, false);
            this.failure = failure;
            this.answer = answer;
        }

        public Failure failure() {
            return failure;
        }

        public Answer answer() {
            return answer;
        }

        /** The error in a JSON body. */
        public String error() {
            return Json.tree(Utf8.text(answer.body())).path("error").asText();
        }
    }
}
