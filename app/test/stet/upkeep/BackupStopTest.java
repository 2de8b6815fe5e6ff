package stet.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sqlite.SQLiteConfig.SynchronousMode;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.dao.Sql;
import stet.dao.StoreException;
import stet.sqlite.DatabaseFile;
import stet.sqlite.Db;

/** A backup stops soon after a stop request, even while SQLite runs no statement that could be interrupted. */
class BackupStopTest {
    private static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");

    @TempDir
    Path folder;

    private Db open() {
        Db db = Db.open(folder.resolve("data"), true);
        Account account = db.write(dao -> dao.accounts().add("ada@example.com", Plan.PRO, NOW, NOW, null));
        for (byte i = 0; i < 10; i++) {
            byte[] html = {i};
            String id = "t" + i;
            db.change(dao -> dao.templates().save(account.id(), new Draft(id, id, "", html, Map.of()), NOW));
        }
        return db;
    }

    /**
     * @param step         verification step during which the backup is stopped, on its own thread, while no statement runs
     * @param instructions with few of them between two checks, even the statement that ends the transaction is interrupted
     */
    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource({"1, 1", "2, 1", "7, 1", "1, 10", "2, 10", "7, 10"})
    void aStopBetweenTwoStatementsEndsTheBackup(int step, int instructions) throws IOException {
        Path backups = Files.createDirectory(folder.resolve("backups"));
        AtomicInteger steps = new AtomicInteger();
        AtomicReference<Backup> running = new AtomicReference<>();
        try (Db db = open()) {
            running.set(new Backup(db, instructions, () -> {
                if (steps.incrementAndGet() == step) {
                    running.get().stop();
                }
            }));
            StoreException stopped = assertThrows(StoreException.class, () -> running.get().to(backups.resolve("copy.db")));
            assertEquals("the backup was stopped", stopped.getMessage());
        }
        assertEquals(step, steps.get(), "nothing is read after that");
        try (Stream<Path> left = Files.list(backups)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void aRunningStatementIsInterrupted() {
        AtomicInteger calls = new AtomicInteger();
        try (Sql sql = DatabaseFile.connect(folder.resolve("any.db"), SynchronousMode.OFF)) {
            sql.whileRunning(10, () -> calls.incrementAndGet() < 3);
            assertThrows(StoreException.class, () -> sql.number("""
                    with recursive numbers(i) as (select 1 union all select i + 1 from numbers)
                    select count(*) from numbers
                    """));
        }
        assertEquals(3, calls.get());
    }

    /** After a stop before the copy, the handler ends the copy's first statement. */
    @Test
    void afterAStopNoBackupIsMade() throws IOException {
        Path backups = Files.createDirectory(folder.resolve("backups"));
        try (Db db = open()) {
            Backup backup = new Backup(db);
            backup.stop();
            assertEquals("the backup was stopped", assertThrows(StoreException.class, () -> backup.to(backups.resolve("copy.db"))).getMessage());
        }
        try (Stream<Path> left = Files.list(backups)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void eachTextIsAStep() {
        AtomicInteger steps = new AtomicInteger();
        try (Db db = open()) {
            assertEquals(0, new Backup(db, 10, steps::incrementAndGet).to(folder.resolve("copy.db")).versions());
        }
        assertEquals(1 + 10, steps.get());
    }
}
