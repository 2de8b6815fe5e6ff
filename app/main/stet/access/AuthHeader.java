package stet.access;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import stet.base.Utf8;
import stet.core.Role;
import stet.http.Failure;
import stet.http.Request;

/**
 * The header in which a proxy identifies the user that the proxy has signed in. The header is ignored unless a trusted proxy sent
 * the request, because any other client could claim to be any user.
 *
 * @param name    the header's name, such as {@code Remote-User}; null to accept no header
 * @param proxies the proxies that may send the header
 * @param role    the role given to unknown users, who are added to the account; null to reject them
 * @param account name of the account that unknown users join; null for the only account
 */
public record AuthHeader(String name, TrustedProxies proxies, Role role, String account) {
    public static final AuthHeader NONE = new AuthHeader(null, null, null, null);
    private static final String EMAIL = "Remote-Email";
    private static final String LABEL = "Remote-Name";

    /**
     * @param email the header's value if it is an email address; otherwise the value of {@code Remote-Email}, or null
     * @param label may be empty
     */
    public record ProxyUser(String user, String email, String label) {
    }

    /** True if a header is accepted. */
    public boolean isOn() {
        return name != null;
    }

    /** True if unknown users are added to an account. */
    public boolean addsUsers() {
        return role != null;
    }

    /**
     * The user that the header identifies; empty if the header is missing or blank, or if the peer is not a trusted proxy.
     *
     * @throws Failure.Thrown if a header that describes the user is repeated
     */
    public Optional<ProxyUser> named(Request request) {
        if (!isOn() || !proxies.isTrusted(request.peer())) {
            return Optional.empty();
        }
        return value(request, name).map(user -> {
            String email = user.contains("@") ? user : value(request, EMAIL).orElse(null);
            return new ProxyUser(user, email, value(request, LABEL).orElse(""));
        });
    }

    /** The value of a header; empty if the header is absent or blank. @throws Failure.Thrown if the header is repeated */
    private static Optional<String> value(Request request, String header) {
        List<String> values = request.headers(header);
        Failure.AMBIGUOUS_USER.unless(values.size() <= 1);
        return values.stream().map(String::strip).filter(value -> !value.isEmpty()).map(AuthHeader::utf8).findFirst();
    }

    /** Decodes a header as UTF-8, which proxies send; the JDK's server has decoded the header as ISO 8859-1. */
    private static String utf8(String header) {
        return Utf8.decode(header.getBytes(StandardCharsets.ISO_8859_1)).orElse(header);
    }
}
