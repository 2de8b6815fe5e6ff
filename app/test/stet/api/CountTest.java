package stet.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Client;
import stet.harness.Running;
import stet.server.InFlightRequests;

/** Requests counted in one batch: another process holds the lock until all of them are queued. */
class CountTest {
    private final Running stet = new Running();
    private Connection other;

    @BeforeEach
    void open() throws SQLException {
        other = DriverManager.getConnection("jdbc:sqlite:" + stet.folder.resolve("stet.db"));
    }

    @AfterEach
    void close() throws SQLException {
        other.close();
        stet.close();
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = other.createStatement()) {
            statement.execute(sql);
        }
    }

    private Account account(String email, long limit) {
        Account account = stet.account(email, Plan.PRO);
        stet.template(account, "welcome", "<p>hi</p>");
        stet.limit(account, limit);
        return account;
    }

    /** Has each key's response cached, so that only counting remains. */
    private void cache(List<String> keys) {
        keys.forEach(key -> stet.get("/api/v1/templates/welcome?format=wrong", key));
    }

    /** Takes the lock, and sends a request with each key, all of which then wait. */
    private List<Client> together(List<String> keys) throws SQLException {
        cache(keys);
        execute("begin immediate");
        return send(keys);
    }

    /** Sends a request with each key on a connection of its own. */
    private List<Client> send(List<String> keys) {
        List<Client> clients = new ArrayList<>();
        for (String key : keys) {
            Client client = stet.client();
            clients.add(client.write(client.request("GET", Running.TEMPLATES + "welcome", key)));
        }
        return clients;
    }

    private static List<String> responses(List<Client> clients) {
        return clients.stream().map(client -> client.read(false))
                .map(reply -> reply.status() + " " + (reply.header("RateLimit") == null ? "-" : reply.header("RateLimit").replaceAll(".*r=|;t.*", "")))
                .sorted().toList();
    }

    /** Thirty accounts with limits of 0, 2 and 4 requests send three each; none affects another. */
    @Test
    void aBatchIsGrantedUpToEachAccountsLimit() throws SQLException {
        List<String> keys = new ArrayList<>();
        List<Account> accounts = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            accounts.add(account(i + "@example.com", i % 3 * 2));
            keys.add(stet.key(accounts.get(i)));
        }
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.addAll(keys);
        }
        List<Client> clients = together(all);
        execute("rollback");
        TreeMap<String, Integer> ends = new TreeMap<>();
        responses(clients).forEach(response -> ends.merge(response, 1, Integer::sum));
        assertEquals("{200 0=10, 200 1=20, 200 2=10, 200 3=10, 429 0=40}", ends.toString());
        for (int i = 0; i < 30; i++) {
            assertEquals(Math.min(3, i % 3 * 2), stet.used(accounts.get(i)));
        }
    }

    /**
     * Three requests of each of 80 accounts, whose plans, limits, periods and earlier requests differ; more than one statement counts.
     */
    @Test
    void aBatchGivesEachAccountWhatItStillHas() throws SQLException {
        long[] earlier = {0, 0, 96, 0, 97, 0, 98, 0, 99, 0, 100, 0, 120, 1};
        List<Account> accounts = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            if (i % 30 == 29) { // so that the accounts have different periods
                stet.clock.advance(Duration.ofDays(1));
            }
            Account account = stet.account(i + "@example.com", i < 60 ? Plan.PRO : Plan.FREE);
            stet.template(account, "welcome", "<p>hi</p>");
            stet.limit(account, i % 10 == 9 ? 100 + i : i % 10 == 8 ? 2 : 100);
            long used = earlier[i % earlier.length];
            if (used > 0) {
                stet.db.change(dao -> dao.usage().set(account, account.createdAt(), used));
            }
            accounts.add(stet.account(account.name())); // with its limit
            String key = stet.key(account);
            keys.addAll(List.of(key, key, key));
        }
        cache(keys);
        List<Client> first = together(List.of(stet.key(account("first@example.com", 7)))); // its commit waits; the others share the next one
        List<Client> clients = send(keys);
        assertTrue(Running.comes(() -> InFlightRequests.of(stet.server) == 1 + keys.size()));
        execute("rollback");
        assertEquals(List.of("200 6"), responses(first));
        for (int i = 0; i < 80; i++) {
            long used = earlier[i % earlier.length];
            long limit = accounts.get(i).requests();
            List<String> expected = new ArrayList<>();
            for (long next = used + 1; next <= used + 3; next++) {
                expected.add(next <= limit ? "200 " + (limit - next) : "429 0");
            }
            assertEquals(expected.stream().sorted().toList(), responses(clients.subList(3 * i, 3 * i + 3)), "account " + i);
            assertEquals(Math.max(used, Math.min(used + 3, limit)), stet.used(accounts.get(i)), "account " + i);
        }
    }

    @Test
    void moreRequestsThanACommitTakesAreAllAnswered() throws SQLException {
        Account account = account("a@example.com", 1_000);
        String key = stet.key(account);
        List<Client> clients = together(Collections.nCopies(600, key));
        execute("rollback");
        assertEquals(600, responses(clients).stream().filter(response -> response.startsWith("200")).distinct().count());
        assertEquals(600, stet.used(account));
    }

    /** The server shuts down while requests wait and a client has sent half a head. */
    @Test
    void requestsThatWaitAtAShutdownAreAnsweredAndCounted() throws Exception {
        Account account = account("a@example.com", 100);
        stet.client().write("GET / HTTP/1.1\r\nHost");
        List<Client> clients = together(Collections.nCopies(20, stet.key(account)));
        CompletableFuture<Void> end = CompletableFuture.runAsync(stet.server::close);
        assertTrue(Running.comes(() -> "close".equals(stet.get("/healthz", null).header("Connection"))));
        execute("rollback");
        assertEquals(20, responses(clients).stream().filter(response -> response.startsWith("200")).count());
        end.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertEquals(20, stet.used(account));
    }

    /** The other process commits a change while three requests wait. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            delete from secrets                                         | 401 -, 401 -, 401 -       | 0
            update accounts set plan = 'none'                           | 403 -, 403 -, 403 -       | 0
            update accounts set request_limit = 2                       | 200 0, 200 1, 429 0       | 2
            insert into usage select id, plan, created_at, 98 from accounts | 200 0, 200 1, 429 0   | 100
            update templates set deleted_at = 1                         | 404 97, 404 98, 404 99    | 3
            """)
    void waitingRequestsSeeTheChange(String change, String expected, long used) throws SQLException {
        Account account = account("a@example.com", 100);
        List<Client> clients = together(List.of(stet.key(account), stet.key(account), stet.key(account)));
        execute(change);
        execute("commit");
        assertEquals(expected, String.join(", ", responses(clients)));
        assertEquals(used, stet.used(stet.account("a@example.com")));
    }

    @Test
    void aTransactionThatFailsCountsNothingAndTheNextOneWorks() throws SQLException {
        Account account = account("a@example.com", 100);
        String key = stet.key(account);
        List<Client> clients = together(List.of(key, key, key));
        execute("create trigger full before insert on usage begin select raise(abort, 'full'); end");
        execute("commit");
        String log = Running.logged(() -> assertEquals(List.of("500 -", "500 -", "500 -"), responses(clients)));
        assertTrue(log.contains("full"), log);
        execute("drop trigger full");
        assertEquals("\"monthly\";r=99;t=2419200", stet.get(Running.TEMPLATES + "welcome", key).header("RateLimit"));
        assertEquals(1, stet.used(account));
    }

    /** A client that reads no responses does not delay others in the same commit. */
    @Test
    void aClientThatDoesNotReadHoldsUpNoOther() throws SQLException {
        Account account = account("a@example.com", 100_000);
        stet.template(account, "large", "x".repeat(2 << 20));
        String key = stet.key(account);
        Client deaf = stet.client();
        for (int i = 0; i < 20; i++) { // more than socket buffers hold
            deaf.write(deaf.request("GET", Running.TEMPLATES + "large?format=html", key));
        }
        List<Client> clients = together(Collections.nCopies(20, key));
        execute("rollback");
        assertEquals(20, responses(clients).stream().filter(response -> response.startsWith("200")).count());
    }

    /** Clients that read no responses do not delay the next request of others, whose exchanges are closed together. */
    @Test
    void clientsThatDoNotReadHoldUpNoNextRequest() throws SQLException {
        Account account = account("a@example.com", 100_000);
        stet.template(account, "large", "\u0001".repeat(2 << 20)); // 12 MiB of JSON, more than socket buffers hold
        String key = stet.key(account);
        stet.get(Running.TEMPLATES + "large?format=wrong", key);
        List<Client> first = together(List.of(key)); // its commit waits; the others share the next one
        stet.get("/healthz", null);
        List<Client> others = new ArrayList<>();
        List<Client> deaf = new ArrayList<>();
        for (int i = 0; i < 14; i++) {
            boolean reads = i < 11;
            Client client = stet.client();
            (reads ? others : deaf).add(client.write(client.request("GET", Running.TEMPLATES + (reads ? "welcome" : "large"), key)));
        }
        stet.get("/healthz", null); // read after all of them
        execute("rollback");
        assertEquals(1, responses(first).size());
        assertEquals(11, responses(others).stream().filter(response -> response.startsWith("200")).count());
        others.forEach(client -> client.write(client.request("GET", Running.TEMPLATES + "welcome", key)));
        assertEquals(11, responses(others).stream().filter(response -> response.startsWith("200")).count());
        for (Client client : deaf) { // none was cut off
            assertEquals(200, client.read(false).status());
        }
    }

    /** Every kind of request in a commit leaves its connection to the next request, although other clients' bodies are late. */
    @Test
    void everyKindOfRequestLeavesItsConnectionToTheNext() throws SQLException {
        Account account = account("a@example.com", 100);
        String key = stet.key(account);
        String etag = stet.get(Running.TEMPLATES + "welcome", key).header("ETag");
        List<Client> first = together(List.of(key)); // its commit waits; the others share the next one
        stet.get("/healthz", null);
        List<Client> clients = new ArrayList<>();
        List<Client> unfinished = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            Client late = stet.client();
            unfinished.add(late.write(late.request("GET", Running.TEMPLATES + "welcome", key, "If-None-Match: " + etag, "Content-Length: 5")));
            Client client = stet.client();
            String path = Running.TEMPLATES + (i % 6 == 4 ? "missing" : "welcome");
            clients.add(client.write(switch (i % 6) {
                case 0 -> client.request("HEAD", path, key);
                case 1 -> client.request("GET", path, key, "If-None-Match: " + etag);
                case 2 -> client.request("GET", path, key, "Content-Length: 5") + "hello";
                case 3 -> client.request("GET", path, key, "Content-Length: 0");
                default -> client.request("GET", path, key);
            }));
        }
        stet.get("/healthz", null); // read after all of them
        execute("rollback");
        assertEquals(1, responses(first).size());
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            statuses.add(clients.get(i).read(i % 6 == 0).status());
        }
        assertEquals(List.of(200, 304, 200, 200, 404, 200, 200, 304, 200, 200, 404, 200), statuses);
        clients.forEach(client -> assertEquals(200, client.get(Running.TEMPLATES + "welcome", key).status()));
        for (Client late : unfinished) {
            assertEquals(304, late.read(false).status());
            assertEquals(200, late.write("hello").get(Running.TEMPLATES + "welcome", key).status());
        }
        assertEquals(50, stet.used(account)); // 2 before, then 12 in the commit and 12 late ones, each with a next request
    }
}
