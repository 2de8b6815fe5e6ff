package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Log;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.dao.Dao;
import stet.dao.StoreException;
import stet.dao.UsageDao.Demand;
import stet.harness.Running;

/** The database: opening, transactions, and the generations used by caches. */
class DbTest {
    static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");

    @TempDir
    Path folder;

    private Path database() {
        return folder.resolve("stet.db");
    }

    private void script(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database());
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.executeUpdate(sql);
            }
        }
    }

    /** https://sqlite.org/pragma.html#pragma_synchronous: 0 is off, 1 normal, 2 full. */
    @ParameterizedTest
    @CsvSource({"true, 2, 1", "false, 0, 0"})
    void onlyDataThatMayBeLostIsCommittedUnsynced(boolean lasting, long written, long unsynced) {
        List<Long> seen = new ArrayList<>();
        try (Db db = lasting ? Db.serve(folder, Log.none()) : Db.openTemporary(folder, Log.none())) {
            Function<Dao, Long> look = dao -> dao.sql().number("pragma synchronous");
            seen.add(db.write(look));
            db.writeLater(dao -> seen.add(look.apply(dao)));
            seen.add(db.write(look));
            assertThrows(IllegalStateException.class, () -> db.writeLater(dao -> {
                seen.add(look.apply(dao));
                throw new IllegalStateException();
            }));
            seen.add(db.writeUncached(look));
        }
        assertEquals(List.of(written, unsynced, written, unsynced, written), seen);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"3.51.2, true", "3.51.3, false", "3.51.10, false", "3.52, false", "3.52.0, false", "3.9.9, true", "3.51, true",
        "4.0.0, false", "3.54.1, false", "3.40.1, true"})
    void aSqliteIsTooOldIfItMayLoseACommit(String version, boolean tooOld) {
        assertEquals(tooOld, DatabaseFile.isTooOld(version));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            pragma user_version = 1000  | FILE was created by a newer version of Stet (its schema version is 1000; this version supports 11); update Stet
            pragma user_version = 9     | FILE was created before Stet's first release (its schema version is 9; this version supports 11); use another folder
            pragma application_id = 7   | FILE is not a Stet database; use another file or folder
            """)
    void aDatabaseOfAnotherVersionOrProgramIsRejectedUnchanged(String change, String sentence) throws SQLException, IOException {
        Db.open(folder, true).close();
        script("pragma journal_mode = delete", change);
        byte[] before = Files.readAllBytes(database());
        for (int i = 0; i < 2; i++) { // the first attempt leaves nothing that makes the second one succeed
            assertEquals(sentence.replace("FILE", database().toString()), assertThrows(Refusal.class, () -> Db.serve(folder, Log.none())).getMessage());
        }
        assertArrayEquals(before, Files.readAllBytes(database()));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ``                                             | FILE is empty; restore it from a backup
            not a database at all                          | FILE is not a database; restore a backup, or use another file or folder
            SQLite format 3\0 and then nothing of the kind | Cannot read FILE: [SQLITE_NOTADB] File opened that is not a database file (file is not a database)
            """)
    void aFileThatIsNoDatabaseIsRejectedUnchanged(String content, String sentence) throws IOException {
        Files.writeString(database(), content);
        assertEquals(sentence.replace("FILE", database().toString()), assertThrows(Refusal.class, () -> Db.serve(folder, Log.none())).getMessage());
        assertEquals(content, Files.readString(database()));
    }

    @Test
    void oneServeAtATime() {
        try (Db first = Db.serve(folder, Log.none())) {
            assertEquals("The folder " + folder + " is in use by another serve process or a restore",
                    assertThrows(Refusal.class, () -> Db.serve(folder, Log.none())).getMessage());
            try (Db command = Db.open(folder, false)) {
                command.change(dao -> dao.accounts().add("a@b", Plan.FREE, NOW, null, null));
            }
            assertEquals(1, first.read(dao -> dao.accounts().list()).size());
        }
        Db.serve(folder, Log.none()).close();
    }

    @Test
    void commandsAtOnceCreateOneDatabase() {
        for (int round = 0; round < 5; round++) {
            Path fresh = folder.resolve("round" + round);
            List<Thread> threads = new ArrayList<>();
            List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            for (int i = 0; i < 6; i++) {
                String email = i + "@example.com";
                threads.add(new Thread(() -> {
                    try (Db db = Db.open(fresh, true)) {
                        db.change(dao -> dao.accounts().add(email, Plan.FREE, NOW, null, null));
                    } catch (Throwable failure) {
                        failures.add(failure);
                    }
                }));
            }
            threads.forEach(Thread::start);
            threads.forEach(thread -> {
                try {
                    thread.join();
                } catch (InterruptedException stopped) {
                    throw new AssertionError(stopped);
                }
            });
            assertEquals(List.of(), failures);
            try (Db db = Db.open(fresh, false)) {
                assertEquals(6, db.read(dao -> dao.accounts().list()).size());
            }
        }
    }

    @Test
    void aTransactionThatThrowsLeavesNothing() {
        try (Db db = Db.serve(folder, Log.none())) {
            Account account = db.write(dao -> dao.accounts().add("a@b", Plan.FREE, NOW, null, null));
            long before = db.generation();
            for (Throwable failure : List.of(new IllegalStateException("x"), new StackOverflowError("x"))) {
                assertThrows(failure.getClass(), () -> db.change(dao -> {
                    dao.templates().save(account.id(), new Draft("welcome", "Welcome", "", new byte[0], Map.of("a", "{}")), NOW);
                    dao.versions().publish(account.id(), "welcome", "", NOW);
                    if (failure instanceof Error error) {
                        throw error;
                    }
                    throw (RuntimeException) failure;
                }));
            }
            assertEquals(before, db.generation());
            assertEquals(List.of(), db.read(dao -> dao.templates().list(account.id())));
            db.change(dao -> assertTrue(dao.templates().save(account.id(), new Draft("welcome", "Welcome", "", new byte[0], Map.of()), NOW)));
        }
    }

    @Test
    void readersDoNotWrite() {
        try (Db db = Db.serve(folder, Log.none())) {
            assertThrows(StoreException.class, () -> db.read(dao -> dao.accounts().add("a@b", Plan.FREE, NOW, null, null)));
            db.change(dao -> dao.accounts().add("a@b", Plan.FREE, NOW, null, null));
        }
    }

    /** Counts one request. @return number of requests used before */
    private static long count(Db db, Account account) {
        return db.writeUncached(dao -> dao.usage().count(List.of(new Demand(account, NOW, 1)))).get(account.id());
    }

    @Test
    void theGenerationMovesWithWritesHereAndElsewhere() {
        try (Db db = Db.serve(folder, Log.none())) {
            long before = db.generation();
            Account account = db.write(dao -> dao.accounts().add("a@b", Plan.FREE, NOW, null, null));
            assertNotEquals(before, db.generation());

            before = db.generation();
            count(db, account);
            db.refresh();
            assertEquals(before, db.generation(), "a count makes no cache stale");

            try (Db other = Db.open(folder, false)) {
                other.change(dao -> dao.accounts().setLimits(account.id(), 1L, null));
            }
            count(db, account);
            assertNotEquals(before, db.generation(), "noticed in the transaction of a count");

            before = db.generation();
            try (Db other = Db.open(folder, false)) {
                other.change(dao -> dao.accounts().setLimits(account.id(), 2L, null));
            }
            db.refresh();
            assertNotEquals(before, db.generation(), "noticed without one");
        }
    }

    /** Returns a key's value from a cache of 10 characters, adding to {@code made} what had to be made. */
    private static Function<String, String> cached(Db db, Account account, List<String> made) {
        Cache<String, String> cache = new Cache<>(db, 10);
        return key -> Optional.ofNullable(cache.get(key)).orElseGet(() -> cache.make(key, () -> {
            made.add(key);
            return key.equals("none") ? null : key + "!";
        }, value -> account.id(), String::length));
    }

    @Test
    void aCachedValueIsValidUntilItsAccountMayHaveChanged() {
        try (Db db = Db.serve(folder, Log.none())) {
            List<String> made = new ArrayList<>();
            Account owner = db.write(dao -> dao.accounts().add("owner@b", Plan.FREE, NOW, null, null));
            Account other = db.write(dao -> dao.accounts().add("other@b", Plan.FREE, NOW, null, null));
            Function<String, String> get = cached(db, owner, made);
            get.apply("a");
            assertEquals("a!", get.apply("a"));
            db.write(other, dao -> dao.blocks().save(other.id(), "footer", new byte[0], NOW));
            get.apply("a");
            assertEquals(List.of("a"), made, "another account's change");
            db.write(owner, dao -> dao.blocks().save(owner.id(), "footer", new byte[0], NOW));
            get.apply("a");
            assertEquals(List.of("a", "a"), made, "a change of its own");
            db.change(dao -> dao.accounts().add("a@b", Plan.FREE, NOW, null, null));
            get.apply("a");
            assertEquals(List.of("a", "a", "a"), made, "a change to any account");
        }
    }

    @Test
    void theCacheKeepsOnlyWhatFits() {
        try (Db db = Db.serve(folder, Log.none())) {
            List<String> made = new ArrayList<>();
            Account owner = db.write(dao -> dao.accounts().add("owner@b", Plan.FREE, NOW, null, null));
            Function<String, String> get = cached(db, owner, made);
            for (String key : List.of("none", "none", "too long to be kept", "too long to be kept", "12345678", "12345678", "b", "12345678")) {
                get.apply(key);
            }
            assertEquals(List.of("none", "none", "too long to be kept", "too long to be kept", "12345678", "b", "12345678"), made);
        }
    }

    /** Makes SQLite fail as on a full disk, without filling a disk. */
    @Test
    void aFullDatabaseIsAFailureAndRecovers() {
        try (Db db = Db.serve(folder, Log.none())) {
            Account account = db.write(dao -> dao.accounts().add("a@b", Plan.FREE, NOW, null, null));
            db.writer().sql().number("pragma max_page_count = " + db.writer().sql().number("pragma page_count"));
            Draft big = new Draft("big", "Big", "", new byte[1 << 20], Map.of());
            assertThrows(StoreException.class, () -> db.change(dao -> dao.templates().save(account.id(), big, NOW)));
            assertEquals(List.of(), db.read(dao -> dao.templates().list(account.id())));
            assertEquals(0, count(db, account));
            assertEquals(1L, (long) db.read(dao -> dao.usage().used(account, NOW)));
            db.writer().sql().number("pragma max_page_count = 1073741823"); // no limit
            db.change(dao -> dao.templates().save(account.id(), big, NOW));
            assertEquals(1, db.read(dao -> dao.templates().list(account.id())).size());
        }
    }

    @Test
    void concurrentReadersShareAFewConnections() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(40);
        try (Db db = Db.serve(folder, Log.none())) {
            List<Future<?>> readers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                readers.add(threads.submit(() -> db.read(dao -> {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    try {
                        end.await();
                    } catch (InterruptedException stopped) {
                        throw new IllegalStateException(stopped);
                    }
                    inside.decrementAndGet();
                    return null;
                })));
            }
            assertTrue(Running.comes(() -> inside.get() == Db.PAGE_READERS));
            assertEquals(List.of(), db.readForResponse(dao -> dao.accounts().list())); // waits for none of them
            end.countDown();
            for (Future<?> reader : readers) {
                reader.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertEquals(Db.PAGE_READERS, most.get());
    }

    @Test
    void oneReadSeesOneState() {
        try (Db db = Db.serve(folder, Log.none())) {
            int before = db.read(dao -> {
                int first = dao.accounts().list().size();
                db.change(writer -> writer.accounts().add("ada@example.com", Plan.FREE, Instant.EPOCH, null, null));
                assertEquals(first, dao.accounts().list().size());
                return first;
            });
            assertEquals(before + 1, db.read(dao -> dao.accounts().list().size()).intValue());
        }
    }

    /** More reads fail than there are connections. */
    @Test
    void aReadThatFailsSpoilsNoOther() {
        try (Db db = Db.serve(folder, Log.none())) {
            for (int i = 0; i <= Db.PAGE_READERS; i++) {
                assertThrows(IllegalStateException.class, () -> db.read(dao -> {
                    dao.accounts().list();
                    throw new IllegalStateException();
                }));
                assertThrows(StoreException.class, () -> db.read(dao -> dao.sql().update("delete from accounts")));
                assertEquals(0, db.read(dao -> dao.accounts().list().size()).intValue());
            }
        }
    }
}
