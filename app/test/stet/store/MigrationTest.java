package stet.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.DailyRequests;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Samples;
import stet.core.Secret;
import stet.core.Utf8;

/** A database of the first release is migrated with all that is in it; and one read sees one state. */
class MigrationTest {
    private static final String KEY = "stet-first-key";

    @TempDir
    Path folder;

    private static Sql open(Path database) {
        try {
            return new Sql(DriverManager.getConnection("jdbc:sqlite:" + database));
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /** A file as the first release made and filled it: version 5, with rows in each table. */
    private void oldest() throws IOException {
        try (InputStream schema = MigrationTest.class.getResourceAsStream("/stet/store/schema-5.sql");
                Sql sql = open(folder.resolve("stet.db"))) {
            sql.execute(new String(schema.readAllBytes(), StandardCharsets.UTF_8));
            sql.execute("pragma journal_mode = wal");
            sql.execute("""
                    insert into accounts (id, email, plan, created_at, billing_anchor)
                    values (7, 'ada@example.com', 'pro', 1000, 2000);
                    insert into templates (
                      row, account_id, id, name, created_at, updated_at, published, revision, sha256, subject, html)
                    values (3, 7, 'welcome', 'Welcome', 1000, 3000, 1, 4,
                      x'84c17e67962309fe4c777b6fadf09d17ab8097b3760fa5c5dde7dc6f21f30de2', 'Hi {{name}}',
                      x'3c703e6e65777b7b3e20666f6f7465727d7d3c2f703e');
                    insert into samples values (3, 'name', 'Ada');
                    insert into versions (
                      template, number, published_at, note, sha256, draft_sha256, variables, subject, html, draft_html)
                    values (3, 1, 3000, 'first', x'33f2799467177287a29260780a107ac98ea63dd6165f67fcc0d74767d0a82090',
                      x'05cf13533dfbde366df95a106a5150b974ca7b364ec12778e086865fbca5ffb2', 'name', 'Hi', x'3c703e', x'3c703e');
                    insert into version_blocks values (3, 1, 'footer', zeroblob(32));
                    insert into blocks (account_id, name, updated_at, revision, sha256, html)
                    values (7, 'footer', 1000, 1, x'd983253427fd6983e7b4e77e7483259f9061091c70a5a11aa3709c59f6bd7dc0', x'3c693e');
                    insert into includes values (7, 'template', 'welcome', 'footer');
                    insert into usage (id, account_id, plan, period_start, used, counted_at) values (2, 7, 'pro', 2000, 42, 5000);
                    insert into usage_log (usage_id, used, counted_at) values (2, 3, 6000), (2, 1, 7000);
                    insert into sessions values (randomblob(32), 7, 1000, 8000);
                    insert into requests values (7, 2000, 0, 9, 'welcome', 0, 46, 7000);
                    insert into requests values (7, 2000, 1, 9, 'welcome', 1, 1, 8000);
                    insert into requests values (7, 2000, 1, 8, 'welcome', 0, 1, 9000);
                    insert into requests values (7, 2000, 1, 9, '', 1, 1, 9500);
                    insert into misses values (1, 7, 7000, 9, 'gone', 404);
                    """);
            sql.update("""
                    insert into api_keys (id, account_id, name, hash, start, created_at)
                    values (9, 7, 'ci', ?, 'stet-f', 1000)
                    """, Secret.sha256(KEY));
        }
    }

    private List<String> rows(Path database, String table, String columns) {
        try (Sql sql = open(database)) {
            return sql.list("select " + columns + " from " + table, row -> {
                StringBuilder text = new StringBuilder(table);
                for (int i = 1; i <= row.result().getMetaData().getColumnCount(); i++) {
                    byte[] value = row.result().getBytes(i);
                    text.append('|').append(value == null ? null : new String(value, StandardCharsets.ISO_8859_1));
                }
                return text.toString();
            });
        }
    }

    private List<String> names(Path database, String type) {
        try (Sql sql = open(database)) {
            return sql.list("""
                    select name from sqlite_schema
                    where type = ? and name not like 'sqlite_%'
                    order by name
                    """, row -> row.text("name"), type);
        }
    }

    private static String columns(Path database, String table) {
        try (Sql sql = open(database)) {
            return String.join(", ", sql.list("select name from pragma_table_info('" + table + "')", row -> row.text("name")));
        }
    }

    @Test
    void theOldestVersionWithAllThatIsInIt() throws IOException {
        oldest();
        Path database = folder.resolve("stet.db");
        TreeMap<String, String> columns = new TreeMap<>();
        TreeMap<String, List<String>> before = new TreeMap<>();
        for (String table : names(database, "table")) {
            columns.put(table, columns(database, table));
            before.put(table, rows(database, table, columns.get(table)));
            assertFalse(before.get(table).isEmpty(), table);
        }
        try (Db db = Db.serve(folder)) {
            Account ada = db.read(dao -> dao.accounts().find("ada@example.com")).orElseThrow();
            assertEquals(Plan.PRO, ada.plan());
            assertEquals(9, db.read(dao -> dao.keys().access(Secret.sha256(KEY))).orElseThrow().keyId());
            assertEquals("<p>", Utf8.text(db.read(dao -> dao.published(7, "welcome")).orElseThrow().html()));
            assertEquals(46L, db.read(dao -> dao.usage().used(ada, Instant.ofEpochMilli(2000))).longValue());
            assertEquals("<p>new{{> footer}}</p>", Utf8.text(db.read(dao -> dao.template(7, "welcome")).orElseThrow().html()));
            assertEquals("<p>", Utf8.text(db.read(dao -> dao.versions().find(7, "welcome", 1)).orElseThrow().draftHtml()));
            assertEquals("<i>", Utf8.text(db.read(dao -> dao.blocks().html(7, "footer")).orElseThrow()));
            assertEquals(new Samples(new TreeMap<>(Map.of("default", "{\n  \"name\": \"Ada\"\n}\n")), "default"),
                    db.read(dao -> dao.samples(7, "welcome")));
            assertEquals(Map.of(9L, Instant.ofEpochMilli(9500)), db.read(dao -> dao.requestLog().lastUsed(7)));
            assertEquals(Optional.of(new DailyRequests.Last(Instant.ofEpochMilli(9000), null)),
                    db.read(dao -> dao.requestLog().lastFetched(7, "welcome")), "by a key that is deleted");
            assertEquals(3, db.read(dao -> dao.sql().number("select count(*) from texts")).longValue(),
                    "the version's draft is its html");
        }
        columns.forEach((table, all) -> {
            List<String> kept = new ArrayList<>(List.of(all.split(", ")));
            if (table.equals("samples")) {
                return; // looked at above
            }
            kept.retainAll(List.of(columns(database, table).split(", ")));
            String both = String.join(", ", kept);
            assertEquals(rows(folder.resolve("stet-v5.db"), table, both), rows(database, table, both));
        });
        Path copy = folder.resolve("stet-v5.db");
        before.forEach((table, rows) -> assertEquals(rows, rows(copy, table, columns.get(table))));
        try (Sql sql = open(copy)) {
            assertEquals(5, sql.number("pragma user_version"));
            assertEquals("ok", sql.first("pragma integrity_check", row -> row.text("integrity_check")).orElseThrow());
        }
        // Opening it once more migrates nothing.
        long size = Files.size(copy);
        try (Db db = Db.serve(folder)) {
            db.writeUncached(dao -> dao.sessions().add(new byte[32], 7, 7L, Instant.ofEpochMilli(9000)));
        }
        assertEquals(size, Files.size(copy));
    }

    /** The steps before the first release are gone. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    void anOlderFileIsRefusedAndUntouched(int version) throws IOException {
        oldest();
        Path database = folder.resolve("stet.db");
        try (Sql sql = open(database)) {
            sql.execute("pragma journal_mode = delete");
            sql.execute("pragma user_version = " + version);
        }
        byte[] before = Files.readAllBytes(database);
        assertEquals(database + " was written before Stet's first release (its version is " + version
                + ", this one knows 5 to 9)",
                assertThrows(Refusal.class, () -> Db.serve(folder)).getMessage());
        assertArrayEquals(before, Files.readAllBytes(database));
        assertFalse(Files.exists(folder.resolve("stet-v" + version + ".db")));
    }

    /** Samples of single variables mean the same in the one set that they become. */
    @Test
    void samplesOfVersionEightBecomeASet() throws IOException {
        Map<String, String> samples = new TreeMap<>(Map.of("z", "Ada \ud83d\udc1d \"\\/\u0001\r\n\t\u2028", "items", "[{\"b\": [], \"a\": {\"x\": 1}}, true]",
                "user", "{\"name\":\"Lena\"}", "no", "[not JSON", "order.total", "7", "zero", "0", "yes", "true", "none", "null", "empty", ""));
        try (InputStream schema = MigrationTest.class.getResourceAsStream("/stet/schema-8.sql"); Sql sql = open(folder.resolve("stet.db"))) {
            sql.execute(new String(schema.readAllBytes(), StandardCharsets.UTF_8));
            sql.execute("""
                    pragma journal_mode = wal;
                    insert into accounts (id, name, plan, created_at) values (7, 'ada', 'free', 1000);
                    insert into texts values (1, 7, ''), (2, 7, '');
                    """.replace("''", "x''"));
            for (int row = 1; row <= 3; row++) {
                sql.update("insert into templates (row, account_id, id, name, created_at, updated_at, revision, sha256, subject, text)"
                        + " values (?, 7, ?, 'Name', 1000, 1000, 1, zeroblob(32), '', 1)", row, "mail-" + row);
            }
            samples.forEach((variable, value) -> sql.update("insert into samples values (1, ?, ?)", variable, value));
            sql.update("insert into samples values (3, 'name', 'Lena')");
        }
        try (Db db = Db.serve(folder)) {
            assertEquals(Samples.of(Map.of(), samples, null).documents().get("default").replace("[ ]", "[]"),
                    db.read(dao -> dao.samples(7, "mail-1")).documents().get("default"));
            assertEquals("default", db.read(dao -> dao.samples(7, "mail-1")).defaultName());
            assertEquals(Samples.NONE, db.read(dao -> dao.samples(7, "mail-2")));
            assertEquals(Samples.of(Map.of(), Map.of("name", "Lena"), null), db.read(dao -> dao.samples(7, "mail-3")));
        }
    }

    @Test
    void migratedIsAsFresh(@TempDir Path other) throws IOException {
        oldest();
        Db.serve(folder).close();
        Db.serve(other).close();
        assertEquals(shape(other.resolve("stet.db")), shape(folder.resolve("stet.db")));
    }

    /** The folder of the temporary file is named in a statement. */
    @Test
    void aFolderWithAnApostrophe() throws IOException {
        oldest();
        Path home = Files.createDirectories(folder.resolve("ada's"));
        Files.move(folder.resolve("stet.db"), home.resolve("stet.db"));
        Db.serve(home).close();
        assertEquals("auto_vacuum 2", shape(home.resolve("stet.db")).get(1));
    }

    /** Tables, columns, indexes, foreign keys, views and triggers, whatever text they were made by. */
    private List<String> shape(Path database) {
        List<String> shape = new ArrayList<>();
        try (Sql sql = open(database)) {
            shape.add("user_version " + sql.number("pragma user_version"));
            shape.add("auto_vacuum " + sql.number("pragma auto_vacuum"));
            shape.add("application_id " + sql.number("pragma application_id"));
            assertEquals("ok", sql.first("pragma integrity_check", row -> row.text("integrity_check")).orElseThrow());
            assertTrue(sql.list("pragma foreign_key_check", row -> row.text("table")).isEmpty());
            for (String type : List.of("view", "trigger")) {
                for (String name : names(database, type)) {
                    String text = sql.first("select sql from sqlite_schema where name = ?", row -> row.text("sql"), name).orElseThrow();
                    shape.add(text.replaceAll("\\s+", " "));
                }
            }
            for (String table : names(database, "table")) {
                shape.addAll(all(sql, table, "pragma table_list('" + table + "')"));
                shape.addAll(all(sql, table, "pragma table_xinfo('" + table + "')"));
                shape.addAll(all(sql, table, "pragma foreign_key_list('" + table + "')"));
                String indexes = "pragma_index_list('" + table + "')";
                for (String index : sql.list("select name from " + indexes + " order by name", row -> row.text("name"))) {
                    shape.addAll(all(sql, index,
                            "select name, \"unique\", origin, partial from " + indexes + " where name = '" + index + "'"));
                    shape.addAll(all(sql, index, "pragma index_xinfo('" + index + "')"));
                }
            }
        }
        return shape;
    }

    private static List<String> all(Sql sql, String of, String pragma) {
        return sql.list(pragma, row -> {
            StringBuilder text = new StringBuilder(of).append(' ').append(pragma, 0, pragma.indexOf('('));
            for (int i = 1; i <= row.result().getMetaData().getColumnCount(); i++) {
                text.append('|').append(row.result().getObject(i));
            }
            return text.toString();
        });
    }

    @Test
    void aMigrationThatFailsLeavesTheOldFile() throws IOException {
        oldest();
        try (Sql sql = open(folder.resolve("stet.db"))) {
            sql.execute("create table garbage (x)");
        }
        assertThrows(RuntimeException.class, () -> Db.serve(folder));
        try (Sql sql = open(folder.resolve("stet.db"))) {
            assertEquals(5, sql.number("pragma user_version"));
            assertEquals(List.of(), sql.list("select name from pragma_table_info('texts')", row -> row.text("name")));
            sql.execute("drop table garbage");
        }
        Db.serve(folder).close();
    }

    @Test
    void aCopyThatAKillCutOffIsMadeAnew() throws IOException {
        oldest();
        Files.write(folder.resolve("stet-v5.db.new"), new byte[] {'S', 'Q'});
        Db.serve(folder).close();
        assertFalse(Files.exists(folder.resolve("stet-v5.db.new")));
        try (Sql sql = open(folder.resolve("stet-v5.db"))) {
            assertEquals("ok", sql.first("pragma integrity_check", row -> row.text("integrity_check")).orElseThrow());
            assertEquals(1, sql.number("select count(*) from api_keys"));
        }
    }

    /** The old file comes back, as it was or with a change since, and is upgraded once more. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anUpgradeAfterARollbackKeepsTheNewestStateToo(boolean changed) throws IOException {
        oldest();
        Path database = folder.resolve("stet.db");
        Path first = folder.resolve("stet-v5.db");
        Path second = folder.resolve("stet-v5-2.db");
        byte[] old = Files.readAllBytes(database);
        Db.serve(folder).close();
        byte[] kept = Files.readAllBytes(first);
        for (int i = 0; i < 2; i++) {
            Files.write(database, old);
            if (changed) {
                try (Sql sql = open(database)) {
                    sql.execute("update api_keys set name = 'newer'");
                }
            }
            Db.serve(folder).close();
            assertArrayEquals(kept, Files.readAllBytes(first));
            assertEquals(changed, Files.exists(second));
            assertFalse(Files.exists(folder.resolve("stet-v5-3.db")));
        }
        assertEquals(List.of("api_keys|" + (changed ? "newer" : "ci")), rows(changed ? second : first, "api_keys", "name"));
    }

    @Test
    void noCommandUpgradesTheFileOfAServe() throws IOException {
        oldest();
        DataFolder served = DataFolder.at(folder, false);
        try (FileLock lock = served.lock("in use")) {
            assertTrue(lock.isValid());
            assertEquals(served.database() + " is an older Stet's and in use: end its serve first, then this one can upgrade it",
                    assertThrows(Refusal.class, () -> Db.open(folder, false)).getMessage());
        }
        Db.open(folder, false).close();
        Db.serve(folder).close();
    }

    @Test
    void aNewerFileIsRefused() throws IOException {
        Db.serve(folder).close();
        try (Sql sql = open(folder.resolve("stet.db"))) {
            sql.execute("pragma user_version = 10");
        }
        assertEquals(folder.resolve("stet.db") + " was written by a newer Stet (its version is 10, this one knows 9)",
                assertThrows(Refusal.class, () -> Db.serve(folder)).getMessage());
    }

    @Test
    void oneReadSeesOneState() {
        try (Db db = Db.serve(folder)) {
            int before = db.read(dao -> {
                int first = dao.accounts().list().size();
                db.change(writer -> writer.accounts().add("ada@example.com", Plan.FREE, Instant.EPOCH, null, null));
                assertEquals(first, dao.accounts().list().size());
                return first;
            });
            assertEquals(before + 1, db.read(dao -> dao.accounts().list().size()).intValue());
        }
    }

    @Test
    void aReadThatFailsSpoilsNoOther() {
        try (Db db = Db.serve(folder)) {
            AtomicInteger failures = new AtomicInteger();
            for (int i = 0; i < 10; i++) {
                assertThrows(IllegalStateException.class, () -> db.read(dao -> {
                    failures.incrementAndGet();
                    dao.accounts().list();
                    throw new IllegalStateException();
                }));
                assertThrows(StoreException.class, () -> db.read(dao -> dao.sql().update("delete from accounts")));
                assertEquals(0, db.read(dao -> dao.accounts().list().size()).intValue());
            }
            assertEquals(10, failures.get());
        }
    }
}
