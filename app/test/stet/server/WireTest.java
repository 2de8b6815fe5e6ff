package stet.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;
import stet.process.JdkLoggers;

/** Requests that are malformed, incomplete, never read or aborted. */
class WireTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("pro@example.com", Plan.PRO);
    private final String key = stet.key(account);

    @BeforeEach
    void fill() {
        stet.template(account, "welcome", "<p>hi</p>");
    }

    private Client.Reply welcome() {
        return stet.get(Running.TEMPLATES + "welcome?format=html", key);
    }

    @Test
    void aPathWithADoubleSlashIsNoTemplate() {
        for (String path : List.of("//host/api/v1/templates/welcome", "//api/v1/templates/welcome")) {
            assertEquals(404, stet.get(path, key).status(), path);
        }
        assertEquals(0, stet.used(account));
    }

    @Test
    void anIdOf20000CharactersIsUnknown() {
        assertEquals("{\"error\":\"Not found\"}", stet.get(Running.TEMPLATES + "w".repeat(20_000), key).text());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"a|b", "{id}", "%zz", "a[b", "a^b", "a\\b", "\"x\"", "<x>"})
    void illegalCharactersInThePathAreRefused(String id) {
        try (Client client = new Client(stet.server.address())) {
            Client.Reply reply = client.get(Running.TEMPLATES + id, key);
            assertEquals(400, reply.status());
            assertTrue(client.isClosedByServer());
        }
        assertEquals(0, stet.used(account));
        assertEquals(200, welcome().status());
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            OPTIONS *      | `OPTIONS * HTTP/1.1~Host: x~~`
            CONNECT        | `CONNECT h:443 HTTP/1.1~Host: h~~`
            opaque         | `GET mailto:x HTTP/1.1~Host: x~~`
            HTTP/2 preface | `PRI * HTTP/2.0~~SM~~`
            no version     | `GET /~~`
            garbage        | `\u0001\u0002 xyz~~`
            no colon       | `GET / HTTP/1.1~Host x~~`
            TLS            | `\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003`
            """)
    void bytesThatAreNoRequestHarmNothing(String name, String raw) {
        String response = stet.client().write(raw.replace("~", "\r\n")).rest();
        assertTrue(response.isEmpty() || response.startsWith("HTTP/1.1 4") || response.startsWith("HTTP/1.1 5"), response);
        assertEquals(200, welcome().status());
        assertEquals(1, stet.used(account));
        assertThreadsAreFree();
    }

    private static final List<String> PATHS = List.of(Running.TEMPLATES + "welcome", "/data/session", "/_fixture/reset", "/healthz");

    private Client.Reply post(Client client, String path, String lines) {
        return client.write("POST " + path + " HTTP/1.1\r\n" + lines.replace("~", "\r\n")
                + "\r\nAuthorization: Bearer " + key + "\r\n\r\n{   }").read(false);
    }

    /** A proxy in front may parse a length or host differently and thus see different requests. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            Host: x~Content-Length: +5
            Host: x~Content-Length: -0
            Host: x~Content-Length: -5
            Host: x~Content-Length: 5, 5
            Host: x~Content-Length: 5,5
            Host: x~Content-Length: 0x5
            Host: x~Content-Length: 5.0
            Host: x~Content-Length: 5e0
            Host: x~Content-Length: 5;
            Host: x~Content-Length: 5 5
            Host: x~Content-Length: \u00b9
            Host: x~Content-Length:
            Host: x~Content-Length: 99999999999999999999
            Host: x~Content-Length: 5~Content-Length: 5
            Host: x~Content-Length: 5~Content-Length: 6
            Host: x~content-length: 5~Content-Length: +5
            Host: x~Content-Length: 5~Transfer-Encoding: chunked
            Accept: x
            Host: x~Host: x
            Host: x~Host: y
            """)
    void aHeadThatCouldBeReadInTwoWaysIsRefused(String lines) {
        for (String path : PATHS) {
            Client client = stet.client();
            Client.Reply reply = post(client, path, lines);
            assertEquals(400, reply.status(), reply.text());
            assertTrue(client.isClosedByServer());
        }
        assertEquals(0, stet.used(account));
        assertEquals(200, welcome().status());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            Host: x
            Host: x~Content-Length: 5
            Host: x~Content-Length:    5
            Host: x~Content-Length: 000000000000000005
            """)
    void aHeadThatCanBeReadInOneWayReachesItsRoute(String lines) {
        for (String path : PATHS) {
            Client.Reply reply = post(stet.client(), path, lines);
            assertTrue(Set.of(401, 403, 404, 405, 415).contains(reply.status()), reply.status() + " " + reply.text());
        }
    }

    @Test
    void onlyAnOldClientMayNameNoHost() {
        String rest = "Authorization: Bearer " + key + "\r\n\r\n";
        String get = "GET " + Running.TEMPLATES + "welcome ";
        assertEquals(200, stet.client().write(get + "HTTP/1.0\r\n" + rest).read(false).status());
        Client.Reply reply = stet.client().write(get + "HTTP/1.1\r\n" + rest).read(false);
        assertEquals("400 {\"error\":\"The request must have one Host header and at most one numeric Content-Length header\"}",
                reply.status() + " " + reply.text());
        assertEquals(1, stet.used(account));
    }

    /** Asserts that clients hold no threads: another request gets an additional thread until one is free. */
    private void assertThreadsAreFree() {
        assertEquals(200, stet.get("/healthz", null).status());
        int kept = Math.max(2, Runtime.getRuntime().availableProcessors());
        assertTrue(Running.comes(() -> Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("stet-\\d+")).count() <= kept));
    }

    @Test
    void ordinaryHeadAndGetRequestsLogNothing() {
        String tag = welcome().header("ETag");
        JdkLoggers.writeTo(Running.newLog());
        assertEquals("", Running.logged(() -> {
            for (String method : List.of("HEAD", "GET")) {
                for (String path : List.of("welcome", "welcome?format=html", "no-such", "welcome?format=x", "a/b")) {
                    stet.send(method, Running.TEMPLATES + path, key);
                    stet.send(method, Running.TEMPLATES + path, null);
                    stet.send(method, Running.TEMPLATES + path, key, "If-None-Match: " + tag);
                }
            }
        }));
    }

    /** Without TCP_NODELAY, each response but the first takes 44 ms. On a busy machine, the test repeats until a dozen are fast. */
    @Test
    void requestsOnOneConnectionAreNotDelayed() {
        Client client = stet.client();
        List<Long> micros = new ArrayList<>();
        assertTrue(Running.comes(() -> {
            micros.clear();
            for (int i = 0; i < 12; i++) {
                long begin = System.nanoTime();
                assertEquals(200, client.get(Running.TEMPLATES + "welcome", key).status());
                micros.add((System.nanoTime() - begin) / 1_000);
            }
            micros.sort(null);
            return micros.get(6) < 30_000;
        }), () -> "microseconds: " + micros);
    }

    @Tag("slow")
    @Test
    void halfSentRequestsHoldUpNobody() {
        List<Client> halves = new ArrayList<>();
        assertTrue(Running.comes(() -> isServedBeside200(halves)));
        for (Client half : halves) {
            assertTrue(half.isClosedByServer());
        }
        assertThreadsAreFree();
        assertEquals(200, welcome().status());
    }

    /**
     * Opens 200 connections with half a request, then sends a whole one, which would wait for them if the number of threads were fixed. False if
     * the server has already closed the first of the 200, as it may on a slow machine; the request then proved nothing.
     */
    private boolean isServedBeside200(List<Client> halves) {
        Client first = stet.client().write("GET /");
        halves.add(first);
        for (int i = 1; i < 200; i++) {
            halves.add(stet.client().write("GET /"));
        }
        assertEquals(200, welcome().status());
        return !first.isClosedByServer(1);
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"POST, /data/session", "PUT, /data/templates/welcome"})
    void aBodyThatComesByteByByteIsNotWaitedFor(String method, String path) {
        Browser owner = Browser.of(stet, account);
        String draft = owner.get("/data/templates/welcome").text();
        Client client = stet.client();
        client.write(client.request(method, path, null, "Cookie: " + owner.cookie, "Content-Type: application/json",
                "Content-Length: 8000"));
        assertTrue(Running.comes(() -> !takesAnother(client)));
        assertThreadsAreFree();
        assertEquals(draft, owner.get("/data/templates/welcome").text());
    }

    private static boolean takesAnother(Client client) {
        try {
            client.write(" ");
            return true;
        } catch (UncheckedIOException closed) {
            return false;
        }
    }

    private static final List<String> ROUTES = List.of(Running.TEMPLATES + "welcome", "/healthz", "/docs/api", "/data/session",
            Running.TEMPLATES + "no-such");

    /** RFC 9110, 7.6.1; RFC 9112, 9.6: the JDK's server closes only if the first line is exactly "close". */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"Connection: close",
        "Connection: CLOSE",
        "Connection: TE, close",
        "Connection: close, TE",
        "Connection: keep-alive, close",
        "Connection: keep-alive,Close",
        "Connection: , close ,",
        "Connection: keep-alive~Connection: close",
        "connection:close"})
    void aConnectionThatTheClientEndsIsClosed(String lines) {
        onEachRoute("close", client -> assertTrue(client.isClosedByServer()), lines.split("~"));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"Connection: keep-alive",
        "Connection: closed",
        "Connection: TE",
        "Connection: not-close, x",
        "X: close"})
    void aConnectionWithOtherOptionsStaysOpen(String line) {
        onEachRoute(null, client -> assertEquals(200, client.get("/healthz", null).status()), line);
    }

    /** @param connection the response's header of this name, or null @param then what the same connection does next */
    private void onEachRoute(String connection, Consumer<Client> then, String... headers) {
        for (String path : ROUTES) {
            Client client = stet.client();
            assertEquals(connection, client.get(path, key, headers).header("Connection"), path);
            then.accept(client);
        }
    }

    @Test
    void bodiesNobodyAskedForAreNotRead() {
        for (String header : List.of("Content-Length: 5368709120", "Transfer-Encoding: chunked")) {
            Client client = stet.client();
            client.write(client.request("POST", Running.TEMPLATES + "welcome", key, header, "Connection: close"));
            Client.Reply reply = client.read(false);
            assertEquals(405, reply.status());
            assertEquals("{\"error\":\"Method not allowed\"}", reply.text());
        }
        assertEquals(0, stet.used(account));
    }

    @Test
    void anExpectedContinueComesBeforeTheResponse() {
        Client client = stet.client();
        client.write(client.request("POST", Running.TEMPLATES + "welcome", key, "Content-Length: 5", "Expect: 100-continue"));
        assertEquals(100, client.read(false).status());
        assertEquals(405, client.read(false).status());
        assertEquals(0, stet.used(account));
    }

    /** The JDK's server would read what follows the last chunk as the next request. */
    @ParameterizedTest
    @ValueSource(strings = {"GET /api/v1/templates/welcome", "POST /data/session", "GET /healthz"})
    void aChunkedRequestIsTheLastOfItsConnection(String route) {
        String[] words = route.split(" ");
        Client client = stet.client();
        client.write(client.request(words[0], words[1], key, "Content-Type: application/json", "Transfer-Encoding: chunked")
                + "2\r\n{}\r\n0\r\nX-Trailer: 1\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
        assertEquals("close", client.read(false).header("Connection"));
        assertEquals("", client.rest());
    }

    @Tag("slow")
    @Test
    void aGetIsAnsweredBeforeItsBodyComes() {
        Client client = stet.client();
        client.write(client.request("GET", Running.TEMPLATES + "welcome?format=html", key, "Content-Length: 50"));
        assertEquals("<p>hi</p>", client.read(false).text());
        assertFalse(client.isClosedByServer(1_000), "the answer came with the end of the patience only");
        assertEquals(200, welcome().status());
        assertTrue(client.isClosedByServer());
        assertThreadsAreFree();
        assertEquals(2, stet.used(account));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            CL and TE            | `Content-Length: 5~Transfer-Encoding: chunked~~0~~`
            two CL               | `Content-Length: 0~Content-Length: 5~~`
            a list of CL         | `Content-Length: 0, 5~~`
            a negative CL        | `Content-Length: -1~~`
            a plus in CL         | `Content-Length: +3~~abc`
            TE: gzip, chunked    | `Transfer-Encoding: gzip, chunked~~0~~`
            an empty chunk size  | `Transfer-Encoding: chunked~~~~`
            a bad chunk size     | `Transfer-Encoding: chunked~~xyz~~`
            a negative size      | `Transfer-Encoding: chunked~~80000000~~`
            a huge chunk size    | `Transfer-Encoding: chunked~~ffffffffff~~`
            trailers             | `Transfer-Encoding: chunked~~0~X-Trailer: 1~~`
            """)
    void ambiguousFramingGetsAtMostOneResponse(String name, String rest) {
        Client client = stet.client();
        String[] all = new String[1];
        String log = Running.logged(() -> all[0] = client.write("GET " + Running.TEMPLATES
                + "welcome?format=html HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer " + key + "\r\n"
                + rest.replace("~", "\r\n")).rest());
        String responses = all[0];
        int first = responses.indexOf("HTTP/1.1 ");
        assertTrue(first <= 0, responses);
        assertTrue(first < 0 || responses.indexOf("HTTP/1.1 ", first + 1) < 0, responses);
        assertEquals("", log);
        long used = stet.used(account);
        assertEquals(responses.startsWith("HTTP/1.1 200") ? 1 : 0, used, responses);
        assertEquals(200, welcome().status());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            no chunk size       | `zz~0~~`
            a chunk that is off | `1~XY0~~`
            """)
    void afterBrokenChunksTheConnectionIsClosed(String name, String body) {
        Client client = stet.client();
        String responses = client.write("GET " + Running.TEMPLATES + "welcome?format=html HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                + key + "\r\nTransfer-Encoding: chunked\r\n\r\n" + body.replace("~", "\r\n")
                + client.request("GET", Running.TEMPLATES + "no-such", key)).rest();
        assertTrue(responses.startsWith("HTTP/1.1 200") && responses.endsWith("<p>hi</p>"), responses);
        assertEquals(1, stet.used(account));
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrder() {
        Client client = stet.client();
        client.write(client.request("GET", Running.TEMPLATES + "welcome?format=html", key)
                + client.request("GET", Running.TEMPLATES + "no-such", key));
        assertEquals("<p>hi</p>", client.read(false).text());
        assertEquals("{\"error\":\"Not found\"}", client.read(false).text());
        assertEquals(2, stet.used(account));
    }

    @Test
    void clientsThatLeaveAreCountedAndNoLongerInFlight() {
        String log = Running.logged(() -> {
            for (int i = 0; i < 50; i++) {
                try (Client client = new Client(stet.server.address())) {
                    client.write(client.request("GET", Running.TEMPLATES + "welcome", key));
                }
            }
            assertTrue(Running.comes(() -> stet.used(account) == 50), () -> "counted " + stet.used(account));
        });
        assertEquals("", log);
        assertTrue(Running.comes(() -> stet.server.inFlight() == 0), "a stop would wait for them");
    }

    @Test
    void clientsThatDoNotReadHoldUpNobodyElse() {
        byte[] big = new byte[2 << 20];
        Arrays.fill(big, (byte) 'x');
        stet.template(account, "big", new String(big, StandardCharsets.US_ASCII));
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < 4; i++) {
                Client deaf = stet.client();
                deaf.write(deaf.request("GET", Running.TEMPLATES + "big", key));
            }
            long begin = System.nanoTime();
            assertEquals(200, welcome().status());
            assertTrue(System.nanoTime() - begin < 2_000_000_000L, "round " + round);
        }
    }

    /** The first client that does not read blocks the thread, so that the other requests queue and are counted together. */
    @Test
    void aClientThatDoesNotReadHoldsUpNoOtherOfItsCommit() {
        stet.template(account, "big", "\u0001".repeat(2 << 20)); // 12 MiB of JSON, more than the system buffers for a client
        List<Client> others = Stream.generate(stet::client).limit(6).toList();
        for (int round = 0; round < 20; round++) {
            long begin = System.nanoTime();
            Client first = stet.client();
            first.write(first.request("GET", Running.TEMPLATES + "big", key));
            others.forEach(other -> other.write(other.request("GET", Running.TEMPLATES + "welcome?format=html", key)));
            for (int i = 0; i < 2; i++) {
                Client last = stet.client();
                last.write(last.request("GET", Running.TEMPLATES + "big", key));
            }
            others.forEach(other -> assertEquals("<p>hi</p>", other.read(false).text()));
            assertTrue(System.nanoTime() - begin < 5_000_000_000L, "round " + round);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            low bytes CR and LF         | x\u560d\u560aSet-Cookie: a=b
            emoji                        | \ud83d\ude80 \u00e9
            quote                        | `"</script>`
            """)
    void namesMakeNoHeaders(String label, String name) {
        stet.draft(account, "named", name, "", "<p></p>");
        stet.publish(account, "named");
        for (String format : List.of("", "?format=html", "?format=variables")) {
            assertNull(stet.get(Running.TEMPLATES + "named" + format, key).header("Set-Cookie"));
        }
        byte[] body = stet.get(Running.TEMPLATES + "named", key).body();
        assertEquals(name, Json.readObject(body).get("name").textValue());
    }

    @Test
    void aConnectionServesManyRequests() {
        Client client = stet.client();
        byte[] first = client.get(Running.TEMPLATES + "welcome", key).body();
        for (int i = 0; i < 300; i++) {
            assertArrayEquals(first, client.get(Running.TEMPLATES + "welcome", key).body());
        }
        assertEquals(0, client.available());
        assertFalse(client.get("/healthz", null).headers().containsKey("connection"));
    }

    @Test
    void http10IsAnsweredAndClosed() {
        String response = stet.client().write("GET " + Running.TEMPLATES + "welcome?format=html HTTP/1.0\r\nAuthorization: Bearer "
                + key + "\r\n\r\n").rest();
        assertTrue(response.endsWith("\r\n\r\n<p>hi</p>"), response);
    }
}
