package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.LocalFiles;
import stet.base.Log;
import stet.base.Refusal;
import stet.core.Plan;
import stet.harness.Running;
import stet.upkeep.Backup;
import stet.upkeep.Check;
import stet.upkeep.Restore;

/** The write-ahead log left by a killed serve is used with its own database and rejected with any other. */
class LogOwnerTest {
    private static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");

    @TempDir
    Path home;

    private Path data;
    private Path killed;
    /** A copy of stet.db from between two runs. */
    private Path between;
    /** A backup of the killed run. */
    private Path backup;

    /** Creates the folder left by a serve that was killed while "last" was only in its log. */
    @BeforeEach
    void kill() throws IOException {
        data = home.resolve("data");
        killed = home.resolve("killed");
        between = home.resolve("between.db");
        backup = home.resolve("backup.db");
        try (Db db = Db.serve(data, Log.none())) {
            add(db, "first");
            db.checkpoint();
        }
        Files.copy(data.resolve("stet.db"), between);
        try (Db db = Db.serve(data, Log.none())) {
            add(db, "second");
            db.checkpoint();
            new Backup(db).to(backup);
            add(db, "last");
            copy(data, killed);
            Files.createLink(home.resolve("data.log"), DataFolder.log(data.resolve("stet.db"))); // prevents reuse of its inode
        }
        assertTrue(killed.resolve("stet.db-wal").toFile().length() > 0);
    }

    /** An import's checkpoint and the timer's first one do not lose the number that is still in the database itself. */
    @Test
    void concurrentFirstCheckpointsKeepTheNumber() throws Exception {
        for (int i = 0; i < 60; i++) {
            Path own = home.resolve("own-" + i);
            try (Db db = Db.serve(own, Log.none())) {
                add(db, "first");
                List<FutureTask<Void>> checkpoints = new ArrayList<>();
                for (int j = 0; j < 4; j++) {
                    checkpoints.add(new FutureTask<>(db::checkpoint, null));
                }
                checkpoints.forEach(checkpoint -> new Thread(checkpoint).start());
                for (FutureTask<Void> checkpoint : checkpoints) {
                    checkpoint.get();
                }
                assertEquals(Optional.empty(), new LogOwner(DataFolder.asItIs(own)).problem(false), "round " + i);
            }
        }
    }

    /** Stopping serve interrupts the timers. */
    @Test
    void anInterruptLeavesNoFile() throws IOException {
        try (Db db = Db.serve(data, Log.none())) {
            LogOwner logs = new LogOwner(DataFolder.at(data));
            logs.renumber(db);
            List<String> marked = Files.readAllLines(data.resolve("stet.db.opened"));
            Thread.currentThread().interrupt();
            logs.checkpointed();
            assertTrue(Thread.interrupted());
            assertEquals(marked, Files.readAllLines(data.resolve("stet.db.opened")));
            assertEquals(0, data.resolve("tmp").toFile().list().length);
        }
    }

    /** Holds the lock of SQLite's checkpoints, as a process that runs one (https://sqlite.org/walformat.html#wal_locks). */
    static final class OtherCheckpoint {
        private static final int LOCK = 121;

        public static void main(String[] sharedMemory) throws IOException {
            try (FileChannel file = FileChannel.open(Path.of(sharedMemory[0]), StandardOpenOption.READ, StandardOpenOption.WRITE);
                    FileLock held = file.lock(LOCK, 1, false)) {
                System.out.println(held.isValid());
                System.in.read();
            }
        }
    }

    /** SQLite then copies nothing, so that the new number is only in the log. */
    @Test
    void aCheckpointBesideAnotherIsNotComplete() throws IOException, InterruptedException {
        try (Db db = Db.serve(data, Log.none())) {
            Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                    System.getProperty("java.class.path"), OtherCheckpoint.class.getName(), data.resolve("stet.db-shm").toString()).start();
            try {
                assertEquals("true", other.inputReader().readLine());
                db.checkpoint();
                assertEquals(Optional.empty(), new LogOwner(DataFolder.at(data)).problem(false));
            } finally {
                other.destroy();
                other.waitFor();
            }
            assertTrue(Files.readAllLines(data.resolve("stet.db.opened")).size() > 3, "both numbers are kept");
            db.checkpoint();
            assertEquals(3, Files.readAllLines(data.resolve("stet.db.opened")).size(), "database, log, number");
        }
    }

    private static void add(Db db, String name) {
        db.change(dao -> dao.accounts().add(name + "@example.com", Plan.FREE, NOW, null, null));
    }

    static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        for (String name : List.of("stet.db", "stet.db-wal", "stet.db.opened")) {
            if (Files.exists(from.resolve(name))) {
                Files.copy(from.resolve(name), to.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static List<String> names(Db db) {
        return db.read(dao -> dao.accounts().list().stream().map(account -> account.name().replaceFirst("@.*", "")).toList());
    }

    private static List<String> served(Path folder) {
        try (Db db = Db.serve(folder, Log.none())) {
            return names(db);
        }
    }

    /** Copies like cp, which keeps the inode. */
    private void put(Path content) throws IOException {
        try (OutputStream out = Files.newOutputStream(killed.resolve("stet.db"))) {
            Files.copy(content, out);
        }
    }

    private void assertRefused(String sentence) throws IOException {
        byte[] database = Files.exists(killed.resolve("stet.db")) ? Files.readAllBytes(killed.resolve("stet.db")) : null;
        byte[] log = Files.readAllBytes(killed.resolve("stet.db-wal"));
        for (Consumer<Path> open : List.<Consumer<Path>>of(each -> Db.serve(each, Log.none()), folder -> Db.open(folder, true))) {
            assertEquals(sentence.replace("DATA", killed.toString()), assertThrows(Refusal.class, () -> open.accept(killed)).getMessage());
        }
        assertEquals(sentence.replace("DATA", killed.toString()), checked());
        assertArrayEquals(database, Files.exists(killed.resolve("stet.db")) ? Files.readAllBytes(killed.resolve("stet.db")) : null);
        assertArrayEquals(log, Files.readAllBytes(killed.resolve("stet.db-wal")));
    }

    /** The first problem found by checking the folder. */
    private String checked() {
        try {
            return Check.folder(killed, NOW).stream().filter(finding -> !finding.ok()).findFirst().orElseThrow().text();
        } catch (Refusal refusal) {
            return refusal.getMessage();
        }
    }

    private static final String FOREIGN = "DATA/stet.db-wal belongs to another stet.db and would destroy this one."
            + " Put the matching stet.db back, replace both files with \"restore FILE\", or move the log away"
            + " (if the log belongs to this stet.db, remove DATA/stet.db.opened)";

    @Test
    void itsOwnLogIsUsed() {
        assertEquals(List.of("first", "last", "second"), served(killed));
        assertEquals(List.of("first", "last", "second"), served(killed), "now without a log");
    }

    /** A restore of the copy sets the log aside. @param accounts in the copy */
    @ParameterizedTest(name = "{0}")
    @CsvSource({"backup.db, first second", "between.db, first"})
    void theLogIsNotUsedWithACopyAndARestoreKeepsIt(String name, String accounts) throws IOException {
        put(home.resolve(name));
        assertRefused(FOREIGN);
        try (var copy = Files.newInputStream(home.resolve(name))) {
            Restore.into(killed, copy, "copy", NOW);
        }
        assertEquals(List.of(accounts.split(" ")), served(killed));
        Path kept = killed.resolve("replaced-2026-01-31T090000Z");
        assertTrue(Files.exists(kept.resolve("stet.db")) && Files.size(kept.resolve("stet.db-wal")) > 0);
    }

    @Test
    void aCopyWithoutTheLogIsOpened() throws IOException {
        put(backup);
        Files.move(killed.resolve("stet.db-wal"), home.resolve("away"));
        assertEquals(List.of("first", "second"), served(killed));
    }

    /** The copied file has the same number but is a different file. */
    @Test
    void theLogIsNotUsedWithAnEqualFile() throws IOException {
        Path opened = killed.resolve("stet.db.opened");
        List<String> lines = Files.readAllLines(opened);
        lines.set(0, "database " + LocalFiles.identity(killed.resolve("stet.db")));
        lines.set(1, "log " + LocalFiles.identity(killed.resolve("stet.db-wal")));
        Files.write(opened, lines);
        Path same = Files.copy(killed.resolve("stet.db"), home.resolve("same.db"));
        Files.copy(killed.resolve("stet.db-wal"), home.resolve("wal"));
        Files.move(same, killed.resolve("stet.db"), StandardCopyOption.REPLACE_EXISTING);
        assertRefused(FOREIGN);
    }

    @Test
    void aLogWithoutItsDatabaseIsKept() throws IOException {
        Files.delete(killed.resolve("stet.db"));
        assertRefused("DATA/stet.db is missing, but its log DATA/stet.db-wal exists. Put the database back,"
                + " or replace both files with \"restore FILE\"");
    }

    /** @param isEmpty whether the record is an empty file, as a power failure may leave it; otherwise it is missing */
    @ParameterizedTest(name = "empty: {0}")
    @ValueSource(booleans = {false, true})
    void withoutARecordTheLogIsUsed(boolean isEmpty) throws IOException {
        Files.delete(killed.resolve("stet.db.opened"));
        if (isEmpty) {
            Files.createFile(killed.resolve("stet.db.opened"));
        }
        assertEquals(List.of("first", "last", "second"), served(killed));
    }

    /** A copy replaces the database file while there is no log; then a command is killed. */
    @Test
    void aCommandsLogBesideACopyIsUsed() throws IOException {
        served(killed);
        assertFalse(Files.exists(killed.resolve("stet.db-wal")));
        put(between);
        Path again = home.resolve("again");
        try (Db command = Db.open(killed, false)) {
            add(command, "later");
            copy(killed, again);
        }
        assertEquals(List.of("first", "later"), served(again));
    }

    /** After a kill between writing the file and writing the table, one of the file's numbers is the database's number. */
    @Test
    void aKillBetweenRecordAndTableKeepsTheLog() throws IOException {
        Path first = home.resolve("first");
        Path second = home.resolve("second");
        try (Db db = Db.serve(killed, Log.none())) {
            add(db, "more");
            new LogOwner(DataFolder.at(killed)).renumber(db); // written to the log, not yet to the database
            copy(killed, first);
        }
        assertEquals(5, Files.readAllLines(first.resolve("stet.db.opened")).size());
        assertEquals(List.of("first", "last", "more", "second"), served(first));
        copy(data, second);
        try (Db command = Db.open(second, false)) {
            add(command, "other");
            copy(second, home.resolve("third"));
        }
        assertEquals(List.of("first", "last", "other", "second"), served(home.resolve("third")));
    }

    // ---- restore, killed after each step

    private static byte[] bytes(Path file) throws IOException {
        return Files.readAllBytes(file);
    }

    /** The accounts in a folder, or why it cannot be opened. */
    private static String state(Path folder) {
        try {
            return String.join(" ", served(folder));
        } catch (Refusal refusal) {
            return "rejected";
        }
    }

    /** @param old the state before the restore @param accounts number of accounts in it; null if it is unreadable */
    @ParameterizedTest(name = "before: {0}")
    @CsvSource(delimiter = '|', textBlock = """
            closed       | first last second | 3
            with its log | first last second | 3
            damaged      | rejected          |
            """)
    void aKilledRestoreLeavesTheOldOrTheNewDatabase(String before, String old, Long accounts) throws IOException {
        Path folder = home.resolve("restored");
        copy(before.equals("closed") ? data : killed, folder);
        if (before.equals("damaged")) {
            Files.writeString(folder.resolve("stet.db"), "nothing of the kind");
        }
        Map<String, String> states = new LinkedHashMap<>();
        Restore restore = new Restore(DataFolder.at(folder), NOW, step -> {
            try {
                copy(folder, home.resolve(step));
            } catch (IOException failure) {
                throw new AssertionError(failure);
            }
            states.put(step, state(home.resolve(step)));
        });
        Restore.Restored done = restore.run(new ByteArrayInputStream(bytes(backup)), "copy", Optional.empty());
        assertEquals("{prepared=%1$s, log kept=%1$s, database kept=%1$s, renamed=first second}".formatted(old), states.toString());
        assertEquals("first second", state(folder));
        Path kept = Files.createDirectories(home.resolve("kept"));
        Restore.PreviousDatabase previous = done.previous().orElseThrow();
        Files.copy(previous.folder().resolve("stet.db"), kept.resolve("stet.db"));
        assertEquals(old, state(kept));
        assertEquals(Optional.ofNullable(accounts), previous.contents().map(Restore.Contents::accounts));
    }

    @Test
    void aRestoreKilledInANewFolderLeavesNothing() throws IOException {
        Path folder = home.resolve("restored");
        List<String> steps = new ArrayList<>();
        Restore restore = new Restore(DataFolder.at(folder), NOW, step -> {
            steps.add(step);
            assertFalse(Files.exists(folder.resolve("stet.db")));
        });
        restore.run(new ByteArrayInputStream(bytes(backup)), "copy", Optional.empty());
        assertEquals(List.of("prepared"), steps);
        assertEquals("first second", state(folder));
    }

    /** A command that opened the old file waits for the restore's lock, then writes nothing to the replaced file. */
    @Test
    void aCommandThatWaitsForARestoreIsRefused() throws Exception {
        FutureTask<Void> command = new FutureTask<>(() -> {
            try (Db db = Db.open(data, false)) {
                add(db, "late");
            }
        }, null);
        Thread thread = new Thread(command);
        Restore restore = new Restore(DataFolder.at(data), NOW, step -> {
            if (step.equals("database kept")) {
                thread.start();
                assertTrue(Running.comes(() -> isWaiting(thread)));
            }
        });
        Restore.Restored done = restore.run(new ByteArrayInputStream(bytes(backup)), "copy", Optional.empty());
        Throwable refusal = assertThrows(ExecutionException.class, command::get).getCause();
        assertEquals(new Refusal(data.resolve("stet.db") + " was replaced while it was being opened; try again").toString(),
                refusal.toString());
        assertEquals(List.of("first", "second"), served(data));
        assertEquals(List.of("first", "last", "second"), served(done.previous().orElseThrow().folder()));
    }

    /** Returns whether the thread has opened the file and SQLite is running its first statements. */
    private static boolean isWaiting(Thread thread) {
        List<String> methods = Arrays.stream(thread.getStackTrace()).map(StackTraceElement::getMethodName).toList();
        return methods.contains("connectFirst") && methods.contains("apply");
    }
}
