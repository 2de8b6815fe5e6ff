package stet.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import stet.base.Json;
import stet.base.Secret;
import stet.core.Account;
import stet.core.User;
import stet.dao.Dao;
import stet.dao.SessionDao;

/** A browser that keeps the session cookie and sends JSON as the pages do. Opens a new connection for each request. */
public final class Browser {
    private final Running stet;
    public String cookie;
    /** The known-browser cookie, set at sign-in. */
    public String known;

    private Browser(Running stet, String cookie) {
        this.stet = stet;
        this.cookie = cookie;
    }

    /** A browser without cookies. */
    public static Browser of(Running stet) {
        return new Browser(stet, null);
    }

    /** A signed-in browser, without checking the password. */
    public static Browser of(Running stet, Account account) {
        return of(stet, account, stet.owner(account));
    }

    /** Returns a user's signed-in browser. @param account the selected account, or null */
    public static Browser of(Running stet, Account account, User user) {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        String id = HexFormat.of().formatHex(bytes);
        stet.db.changeUncached(dao -> addSession(dao, id, user.id(), account == null ? null : account.id(), stet.now()));
        return new Browser(stet, "stet=" + id);
    }

    /** Adds a session, as if its user had just signed in. @param secret the cookie's value @param account the selected account, or null */
    public static void addSession(Dao dao, String secret, long user, Long account, Instant now) {
        dao.sessions().add(Secret.sha256(secret), user, account, new SessionDao.Browser("", ""), SessionDao.SessionSource.PASSWORD, now);
    }

    /** Removes our script and its markers from a preview, leaving the rendered email. */
    public static Client.Reply unmarked(Client.Reply preview) {
        Matcher script = Pattern.compile("<script nonce=\"[^\"]+\" data-name=\"(\\w+)\">.*?</script>", Pattern.DOTALL)
                .matcher(preview.text());
        assertTrue(script.find(), preview.text());
        String html = script.replaceFirst("").replaceAll(" data-" + script.group(1) + "=\"[^\"]*\"|<!--" + script.group(1)
                + " [^>]*-->", "");
        return new Client.Reply(preview.status(), preview.headers(), html.getBytes(StandardCharsets.UTF_8));
    }

    public Client.Reply get(String path, String... headers) {
        return send("GET", path, null, headers);
    }

    public Client.Reply post(String path, String json, String... headers) {
        return send("POST", path, json, headers);
    }

    public Client.Reply postZip(String path, byte[] zip) {
        try (Client client = new Client(stet.server.address())) {
            return client.write(client.request("POST", path, null, "Cookie: " + cookie, "Content-Type: application/zip",
                    "Content-Length: " + zip.length) + new String(zip, StandardCharsets.ISO_8859_1)).read(false);
        }
    }

    public Client.Reply put(String path, String json, String... headers) {
        return send("PUT", path, json, headers);
    }

    public Client.Reply delete(String path, String... headers) {
        return send("DELETE", path, null, headers);
    }

    /** @param headers complete header lines; {@code Host}, {@code Content-Type} and {@code Cookie} replace the defaults */
    public Client.Reply send(String method, String path, String body, String... headers) {
        List<String> lines = new ArrayList<>(Arrays.asList(headers));
        lines.add("Connection: close");
        if (lines.stream().noneMatch(line -> line.startsWith("Cookie:"))) {
            Stream.of(cookie, known).filter(Objects::nonNull).reduce((one, other) -> one + "; " + other)
                    .ifPresent(cookies -> lines.add("Cookie: " + cookies));
        }
        String raw = body == null ? "" : new String(body.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        if (body != null) {
            lines.add("Content-Length: " + raw.length());
            if (lines.stream().noneMatch(line -> line.startsWith("Content-Type:"))) {
                lines.add("Content-Type: application/json");
            }
        }
        try (Client client = new Client(stet.server.address())) {
            String head = client.request(method, path, null, lines.toArray(String[]::new));
            if (lines.stream().anyMatch(line -> line.startsWith("Host:"))) {
                head = head.replaceFirst("\r\nHost: [^\r]*", "");
            }
            Client.Reply reply = client.write(head + raw).read(method.equals("HEAD"));
            reply.cookies().forEach(this::keep);
            return reply;
        }
    }

    private void keep(String setCookie) {
        String pair = setCookie.split(";")[0];
        if (pair.contains("-known=")) {
            known = pair;
        } else {
            cookie = pair.endsWith("=") ? null : pair;
        }
    }

    /** Checks the exact status and body. */
    public static void answered(int status, String body, Client.Reply reply) {
        assertEquals(status + " " + body, reply.status() + " " + reply.text());
        assertEquals("nosniff", reply.header("X-Content-Type-Options"));
    }

    /** Checks that the status is 200. @return the body */
    public static JsonNode json(Client.Reply reply) {
        assertEquals(200, reply.status(), reply.text());
        return Json.tree(reply.text());
    }
}
