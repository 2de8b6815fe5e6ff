package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteCommitListener;
import org.sqlite.SQLiteConnection;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.ServedTemplate;
import stet.dao.RequestLogDao;
import stet.dao.GarbageDao;
import stet.files.AccountFiles;
import stet.files.Export;
import stet.files.Import;
import stet.files.Source;

/** Work of any size holds the writing lock in bounded steps: these tests count the rows and texts of each transaction. */
class TransactionsTest {
    private static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");
    private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
    private static final int DRAFTS = 3_000;

    @TempDir
    Path folder;
    private Db db;
    private Account account;
    private final List<Written> transactions = new ArrayList<>();
    private Written current = new Written();

    /** A transaction: its changed rows, but not those of tables without row ids, and the ids of its new texts. */
    private static final class Written {
        private final List<Long> texts = new ArrayList<>();
        private int rows;
    }

    @BeforeEach
    void open() {
        db = Db.open(folder, true); // as a command does, so that removing takes shorter pauses than beside requests
        account = db.write(dao -> dao.accounts().add("ada@example.com", Plan.PRO, NOW, NOW, null));
        SQLiteConnection connection = (SQLiteConnection) db.writer().sql().connection;
        connection.addUpdateListener((type, database, table, row) -> {
            if (database.equals("main")) {
                current.rows++;
                if (table.equals("texts") && type.name().equals("INSERT")) {
                    current.texts.add(row);
                }
            }
        });
        connection.addCommitListener(new SQLiteCommitListener() {
            @Override
            public void onCommit() {
                transactions.add(current);
                current = new Written();
            }

            @Override
            public void onRollback() {
                current = new Written();
            }
        });
        transactions.clear();
    }

    @AfterEach
    void close() {
        db.close();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Files of templates with a footer; each hundredth is large. */
    private static SortedMap<String, byte[]> files(int drafts, String text) {
        SortedMap<String, byte[]> files = new TreeMap<>();
        Export.write("footer", utf8("<p>{{street}} " + text + "</p>"), files::put);
        for (int i = 0; i < drafts; i++) {
            String html = "<p>Hi {{name}}, " + text + i + "</p>".repeat(i % 100 == 0 ? 50_000 : 10) + "{{> footer}}";
            Export.write(new Draft("mail-" + i, "Mail " + i, "Hi {{name}}", utf8(html), Map.of("a", "{}")), true, files::put);
        }
        return files;
    }

    private Import.Result imported(SortedMap<String, byte[]> files) {
        return imported(Source.of(files));
    }

    private Import.Result imported(Source source) {
        try (AccountFiles files = AccountFiles.of(source)) {
            return new Import(db, account, files, Import.Publishing.CHECKED, Actor.NONE, CLOCK).run();
        }
    }

    /** Number of texts that nothing refers to after garbage collection, and of rows of garbage. */
    private long orphans() {
        db.sweep(NOW.plus(Duration.ofDays(2)));
        return db.read(dao -> dao.sql().number("""
                select count(*) from texts
                where id not in (select text from templates union select text from versions
                  union select draft_text from versions union select text from blocks)
                """) + dao.sql().number("select count(*) from garbage"));
    }

    private long count(String table) {
        return db.read(dao -> dao.sql().number("select count(*) from " + table));
    }

    private ServedTemplate published(String id) {
        return db.read(dao -> dao.published(account.id(), id)).orElseThrow();
    }

    @Tag("slow")
    @Test
    void anImportWritesItsTextsInStepsAndThenOnlyRows() {
        for (String text : List.of("one", "two")) {
            transactions.clear();
            Import.Result result = imported(files(DRAFTS, text));
            assertEquals(DRAFTS, result.published().size());
            assertEquals("one".equals(text) ? DRAFTS : 0, result.created().size());
            int most = 300_000; // bytes of the largest html, and a little
            int withTexts = 0;
            for (Written written : transactions) {
                long bytes = written.texts.stream().mapToLong(id -> db.read(dao ->
                        dao.sql().number("select length(html) from texts where id = ?", id))).sum();
                assertTrue(bytes <= Staging.BATCH_BYTES + most, bytes + " bytes of texts in one transaction");
                assertTrue(written.texts.isEmpty() || written.rows <= 2 * Staging.BATCH_ROWS,
                        written.rows + " rows in one with texts");
                withTexts += written.texts.isEmpty() ? 0 : 1;
            }
            assertTrue(withTexts > 10, withTexts + " transactions with texts");
            assertEquals(1, transactions.stream().filter(written -> written.rows > DRAFTS).count(),
                    "only the last one makes it visible");
            assertTrue(new String(published("mail-7").html(), StandardCharsets.UTF_8).endsWith("<p>{{street}} " + text + "</p>"));
            assertEquals(0, orphans());
        }
    }

    @Test
    void aDryRunWritesNothing() {
        imported(files(5, "one"));
        transactions.clear();
        try (AccountFiles files = AccountFiles.of(Source.of(files(8, "two")))) {
            Import.Result result = new Import(db, account, files, Import.Publishing.CHECKED, Actor.NONE, CLOCK).dryRun();
            assertEquals(3, result.created().size());
            assertEquals(5, result.changed().size());
            assertEquals(8, result.published().size());
            assertEquals(List.of("footer"), result.blocks());
        }
        assertEquals(List.of(), transactions);
    }

    @Tag("slow")
    @Test
    void aDeletedAccountIsGoneAtOnceAndRemovedInSteps() {
        imported(files(DRAFTS, "one"));
        imported(files(DRAFTS, "two"));
        db.sweep(NOW);
        db.writeUncached(dao -> {
            for (int i = 0; i < 10_000; i++) {
                dao.requestLog().add(new RequestLogDao.Row(account.id(), NOW, i, 1, "mail-" + i, false), new RequestLogDao.Tally(1, NOW));
            }
        });
        transactions.clear();
        db.change(dao -> dao.accounts().delete(account.id()));
        assertEquals(1, transactions.size());
        assertTrue(transactions.get(0).rows < 10, transactions.get(0).rows + " rows");
        assertEquals(List.of(), db.read(dao -> dao.accounts().list()));
        db.change(dao -> dao.accounts().add("ADA@example.com", Plan.FREE, NOW, NOW, null));
        assertEquals(0, orphans());
        for (Written written : transactions) {
            assertTrue(written.rows <= 5 * GarbageDao.MAX_ROWS, written.rows + " rows in one transaction");
        }
        for (String table : List.of("texts", "templates", "versions", "version_blocks", "samples", "blocks", "includes",
                "requests")) {
            assertEquals(0, count(table), table);
        }
        assertEquals(1, count("accounts"));
    }

    @Test
    void aDeletedTemplateIsGoneAtOnceAndRemovedInSteps() {
        for (int i = 0; i < 2_000; i++) {
            String html = "<p>" + i + "</p>";
            db.change(dao -> {
                dao.save(account.id(), new Draft("welcome", "Welcome", "", utf8(html), Map.of()), NOW);
                dao.versions().publish(account.id(), "welcome", "", NOW);
            });
        }
        transactions.clear();
        assertTrue(db.<Boolean>write(dao -> dao.trash().remove(account.id(), "welcome", CLOCK.instant())));
        assertEquals(1, transactions.size());
        assertTrue(transactions.get(0).rows < 10, transactions.get(0).rows + " rows");
        db.change(dao -> dao.save(account.id(), new Draft("welcome", "New", "", utf8("new"), Map.of()), NOW));
        assertEquals(0, orphans());
        for (Written written : transactions) {
            assertTrue(written.rows <= 2 * GarbageDao.MAX_ROWS, written.rows + " rows in one transaction");
        }
        assertEquals(1, count("texts"));
        assertEquals(0, count("versions"));
    }

    /** Files, and work that runs each time a path is read; it gets the number of the reading, from 1. */
    private static Source meanwhile(SortedMap<String, byte[]> files, String path, Consumer<Integer> work) {
        Source source = new Source();
        int[] reads = {0};
        files.forEach((each, bytes) -> source.add(each, bytes.length, () -> {
            if (each.equals(path)) {
                work.accept(++reads[0]);
            }
            return bytes;
        }));
        return source;
    }

    @Test
    void aTemplatePublishedBesideAnImportIsNotLostAndStopsNothing() {
        imported(files(20, "one"));
        Import.Result result = imported(meanwhile(files(20, "two"), "templates/mail-9.html", read -> {
            if (read == 2) { // the first one checks the files
                db.change(dao -> {
                    dao.save(account.id(), new Draft("mail-0", "By hand", "", utf8("by hand"), Map.of()), NOW.plusSeconds(1));
                    dao.versions().publish(account.id(), "mail-0", "", NOW.plusSeconds(1));
                    dao.save(account.id(), new Draft("other", "Other", "", utf8("other"), Map.of()), NOW.plusSeconds(1));
                    dao.versions().publish(account.id(), "other", "", NOW.plusSeconds(1));
                });
            }
        }));
        assertEquals(20, result.changed().size());
        assertEquals("other", new String(published("other").html(), StandardCharsets.UTF_8));
        assertEquals("Mail 0", published("mail-0").name());
        assertEquals(List.of(3, 2, 1), db.read(dao -> dao.versions().list(account.id(), "mail-0")).stream()
                .map(version -> version.number()).toList(), "what was published by hand is in the history");
        assertEquals(0, orphans());
    }

    @Test
    void aBlockSavedBesideAnImportIsTakenIn() {
        SortedMap<String, byte[]> files = files(20, "one");
        files.remove("blocks/footer.html");
        db.change(dao -> dao.blocks().save(account.id(), "footer", utf8("old"), NOW));
        imported(meanwhile(files, "templates/mail-9.html", read -> {
            if (read == 2) {
                db.change(dao -> dao.blocks().save(account.id(), "footer", utf8("new"), NOW));
            }
        }));
        for (String id : List.of("mail-1", "mail-9")) {
            assertTrue(new String(published(id).html(), StandardCharsets.UTF_8).endsWith("new"), id);
        }
        assertEquals(Map.of(), db.read(dao -> dao.blocks().stale(account.id())));
        assertEquals(0, orphans());
    }

    @Test
    void twoImportsAtOnceAreOneAfterTheOther() {
        imported(meanwhile(files(20, "one"), "templates/mail-9.html", read -> {
            if (read == 2) {
                assertEquals(30, imported(files(30, "two")).created().size());
            }
        }));
        assertTrue(new String(published("mail-3").html(), StandardCharsets.UTF_8).endsWith("one</p>"));
        assertTrue(new String(published("mail-25").html(), StandardCharsets.UTF_8).endsWith("two</p>"));
        assertEquals(0, orphans());
    }

    @Test
    void anAccountThatChangesAllTheTimeIsLeftAsItIs() {
        assertEquals("Others changed this account's templates all the time: nothing is imported; try it once more",
                assertThrows(Refusal.class, () -> imported(meanwhile(files(3, "one"), "templates/mail-1.html", read ->
                        db.change(dao -> dao.save(account.id(), new Draft("mail-1", "By hand", "", utf8("" + read), Map.of()),
                                NOW.plusSeconds(read)))))).getMessage());
        assertEquals(List.of("mail-1"), db.read(dao -> dao.templates(account.id())).stream().map(listed -> listed.id()).toList());
        assertEquals(0, orphans());
    }

    @Test
    void anImportWhoseTextsWereTakenForGarbageBeginsAnew() {
        imported(meanwhile(files(3, "one"), "templates/mail-2.html", read -> {
            if (read == 2) {
                db.sweep(NOW.plus(Duration.ofDays(2)));
            }
        }));
        assertEquals(3, db.read(dao -> dao.templates(account.id())).size());
        assertEquals(0, orphans());
    }

    @Test
    void anImportThatIsRefusedLeavesNothing() {
        SortedMap<String, byte[]> files = files(20, "one");
        Export.write(new Draft("zzz", "Last", "", utf8("{{> unknown}}"), Map.of()), true, files::put);
        assertEquals("templates/zzz.html: line 1: there is no shared block \"unknown\"",
                assertThrows(Refusal.class, () -> imported(files)).getMessage());
        assertEquals(List.of(), db.read(dao -> dao.templates(account.id())));
        assertEquals(0, orphans());
        assertEquals(0, count("texts"));
    }
}
