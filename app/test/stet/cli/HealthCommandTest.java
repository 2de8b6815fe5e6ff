package stet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.harness.Running;
import stet.harness.Terminal;

/** The command {@code health} exits with 0 if healthy, otherwise with 1 and the reason; --wait waits until healthy. */
class HealthCommandTest {
    @AutoClose
    private final Running stet = new Running();
    private final Terminal terminal = new Terminal(stet.folder);
    private final String address = "127.0.0.1:" + stet.server.address().getPort();

    private void assertOk(String... arguments) {
        assertEquals("ok\n", terminal.done(arguments).replace("\r", ""));
    }

    private void assertRefused(String sentence, String... arguments) {
        Terminal.Result result = terminal.run(arguments);
        assertEquals("1 " + sentence, result.code() + " " + result.err().strip());
        assertEquals("", result.out());
    }

    @Test
    void theAddressIsAUrlAnOptionOrAVariable() {
        assertOk("health", "http://" + address);
        assertOk("health", "http://" + address + "/");
        assertOk("health", "http://" + address + "/healthz");
        assertOk("health", "--listen", address);
        assertOk("health", "--wait", "30s", "--listen", "0.0.0.0:" + stet.server.address().getPort());
        terminal.environment.put("STET_LISTEN", ":" + stet.server.address().getPort());
        assertOk("health");
    }

    @Test
    void theReasonIsReported() {
        Running.logged(() -> {
            stet.db.health().failed("the database is malformed");
            assertRefused("http://" + address + "/healthz is failing: the database is malformed", "health", "http://" + address);
        });
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    @Test
    void aRefusedConnectionIsReported() throws IOException {
        String other = "http://127.0.0.1:" + freePort();
        assertRefused(other + "/healthz does not respond: Connection refused", "health", other);
        assertRefused(other + "/healthz does not respond: Connection refused", "health", "--wait", "1s", other);
    }

    @Test
    void waitEndsWhenTheServiceIsHealthy() throws Exception {
        int port = freePort();
        String other = "http://127.0.0.1:" + port;
        AtomicInteger asked = new AtomicInteger();
        CompletableFuture<Terminal.Result> waiting = CompletableFuture.supplyAsync(() -> terminal.run("health", "--wait", "2m", other));
        HttpServer late = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        try {
            late.createContext("/healthz", exchange -> {
                boolean well = asked.incrementAndGet() > 2;
                byte[] body = (well ? "{\"status\":\"ok\"}" : "{\"status\":\"failing\",\"reason\":\"the disk is full\"}")
                        .getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(well ? 200 : 503, body.length);
                exchange.getResponseBody().write(body);
                exchange.close();
            });
            late.start();
            Terminal.Result result = waiting.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertEquals("0 ok", result.code() + " " + result.line());
            assertEquals(3, asked.get());
        } finally {
            late.stop(0);
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
            200 | {"status":"up"}                                  | returned 200; is this a Stet server?
            404 | not found                                        | returned 404; is this a Stet server?
            302 | -                                                | returned 302; is this a Stet server?
            503 | {"status":"failing","reason":"the disk is full"} | is failing: the disk is full
            503 | <html>busy</html>                                | returned 503; is this a Stet server?
            """)
    void anythingButAHealthyStetIsReported(int status, String body, String sentence) throws IOException {
        HttpServer other = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        try {
            other.createContext("/", exchange -> {
                byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Location", "http://" + address + "/healthz");
                exchange.sendResponseHeaders(status, bytes.length);
                exchange.getResponseBody().write(bytes);
                exchange.close();
            });
            other.start();
            String url = "http://127.0.0.1:" + other.getAddress().getPort();
            assertRefused(url + "/healthz " + sentence, "health", url);
        } finally {
            other.stop(0);
        }
    }

    @Tag("slow")
    @Test
    void aSilentServiceTimesOut() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String url = "http://127.0.0.1:" + silent.getLocalPort();
            long begin = System.nanoTime();
            Terminal.Result result = terminal.run("health", url);
            assertEquals(1, result.code());
            assertTrue(result.err().startsWith(url + "/healthz did not respond"), result.err());
            assertTrue(System.nanoTime() - begin < 60_000_000_000L);
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
            ftp://127.0.0.1       |         | "ftp://127.0.0.1" is not a URL such as http://127.0.0.1:8080
            file:///etc/passwd    |         | "file:///etc/passwd" is not a URL such as http://127.0.0.1:8080
            http://a b            |         | "http://a b" is not a URL such as http://127.0.0.1:8080
            http://u:p@127.0.0.1  |         | "http://u:p@127.0.0.1" is not a URL such as http://127.0.0.1:8080
            http://127.0.0.1?x=1  |         | "http://127.0.0.1?x=1" is not a URL such as http://127.0.0.1:8080
            http://127.0.0.1:1    | 30      | --wait is "30"; use a duration such as 30s, 15m, 24h or 7d
            http://127.0.0.1:1    | 0s      | --wait is "0s"; use a duration such as 30s, 15m, 24h or 7d
            http://127.0.0.1:1    | -1s     | --wait is "-1s"; use a duration such as 30s, 15m, 24h or 7d
            http://127.0.0.1:1    | 100000d | --wait is "100000d"; use a duration such as 30s, 15m, 24h or 7d
            """)
    void invalidArgumentsAreRejected(String url, String wait, String sentence) {
        assertRefused(sentence, wait == null ? new String[] {"health", url} : new String[] {"health", "--wait=" + wait, url});
    }

    @Test
    void listenWithoutAFixedPortIsRejected() {
        assertRefused("--listen has no fixed port to query; use \"health URL\"", "health", "--listen", "127.0.0.1:0");
    }
}
