package stet.http;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import stet.core.Role;
import stet.core.Utf8;

/**
 * The header by which a proxy names the person whom it has signed in. It counts only where the other end of the connection is a
 * trusted proxy: anybody else could name anybody.
 *
 * @param name    of the header, such as {@code Remote-User}; null: there is none
 * @param proxies that may send it
 * @param role    of people who are not known yet, in the account; null: they are refused
 * @param account its name; null for the only one
 */
public record AuthHeader(String name, TrustedProxies proxies, Role role, String account) {
    public static final AuthHeader NONE = new AuthHeader(null, null, null, null);
    private static final String EMAIL = "Remote-Email";
    private static final String LABEL = "Remote-Name";

    /** @param email the header's value where it is an address, else that of {@code Remote-Email}, or null. @param label or empty */
    public record Named(String user, String email, String label) {
    }

    public boolean isOn() {
        return name != null;
    }

    /** The person named; nobody where the header is absent, or not a trusted proxy's. @throws Failure.Thrown when it is repeated */
    public Optional<Named> named(Request request) {
        String user = name != null && proxies.isTrusted(request.peer()) ? only(request.headers(name)) : null;
        if (user == null) {
            return Optional.empty();
        }
        String email = user.contains("@") ? user : only(request.headers(EMAIL));
        String label = only(request.headers(LABEL));
        return Optional.of(new Named(user, email, label == null ? "" : label));
    }

    /** The one value of a header; null for none, or an empty one. */
    private static String only(List<String> values) {
        Failure.AMBIGUOUS_PERSON.unless(values.size() <= 1);
        return values.isEmpty() || values.get(0).isBlank() ? null : utf8(values.get(0).strip());
    }

    /** Headers come as ISO 8859-1; proxies write UTF-8 into them. */
    private static String utf8(String header) {
        return Utf8.decode(header.getBytes(StandardCharsets.ISO_8859_1)).orElse(header);
    }
}
