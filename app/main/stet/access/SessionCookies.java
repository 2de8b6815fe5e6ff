package stet.access;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import stet.base.Secret;
import stet.http.Response;
import stet.http.Request;

/**
 * A browser's two cookies: one for the session, and a longer-lived one that identifies a known browser. The browser cookie grants no access
 * but exempts the user from limits shared by strangers ({@link SignInAttempts}). The browser cookie's format is {@code ID.MAC}, both
 * base64url. The MAC's key is the user's password hash, so the cookie is valid only for that user and only until the password changes.
 */
final class SessionCookies {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int ID_BYTES = 16;
    /** Browsers cap cookie lifetimes at 400 days (RFC 6265bis, 5.5). */
    private static final Duration BROWSER_MAX_AGE = Duration.ofDays(400);

    private final boolean isSecure;
    private final String sessionName;
    private final String browserName;
    private final RandomGenerator random;

    SessionCookies(URI baseUrl, RandomGenerator random) {
        this.isSecure = "https".equalsIgnoreCase(baseUrl.getScheme());
        // Without HTTPS, browsers may reject Secure and __Host- cookies (RFC 6265bis, 4.1.3).
        this.sessionName = isSecure ? "__Host-stet" : "stet";
        this.browserName = sessionName + "-known";
        this.random = random;
    }

    /** SHA-256 of the session ID, as stored. */
    Optional<byte[]> sessionHash(Request request) {
        return Optional.ofNullable(request.cookie(sessionName)).map(Secret::sha256);
    }

    /** The browser's ID, if the browser has signed in with this password before. */
    Optional<String> knownBrowser(Request request, String passwordHash) {
        String[] parts = Optional.ofNullable(request.cookie(browserName)).orElse("").split("\\.", 2);
        return parts.length == 2 && MessageDigest.isEqual(mac(passwordHash, parts[0]).getBytes(StandardCharsets.UTF_8),
                parts[1].getBytes(StandardCharsets.UTF_8)) ? Optional.of(parts[0]) : Optional.empty();
    }

    /** Sets a session cookie and, unless {@code passwordHash} is null, a new cookie that identifies this browser. */
    Response begin(Response response, String sessionId, String passwordHash) {
        String begun = cookie(sessionName, sessionId, Sessions.MAX_AGE);
        if (passwordHash == null) {
            return response.with("Set-Cookie", begun);
        }
        String id = Secret.newId(random, ID_BYTES);
        return response.with("Set-Cookie", begun, cookie(browserName, id + "." + mac(passwordHash, id), BROWSER_MAX_AGE));
    }

    /** Removes the session cookie. */
    Response end(Response response) {
        return response.with("Set-Cookie", cookie(sessionName, "", Duration.ZERO));
    }

    private static String mac(String passwordHash, String id) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(passwordHash.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            byte[] bytes = mac.doFinal(("browser " + id).getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        } catch (GeneralSecurityException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    private String cookie(String name, String value, Duration maxAge) {
        return name + "=" + value + "; Path=/; Max-Age=" + maxAge.toSeconds() + "; HttpOnly; SameSite=Lax"
                + (isSecure ? "; Secure" : "");
    }
}
