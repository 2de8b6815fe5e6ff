package stet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Refusal;

/** The database is moved or replaced while serve is running: nothing is written, and nothing is lost. */
class FileGoneTest {
    private static final String WELCOME = Running.TEMPLATES + "welcome?format=html";

    @TempDir
    Path home;

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final String key = stet.key(ada);
    private final Terminal terminal = new Terminal(stet.folder);
    private final Path database = stet.folder.resolve("stet.db");
    private final Path log = stet.folder.resolve("stet.db-wal");

    FileGoneTest() {
        stet.template(ada, "welcome", "<p>hi</p>");
        assertEquals(200, stet.get(WELCOME, key).status());
        assertTrue(Running.comes(this::isSettled));
    }

    /** Returns whether the first checkpoint is done; after it, only requests cause writes. */
    private boolean isSettled() {
        try (Stream<String> lines = Files.lines(stet.folder.resolve("stet.db.opened"))) {
            return lines.count() == 3;
        } catch (IOException missing) {
            return false;
        }
    }

    private static int count(String text, String word) {
        return text.split(word, -1).length - 1;
    }

    @Test
    void aFileThatIsMovedAwayAndBack() throws IOException {
        Path away = home.resolve("away.db");
        String sentence = database + " was removed or replaced while open; nothing is written until the file is put back";
        Files.move(database, away);
        byte[] before = Files.readAllBytes(away);
        byte[] logged = Files.readAllBytes(log);
        String lines = Running.logged(() -> {
            for (String path : new String[] {"welcome", "no-such", "welcome?format=html"}) {
                assertEquals(500, stet.get(Running.TEMPLATES + path, key).status());
            }
            assertEquals(401, stet.get(WELCOME, null).status());
            Terminal.Result gone = new Terminal.Result(1, "", database + " was removed while in use by serve. Put the same file back,"
                    + " or stop serve and restore a backup\n");
            for (String command : new String[] {"account add eve@example.com", "account list", "check"}) {
                assertEquals(gone, terminal.run(command.split(" ")), command);
            }
            assertFalse(Files.exists(database));
            try {
                assertArrayEquals(before, Files.readAllBytes(away));
                assertArrayEquals(logged, Files.readAllBytes(log));
                Files.move(away, database);
            } catch (IOException failure) {
                throw new AssertionError(failure);
            }
            assertEquals(200, stet.get(WELCOME, key).status());
        });
        assertEquals(1, count(lines, "database-gone file=" + database + " reason=\"" + sentence), lines);
        assertEquals(1, count(lines, "database-back file=" + database), lines);
        assertEquals(2, stet.used(ada));
        stet.restart();
        assertEquals(2, stet.used(ada));
    }

    @Test
    void itIsNoticedWithoutARequest() throws IOException {
        Path away = home.resolve("away.db");
        String lines = Running.logged(() -> {
            try {
                Files.move(database, away);
                assertTrue(Running.comes(() -> stet.db.health().failing().isPresent()));
                assertTrue(stet.isFailing("the database file was removed or replaced"));
                Files.move(away, database);
            } catch (IOException failure) {
                throw new AssertionError(failure);
            }
            assertTrue(Running.comes(stet::isHealthy));
        });
        assertEquals(1, count(lines, "database-gone"), lines);
        assertEquals(1, count(lines, "database-back"), lines);
    }

    @Test
    void aFileThatIsReplaced() throws IOException {
        Path copy = home.resolve("copy.db");
        assertEquals(0, terminal.run("backup", copy.toString()).code());
        Path away = home.resolve("away.db");
        Files.copy(copy, home.resolve("other.db"));
        byte[] other = Files.readAllBytes(copy);
        Files.createLink(away, database);
        String lines = Running.logged(() -> {
            try {
                Files.move(home.resolve("other.db"), database, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException failure) {
                throw new AssertionError(failure);
            }
            assertEquals(500, stet.get(WELCOME, key).status());
            assertEquals(new Terminal.Result(1, "", database + " was replaced while in use by serve; stop serve first\n"),
                    terminal.run("key", "add", ada.name(), "second"));
            stet.stop();
        });
        assertEquals(1, count(lines, "database-gone"), lines);
        assertArrayEquals(other, Files.readAllBytes(database));
        assertTrue(assertThrows(Refusal.class, stet::start).getMessage().startsWith(log + " belongs to another stet.db"));
        Files.move(away, database, StandardCopyOption.REPLACE_EXISTING);
        stet.start();
        assertEquals(1, stet.used(ada));
        assertEquals(200, stet.get(WELCOME, key).status());
    }

    /** SQLite would wait at least five seconds for the reader. */
    @Test
    void aStopDoesNotWaitForAReader() throws Exception {
        try (Connection reader = DriverManager.getConnection("jdbc:sqlite:" + database); Statement statement = reader.createStatement()) {
            statement.execute("begin");
            try (ResultSet rows = statement.executeQuery("select count(*) from accounts")) {
                assertTrue(rows.next());
            }
            byte[] html = new byte[1 << 20];
            for (int i = 0; i < 20; i++) {
                stet.draft(ada, "large", "Large", "", new String(html).replace('\0', (char) ('a' + i)));
            }
            assertTrue(Files.size(log) > 20 << 20);
            CompletableFuture.runAsync(stet::stop).get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            statement.execute("rollback");
        }
        stet.start();
        assertEquals(1, stet.used(ada));
    }

    private long pages() throws SQLException {
        try (Connection reader = DriverManager.getConnection("jdbc:sqlite:" + database); Statement statement = reader.createStatement();
                ResultSet rows = statement.executeQuery("pragma page_count")) {
            return rows.getLong(1);
        }
    }

    @Test
    void aCleanStopLeavesNoLog() throws SQLException {
        stet.stop();
        assertFalse(Files.exists(log));
        assertTrue(pages() > 0);
        stet.start();
    }
}
