package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Log;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Jar;
import stet.harness.Rows;
import stet.harness.Running;
import stet.sqlite.Db;

/** The real jar with a small heap and clients that hold connections and memory; it exits when memory runs out. */
@Tag("jar")
class PressureTest {
    private static final String KEY = "key-of-the-pressure-test";
    private static final String SESSION = "session-of-the-pressure-test";
    private static final int HTML = 2 << 20;

    private Path home;
    private Jar jar;
    private final List<Client> clients = new ArrayList<>();

    @BeforeEach
    void start() {
        home = Running.temporary();
        Path data = home.resolve("data");
        try (Db db = Db.serve(data, Log.none())) {
            db.change(dao -> {
                Instant now = Instant.now();
                Account account = dao.accounts().add("pro@example.com", Plan.PRO, now, now, null);
                dao.keys().add(account, "test", KEY, now);
                for (String id : List.of("welcome", "large")) {
                    byte[] html = "x".repeat(id.equals("large") ? HTML : 100).getBytes(StandardCharsets.UTF_8);
                    dao.templates().save(account.id(), new Draft(id, id, "", html, Map.of()), now);
                    dao.versions().publish(account.id(), id, "", now);
                }
                Browser.addSession(dao, SESSION, dao.members().list(account.id()).get(0).user().id(), account.id(), now);
            });
        }
        // Disables timeouts, because the test is about freeing memory and threads under load.
        jar = new Jar(List.of("-Xmx48m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError",
                "-Dsun.net.httpserver.idleInterval=600", "-Dsun.net.httpserver.maxReqTime=600", "-Dsun.net.httpserver.maxRspTime=600"), data);
    }

    @AfterEach
    void end() {
        clients.forEach(Client::close);
        jar.close();
        Running.delete(home);
    }

    private Client client() {
        Client client = new Client(jar.address);
        clients.add(client);
        return client;
    }

    private void assertWorks() {
        assertEquals(200, client().get(Running.TEMPLATES + "welcome", KEY).status());
    }

    @ParameterizedTest
    @CsvSource({"/assets/any/codemirror.js, 200", "/api/v1/templates/large?format=html, 60", "/api/v1/templates/large, 60", "/, 300"})
    void idleConnectionsHoldNoResponses(String path, int connections) {
        for (int i = 0; i < connections; i++) {
            assertEquals(200, client().get(path, KEY).status());
        }
        assertWorks();
    }

    @Test
    void clientsThatSendSlowlyKeepNobodyOut() {
        for (int i = 0; i < 300; i++) {
            client().write("GET / HTTP/1.1\r\n");
        }
        for (int i = 0; i < 100; i++) {
            client().write("PUT /data/templates/welcome HTTP/1.1\r\nHost: " + jar.address.getHostString() + "\r\nCookie: stet=" + SESSION
                    + "\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{");
        }
        assertWorks();
    }

    @ParameterizedTest
    @CsvSource({"GET, /api/v1/templates/large?format=html", "DELETE, /data/templates/large/request"})
    void clientsThatDoNotReadKeepNobodyOut(String method, String path) {
        for (int i = 0; i < 150; i++) {
            Client deaf = client();
            for (int j = 0; j < 8; j++) { // more than socket buffers hold
                deaf.write(deaf.request(method, path, KEY, "Cookie: stet=" + SESSION));
            }
        }
        assertWorks();
    }

    /** Nearly the maximum number of connections; each request that waits to be counted takes memory. */
    @Test
    void manyRequestsAtOnceFitTheHeap() {
        for (int i = 0; i < 1_900; i++) {
            client();
        }
        clients.forEach(client -> client.write(client.request("GET", Running.TEMPLATES + "welcome", KEY)));
        Set<Integer> left = new HashSet<>();
        for (Client client : clients) {
            Client.Reply reply = client.read(false);
            assertEquals(200, reply.status());
            left.add(Integer.parseInt(reply.header("RateLimit").replaceAll(".*r=|;t.*", "")));
        }
        assertEquals(1_900, left.size(), "each answer is a count of its own");
        assertEquals(List.of("1900"), Rows.of(home.resolve("data"), "select used from usage"));
    }

    /** More than the maximum number of connections. */
    @Test
    void clientsThatLeaveKeepNobodyOut() {
        IntStream.range(0, 3_000).parallel().forEach(each -> {
            Client hasty = new Client(jar.address);
            hasty.write(hasty.request("GET", Running.TEMPLATES + "welcome", KEY)).reset();
        });
        assertTrue(Running.comes(this::isAnswered), "connections of clients that have gone are kept");
    }

    /** False while the server is at its maximum number of connections. */
    private boolean isAnswered() {
        try (Client good = new Client(jar.address)) {
            return good.get(Running.TEMPLATES + "welcome", KEY).status() == 200;
        } catch (UncheckedIOException closed) {
            return false;
        }
    }

    /**
     * Clients send the body of a draft at once. The first to save a template makes the others' revision outdated; no other route accepts it.
     *
     * @param accepted number of responses with 200 @param refused status of the responses to other bodies that were read
     */
    @ParameterizedTest
    @CsvSource({"PUT, /data/templates/welcome, 1, 409", "PUT, /data/templates/welcome/name, 0, 422", "POST, /data/check, 0, 422",
            "POST, /data/templates, 0, 422", "PUT, /data/blocks/footer, 0, 422"})
    void longBodiesAtOnceAreReadInTurnOrRefused(String method, String path, int accepted, int refused) {
        String html = "\\u0001".repeat(HTML);
        String body = "{\"revision\":1,\"subject\":\"\",\"samples\":{},\"html\":\"" + html + "\"}";
        List<Integer> statuses = Crowd.of(24, thread -> () -> {
            try (Client client = new Client(jar.address)) {
                client.write(client.request(method, path, null, "Cookie: stet=" + SESSION,
                        "Content-Type: application/json", "Content-Length: " + body.length()));
                return client.write(body).read(false).status();
            }
        });
        assertTrue(Set.of(200, refused, 503).containsAll(statuses), statuses.toString());
        assertEquals(accepted, statuses.stream().filter(status -> status == 200).count(), statuses.toString());
        assertWorks();
        assertEquals(0, home.resolve("data/tmp").toFile().list().length, Arrays.toString(home.resolve("data/tmp").toFile().list()));
    }
}
