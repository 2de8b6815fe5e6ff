package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Machine;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.sqlite.WritingLock;

/** Service failures (api.md, Errors: 500) are reported clearly, not counted, and end when their cause does. */
class FaultTest {
    private static final String BODY = "{\"error\":\"Internal server error\"}";

    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("pro@example.com", Plan.PRO);
    private final String key = stet.key(account);

    @BeforeEach
    void fill() {
        stet.template(account, "welcome", "<p>hi</p>");
        stet.draft(account, "unborn", "Unborn", "", "");
    }

    private Client.Reply welcome() {
        return stet.get(Running.TEMPLATES + "welcome?format=html", key);
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + stet.folder.resolve("stet.db"));
    }

    private void script(String... statements) throws SQLException {
        try (Connection connection = connect(); Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static void assertFailed(Client.Reply reply) {
        assertEquals(500, reply.status());
        assertEquals(BODY, reply.text());
        assertEquals("application/json", reply.header("Content-Type"));
        assertEquals("no-store", reply.header("Cache-Control"));
        assertEquals("nosniff", reply.header("X-Content-Type-Options"));
    }

    static Stream<Arguments> failures() {
        return Stream.<Supplier<Throwable>>of(() -> new IllegalStateException("injected"),
                () -> new StackOverflowError("injected"), () -> new OutOfMemoryError("injected"), () -> new Throwable("injected"))
                .map(failure -> Arguments.of(failure.get().getClass().getSimpleName(), failure));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("failures")
    void anyFailureIsA500(String name, Supplier<Throwable> failure) {
        assertEquals(200, welcome().status());
        String log = Running.logged(() -> {
            stet.clock.fail(failure);
            try (Client client = new Client(stet.server.address())) {
                assertFailed(client.get(Running.TEMPLATES + "welcome", key));
                stet.clock.set(Running.NOW);
                assertEquals(200, client.get(Running.TEMPLATES + "welcome", key).status());
            }
        });
        assertEquals(2, stet.used(account));
        assertEquals(1, log.split("status=500 method=GET path=/api/v1/templates/:id", -1).length - 1, log);
        // Periodic work reads the clock, too.
        assertEquals(1, log.lines().filter(line -> line.contains("injected") && !line.contains("work-failed ")).count(), log);
        assertTrue(Running.comes(() -> stet.server.inFlight() == 0), "a stop would wait for the failed request");
    }

    @Test
    void allRequestsOfAFailedCommitAreAnswered() {
        Running.logged(() -> {
            stet.clock.fail(() -> new OutOfMemoryError("injected"));
            Crowd.of(16, thread -> () -> {
                for (int i = 0; i < 20; i++) {
                    assertFailed(welcome());
                }
                return null;
            });
            stet.clock.set(Running.NOW);
        });
        assertEquals(0, stet.used(account));
        assertEquals(200, welcome().status());
    }

    @ParameterizedTest(name = "without {0}")
    @ValueSource(strings = {"secrets", "accounts", "templates", "versions", "usage"})
    void aMissingTableIsA500OnEveryPath(String table) throws SQLException {
        script("pragma foreign_keys = off", "alter table " + table + " rename to lost");
        String log = Running.logged(() -> {
            for (String path : List.of("welcome", "welcome?format=html", "welcome?format=variables", "no-such", "unborn")) {
                Client.Reply reply = stet.get(Running.TEMPLATES + path, key);
                assertFailed(reply);
                Client.Reply head = stet.send("HEAD", Running.TEMPLATES + path, key);
                assertEquals(500, head.status());
            }
        });
        assertEquals(10, Running.failures(log), log);
        assertEquals("Missing API key", stet.get(Running.TEMPLATES + "welcome", null).text());
        assertEquals(405, stet.send("PUT", Running.TEMPLATES + "welcome", key).status());
        script("pragma foreign_keys = off", "alter table lost rename to " + table);
        assertEquals(200, welcome().status());
        assertEquals(1, stet.used(account));
    }

    @ParameterizedTest(name = "while it runs: {0}")
    @ValueSource(booleans = {false, true})
    void corruptedPagesAreA500(boolean running) throws IOException, SQLException {
        stet.restart();
        stet.stop();
        Path database = stet.folder.resolve("stet.db");
        byte[] intact = Files.readAllBytes(database);
        List<Long> pages = new ArrayList<>();
        try (Connection other = connect(); Statement statement = other.createStatement();
                ResultSet roots = statement.executeQuery("select rootpage from sqlite_schema where rootpage > 1")) {
            while (roots.next()) {
                pages.add(roots.getLong(1));
            }
        }
        if (running) {
            stet.start();
        }
        try (RandomAccessFile file = new RandomAccessFile(database.toFile(), "rw")) {
            byte[] noise = new byte[4_096];
            Arrays.fill(noise, (byte) 0xa5);
            for (long page : pages) {
                file.seek((page - 1) * noise.length);
                file.write(noise);
            }
        }
        String log = Running.logged(() -> {
            if (!running) {
                stet.start();
            }
            for (String path : List.of("welcome", "no-such", "unborn")) {
                assertFailed(stet.get(Running.TEMPLATES + path, key));
            }
            assertTrue(stet.isFailing("the database is malformed"));
        });
        assertEquals(1, log.split("health-failing reason=\"the database is malformed\"", -1).length - 1, log);
        assertEquals(3, Running.failures(log), log);
        stet.stop();
        Files.write(database, intact);
        stet.start();
        assertEquals(200, welcome().status());
        assertTrue(stet.isHealthy());
    }

    @Tag("slow")
    @Test
    void aLockFailsRequestsUntilItEnds() throws SQLException {
        assertEquals(200, welcome().status());
        try (Connection other = connect(); Statement statement = other.createStatement()) {
            statement.execute("begin immediate");
            String log = Running.logged(() -> {
                assertFailed(welcome());
                assertTrue(stet.isFailing("the database is locked"));
                assertEquals("Missing API key", stet.get(Running.TEMPLATES + "welcome", null).text());
                rollback(statement);
                assertTrue(Running.comes(stet::isHealthy));
            }, "health-restored");
            assertEquals(1, Running.failures(log), log);
            assertEquals(1, log.split("health-failing reason=\"the database is locked\"", -1).length - 1, log);
            assertEquals(1, log.split("health-restored", -1).length - 1, log);
        }
        assertEquals(200, welcome().status());
        assertEquals(2, stet.used(account));
    }

    @Test
    void aShortLockIsWaitedFor() throws Exception {
        try (Connection other = connect(); Statement statement = other.createStatement()) {
            statement.execute("begin immediate");
            try (Client client = new Client(stet.server.address())) {
                client.write(client.request("GET", Running.TEMPLATES + "welcome", key));
                assertTrue(Running.comes(() -> WritingLock.isHeld(stet.db)));
                assertEquals(0, client.available());
                statement.execute("rollback");
                assertEquals(200, client.read(false).status());
            }
        }
        assertEquals(1, stet.used(account));
    }

    /** The response was prepared with a key that expires before the request is counted. */
    @Test
    void aKeyThatExpiresBeforeTheCountIsRefused() throws Exception {
        stet.db.change(dao -> dao.keys().rotate(account, dao.keys().list(account.id()).get(0).id(), "the-next-key", stet.now(),
                stet.now().plusSeconds(60)));
        try (Connection other = connect(); Statement statement = other.createStatement(); Client client = new Client(stet.server.address())) {
            statement.execute("begin immediate");
            client.write(client.request("GET", Running.TEMPLATES + "welcome", key));
            assertTrue(Running.comes(() -> WritingLock.isHeld(stet.db)));
            stet.clock.advance(Duration.ofSeconds(60));
            statement.execute("rollback");
            Client.Reply reply = client.read(false);
            assertEquals("401 Invalid API key", reply.status() + " " + reply.text());
        }
        assertEquals(0, stet.used(account));
    }

    /** The response was prepared before a change, so a 304 would be wrong. */
    @Test
    void aVersionPublishedBeforeTheCountIsServed() throws Exception {
        stet.template(account, "welcome", "<p>new</p>");
        String tag = welcome().header("ETag");
        assertEquals(304, stet.get(Running.TEMPLATES + "welcome?format=html", key, "If-None-Match: " + tag).status());
        try (Connection other = connect(); Statement statement = other.createStatement(); Client client = new Client(stet.server.address())) {
            statement.execute("begin immediate");
            client.write(client.request("GET", Running.TEMPLATES + "welcome?format=html", key, "If-None-Match: " + tag));
            assertTrue(Running.comes(() -> WritingLock.isHeld(stet.db)));
            statement.execute("update templates set published = 1 where id = 'welcome'");
            statement.execute("commit");
            Client.Reply reply = client.read(false);
            assertEquals("200 <p>hi</p>", reply.status() + " " + reply.text());
        }
        assertEquals(3, stet.used(account));
    }

    /** One journey, because each full disk has to be mounted and filled: counts, pages, health, the check and the log. */
    @Test
    void aFullDiskFailsCountsUntilThereIsSpace() throws Exception {
        Path disk = Running.temporary();
        Machine.mount(disk);
        try (Running small = new Running(disk.resolve("data"))) {
            Account owner = small.account("pro@example.com", Plan.PRO);
            small.template(owner, "welcome", "<p>hi</p>");
            String bearer = small.key(owner);
            String path = Running.TEMPLATES + "welcome";
            assertEquals(200, small.get(path, bearer).status());
            Browser browser = Browser.of(small, owner);
            Path filler = disk.resolve("filler");
            String log = Running.logged(() -> {
                fill(filler);
                int granted = 1;
                while (isCounted(small.get(path, bearer))) {
                    granted++; // the log still has space
                }
                for (String id : List.of("welcome", "no-such", "welcome?format=html")) {
                    granted += isCounted(small.get(Running.TEMPLATES + id, bearer)) ? 1 : 0;
                }
                assertEquals(granted, small.used(owner));
                AtomicInteger answered = new AtomicInteger();
                Crowd.of(4, thread -> () -> {
                    for (int i = 0; i < 250; i++) {
                        answered.addAndGet(isCounted(small.get(path, bearer)) ? 1 : 0);
                    }
                    return null;
                });
                granted += answered.get();
                assertTrue(small.isFailing("the disk is full"));
                assertEquals("Invalid API key", small.get(path, "stet-unknown").text());
                small.clock.advance(Duration.ofMinutes(2)); // so that the session's use must be recorded
                for (String page : List.of("templates", "templates/welcome", "templates/welcome/publication", "keys", "usage")) {
                    assertEquals(200, browser.get("/data/" + page).status(), page);
                }
                assertTrue(small.isFailing("the disk is full"));
                assertTrue(new Terminal(small.folder).run("check").out().contains("problem  space: Only 0.0 MB of disk space is free"));
                remove(filler);
                assertTrue(Running.comes(small::isHealthy), "healed without a request");
                assertEquals(200, small.get(path, bearer).status());
                assertEquals(granted + 1, small.used(owner));
            }, "health-restored");
            assertTrue(Running.failures(log) >= 503, log);
            assertTrue(log.length() < 50_000, () -> log.length() + " characters of log for a thousand failures");
            assertEquals(1, log.split("health-failing reason=\"the disk is full\"", -1).length - 1, log);
            assertEquals(1, log.split("health-restored", -1).length - 1, log);
        } finally {
            Machine.run("umount", disk.toString());
            Running.delete(disk);
        }
    }

    /** Whether a request was counted, as it is again after a probe has emptied the log; otherwise, it must have failed. */
    private static boolean isCounted(Client.Reply reply) {
        boolean isCounted = reply.status() == 200 || reply.status() == 404;
        if (!isCounted) {
            assertFailed(reply);
        }
        return isCounted;
    }

    private static void fill(Path file) {
        try (OutputStream out = Files.newOutputStream(file)) {
            while (true) {
                out.write(new byte[1_024]);
            }
        } catch (IOException full) {
            // expected
        }
    }

    private static void rollback(Statement statement) {
        try {
            statement.execute("rollback");
        } catch (SQLException failure) {
            throw new AssertionError(failure);
        }
    }

    private static void remove(Path file) {
        try {
            Files.delete(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
