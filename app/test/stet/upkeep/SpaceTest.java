package stet.upkeep;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Log;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Actor;
import stet.core.DailyRequests;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.TemplateDetails;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.RequestLogDao;
import stet.dao.Sql;
import stet.files.AccountFiles;
import stet.files.Export;
import stet.files.Import;
import stet.files.ImportOptions;
import stet.files.PublishMode;
import stet.files.Source;
import stet.sqlite.Db;
import stet.sqlite.SqliteSteps;

/** Disk space: deduplication, removal, and returning free pages to the file system. */
class SpaceTest {
    private static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");
    private static final int LARGE = 100_000;

    @TempDir
    Path folder;

    private static byte[] html(String text) {
        return (text + "x".repeat(LARGE)).getBytes(StandardCharsets.UTF_8);
    }

    private static Account account(Db db) {
        return db.write(dao -> dao.accounts().add("ada@example.com", Plan.PRO, NOW, NOW, null));
    }

    private static void save(Db db, Account account, String subject, String html) {
        db.change(dao -> dao.templates().save(account.id(), new Draft("welcome", "Welcome", subject, html(html), Map.of()), NOW));
    }

    private static void publish(Db db, Account account) {
        db.change(dao -> dao.versions().publish(account.id(), "welcome", "", NOW));
    }

    private static long number(Db db, String sql, Object... arguments) {
        return db.read(dao -> dao.sql().number(sql, arguments));
    }

    private static String integrity(Db db) {
        return db.read(dao -> dao.sql().first("pragma integrity_check", row -> row.text("integrity_check"))).orElseThrow();
    }

    private static long texts(Db db) {
        new Sweeper(db).sweep(NOW);
        return number(db, "select sum(length(html)) from texts") / LARGE;
    }

    // ---- deduplicated texts

    /** Each step, with the number of large texts stored after it. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({"'', ''", "'{{> footer}}', a shared block"})
    void aTextIsStoredOnce(String block) {
        try (Db db = Db.serve(folder, Log.none())) {
            Account account = account(db);
            int expanded = block.isEmpty() ? 0 : 1; // an expanded version stores a text in addition to the draft's
            db.change(dao -> dao.blocks().save(account.id(), "footer", "<i>".getBytes(StandardCharsets.UTF_8), NOW));
            save(db, account, "one", "one" + block);
            publish(db, account);
            assertEquals(1 + expanded, texts(db), "published");
            save(db, account, "another subject", "one" + block);
            publish(db, account);
            assertEquals(1 + expanded, texts(db), "published with another subject");
            save(db, account, "two", "two" + block);
            publish(db, account);
            assertEquals(2 + 2 * expanded, texts(db), "published with another text");
            db.change(dao -> dao.versions().publishAgain(account.id(), "welcome", 1, "", NOW));
            assertEquals(2 + 2 * expanded, texts(db), "published again");
            save(db, account, "one", "one" + block); // like restoring
            assertEquals(2 + 2 * expanded, texts(db), "restored");
            publish(db, account);
            assertEquals(2 + 2 * expanded, texts(db), "restored and published");
            byte[] draft = db.read(dao -> dao.templates().find(account.id(), "welcome")).orElseThrow().html();
            assertArrayEquals(html("one" + block), draft);
            assertArrayEquals(html("one" + block), db.read(dao -> dao.versions().find(account.id(), "welcome", 1)).orElseThrow().draftHtml());
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"'', ''", "'{{> footer}}', a shared block"})
    void anImportStoresATextOnce(String block) {
        try (Db db = Db.serve(folder, Log.none())) {
            Account account = account(db);
            int expanded = block.isEmpty() ? 0 : 1;
            SortedMap<String, byte[]> one = files("one" + block);
            SortedMap<String, byte[]> two = files("two" + block);
            imported(db, account, one);
            assertEquals(1 + expanded, texts(db));
            imported(db, account, one);
            assertEquals(1 + expanded, texts(db), "imported again");
            imported(db, account, two);
            assertEquals(2 + 2 * expanded, texts(db));
            imported(db, account, one);
            assertEquals(2 + 2 * expanded, texts(db), "the earlier files again");
            assertEquals(3, db.read(dao -> dao.versions().list(account.id(), "welcome", Long.MAX_VALUE, Integer.MAX_VALUE)).size());
            assertArrayEquals(html("one" + block), db.read(dao -> dao.templates().find(account.id(), "welcome")).orElseThrow().html());
        }
    }

    /** Only the newest 100 versions are searched for an equal text. */
    @Test
    void aTextOfLongAgoIsStoredOnceMore() {
        try (Db db = Db.serve(folder, Log.none())) {
            Account account = account(db);
            for (int i = 0; i <= 100; i++) {
                String html = "" + i;
                db.change(dao -> {
                    dao.templates().save(account.id(), new Draft("welcome", "Welcome", "", html.getBytes(StandardCharsets.UTF_8), Map.of()), NOW);
                    dao.versions().publish(account.id(), "welcome", "", NOW);
                });
            }
            for (String html : List.of("1", "0")) {
                db.change(dao -> dao.templates().save(account.id(),
                        new Draft("welcome", "Welcome", "", html.getBytes(StandardCharsets.UTF_8), Map.of()), NOW));
                assertEquals(html.equals("1") ? 101 : 102, number(db, "select count(*) from texts"), html);
                assertEquals(html, Utf8.text(db.read(dao -> dao.templates().find(account.id(), "welcome")).orElseThrow().html()));
            }
        }
    }

    @Test
    void aCorruptedTextIsNotReused() {
        try (Db db = Db.serve(folder, Log.none())) {
            Account account = account(db);
            save(db, account, "", "one");
            publish(db, account);
            save(db, account, "", "two");
            db.changeUncached(dao -> dao.sql().update("update texts set html = zeroblob(?) where id = 1", (long) LARGE));
            save(db, account, "", "one");
            assertArrayEquals(html("one"), db.read(dao -> dao.templates().find(account.id(), "welcome")).orElseThrow().html());
        }
    }

    private static SortedMap<String, byte[]> files(String text) {
        SortedMap<String, byte[]> files = new TreeMap<>();
        Export.writeBlock("footer", "<i>".getBytes(StandardCharsets.UTF_8), files::put);
        Export.writeTemplate(new Draft("welcome", "Welcome", "Hi", html(text), Map.of()), TemplateDetails.NONE, true, files::put);
        return files;
    }

    private static void imported(Db db, Account account, SortedMap<String, byte[]> from) {
        try (AccountFiles files = AccountFiles.of(Source.of(from))) {
            new Import(db, account, files, ImportOptions.of(PublishMode.CHECKED, false), Author.of(Actor.NONE), Clock.fixed(NOW, ZoneOffset.UTC)).run();
        }
    }

    // ---- free pages

    /** Fills the file with 20 MB, then frees nine of ten texts. */
    private static void fill(Db db, Account account) {
        for (int i = 0; i < 200; i++) {
            int number = i;
            db.changeUncached(dao -> dao.addText(number % 10 == 0 ? account.id() : -1, html("" + number)));
        }
        db.changeUncached(dao -> dao.sql().update("delete from texts where account_id = -1"));
    }

    private long size() {
        try {
            return Files.size(folder.resolve("stet.db"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void compactShrinksTheFileBesideServe() throws IOException {
        try (Db serve = Db.serve(folder, Log.none())) {
            Account account = account(serve);
            fill(serve, account);
            try (Db command = Db.open(folder, false)) {
                assertTrue(new Sweeper(command).compact(NOW).after() < 4_000_000);
                assertTrue(size() < 4_000_000, size() + " bytes");
                assertEquals(0, number(command, "pragma freelist_count"));
                Sweeper.FileSize none = new Sweeper(command).compact(NOW);
                assertEquals(none.before(), none.after());
            }
            assertEquals(20, number(serve, "select count(*) from texts where length(html) > 100000"));
            assertEquals("ok", integrity(serve));
        }
    }

    /** Pages that a reader may still need are truncated by the next compaction. */
    @Test
    void compactBesideAReaderReportsWhatWaitsForIt() {
        try (Db serve = Db.serve(folder, Log.none())) {
            fill(serve, account(serve));
            try (Db command = Db.open(folder, false)) {
                Sweeper.FileSize held = serve.read(dao -> {
                    dao.accounts().list(); // reads the state from here on
                    return compact(command);
                });
                assertTrue(held.waiting() > 10_000_000, held + "");
                assertEquals(0, compact(command).waiting());
                assertTrue(size() < 6_000_000, size() + " bytes");
            }
        }
    }

    private static Sweeper.FileSize compact(Db db) {
        try {
            return new Sweeper(db).compact(NOW);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The file keeps its size or becomes much smaller. */
    @ParameterizedTest(name = "{0} texts of 200")
    @CsvSource({"2, false", "180, true"})
    void aSweepShrinksTheFileOnlyIfMuchIsFree(int deleted, boolean givenBack) {
        try (Db db = Db.serve(folder, Log.none())) {
            for (int i = 0; i < 200; i++) {
                String html = "" + i;
                db.changeUncached(dao -> dao.addText(-1, html(html)));
            }
            new Sweeper(db).sweep(NOW);
            long before = pages(db);
            db.changeUncached(dao -> dao.sql().update("delete from texts where id <= ?", deleted));
            new Sweeper(db).sweep(NOW);
            assertEquals(givenBack, pages(db) < before / 2, pages(db) + " of " + before + " pages");
            long after = pages(db);
            new Sweeper(db).sweep(NOW);
            assertEquals(after, pages(db), "a few free pages stay");
        }
    }

    private static long pages(Db db) {
        return number(db, "pragma page_count");
    }

    @Test
    void afterOneStepTheDatabaseIsIntact() {
        try (Db db = Db.serve(folder, Log.none())) {
            Account account = account(db);
            fill(db, account);
            long before = pages(db);
            db.writeLater(dao -> dao.sql().execute("pragma incremental_vacuum(100)"));
            assertTrue(pages(db) <= before - 100, "given back by one step");
            assertEquals("ok", integrity(db));
            assertTrue(compact(db).after() < 4_000_000);
        }
    }

    // ---- old statistics

    @Test
    void statisticsOlderThan25MonthsAreRemoved() {
        try (Db db = Db.serve(folder, Log.none())) {
            Account account = account(db);
            Account other = db.write(dao -> dao.accounts().add("bob@example.com", Plan.FREE, NOW, NOW, null));
            long today = DailyRequests.day(NOW);
            long oldest = DailyRequests.day(Instant.parse("2023-12-31T00:00:00Z")); // 25 months earlier
            String count = "select count(*) from requests where day < ?";
            Consumer<Account> requests = of -> db.changeUncached(dao -> {
                for (long day = oldest - 700; day <= today; day++) {
                    Instant start = DailyRequests.start(day - Math.floorMod(day, 30));
                    dao.requestLog().add(new RequestLogDao.RequestRow(of.id(), start, day, 1, "welcome", false),
                            new RequestLogDao.Tally(1, DailyRequests.start(day)));
                }
            });
            requests.accept(account);
            requests.accept(other);
            new Sweeper(db).sweep(NOW);
            assertEquals(0, number(db, count, oldest));
            assertEquals(2 * (today - oldest + 1), number(db, count, Long.MAX_VALUE));
        }
    }

    // ---- reading without the history

    /** SQLite's own steps do not grow over the years. */
    @ParameterizedTest
    @ValueSource(strings = {"keys", "usage", "templates", "template", "publishing"})
    void pagesDoNotReadThroughTheHistory(String page) throws SQLException {
        long few = steps(page, 20);
        long many = steps(page, 700);
        assertTrue(few > 10 && many < few + 500, many + " steps after 700 days, " + few + " after 20");
    }

    /** The steps for a page of an account whose template has been requested daily for so many days. */
    private long steps(String page, int days) throws SQLException {
        Path data = folder.resolve("days-" + days);
        Instant start = NOW.minus(Duration.ofDays(15));
        long account;
        try (Db db = Db.serve(data, Log.none())) {
            Account ada = account(db);
            account = ada.id();
            db.change(dao -> dao.keys().add(ada, "test", "stet_0123456789", NOW));
            save(db, ada, "", "one");
            db.changeUncached(dao -> {
                for (int day = 0; day < days; day++) {
                    Instant period = start.minus(Duration.ofDays(30).multipliedBy((day + 15) / 30));
                    dao.requestLog().add(new RequestLogDao.RequestRow(ada.id(), period, DailyRequests.day(NOW) - day, 1, "welcome",
                            false), new RequestLogDao.Tally(1, NOW.minus(Duration.ofDays(day))));
                }
            });
        }
        try (Sql sql = new Sql(DriverManager.getConnection("jdbc:sqlite:" + data.resolve("stet.db")))) {
            Dao dao = new Dao(sql, Actor.NONE);
            ask(page, dao, account, start); // prepares its statements
            return SqliteSteps.of(sql.connection, () -> ask(page, dao, account, start));
        }
    }

    private static void ask(String page, Dao dao, long account, Instant start) {
        RequestLogDao log = dao.requestLog();
        switch (page) {
            case "keys" -> assertEquals(NOW, dao.keys().list(account).get(0).lastUsedAt());
            case "usage" -> assertEquals(15, log.byDay(account, start).size());
            case "templates" -> assertEquals(15, log.byTemplate(account, start, 10).get(0).ok());
            case "template" -> assertEquals(NOW, log.lastFetched(account, "welcome").orElseThrow().at());
            default -> assertEquals(8, log.callers(account, Set.of("welcome"), DailyRequests.day(NOW) - 7).get("welcome").get(0).requests());
        }
    }
}
