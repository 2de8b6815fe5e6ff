package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.LocalFiles;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Running;
import stet.harness.Terminal;

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

    /** Returns whether the first checkpoint is done, after which only requests cause writes. */
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

    /** Lets the time pass for which an earlier check of the files still counts. */
    private void aMillisecondPasses() {
        stet.skippedNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    }

    @Test
    void nothingIsWrittenUntilAMovedDatabaseIsBack() throws IOException {
        Path away = home.resolve("away.db");
        String sentence = database + " was removed or replaced while open; nothing is written until the file is put back";
        Files.move(database, away);
        aMillisecondPasses();
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
        assertEquals(2, stet.used(ada), "one before the move, one after it");
        stet.restart();
        assertEquals(2, stet.used(ada));
    }

    /** The check before the request's transaction is left out, because the files have just been checked. */
    @Test
    void nothingIsConfirmedIfTheDatabaseIsMovedRightAfterACheck() throws IOException {
        Path away = home.resolve("away.db");
        assertEquals(200, stet.get(WELCOME, key).status());
        stet.skippedNanos.addAndGet(-TimeUnit.DAYS.toNanos(1)); // as if no time passed from now on
        Files.move(database, away);
        Running.logged(() -> {
            assertEquals(500, stet.get(WELCOME, key).status());
            assertEquals(500, stet.get(WELCOME, key).status());
        });
        Files.move(away, database);
        assertEquals(200, stet.get(WELCOME, key).status());
    }

    @Test
    void aMovedDatabaseIsDetectedWithoutARequest() throws IOException {
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

    /** @param reason the health check's */
    @ParameterizedTest
    @CsvSource(textBlock = """
            stet.db-wal, removed,  the write-ahead log was removed or replaced
            stet.db-wal, replaced, the write-ahead log was removed or replaced
            stet.db-shm, removed,  the file stet.db-shm was removed or replaced
            stet.db-shm, replaced, the file stet.db-shm was removed or replaced
            serve.lock,  removed,  the file serve.lock was removed or replaced
            serve.lock,  replaced, the file serve.lock was removed or replaced
            """)
    void nothingIsWrittenUntilAFileBesideTheDatabaseIsBack(String name, String how, String reason) throws IOException {
        Path file = stet.folder.resolve(name);
        Browser browser = Browser.of(stet, ada);
        byte[] bytes = Files.readAllBytes(file);
        String lines = Running.logged(() -> {
            try {
                Files.move(file, home.resolve("away"));
                if (how.equals("replaced")) {
                    Files.write(file, bytes);
                }
            } catch (IOException failure) {
                throw new AssertionError(failure);
            }
            aMillisecondPasses();
            if (!name.equals("stet.db-wal")) { // only transactions look for the log
                assertTrue(Running.comes(() -> stet.isFailing(reason)));
            }
            assertEquals(500, stet.get(WELCOME, key).status());
            Browser.answered(500, "{\"error\":\"The server cannot save now: one of its files was removed, replaced or truncated\"}",
                    browser.post("/data/blocks", "{\"name\":\"footer\",\"html\":\"bye\"}"));
            assertTrue(Running.comes(() -> stet.isFailing(reason)));
        });
        assertEquals(1, count(lines, "database-gone file=" + file + " reason=\"" + file + " was removed or replaced while open; nothing is written"
                + " until the file is put back or serve is restarted\""), lines);
        Files.move(home.resolve("away"), file, StandardCopyOption.REPLACE_EXISTING);
        assertTrue(Running.comes(stet::isHealthy));
        assertEquals(200, stet.get(WELCOME, key).status());
        stet.restart();
        assertEquals(2, stet.used(ada));
    }

    @ParameterizedTest
    @ValueSource(strings = {"stet.db-wal", "stet.db-shm"})
    void commandsNameAFileThatWasRemovedBesideServe(String name) throws IOException {
        Path file = stet.folder.resolve(name);
        Files.move(file, home.resolve("away"));
        Running.logged(() -> assertEquals(new Terminal.Result(1, "", file + " was removed while in use by serve; restart serve\n"),
                terminal.run("account", "list")));
        Files.move(home.resolve("away"), file);
    }

    /** Returns whether a change to the folder would now change its time of change. */
    private boolean isLater() {
        try {
            Path probe = Files.writeString(home.resolve("probe"), "");
            Files.setLastModifiedTime(probe, FileTime.fromMillis(0));
            return ((FileTime) Files.getAttribute(probe, "unix:ctime")).compareTo((FileTime) Files.getAttribute(stet.folder, "unix:ctime")) > 0;
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** The folder's times are as before; only its time of change shows that a file was replaced. */
    @Test
    void aReplacementThatKeepsTimesIsDetected() throws IOException {
        FileTime time = Files.getLastModifiedTime(stet.folder);
        assertTrue(Running.comes(this::isLater));
        assertEquals(200, stet.get(WELCOME, key).status());
        stet.skippedNanos.addAndGet(TimeUnit.SECONDS.toNanos(3)); // the folder has settled
        assertEquals(200, stet.get(WELCOME, key).status());
        long used = stet.used(ada);
        Files.move(database, home.resolve("away.db"));
        Files.copy(home.resolve("away.db"), database);
        Files.setLastModifiedTime(stet.folder, time);
        aMillisecondPasses();
        assertEquals(500, stet.get(WELCOME, key).status());
        Files.move(home.resolve("away.db"), database, StandardCopyOption.REPLACE_EXISTING);
        Files.setLastModifiedTime(stet.folder, time);
        assertEquals(200, stet.get(WELCOME, key).status());
        assertEquals(used + 1, stet.used(ada));
    }

    /** @param bytes the log's new size: nothing, or a part of its header or of its pages */
    @ParameterizedTest
    @ValueSource(ints = {0, 20, 32, 5_000})
    void aTruncatedLogStopsWritesAndIsNotApplied(int bytes) throws IOException {
        stet.draft(ada, "late", "Late", "", "late");
        byte[] before = Files.readAllBytes(database);
        assertTrue(Files.size(log) > 5_000);
        String lines = Running.logged(() -> {
            try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
                channel.truncate(bytes);
            } catch (IOException failure) {
                throw new AssertionError(failure);
            }
            assertEquals(500, stet.get(WELCOME, key).status());
            assertTrue(Running.comes(() -> stet.isFailing("the write-ahead log was truncated")));
            assertEquals(500, stet.get(WELCOME, key).status());
            stet.stop();
        });
        assertEquals(1, count(lines, "database-gone file=" + log + " reason=\"" + log + " was truncated while open; nothing is written until serve is"
                + " restarted\""), lines);
        assertArrayEquals(before, Files.readAllBytes(database)); // nothing of the broken log
        Path next = Files.createDirectory(home.resolve("next"), LocalFiles.folderMode()); // this process still has the old connections
        Files.copy(database, next.resolve("stet.db"));
        Files.copy(log, next.resolve("stet.db-wal"));
        assertTrue(new Terminal(next).done("template", "list", ada.name()).contains("welcome"));
        new Terminal(next).done("check");
    }

    /** The log is already in the database when serve is killed. */
    @Test
    void aKillAfterTheLogWasRemovedLosesNothing() throws IOException {
        stet.draft(ada, "late", "Late", "", "late");
        Running.logged(() -> {
            try {
                Files.delete(log);
            } catch (IOException failure) {
                throw new AssertionError(failure);
            }
            assertTrue(Running.comes(() -> stet.isFailing("the write-ahead log was removed or replaced")));
            Path killed = home.resolve("killed");
            assertTrue(Running.comes(() -> {
                try {
                    Files.createDirectories(killed);
                    Files.copy(database, killed.resolve("stet.db"), StandardCopyOption.REPLACE_EXISTING);
                    return new Terminal(killed).run("template", "list", ada.name()).out().contains("late");
                } catch (IOException failure) {
                    throw new AssertionError(failure);
                }
            }));
            stet.stop();
        });
        stet.start();
        assertEquals(1, stet.used(ada));
    }

    @Test
    void aReplacedFolderIsNotServed() throws IOException {
        Path data = home.resolve("data");
        Terminal other = new Terminal(data);
        String otherKey = other.account("eve@example.com", "pro");
        try (Terminal.Serving serving = other.serve("--listen", "127.0.0.1:0")) {
            assertEquals(404, serving.get(Running.TEMPLATES + "no-such", otherKey).status());
            Path copy = Files.createDirectory(home.resolve("copy"));
            try (Stream<Path> files = Files.list(data)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(file, copy.resolve(file.getFileName()));
                }
            }
            Files.move(data, home.resolve("moved"));
            for (boolean isReplaced : new boolean[] {false, true}) {
                if (isReplaced) {
                    Files.move(copy, data);
                }
                assertEquals(500, serving.get(Running.TEMPLATES + "no-such", otherKey).status());
                assertTrue(Running.comes(() -> serving.get("/healthz", null).text().contains("the database file was removed or replaced")));
            }
            assertTrue(serving.err().contains("database-gone file=" + data.resolve("stet.db")), serving.err());
        }
    }

    @Test
    void aReplacedDatabaseIsLeftUnchanged() throws IOException {
        Path copy = home.resolve("copy.db");
        terminal.done("backup", copy.toString());
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
            aMillisecondPasses();
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

    /** Closing the database cannot copy the whole log into it before the reader ends. */
    @Test
    void aStopBesideAReaderEndsAndLosesNothing() throws Exception {
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
        assertTrue(pages() > 0, "the database can be read without it");
        stet.start();
    }
}
