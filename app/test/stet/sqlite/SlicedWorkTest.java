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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.ServedTemplate;
import stet.core.TemplateDetails;
import stet.core.Version;
import stet.dao.Author;
import stet.dao.RequestLogDao;
import stet.dao.SourceDao.FilesOrigin;
import stet.dao.SourceDao.OriginKind;
import stet.files.AccountFiles;
import stet.files.Changes;
import stet.files.Export;
import stet.files.Import;
import stet.files.ImportOptions;
import stet.files.PublishMode;
import stet.files.Source;
import stet.upkeep.Sweeper;

/** Work of any size done in slices: imports, and removal of deleted data. */
class SlicedWorkTest {
    private static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");
    private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
    private static final int DRAFTS = 3_000;

    @TempDir
    Path folder;
    private Db db;
    private Account account;

    @BeforeEach
    void open() {
        db = Db.open(folder, true); // opened like a command, so that removal pauses for less time than beside requests
        account = db.write(dao -> dao.accounts().add("ada@example.com", Plan.PRO, NOW, NOW, null));
    }

    @AfterEach
    void close() {
        db.close();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Template files with a footer; every hundredth file is large. */
    private static SortedMap<String, byte[]> files(int drafts, String text) {
        SortedMap<String, byte[]> files = new TreeMap<>();
        Export.writeBlock("footer", utf8("<p>{{street}} " + text + "</p>"), files::put);
        for (int i = 0; i < drafts; i++) {
            String html = "<p>Hi {{name}}, " + text + i + "</p>".repeat(i % 100 == 0 ? 50_000 : 10) + "{{> footer}}";
            Export.writeTemplate(new Draft("mail-" + i, "Mail " + i, "Hi {{name}}", utf8(html), Map.of("a", "{}")), TemplateDetails.NONE, true, files::put);
        }
        return files;
    }

    private Changes imported(SortedMap<String, byte[]> files) {
        return imported(Source.of(files));
    }

    private Changes imported(Source source) {
        return imported(source, true);
    }

    private Changes imported(Source source, boolean overwrite) {
        try (AccountFiles files = AccountFiles.of(source)) {
            return new Import(db, account, files, ImportOptions.of(PublishMode.CHECKED, overwrite), Author.of(Actor.NONE), CLOCK).run();
        }
    }

    /** Rows that are staged again after a concurrent change count only once. */
    @Test
    void anImportThatStartsOverHasTheWholeLimit() {
        try (Staging staging = new Staging(db, account, Author.of(Actor.NONE), new FilesOrigin(OriginKind.IMPORT, ""), NOW)) {
            for (long i = 0; i <= Staging.MAX_ROWS; i++) {
                staging.source("template", "mail", new byte[32], true, false);
            }
            staging.clear();
            for (long i = 0; i < Staging.MAX_ROWS; i++) {
                staging.source("template", "mail-" + i, new byte[32], true, false);
            }
            String full = assertThrows(Refusal.class, () -> staging.source("template", "one-more", new byte[32], true, false)).getMessage();
            assertTrue(full.startsWith("The import has more than 100000 changes"), full);
            staging.clear();
            staging.source("template", "mail", new byte[32], true, false);
        }
    }

    /** Returns the number of unreferenced texts and garbage rows after garbage collection. */
    private long orphans() {
        new Sweeper(db).sweep(NOW.plus(Duration.ofDays(2)));
        return db.read(dao -> dao.sql().number("""
                select count(*) from texts
                where id not in (select text from templates union select text from versions
                  union select draft_text from versions union select text from blocks)
                """) + dao.sql().number("select count(*) from garbage"));
    }

    private long count(String table) {
        return db.read(dao -> dao.sql().number("select count(*) from " + table));
    }

    /** Numbers of a template's versions, newest first. */
    private List<Integer> versions(String id) {
        return db.read(dao -> dao.versions().list(account.id(), id, Long.MAX_VALUE, Integer.MAX_VALUE)).stream().map(Version::number).toList();
    }

    private ServedTemplate published(String id) {
        return db.read(dao -> dao.templates().published(account.id(), id)).orElseThrow();
    }

    @Tag("slow")
    @Test
    void aLargeImportIsComplete() {
        for (String text : List.of("one", "two")) {
            Changes result = imported(files(DRAFTS, text));
            assertEquals(DRAFTS, result.texts().published().size());
            assertEquals("one".equals(text) ? DRAFTS : 0, result.texts().created().size());
            assertTrue(new String(published("mail-7").html(), StandardCharsets.UTF_8).endsWith("<p>{{street}} " + text + "</p>"));
            assertEquals(0, orphans());
        }
    }

    /** Each step takes 5 ms, so a slice contains at most four steps on any machine. */
    @Test
    void othersWriteBetweenTheSlices() throws InterruptedException {
        AtomicInteger steps = new AtomicInteger();
        Set<Integer> seen = ConcurrentHashMap.newKeySet();
        Thread other = new Thread(() -> {
            while (steps.get() < 100) {
                db.change(dao -> seen.add(steps.get()));
            }
        });
        other.start();
        assertTrue(db.inSlices(dao -> {
            for (long begin = System.nanoTime(); System.nanoTime() - begin < Slices.NANOS / 4; ) {
                Thread.onSpinWait();
            }
            return steps.incrementAndGet() < 100;
        }));
        other.join();
        assertTrue(seen.size() >= 25, "others wrote after " + new TreeSet<>(seen) + " of 100 steps");
    }

    @Test
    void aDryRunWritesNothing() {
        imported(files(5, "one"));
        long changes = changes();
        try (AccountFiles files = AccountFiles.of(Source.of(files(8, "two")))) {
            Changes result = new Import(db, account, files, ImportOptions.of(PublishMode.CHECKED, false), Author.of(Actor.NONE), CLOCK).dryRun();
            assertEquals(3, result.texts().created().size());
            assertEquals(5, result.texts().changed().size());
            assertEquals(8, result.texts().published().size());
            assertEquals(List.of("footer"), result.texts().blocks());
        }
        assertEquals(changes, changes());
    }

    private long changes() {
        return db.writer().sql().number("select total_changes()");
    }

    @Tag("slow")
    @Test
    void aDeletedAccountIsGoneAtOnceAndItsRowsAreRemovedLater() {
        imported(files(DRAFTS, "one"));
        imported(files(DRAFTS, "two"));
        new Sweeper(db).sweep(NOW);
        db.changeUncached(dao -> {
            for (int i = 0; i < 10_000; i++) {
                dao.requestLog().add(new RequestLogDao.RequestRow(account.id(), NOW, i, 1, "mail-" + i, false), new RequestLogDao.Tally(1, NOW));
            }
        });
        long changes = changes();
        db.change(dao -> dao.accounts().delete(account.id(), NOW));
        assertTrue(changes() - changes < 10, changes() - changes + " rows");
        assertEquals(List.of(), db.read(dao -> dao.accounts().list()));
        db.change(dao -> dao.accounts().add("ADA@example.com", Plan.FREE, NOW, NOW, null));
        assertEquals(0, orphans());
        for (String table : List.of("texts", "templates", "versions", "version_blocks", "samples", "blocks", "includes",
                "requests")) {
            assertEquals(0, count(table), table);
        }
        assertEquals(1, count("accounts"));
    }

    @Test
    void aDeletedTemplateIsGoneAtOnceAndItsRowsAreRemovedLater() {
        for (int i = 0; i < 2_000; i++) {
            String html = "<p>" + i + "</p>";
            db.change(dao -> {
                dao.templates().save(account.id(), new Draft("welcome", "Welcome", "", utf8(html), Map.of()), NOW);
                dao.versions().publish(account.id(), "welcome", "", NOW);
            });
        }
        long changes = changes();
        assertTrue(db.<Boolean>write(dao -> dao.trash().remove(account.id(), "welcome", CLOCK.instant())));
        assertTrue(changes() - changes < 10, changes() - changes + " rows");
        db.change(dao -> dao.templates().save(account.id(), new Draft("welcome", "New", "", utf8("new"), Map.of()), NOW));
        assertEquals(0, orphans());
        assertEquals(1, count("texts"));
        assertEquals(0, count("versions"));
    }

    /** Runs work each time a path is read, passing the number of reads so far, from 1. */
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
    void aPublicationDuringAnImportIsKept() {
        imported(files(20, "one"));
        Changes result = imported(meanwhile(files(20, "two"), "templates/mail-9.html", read -> {
            if (read == 2) { // the first reading checks the files
                db.change(dao -> {
                    dao.templates().save(account.id(), new Draft("mail-0", "By hand", "", utf8("by hand"), Map.of()), NOW.plusSeconds(1));
                    dao.versions().publish(account.id(), "mail-0", "", NOW.plusSeconds(1));
                    dao.templates().save(account.id(), new Draft("other", "Other", "", utf8("other"), Map.of()), NOW.plusSeconds(1));
                    dao.versions().publish(account.id(), "other", "", NOW.plusSeconds(1));
                });
            }
        }));
        assertEquals(20, result.texts().changed().size());
        assertEquals("other", new String(published("other").html(), StandardCharsets.UTF_8));
        assertEquals("Mail 0", published("mail-0").name());
        assertEquals(List.of(3, 2, 1), versions("mail-0"), "what was published by hand is in the history");
        assertEquals(0, orphans());
    }

    /** The committing transaction also checks for conflicts, not only the first comparison. */
    @Test
    void aDraftSavedBesideAnImportStopsIt() {
        imported(files(20, "one"));
        Changes result = imported(meanwhile(files(20, "two"), "templates/mail-9.html", read -> {
            if (read == 2) {
                db.change(dao -> dao.templates().save(account.id(), new Draft("mail-0", "By hand", "", utf8("by hand"), Map.of()), NOW.plusSeconds(1)));
            }
        }), false);
        assertEquals(List.of("mail-0"), result.found().preventing().stream().map(conflict -> conflict.id()).toList());
        assertEquals(List.of(1), versions("mail-3"));
        assertEquals(0, orphans());
    }

    @Test
    void aBlockSavedBesideAnImportIsPublished() {
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
    void ofTwoConcurrentImportsTheLaterWins() {
        imported(meanwhile(files(20, "one"), "templates/mail-9.html", read -> {
            if (read == 2) {
                assertEquals(30, imported(files(30, "two")).texts().created().size());
            }
        }));
        assertTrue(new String(published("mail-3").html(), StandardCharsets.UTF_8).endsWith("one</p>"));
        assertTrue(new String(published("mail-25").html(), StandardCharsets.UTF_8).endsWith("two</p>"));
        assertEquals(0, orphans());
    }

    @Test
    void anImportGivesUpIfTheAccountKeepsChanging() {
        assertEquals("The account was changed during the import. Nothing was imported. Try again",
                assertThrows(Refusal.class, () -> imported(meanwhile(files(3, "one"), "templates/mail-1.html", read ->
                        db.change(dao -> dao.templates().save(account.id(), new Draft("mail-1", "By hand", "", utf8("" + read), Map.of()),
                                NOW.plusSeconds(read)))))).getMessage());
        assertEquals(List.of("mail-1"), db.read(dao -> dao.templates().list(account.id())).stream().map(listed -> listed.id()).toList());
        assertEquals(0, orphans());
    }

    /** The import has found an old version's text to reuse. */
    @Test
    void aTextRemovedBesideAnImportIsWrittenAgain() {
        for (String html : List.of("old", "new")) {
            db.change(dao -> {
                dao.templates().save(account.id(), new Draft("mail-0", "Mail 0", "Hi {{name}}", utf8(html), Map.of("a", "{}")), NOW);
                dao.versions().publish(account.id(), "mail-0", "", NOW);
            });
        }
        SortedMap<String, byte[]> files = files(300, "one"); // several batches
        files.put("templates/mail-0.html", utf8("old"));
        imported(meanwhile(files, "templates/mail-99.html", read -> {
            if (read == 2) {
                assertEquals(1, new Sweeper(db).prune(account, "mail-0", 1, NOW).versions());
                new Sweeper(db).sweep(NOW);
            }
        }));
        assertEquals("old", new String(published("mail-0").html(), StandardCharsets.UTF_8));
        assertEquals(List.of(), db.read(dao -> dao.sql().list(String.class, "select \"table\" from pragma_foreign_key_check")));
        assertEquals(0, orphans());
    }

    @Test
    void anImportWhoseTextsWereRemovedStartsOver() {
        imported(meanwhile(files(3, "one"), "templates/mail-2.html", read -> {
            if (read == 2) {
                new Sweeper(db).sweep(NOW.plus(Duration.ofDays(2)));
            }
        }));
        assertEquals(3, db.read(dao -> dao.templates().list(account.id())).size());
        assertEquals(0, orphans());
    }

    @Test
    void aRejectedImportLeavesNothing() {
        SortedMap<String, byte[]> files = files(20, "one");
        Export.writeTemplate(new Draft("zzz", "Last", "", utf8("{{> unknown}}"), Map.of()), TemplateDetails.NONE, true, files::put);
        assertEquals("templates/zzz.html: line 1: shared block \"unknown\" not found",
                assertThrows(Refusal.class, () -> imported(files)).getMessage());
        assertEquals(List.of(), db.read(dao -> dao.templates().list(account.id())));
        assertEquals(0, orphans());
        assertEquals(0, count("texts"));
    }
}
