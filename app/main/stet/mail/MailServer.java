package stet.mail;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.base.Refusal;

/**
 * The mail server that sends Stet's emails, and their sender.
 *
 * @param isTls    whether the connection begins with TLS (smtps); otherwise, STARTTLS is required unless the server is {@link #isLocal}
 * @param user     null to send without signing in; {@code password} is then null as well
 * @param fromName the sender's name, or empty
 */
public record MailServer(boolean isTls, String host, int port, String user, String password, String fromName, MailAddress from) {
    private static final int TLS_PORT = 465;
    private static final int PORT = 587;
    /** Maximum size of user and password together in bytes, so that the AUTH command has at most 512 (RFC 4954, 4). */
    private static final int MAX_CREDENTIALS = 360;
    /** Maximum number of characters of the sender's name. */
    private static final int MAX_NAME = 100;
    private static final Pattern LOCAL = Pattern.compile("localhost|127\\.[0-9.]+|\\[?::1]?");
    private static final Pattern NAMED = Pattern.compile("([^<>]*?)\\s*<([^<>]+)>");

    /**
     * @param url      such as {@code smtps://user@mail.example.com:465}; a user's special characters are percent-encoded
     * @param from     an address, or a name and an address in angle brackets
     * @param password null if there is none
     * @throws Refusal with the field {@code smtp} or {@code smtp-from}
     */
    public static MailServer of(String url, String from, String password) {
        URI parsed = parsed(url);
        String user = parsed.getRawUserInfo() == null ? null : decoded(parsed.getRawUserInfo().replace("+", "%2B"));
        if (user != null && parsed.getRawUserInfo().contains(":")) {
            throw new Refusal("smtp", "must not contain the password, because other users can see options in the process list;"
                    + " set STET_SMTP_PASSWORD or use --smtp-password-file");
        }
        checkCredentials(user, password);
        Matcher named = NAMED.matcher(from);
        String name = named.matches() ? named.group(1).strip().replaceFirst("^\"(.*)\"$", "$1") : "";
        if (name.length() > MAX_NAME || name.matches(".*\\p{Cntrl}.*")) {
            throw new Refusal("smtp-from", "has a name that is too long or has control characters; use at most " + MAX_NAME + " characters");
        }
        boolean isTls = parsed.getScheme().equalsIgnoreCase("smtps");
        int usualPort = isTls ? TLS_PORT : PORT;
        return new MailServer(isTls, parsed.getHost().toLowerCase(Locale.ROOT), parsed.getPort() >= 0 ? parsed.getPort() : usualPort,
                user, password, name, sender(named.matches() ? named.group(2) : from));
    }

    /** Checks that there are both or neither, and that they fit into an AUTH command. Both may be null. */
    private static void checkCredentials(String user, String password) {
        if (user == null && password != null) {
            throw new Refusal("smtp", "has no user for the password; use a URL such as smtps://user@mail.example.com");
        }
        if (user != null && password == null) {
            throw new Refusal("smtp", "has a user but there is no password; set STET_SMTP_PASSWORD or use --smtp-password-file");
        }
        String both = user == null ? "" : user + password;
        if (both.getBytes(StandardCharsets.UTF_8).length > MAX_CREDENTIALS) {
            throw new Refusal("smtp", "has a user and password that are too long; they must have at most " + MAX_CREDENTIALS + " bytes together");
        }
        if (both.indexOf('\0') >= 0) { // separates them in the command (RFC 4616, 2)
            throw new Refusal("smtp", "has a user or password with a NUL character; remove it");
        }
    }

    private static MailAddress sender(String address) {
        try {
            return MailAddress.of(address);
        } catch (Refusal invalid) {
            throw new Refusal("smtp-from", "is not an email address; use an address such as stet@example.com or \"Stet <stet@example.com>\"");
        }
    }

    private static URI parsed(String url) {
        try {
            URI parsed = new URI(url);
            boolean isRight = url.matches("(?i)smtps?://[^/?#]+/?") && parsed.getHost() != null && parsed.getPort() != 0
                    && parsed.getPort() <= 65_535;
            if (isRight) {
                return parsed;
            }
        } catch (URISyntaxException malformed) {
            // Rejected below.
        }
        throw new Refusal("smtp", "is not a mail server's URL; use a URL such as smtps://user@mail.example.com or smtp://localhost:25");
    }

    private static String decoded(String userInfo) {
        try {
            return URLDecoder.decode(userInfo, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new Refusal("smtp", "has a user with a % that is not followed by two hexadecimal digits; write %25 for a percent sign");
        }
    }

    /** Whether the URL names this machine. Connections to it may be unencrypted; a host name that merely resolves to it is not enough. */
    boolean isLocal() {
        return LOCAL.matcher(host).matches();
    }

    /** The host without the brackets of an IPv6 address. */
    String bareHost() {
        return host.replaceAll("[\\[\\]]", "");
    }

    /** The server's URL without the user. */
    public String url() {
        return (isTls ? "smtps://" : "smtp://") + host + ":" + port;
    }

    /** Hides the password. */
    @Override
    public String toString() {
        return url();
    }
}
