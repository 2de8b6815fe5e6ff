package stet.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import stet.base.Utf8;

/** Error responses of the retrieval API (bodies as specified in api.md), the push API, the web application and the test double. */
public enum Failure {
    // 401 and 403: plain text (api.md, Errors)
    MISSING_API_KEY(401, Response.TEXT, "Missing API key"),
    INVALID_API_KEY(401, Response.TEXT, "Invalid API key", "WWW-Authenticate", Failure.INVALID_TOKEN),
    NO_ACTIVE_SUBSCRIPTION(403, Response.TEXT, "No active subscription found"),
    // 404: JSON (api.md, Errors)
    NOT_FOUND(404, Response.JSON, "Not found"),
    TEMPLATE_NOT_PUBLISHED(404, Response.JSON, "template_not_published"),
    // 429: plain text, 500: JSON (api.md, Errors)
    PLAN_LIMIT_EXCEEDED(429, Response.TEXT, "Plan limit exceeded"),
    INTERNAL_SERVER_ERROR(500, Response.JSON, "Internal server error"),
    // 400, 405, 412: JSON (api.md, Errors)
    INVALID_FORMAT(400, Response.JSON, "invalid_format"),
    METHOD_NOT_ALLOWED(405, Response.JSON, "Method not allowed"),
    PRECONDITION_FAILED(412, Response.JSON, "Precondition failed"),
    // any route
    MALFORMED_HEAD(400, Response.JSON, "The request must have one Host header and at most one numeric Content-Length header",
            "Connection", "close"), // RFC 9112, 6.3
    // the web application
    BAD_REQUEST(400, Response.JSON, "The request is incomplete or malformed"),
    TOO_MANY_TEMPLATES(400, Response.JSON, "A request can include at most 100 templates"),
    SIGNED_OUT(401, Response.JSON, "Signed out", new MoreJson(false, null, null)),
    SET_UP_FIRST(401, Response.JSON, "Signed out", new MoreJson(true, null, null)),
    SIGNED_IN_BY_PROXY(401, Response.JSON, "Signed out", new MoreJson(false, true, null)),
    AMBIGUOUS_USER(400, Response.JSON, "The proxy sent a sign-in header more than once"),
    TWO_FACTOR_NEEDED(403, Response.JSON, "This account requires two-factor authentication; set it up on the Security page",
            new MoreJson(null, null, true)),
    NO_MEMBER(403, Response.JSON, "You no longer belong to this account"),
    ACCOUNT_SUSPENDED(403, Response.JSON, "This account is suspended; contact an administrator"),
    EDITORS_ONLY(403, Response.JSON, "Only editors and owners of the account can do this"),
    OWNERS_ONLY(403, Response.JSON, "Only owners of the account can do this"),
    ADMINISTRATORS_ONLY(403, Response.JSON, "Only administrators of this server can do this"),
    CROSS_SITE(403, Response.JSON, "Requests from another site are not allowed"),
    UNKNOWN_HOST(403, Response.JSON, "Unknown host"),
    ACCOUNT_SWITCHED(409, Response.JSON, "You have switched to another account; reload the page"),
    BLOCK_SAVED_MEANWHILE(409, Response.JSON, "A shared block was changed; review the changes again"),
    SETTING_CHANGED(409, Response.JSON, "This has been changed since you opened it"),
    CONTENT_TOO_LARGE(413, Response.JSON, "The request is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, Response.JSON, "Unsupported media type"),
    TOO_MANY_TRIES(429, Response.JSON, "Too many attempts; try again later", "Retry-After", "10"),
    DISK_FULL(500, Response.JSON, "The server cannot save now: the disk is full"),
    DISK_READ_ONLY(500, Response.JSON, "The server cannot save now: the disk is read-only"),
    DISK_FAILED(500, Response.JSON, "The server cannot save now: the disk failed"),
    DATABASE_LOCKED(500, Response.JSON, "The server cannot save now: another program has locked the database"),
    DATABASE_GONE(500, Response.JSON, "The server cannot save now: one of its files was removed, replaced or truncated"),
    BUSY(503, Response.JSON, "The server is busy; try again in a few seconds", "Retry-After", "2"),
    // the push API
    MISSING_TOKEN(401, Response.JSON, Failure.NO_TOKEN, "WWW-Authenticate", "Bearer realm=\"stet\""),
    WRONG_TOKEN(401, Response.JSON, Failure.NO_TOKEN, "WWW-Authenticate", Failure.INVALID_TOKEN),
    EDITOR_TOKENS_ONLY(403, Response.JSON, "Publishing, pruning and rollback require a deploy token with the editor role"),
    // the test double
    UNKNOWN_CONTROLS(403, Response.JSON, "Access the controls through localhost, a loopback address or a host listed in --expose");

    private static final String NO_TOKEN =
            "The deploy token is missing, unknown, deleted or expired; API keys are not accepted";
    /** The challenge if a token was sent; a request without one gets no error code (RFC 6750, 3 and 3.1). */
    private static final String INVALID_TOKEN = "Bearer realm=\"stet\", error=\"invalid_token\"";

    /** Length of the longest host name (RFC 1035, 2.3.4), with a port. */
    private static final int MAX_HOST_CHARACTERS = 260;

    private final Response response;
    private final String error;

    /** The JSON body of an error. */
    private record ErrorJson(String error, @JsonUnwrapped MoreJson more) {
    }

    /** Further fields of some errors. Null fields are omitted. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record MoreJson(Boolean setup, Boolean proxy, Boolean twoFactor) {
        static final MoreJson NONE = new MoreJson(null, null, null);
    }

    /** @param error in one sentence; as plain text, the whole body */
    Failure(int status, String type, String error) {
        this(status, type, error, MoreJson.NONE);
    }

    Failure(int status, String type, String error, MoreJson more) {
        this.response = headers(type.equals(Response.JSON) ? Response.json(status, new ErrorJson(error, more))
                : Response.unstored(status, type, Utf8.encode(error)));
        this.error = error;
    }

    Failure(int status, String type, String error, String header, String value) {
        this.response = headers(type.equals(Response.JSON) ? Response.json(status, new ErrorJson(error, MoreJson.NONE))
                : Response.unstored(status, type, Utf8.encode(error))).with(header, value);
        this.error = error;
    }

    private static Response headers(Response plain) {
        return switch (plain.status()) {
            case 401 -> plain.with("WWW-Authenticate", // RFC 9110, 15.5.2; RFC 6750, 3
                    (plain.type().equals(Response.JSON) ? "Cookie" : "Bearer") + " realm=\"stet\"");
            case 405 -> plain.with("Allow", "GET, HEAD"); // RFC 9110, 15.5.6
            default -> plain;
        };
    }

    public Response response() {
        return response;
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

    /** An exception with this failure. Most code throws this exception instead of returning {@link #response}. */
    public Thrown thrown() {
        return new Thrown(this, response, error);
    }

    /** An exception with this failure and {@code Retry-After}. */
    public Thrown thrown(long retryAfterSeconds) {
        return new Thrown(this, response.with("Retry-After", Long.toString(retryAfterSeconds)), error);
    }

    private record WithTheirs(String error, Object theirs) {
    }

    /** An exception with this failure and the current values, which the page shows before they are replaced. */
    public Thrown thrown(Object theirs) {
        return new Thrown(this, Response.json(response.status(), new WithTheirs(error, theirs)), error);
    }

    /**
     * {@link #UNKNOWN_HOST} with both hosts, because the request's host may be right for the browser and changed by a proxy.
     *
     * @param given the Host header, or null
     */
    public static Thrown unknownHost(String given, String expected) {
        String error = (given == null ? "The request has no host"
                : "Unknown host \"" + given.substring(0, Math.min(given.length(), MAX_HOST_CHARACTERS)) + "\"") + "; Stet expects \"" + expected
                + "\". Set --base-url to the URL that browsers use, and make sure that proxies pass on the Host header unchanged.";
        return new Thrown(UNKNOWN_HOST, Response.json(403, new ErrorJson(error, MoreJson.NONE)), error);
    }

    /** Carries a failure up to the handler. */
    public static final class Thrown extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient Failure failure;
        private final transient Response response;
        private final String error;

        private Thrown(Failure failure, Response response, String error) {
            super(failure.name(), null, false, false);
            this.failure = failure;
            this.response = response;
            this.error = error;
        }

        public Failure failure() {
            return failure;
        }

        public Response response() {
            return response;
        }

        /** The error in one sentence. */
        public String error() {
            return error;
        }
    }
}
