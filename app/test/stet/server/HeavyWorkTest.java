package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stet.base.Turns;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/** Heavy work while one account is blocked: requests for that account queue in order and do not delay other accounts. */
public class HeavyWorkTest {
    /** Maximum number of concurrent requests per account. */
    private static final int INSIDE = 16;
    private static final int MORE = 4;
    /** Maximum number of temporary files per account. */
    private static final int FILES = 6;
    private static final String BUSY = "{\"error\":\"The server is busy; try again in a few seconds\"}";

    private final Running stet = new Running();
    private Account account;
    private Browser browser;
    private Crowded crowded;

    @BeforeEach
    void fill() {
        account = stet.account("pro@example.com", Plan.PRO);
        browser = Browser.of(stet, account);
        for (int i = 0; i < INSIDE + MORE; i++) {
            stet.template(account, "mail-" + i, "<p>hi</p>");
        }
    }

    @AfterEach
    void close() throws SQLException {
        if (crowded != null) {
            crowded.close();
        }
        stet.close();
    }

    /** Saves in one account, blocked because another process holds the lock. */
    public static final class Crowded implements AutoCloseable {
        final List<Client> clients = new ArrayList<>();
        private final Connection other;

        public Crowded(Running stet, Browser browser, int saves) throws SQLException {
            other = DriverManager.getConnection("jdbc:sqlite:" + stet.folder.resolve("stet.db"));
            try (Statement statement = other.createStatement()) {
                statement.execute("begin immediate");
            }
            for (int i = 0; i < saves; i++) {
                Client client = stet.client();
                String body = "{\"revision\":1,\"subject\":\"\",\"samples\":{},\"html\":\"<p>new</p>\"}";
                client.write(client.request("PUT", "/data/templates/mail-" + i, null, "Cookie: " + browser.cookie,
                        "Content-Type: application/json", "Content-Length: " + body.length()) + body);
                clients.add(client);
            }
        }

        public List<Client> answered() {
            return clients.stream().filter(client -> client.available() > 0).toList();
        }

        public void release() throws SQLException {
            try (Statement statement = other.createStatement()) {
                statement.execute("rollback");
            }
        }

        @Override
        public void close() throws SQLException {
            other.close();
        }
    }

    @Test
    void aFullQueueRejectsMoreAndIsServedOnceItCanBe() throws SQLException {
        crowded = new Crowded(stet, browser, INSIDE + MORE);
        assertTrue(Running.comes(() -> crowded.answered().size() >= MORE));
        List<Client> refused = crowded.answered();
        assertEquals(MORE, refused.size());
        for (Client client : refused) {
            Client.Reply reply = client.read(false);
            assertEquals("503 " + BUSY, reply.status() + " " + reply.text());
            assertEquals("2", reply.header("Retry-After"));
            crowded.clients.remove(client);
        }
        for (String path : List.of("/data/comparisons", "/data/publications")) {
            assertEquals(503, browser.post(path, "{\"templates\":[]}").status(), "many templates are one piece of work");
        }
        assertEquals(200, browser.get("/data/session").status());
        assertEquals(200, Browser.of(stet).get("/healthz").status());
        crowded.release();
        for (Client client : crowded.clients) {
            assertEquals(200, client.read(false).status());
        }
    }

    @Test
    void anotherAccountsWorkDoesNotWaitForABlockedOne() throws SQLException {
        Account other = stet.account("other@example.com", Plan.PRO);
        stet.template(other, "welcome", "<p>hi</p>");
        Browser beside = Browser.of(stet, other);
        crowded = new Crowded(stet, browser, INSIDE);
        String draft = "{\"subject\":\"\",\"samples\":{},\"html\":\"<p>{{name}}</p>\"}";
        assertEquals(200, beside.post("/data/check", draft).status());
        assertEquals(200, beside.get("/data/templates").status());
        assertEquals(200, beside.get("/data/search?q=hi").status());
        assertEquals(200, beside.get("/data/export").status());
        assertEquals(0, crowded.answered().size());
        crowded.release();
        for (Client client : crowded.clients) {
            assertEquals(200, client.read(false).status());
        }
    }

    /** Exports that wait for their turn have no files yet. Clients that do not read their exports keep at most six files. */
    @Test
    void exportsThatNobodyReadsKeepFewFiles() throws SQLException {
        Random random = new Random(1);
        for (int i = 0; i < 4; i++) {
            String text = random.ints(2_000_000, 'a', 'z' + 1).collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            stet.template(account, "long-" + i, text);
        }
        crowded = new Crowded(stet, browser, 1);
        List<Client> exports = new ArrayList<>();
        for (int i = 0; i < INSIDE + MORE - 1; i++) {
            Client client = stet.client();
            exports.add(client.write(client.request("GET", "/data/export", null, "Cookie: " + browser.cookie)));
        }
        assertTrue(Running.comes(() -> exports.stream().filter(client -> client.available() > 0).count() == MORE), "all others wait");
        crowded.release();
        assertTrue(Running.comes(() -> exports.stream().allMatch(client -> client.available() > 0)), "not all are answered");
        assertEquals(FILES, exports.stream().filter(client -> client.status() == 200).count());
        int files = stet.folder.resolve("tmp").toFile().list().length;
        assertTrue(files <= FILES, "files: " + files); // fewer if a client was too slow for the lowest speed
        exports.forEach(Client::close);
    }

    /** A pool between two adjustments, with a thread for one task. */
    @Test
    void aTaskThatComesWhileOthersWaitHasAThread() throws InterruptedException {
        Pool pool = new Pool(INSIDE);
        Turns<String> turns = new Turns<>(INSIDE, pool::addFree);
        Queue<String> order = new ConcurrentLinkedQueue<>();
        try (Turns<String>.TurnPlace first = turns.enter("writer").orElseThrow()) {
            first.run(() -> {
                for (int i = 0; i < MORE; i++) {
                    pool.execute(() -> {
                        try (Turns<String>.TurnPlace next = turns.enter("writer").orElseThrow()) {
                            next.run(() -> order.add("writer"));
                        }
                    });
                }
                pool.execute(() -> order.add("another account"));
                return Running.comes(() -> !order.isEmpty());
            });
        }
        assertTrue(Running.comes(() -> order.size() == 1 + MORE));
        pool.close();
        assertEquals("another account", order.peek());
    }
}
