package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.base.Log;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Role;
import stet.dao.Dao;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Jar;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.sqlite.Db;

/** The real jar while clients of one account do not read: every other account is served as if they were not there. */
@Tag("jar")
class SlowClientsTest {
    private static final String SLOW_KEY = "key-of-the-slow";
    private static final String SECOND_KEY = "key-of-the-second";
    private static final String OTHER_KEY = "key-of-the-other";
    private static final String SLOW = "session-of-the-slow";
    private static final String OTHER = "session-of-the-other";
    /** Nearly 2 MiB, for each byte of which JSON writes six; a number follows. */
    private static final int HTML = (2 << 20) - 9;
    /** Number of long templates. */
    private static final int LONG = 6;
    /** Number of responses with long templates that fill the 128 MiB of an account's files. */
    private static final int FULL = 10;
    private static final int WINDOW = 1_024;
    /** More than the 9 seconds that a stop waits for requests: it must not be the 120 seconds that a response may take. */
    private static final Duration LIMIT_OF_STOP = Duration.ofSeconds(45);

    private final Path home = Running.temporary();
    private final String token = Secret.newToken(new SecureRandom());
    private final List<Client> clients = new ArrayList<>();
    private Jar jar;

    private void start(String heap) {
        try (Db db = Db.serve(home.resolve("data"), Log.none())) {
            db.change(dao -> {
                Instant now = Instant.now();
                for (String name : List.of("slow", "second", "other")) {
                    boolean isSlow = !name.equals("other");
                    Account account = dao.accounts().add(name + "@example.com", Plan.PRO, now, now, null);
                    dao.keys().add(account, "test", "key-of-the-" + name, now);
                    Browser.addSession(dao, "session-of-the-" + name, dao.members().list(account.id()).get(0).user().id(), account.id(), now);
                    for (int i = 0; i < (isSlow ? LONG : 1); i++) {
                        String html = isSlow ? "\u0001".repeat(HTML) + i : "x".repeat(100_000);
                        publish(dao, account.id(), "long-" + i, html, now);
                    }
                    publish(dao, account.id(), "mail", (isSlow ? "\u0001" : "x").repeat(220_000), now);
                    if (!isSlow) {
                        dao.tokens().add(account, "ci", Role.EDITOR, token, null, now);
                    }
                }
            });
        }
        jar = new Jar(List.of("-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError"), home.resolve("data"));
    }

    private static void publish(Dao dao, long account, String id, String html, Instant now) {
        dao.templates().save(account, new Draft(id, id, "", html.getBytes(StandardCharsets.UTF_8), Map.of()), now);
        dao.versions().publish(account, id, "", now);
    }

    @AfterEach
    void end() {
        clients.forEach(Client::close);
        jar.close();
        Running.delete(home);
    }

    private Client.Reply send(String method, String path, String session, String body) {
        try (Client client = new Client(jar.address)) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            return client.write(client.request(method, path, null, "Cookie: stet=" + session, "Content-Type: application/json",
                    "Content-Length: " + bytes.length) + new String(bytes, StandardCharsets.ISO_8859_1)).read(false);
        }
    }

    private void assertOk(Client.Reply reply) {
        assertEquals(200, reply.status(), reply.text());
    }

    /** Everything that the other account does. */
    private void assertOthersAreServed() {
        for (String id : List.of("long-0", "mail")) {
            try (Client client = new Client(jar.address)) {
                assertOk(client.get(Running.TEMPLATES + id, OTHER_KEY));
            }
        }
        assertOk(send("GET", "/data/templates", OTHER, ""));
        Client.Reply opened = send("GET", "/data/templates/mail", OTHER, "");
        assertOk(opened);
        assertOk(send("PUT", "/data/templates/mail", OTHER, "{\"revision\":" + Json.tree(opened.text()).get("revision")
                + ",\"subject\":\"\",\"samples\":{},\"html\":\"" + "y".repeat(40_000) + "\"}"));
        assertOk(send("POST", "/data/check", OTHER, "{\"subject\":\"\",\"html\":\"x\",\"samples\":{}}"));
        assertOk(send("GET", "/data/export", OTHER, ""));
        try (Client client = new Client(jar.address)) {
            String zip = new String(new RawZip().file("templates/pushed.html", "<p>pushed</p>").bytes(), StandardCharsets.ISO_8859_1);
            assertOk(client.write(client.request("POST", "/push", token, "Content-Type: application/zip", "Content-Length: " + zip.length())
                    + zip).read(false));
        }
    }

    /** Sends requests whose responses are not read, and waits until each response has begun. */
    private List<Client> deaf(int connections, IntFunction<String> request) {
        List<Client> deaf = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            deaf.add(new Client(jar.address, WINDOW).write(request.apply(i)));
        }
        clients.addAll(deaf);
        assertTrue(Running.comes(() -> deaf.stream().allMatch(client -> client.available() > 0)), "not all have been answered");
        return deaf;
    }

    private String request(String method, String path, String key, String body) {
        return method + " " + path + " HTTP/1.1\r\nHost: " + jar.address.getHostString() + ":" + jar.address.getPort() + "\r\n"
                + (key == null ? "Cookie: stet=" + SLOW + "\r\n" : "Authorization: Bearer " + key + "\r\n")
                + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @ParameterizedTest
    @CsvSource({"256m, 2", "256m, 60", "48m, 2", "48m, 60"})
    void slowClientsOfTheApiHoldUpNobodyElse(String heap, int connections) {
        start(heap);
        deaf(connections, i -> request("GET", Running.TEMPLATES + "long-" + i % LONG, SLOW_KEY, ""));
        assertOthersAreServed();
        try (Client client = new Client(jar.address)) {
            Client.Reply whole = client.get(Running.TEMPLATES + "long-0", SLOW_KEY);
            assertEquals(HTML + 1, Json.tree(whole.text()).get("html").asText().length(), "shares the body that is held already");
            Client.Reply head = client.send("HEAD", Running.TEMPLATES + "long-0", SLOW_KEY);
            assertEquals("200 " + whole.body().length, head.status() + " " + head.header("Content-Length"));
            assertEquals(304, client.get(Running.TEMPLATES + "long-0", SLOW_KEY, "If-None-Match: " + whole.header("ETag")).status());
        }
    }

    /** Two accounts together leave threads and memory to the others. */
    @Test
    void slowClientsOfTwoAccountsHoldUpNobodyElse() {
        start("48m");
        for (int i = 0; i < 600; i++) {
            clients.add(new Client(jar.address, WINDOW).write(request("GET", Running.TEMPLATES + "long-" + i % LONG + "?format=html",
                    i % 2 == 0 ? SLOW_KEY : SECOND_KEY, "")));
        }
        assertTrue(Running.comes(() -> clients.stream().filter(client -> client.available() > 0).count() > 300), "too few have been answered");
        assertOthersAreServed();
        assertOthersAreServed();
    }

    /**
     * A template that is published after its response was prepared, but before the request is counted, is prepared and held again. The
     * stale response is freed first, so that the other has room even if the account's files are full.
     */
    @Test
    void staleResponsesAreFreed() {
        start("48m");
        try (Db db = Db.open(home.resolve("data"), false)) {
            db.change(dao -> {
                for (int i = LONG; i < FULL; i++) {
                    publish(dao, dao.accounts().find("slow@example.com").orElseThrow().id(), "long-" + i, "\u0001".repeat(HTML), Instant.now());
                }
            });
            for (int round = 0; round < 2; round++) {
                String html = "\u0001".repeat(HTML) + "round " + round;
                List<Client> readers = new ArrayList<>();
                db.change(dao -> { // no request is counted before this transaction ends
                    long slow = dao.accounts().find("slow@example.com").orElseThrow().id();
                    for (int i = 0; i < FULL; i++) {
                        publish(dao, slow, "long-" + i, html, Instant.now());
                        readers.add(new Client(jar.address).write(request("GET", Running.TEMPLATES + "long-" + i, SLOW_KEY, "")));
                    }
                    clients.addAll(readers);
                    assertTrue(Running.comes(() -> files().size() == readers.size()), "not all have been prepared");
                });
                for (Client reader : readers) {
                    Client.Reply reply = reader.read(false);
                    assertOk(reply);
                    assertTrue(html.equals(Json.tree(reply.text()).get("html").asText()), "stale"); // the text would be too long for a message
                }
                assertTrue(Running.comes(() -> files().isEmpty()), () -> files().toString());
            }
        }
    }

    /** A template whose JSON takes a quarter of the heap is sent every time, although no cache holds it. */
    @ParameterizedTest
    @CsvSource({"64m, 1", "48m, 1", "48m, 4"})
    void responsesLargerThanTheCacheAreSentEachTime(String heap, int readers) {
        start(heap);
        List<Integer> refused = Crowd.of(readers, thread -> () -> {
            int wrong = 0;
            for (int i = 0; i < 24 / readers; i++) {
                try (Client client = new Client(jar.address)) {
                    Client.Reply reply = client.get(Running.TEMPLATES + "long-" + (thread + i) % LONG, SLOW_KEY);
                    wrong += reply.status() == 200 && reply.body().length > LONG * HTML ? 0 : 1;
                }
            }
            return wrong;
        });
        assertEquals(Collections.nCopies(readers, 0), refused);
        assertOk(send("GET", "/data/templates/long-0", SLOW, ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"256m", "48m"})
    void slowGuestsHoldUpNobodyElse(String heap) {
        start(heap);
        List<String> secrets = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Client.Reply made = send("POST", "/data/templates/mail/reviews", SLOW, "{}");
            secrets.add(Json.tree(made.text()).get("url").asText().replaceFirst(".*#", ""));
        }
        String body = "{\"secret\":\"%s\",\"compare\":true}";
        deaf(58, i -> request("POST", "/data/review", null, String.format(body, secrets.get(0))));
        assertOthersAreServed();
        assertOk(send("GET", "/data/templates", SLOW, ""));
        assertOk(send("GET", "/data/templates/mail", SLOW, ""));
        assertOk(send("POST", "/data/review", SLOW, String.format(body, secrets.get(1))));
    }

    @ParameterizedTest
    @CsvSource({"256m, /data/templates/long-0, 30", "48m, /data/templates/long-1, 30", "256m, /data/templates/long-0/versions/1, 10",
        "48m, /data/export, 20"})
    void slowMembersHoldUpNobodyElse(String heap, String path, int connections) {
        start(heap);
        deaf(connections, i -> request("GET", path, null, ""));
        assertOthersAreServed();
    }

    @Test
    void clientsThatOnlySendHoldUpNobodyElse() {
        start("48m");
        String one = request("GET", Running.TEMPLATES + "mail?format=html", SLOW_KEY, "");
        deaf(300, i -> one.repeat(20));
        assertOthersAreServed();
    }

    /** Nobody reads or sends anything: neither responses, in memory and in files, nor bodies or half a head delay a stop beyond its limit. */
    @ParameterizedTest
    @ValueSource(strings = {"48m", "256m"})
    void aStopDoesNotWaitForSlowClients(String heap) {
        start(heap);
        deaf(20, i -> request("GET", Running.TEMPLATES + "long-" + i % LONG, SLOW_KEY, ""));
        deaf(6, i -> request("GET", "/data/export", null, ""));
        deaf(30, i -> request("GET", Running.TEMPLATES + "mail?format=html", SLOW_KEY, "").repeat(20));
        for (String half : List.of("PUT /data/templates/mail HTTP/1.1\r\nCookie: stet=" + SLOW + "\r\nContent-Length: 90000\r\n\r\n{",
                "POST /data/import HTTP/1.1\r\nCookie: stet=" + SLOW + "\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n", "GET /healthz HT")) {
            for (int i = 0; i < 10; i++) {
                clients.add(new Client(jar.address, WINDOW).write(half.replaceFirst("\r\n", "\r\nHost: " + jar.address.getHostString() + ":"
                        + jar.address.getPort() + "\r\n")));
            }
        }
        assertOthersAreServed();
        long begin = System.nanoTime();
        assertEquals(143, jar.terminate());
        assertTrue(System.nanoTime() - begin < LIMIT_OF_STOP.toNanos(), "systemd and Docker kill a service that takes longer");
        jar = new Jar(home.resolve("data"));
        assertEquals(Set.of(), files());
        assertOthersAreServed();
    }

    /** Files of responses are deleted when their clients disconnect, and at the next start after a kill. */
    @Test
    void filesOfResponsesAreDeleted() {
        start("48m");
        IntFunction<String> request = i -> request("GET", Running.TEMPLATES + "long-" + i, SLOW_KEY, "");
        deaf(4, request).forEach(Client::reset);
        assertTrue(Running.comes(() -> files().isEmpty()), () -> files().toString());
        deaf(4, request);
        assertEquals(4, files().size());
        jar.kill();
        assertEquals(4, files().size());
        jar = new Jar(home.resolve("data"));
        assertEquals(Set.of(), files());
    }

    private Set<String> files() {
        return Set.copyOf(Arrays.asList(home.resolve("data/tmp").toFile().list()));
    }
}
