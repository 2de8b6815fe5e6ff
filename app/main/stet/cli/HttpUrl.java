package stet.cli;

import java.net.URI;
import java.util.Optional;

/** The URLs of servers: HTTP or HTTPS, with neither user, query nor fragment. */
final class HttpUrl {
    private HttpUrl() {
    }

    /** Parses an HTTP or HTTPS URL and removes trailing slashes; empty if invalid. @param path regular expression for the URL's path */
    static Optional<URI> parse(String text, String path) {
        try {
            URI url = URI.create(text.replaceFirst("/+$", ""));
            boolean isRight = text.matches("(?i)https?://[^/?#@]+" + path) && url.getHost() != null && url.getPort() <= 65_535;
            return isRight ? Optional.of(url) : Optional.empty();
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }

    /** Parses a server's URL, which may have a path; empty if invalid. */
    static Optional<URI> server(String text) {
        return parse(text, "(/[^?#]*)?");
    }
}
