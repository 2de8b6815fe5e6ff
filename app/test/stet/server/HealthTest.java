package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stet.core.Account;
import stet.core.Plan;
import stet.dao.StoreException;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Running;
import stet.sqlite.Faults;

/** {@code /healthz} returns 503 after a failed commit or read, and 200 once the cause is fixed, without an API request. */
class HealthTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("pro@example.com", Plan.PRO);
    private final String key = stet.key(account);

    @BeforeEach
    void publish() {
        stet.template(account, "welcome", "<p>hi</p>");
    }

    private int welcome() {
        return stet.get(Running.TEMPLATES + "welcome?format=html", key).status();
    }

    private static int count(String text, String part) {
        return text.split(part, -1).length - 1;
    }

    @Test
    void aDatabaseThatCannotBeWrittenFailsUntilItCan() {
        assertEquals(200, welcome());
        Browser browser = Browser.of(stet, account);
        String log = Running.logged(() -> {
            Faults.makeReadOnly(stet.db, true);
            assertTrue(stet.isHealthy(), "nobody has written yet");
            for (int i = 0; i < 3; i++) {
                assertEquals(500, welcome());
                assertTrue(stet.isFailing("the database is read-only"));
                assertThrows(StoreException.class, () -> stet.db.health().probe());
            }
            Client.Reply head = stet.send("HEAD", "/healthz", null);
            assertEquals("503 no-store application/json",
                    head.status() + " " + head.header("Cache-Control") + " " + head.header("Content-Type"));
            assertEquals(200, browser.get("/data/templates").status(), "reads go on");
            assertTrue(stet.isFailing("the database is read-only"), "a read mends no commit");
            Faults.makeReadOnly(stet.db, false);
            assertTrue(Running.comes(stet::isHealthy), "healed without a request");
        }, "health-restored");
        assertEquals(1, count(log, "health-failing reason=\"the database is read-only\""), log);
        assertEquals(1, count(log, "health-restored reason=\"the database is read-only\""), log);
        assertEquals(3, Running.failures(log), log);
        assertEquals(200, welcome());
        assertEquals(2, stet.used(account));
    }

    /** Another connection's data_version grows with each write by the service. */
    @Test
    void onlyAFailingDatabaseIsWrittenTo() throws SQLException {
        assertEquals(200, welcome());
        stet.server.close(); // the service's timers also write
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + stet.folder.resolve("stet.db"));
                Statement statement = other.createStatement()) {
            long[] before = new long[1];
            assertTrue(Running.comes(() -> {
                before[0] = number(statement, "pragma data_version"); // a write in progress may still finish
                stet.db.health().probe();
                return number(statement, "pragma data_version") == before[0];
            }), "a probe writes");
            Running.logged(() -> {
                stet.db.health().failed("the disk failed");
                stet.db.health().probe();
            });
            assertNotEquals(before[0], number(statement, "pragma data_version"), "a real write");
            assertEquals(1, number(statement, "select count(*) from opened"));
        }
        assertTrue(stet.db.health().failing().isEmpty());
        assertEquals(1, stet.used(account));
    }

    private static long number(Statement statement, String sql) {
        try (ResultSet result = statement.executeQuery(sql)) {
            return result.getLong(1);
        } catch (SQLException failure) {
            throw new AssertionError(failure);
        }
    }

    /** Runs probes, which write to the database, while requests are counted. */
    @Test
    void probesLeaveTheCountExact() throws Exception {
        stet.limit(account, 1_000);
        Running.logged(() -> {
            AtomicBoolean done = new AtomicBoolean();
            CompletableFuture<Integer> probes = CompletableFuture.supplyAsync(() -> {
                int probed = 0;
                for (; !done.get(); probed++) {
                    stet.db.health().failed("the disk failed");
                    stet.db.health().probe();
                }
                return probed;
            });
            try {
                Crowd.of(8, thread -> () -> {
                    for (int i = 0; i < 25; i++) {
                        assertEquals(200, welcome());
                    }
                    return null;
                });
            } finally {
                done.set(true);
            }
            assertTrue(probes.join() > 0);
        });
        assertEquals(200, stet.used(account));
        assertTrue(Running.comes(stet::isHealthy));
    }

    @Test
    void damageStaysUntilTheNextStart() {
        Running.logged(() -> {
            stet.db.health().failed("the database is malformed");
            stet.db.health().probe();
            assertTrue(stet.isFailing("the database is malformed"));
            stet.db.health().failed("the disk is full");
            stet.db.health().probe();
            assertTrue(stet.isFailing("the database is malformed"));
        });
        stet.restart();
        assertTrue(stet.isHealthy());
    }

    @Test
    void aClockThatIsWrongIsNoFailure() {
        stet.clock.advance(Duration.ofDays(365));
        assertEquals(200, welcome());
        stet.publish(account, "welcome");
        assertTrue(stet.isHealthy());
    }
}
