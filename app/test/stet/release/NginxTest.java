package stet.release;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.access.AuthHeader;
import stet.access.TrustedProxies;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Client;
import stet.harness.Machine;
import stet.harness.Pictures;
import stet.harness.Running;
import stet.images.ImageFile;
import stet.server.Server;

/**
 * A real nginx with the configurations in proxies.md, and a stand-in for Authelia and oauth2-proxy, whose cookie {@code sso} names
 * the signed-in user.
 */
@Tag("slow")
class NginxTest {
    private static final Map<String, String> EMAILS = Map.of("ada", "ada@example.com", "eve", "eve@example.com");

    @TempDir
    Path folder;

    @AutoClose
    private final Running stet = new Running();
    private HttpServer standIn;
    private Process nginx;
    private InetSocketAddress proxy;

    @BeforeEach
    void begin() throws IOException {
        Machine.has("nginx");
        standIn = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        standIn.createContext("/", exchange -> {
            Matcher cookie = Pattern.compile("sso=([a-z]+)").matcher(String.join(";", exchange.getRequestHeaders().getOrDefault("Cookie", List.of())));
            Headers headers = exchange.getResponseHeaders();
            boolean isSignedIn = cookie.find();
            if (exchange.getRequestURI().getPath().equals("/oauth2/sign_in")) {
                byte[] page = ("back to " + exchange.getRequestHeaders().getFirst("X-Auth-Request-Redirect")).getBytes(StandardCharsets.US_ASCII);
                exchange.sendResponseHeaders(200, page.length);
                exchange.getResponseBody().write(page);
                exchange.close();
                return;
            }
            if (isSignedIn) {
                headers.set("Remote-User", cookie.group(1));
                headers.set("Remote-Email", EMAILS.get(cookie.group(1)));
                headers.set("X-Auth-Request-Email", EMAILS.get(cookie.group(1)));
            } else {
                headers.set("Location", "https://auth.example.com/");
            }
            exchange.sendResponseHeaders(isSignedIn ? 200 : 401, -1);
            exchange.close();
        });
        standIn.start();
    }

    @AfterEach
    void end() throws InterruptedException {
        if (nginx != null) {
            nginx.destroy();
            nginx.waitFor(10, TimeUnit.SECONDS);
        }
        if (standIn != null) {
            standIn.stop(0);
        }
    }

    /** Runs the configuration that follows a sentence in the documents, with this test's ports. */
    private void serve(String sentence) throws IOException {
        stet.server.close();
        stet.server = new Server(stet.db, stet.upkeep, stet.clock, new Server.Settings(new InetSocketAddress("127.0.0.1", 0), null,
                TrustedProxies.LOOPBACK, new AuthHeader("Remote-User", TrustedProxies.of("127.0.0.1"), null, null), null, false, null, null), null, null);
        String locations = documented(sentence).replaceAll("127\\.0\\.0\\.1:(9091|4180)", "127.0.0.1:" + standIn.getAddress().getPort())
                .replace("http://stet;", "http://127.0.0.1:" + stet.server.address().getPort() + ";")
                .replace("127.0.0.1:8080", "127.0.0.1:" + stet.server.address().getPort());
        run("server { listen 127.0.0.1:PORT;\n" + locations + "}");
    }

    private static String documented(String sentence) throws IOException {
        String documents = Files.readString(Path.of("app/docs/proxies.md"));
        int from = documents.indexOf("```nginx\n", documents.indexOf(sentence)) + "```nginx\n".length();
        return documents.substring(from, documents.indexOf("```", from));
    }

    /** @param servers the configuration, with PORT for nginx's own */
    private void run(String servers) throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            proxy = new InetSocketAddress("127.0.0.1", free.getLocalPort());
        }
        StringBuilder paths = new StringBuilder();
        for (String kind : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
            paths.append(kind).append("_temp_path ").append(folder.resolve(kind)).append("; ");
        }
        Path file = Files.writeString(folder.resolve("nginx.conf"), "daemon off; master_process off; pid " + folder.resolve("pid")
                + "; error_log stderr; events {} http { access_log off; " + paths + servers.replace("PORT", "" + proxy.getPort()) + " }\n");
        nginx = new ProcessBuilder("nginx", "-e", "stderr", "-p", folder.toString(), "-c", file.toString())
                .redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile()).start();
        assertTrue(Running.comes(() -> {
            try (Socket socket = new Socket()) {
                socket.connect(proxy);
                return true;
            } catch (IOException notYet) {
                return !nginx.isAlive();
            }
        }));
        assertTrue(nginx.isAlive(), () -> log());
    }

    /** The cache serves an image even while Stet is stopped. */
    @Test
    void imagesAreCachedAndNothingElseIsOpen() throws IOException {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        byte[] logo = ImageFile.of(Pictures.png(40, 20, 0xff)).bytes();
        stet.image(ada, "logo.png", logo);
        String path = "/images/" + HexFormat.of().formatHex(Secret.sha256(logo)) + ".png";
        run(documented("Only `/images/` must be open").replaceAll("ssl_\\w+ +[^;]*;", "").replace("443 ssl", "127.0.0.1:PORT").replace("/var/cache/nginx/stet", folder.resolve("cache").toString())
                .replace("127.0.0.1:8080", "127.0.0.1:" + stet.server.address().getPort()));
        String tag = '"' + HexFormat.of().formatHex(Secret.sha256(logo)) + '"';
        for (boolean isStopped : new boolean[] {false, true}) {
            if (isStopped) {
                stet.server.close();
            }
            Client.Reply reply = send("GET", path);
            assertEquals("200 image/png public, max-age=31536000, immutable nosniff default-src 'none'; sandbox", reply.status() + " " + String.join(" ", reply.header("Content-Type"),
                    reply.header("Cache-Control"), reply.header("X-Content-Type-Options"), reply.header("Content-Security-Policy")), log());
            assertArrayEquals(logo, reply.body());
            assertEquals(304, send("GET", path, "If-None-Match: " + tag).status());
            assertEquals(404, send("GET", "/healthz").status());
            assertEquals(404, send("GET", "/data/session").status());
        }
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("log"));
        } catch (IOException failure) {
            return failure.toString();
        }
    }

    private Client.Reply send(String method, String path, String... headers) {
        try (Client client = new Client(proxy)) {
            return client.send(method, path, null, headers);
        }
    }

    /** @return the status and the body */
    private String post(String path, String json, String... headers) {
        try (Client client = new Client(proxy)) {
            String[] all = Stream.concat(Stream.of("Content-Type: application/json", "Content-Length: " + json.length()), Stream.of(headers)).toArray(String[]::new);
            Client.Reply reply = client.write(client.request("POST", path, null, all) + json).read(false);
            return reply.status() + " " + reply.text();
        }
    }

    /** A GET during a restart waits until the server is back. */
    @Test
    void aRestartFailsNoGet() throws Exception {
        Account ada = stet.account("ada@example.com", Plan.FREE);
        stet.template(ada, "welcome", "<p>Hi</p>");
        String key = stet.key(ada);
        serve("To make nginx hold");
        InetSocketAddress address = stet.server.address();
        stet.server.close();
        CompletableFuture<Integer> held = CompletableFuture.supplyAsync(
                () -> send("GET", Running.TEMPLATES + "welcome", "Authorization: Bearer " + key).status());
        assertTrue(Running.comes(() -> log().contains("Connection refused")), this::log);
        stet.server = new Server(stet.db, stet.upkeep, stet.clock, Server.Settings.at(address), null, null);
        assertEquals(200, held.get(1, TimeUnit.MINUTES), this::log);
        assertEquals(1, stet.used(ada));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nginx with Authelia", "nginx with oauth2-proxy"})
    void theProxyNamesTheUserWhateverTheBrowserSends(String sentence) throws IOException {
        Account ada = stet.account("ada@example.com", Plan.FREE);
        stet.account("eve@example.com", Plan.FREE);
        serve(sentence);
        for (String path : List.of("/", "/templates?q=a&sort=%2Fb+c")) {
            Client.Reply asked = send("GET", path, "Remote-User: ada@example.com", "Remote-Email: ada@example.com");
            assertEquals(sentence.contains("Authelia") ? "302 https://auth.example.com/" : "200 back to " + path,
                    asked.status() + " " + (asked.status() == 302 ? asked.header("Location") : asked.text()), this::log);
        }
        assertEquals(401, send("GET", "/data/session", "Remote-User: ada@example.com").status());

        String[] spoofed = {"Remote-User: eve@example.com", "Remote-Email: eve@example.com"};
        Client.Reply begun = send("POST", "/data/session/proxy", "Cookie: sso=ada", spoofed[0], spoofed[1]);
        assertTrue(begun.text().startsWith("{\"email\":\"ada@example.com\""), begun.text());
        String session = begun.cookies().get(0).split(";")[0];
        assertEquals(200, send("GET", "/data/templates", "Cookie: sso=ada; " + session, spoofed[0], spoofed[1]).status());
        Client.Reply other = send("GET", "/data/templates", "Cookie: sso=eve; " + session);
        assertEquals("401 {\"error\":\"Signed out\",\"setup\":false,\"proxy\":true}", other.status() + " " + other.text());
        assertEquals(401, send("GET", "/data/templates", "Cookie: " + session).status()); // signed out at the proxy
    }

    @ParameterizedTest
    @ValueSource(strings = {"nginx with Authelia", "nginx with oauth2-proxy"})
    void theProxyForwardsALongDraft(String sentence) throws IOException {
        stet.account("ada@example.com", Plan.FREE);
        serve(sentence);
        String session = send("POST", "/data/session/proxy", "Cookie: sso=ada").cookies().get(0).split(";")[0];
        String draft = "{\"subject\":\"\",\"html\":\"" + "x".repeat(1_900_000) + "\",\"samples\":{}}";
        assertTrue(post("/data/check", draft, "Cookie: sso=ada; " + session).startsWith("200 "), this::log);
    }

    /** Guests with a review link, users who join or reset their password, apps and pipelines. */
    @ParameterizedTest
    @ValueSource(strings = {"nginx with Authelia", "nginx with oauth2-proxy"})
    void guestsAndProgramsNeedNoSignInAtTheProxy(String sentence) throws IOException {
        Account ada = stet.account("ada@example.com", Plan.FREE);
        stet.template(ada, "welcome", "<p>Hi</p>");
        String key = stet.key(ada);
        serve(sentence);
        String[] spoofed = {"Remote-User: ada@example.com", "Remote-Email: ada@example.com"};
        Client.Reply page = send("GET", "/review");
        assertEquals(200, page.status(), this::log);
        String script = page.text().replaceAll("(?s).*\"(/assets/[^\"]+\\.js)\".*", "$1");
        for (String path : List.of("/join", "/reset", script)) {
            assertEquals(200, send("GET", path).status(), path);
        }
        assertEquals(404, send("GET", "/previews/none").status());
        String secret = "{\"secret\":\"" + "s".repeat(32) + "\"}";
        for (String path : List.of("/data/review", "/data/link", "/data/link/register", "/data/link/reset")) {
            String reply = post(path, secret, spoofed);
            assertTrue(reply.matches("(?s)4(04|22) \\{\"error\":.*"), path + ": " + reply);
        }
        assertTrue(post("/data/link/join", secret, spoofed).startsWith("401 "), "only for a user whom the proxy names");
        assertEquals(200, send("GET", "/api/v1/templates/welcome", "Authorization: Bearer " + key).status());
        for (String path : List.of("/push", "/pull")) {
            assertEquals(401, send("GET", path, "Authorization: Bearer " + key).status(), path + " asks for a deploy token, not to sign in");
        }
        assertEquals(200, send("GET", "/healthz").status());
    }
}
