package stet.web;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;
import stet.core.Secret;
import stet.http.Answer;
import stet.http.Request;

/** The two cookies of a browser: its session, and the mark that it keeps after a sign-in ({@link KnownBrowser}). */
final class SessionCookies {
    /** Browsers keep no cookie for longer (RFC 6265bis, 5.5). */
    private static final Duration MARK_MAX_AGE = Duration.ofDays(400);

    private final boolean isSecure;
    private final String session;
    private final String mark;
    private final RandomGenerator random;

    SessionCookies(URI baseUrl, RandomGenerator random) {
        this.isSecure = "https".equalsIgnoreCase(baseUrl.getScheme());
        // A browser keeps a Secure or __Host- cookie of https only (RFC 6265bis, 4.1.3).
        this.session = isSecure ? "__Host-stet" : "stet";
        this.mark = session + "-known";
        this.random = random;
    }

    /** The SHA-256 of the session's id, as it is stored. */
    Optional<byte[]> sessionHash(Request request) {
        return Optional.ofNullable(request.cookie(session)).map(Secret::sha256);
    }

    /** The id of a browser that was signed in to the account of this password before. */
    Optional<String> knownBrowser(Request request, String passwordHash) {
        return Optional.ofNullable(request.cookie(mark)).flatMap(value -> KnownBrowser.id(value, passwordHash));
    }

    /** The same answer with a new session and, for a person with a password, a new mark. */
    Answer begin(Answer answer, String sessionId, String passwordHash) {
        String begun = cookie(session, sessionId, Sessions.MAX_AGE);
        return passwordHash == null ? answer.with("Set-Cookie", begun) : answer.with("Set-Cookie", begun,
                cookie(mark, KnownBrowser.mark(passwordHash, random), MARK_MAX_AGE));
    }

    /** The same answer without a session from now on. */
    Answer end(Answer answer) {
        return answer.with("Set-Cookie", cookie(session, "", Duration.ZERO));
    }

    private String cookie(String name, String value, Duration maxAge) {
        return name + "=" + value + "; Path=/; Max-Age=" + maxAge.toSeconds() + "; HttpOnly; SameSite=Lax"
                + (isSecure ? "; Secure" : "");
    }
}
