package stet.http;

import java.util.function.Consumer;

/** The errors of spec.md, each with its exact body, and the few that it leaves open. */
public enum Failure implements Response {
    // 401 and 403: plain text (spec.md, Authentication)
    MISSING_API_KEY(401, Answer.TEXT, "Missing API key"),
    INVALID_API_KEY(401, Answer.TEXT, "Invalid API key"),
    NO_ACTIVE_SUBSCRIPTION(403, Answer.TEXT, "No active subscription found"),
    // 404: JSON (spec.md, Errors)
    NOT_FOUND(404, Answer.JSON, "{\"error\":\"Not found\"}"),
    TEMPLATE_NOT_PUBLISHED(404, Answer.JSON, "{\"error\":\"template_not_published\"}"),
    // 429: plain text, 500: JSON (spec.md, Errors)
    PLAN_LIMIT_EXCEEDED(429, Answer.TEXT, "Plan limit exceeded"),
    INTERNAL_SERVER_ERROR(500, Answer.JSON, "{\"error\":\"Internal server error\"}"),
    // Where spec.md is silent
    INVALID_FORMAT(400, Answer.JSON, "{\"error\":\"invalid_format\"}"),
    METHOD_NOT_ALLOWED(405, Answer.JSON, "{\"error\":\"Method not allowed\"}");

    private final Answer answer;

    Failure(int status, String type, String body) {
        answer = headers(Answer.text(status, type, body));
    }

    private static Answer headers(Answer plain) {
        return switch (plain.status()) {
            case 401 -> plain.with("WWW-Authenticate", "Bearer realm=\"stet\""); // RFC 9110, 15.5.2; RFC 6750, 3
            case 405 -> plain.with("Allow", "GET, HEAD"); // RFC 9110, 15.5.6
            default -> plain;
        };
    }

    public Answer answer() {
        return answer;
    }

    @Override
    public void to(Consumer<Answer> sender) {
        sender.accept(answer);
    }
}
