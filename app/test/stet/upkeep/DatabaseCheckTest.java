package stet.upkeep;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Running;
import stet.harness.Terminal;

/**
 * The command {@code check}: one line per check, one sentence per problem, and exit code 1 if there are problems. It writes
 * nothing.
 */
class DatabaseCheckTest {
    @AutoClose
    private final Running stet = new Running();
    private final Path database = stet.folder.resolve("stet.db");
    private final Terminal terminal = new Terminal(stet.folder);
    private String key;

    @BeforeEach
    void fill() {
        Account account = stet.account("ada@example.com", Plan.FREE);
        stet.block(account, "footer", "<i>footer</i>");
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>hi</p>{{> footer}}");
        stet.publish(account, "welcome");
        key = stet.key(account);
        assertEquals(200, stet.get(Running.TEMPLATES + "welcome", key).status());
    }

    private void script(String script) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(script);
        }
    }

    /** The lines about problems; there must be some. */
    private List<String> problems(String... arguments) {
        Terminal.Result result = terminal.run(arguments);
        List<String> problems = result.out().lines().filter(line -> line.startsWith("problem  ")).map(line -> line.substring(9)).toList();
        assertEquals(1, result.code(), result.out() + result.err());
        assertEquals(problems.size() + (problems.size() == 1 ? " problem found" : " problems found"), result.err().strip());
        return problems;
    }

    private Map<String, String> files() {
        try (Stream<Path> files = Files.walk(stet.folder)) {
            Map<String, String> all = new TreeMap<>();
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.put(stet.folder.relativize(file).toString(), Files.size(file) + " " + Files.getLastModifiedTime(file));
            }
            return all;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void aHealthyDatabaseHasNoProblemAndIsNotChanged() {
        List<String> checks = List.of("schema", "pages", "references", "texts", "versions", "images", "published", "trash", "includes", "counts", "storage", "clock",
                "permissions", "space", "kept");
        List<String> beside = terminal.done("check").lines().toList();
        assertEquals(checks, beside.stream().map(line -> line.replaceFirst("ok +([a-z]+): .*", "$1")).toList(), String.join("\n", beside));
        stet.stop();
        Map<String, String> before = files();
        List<String> alone = terminal.done("check").lines().toList();
        assertEquals(before, files());
        assertFalse(before.containsKey("stet.db-wal"));
        assertEquals(beside.subList(0, 11), alone.subList(0, 11));
        assertTrue(alone.contains("ok       texts: texts of versions, drafts and shared blocks that match their SHA-256: 3"),
                String.join("\n", alone));
        assertTrue(alone.contains("ok       clock: no timestamps are in the future; the latest is 2026-01-31T09:00:00.000Z"), String.join("\n", alone));
        stet.start();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            update texts set html = zeroblob(length(html)) where id in (select text from versions) | texts: Version 1 of template welcome of ada@example.com is corrupted (wrong SHA-256); restore a backup or publish the template again
            update templates set sha256 = zeroblob(32) | texts: The draft of template welcome of ada@example.com is corrupted (wrong SHA-256); restore a backup or save it again
            update blocks set sha256 = zeroblob(32) | texts: The shared block footer of ada@example.com is corrupted (wrong SHA-256); restore a backup or save it again
            insert into texts (account_id, html) values (1, x'0000') | texts: Unused texts: 1 (2 bytes); they are harmless but take up space
            update templates set published = 7 | published: Template welcome of ada@example.com serves version 7, which is missing; publish the template again or restore a backup
            insert into includes values (1, 'template', 'gone', 'footer') | includes: Shared block footer of ada@example.com cannot be deleted because the template gone that included footer no longer exists; create gone again and delete it
            update members set role = 'aditor' | pages: CHECK constraint failed in members; stop serve and restore a backup
            update accounts set plan = 'pro', billing_anchor = null | pages: CHECK constraint failed in accounts; stop serve and restore a backup
            update storage set bytes = 7 | storage: Account ada@example.com stores 96 bytes, but its recorded size is 7; restore a backup
            update usage set used = -2 | counts: A count of ada@example.com on free is -2, below zero; restore a backup
            insert into samples values (99, 'a', '{}', 1, zeroblob(32)) | references: Rows of samples that reference missing rows of templates: 1; restore a backup
            drop index versions_text | schema: The index versions_text is missing; restore a backup
            update secrets set created_at = 1801386000001 | clock: The clock says 2026-01-31T09:00:00.000Z, but a key is dated 2027-01-31T09:00:00.001Z; check the clock. If the clock is correct now, this warning disappears once that date has passed
            """)
    void eachProblemIsOneLineWithWhatToDo(String damage, String problem) throws SQLException {
        script("pragma foreign_keys = off; pragma ignore_check_constraints = on; " + damage);
        assertEquals(List.of(problem), problems("check"));
    }

    /** Such a text does not count toward this account's storage, so the storage is wrong as well. */
    @Test
    void aTextOfAnotherAccountIsReported() throws SQLException {
        script("update texts set account_id = 9 where id in (select text from blocks)");
        List<String> problems = problems("check");
        assertEquals("texts: The shared block footer of ada@example.com uses another account's text and is not served; restore a backup or save it again", problems.get(0));
        assertEquals(List.of("texts", "storage"), problems.stream().map(problem -> problem.split(":")[0]).toList());
    }

    @Test
    void theDraftOfAVersionIsCompared() throws SQLException {
        script("update versions set draft_sha256 = zeroblob(32)");
        assertEquals("texts: The draft of version 1 of template welcome of ada@example.com is corrupted (wrong SHA-256);"
                + " restore a backup; the version is served correctly", problems("check").get(0));
    }

    /** A version row's SHA-256 covers the data that has no text of its own. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"update versions set variables = 'com`any'", "update versions set published_at = published_at + 1",
        "update versions set note = 'x'", "update versions set published_by = 'eve@example.com'", "update versions set subject = 'Ho'",
        "update versions set number = 2; update version_blocks set number = 2; update templates set published = 2", "delete from version_blocks",
        "update version_blocks set sha256 = zeroblob(32)", "update version_blocks set block = 'other'", "update versions set sha256 = zeroblob(32)"})
    void aChangedRowOfAVersionIsReported(String damage) throws SQLException {
        script("pragma foreign_keys = off; " + damage);
        assertTrue(problems("check").stream().anyMatch(line -> line.matches("versions: Version [12] of template welcome of ada@example.com"
                + " does not match its SHA-256; restore a backup or publish the template again")));
    }

    @Test
    void ofManyProblemsTheFirst20AreReported() throws SQLException {
        script("with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)"
                + " insert into includes select 1, 'template', 'gone' || i, 'footer' from n");
        List<String> problems = problems("check");
        assertEquals(21, problems.size());
        assertEquals("includes: 980 more of this kind", problems.get(20));
    }

    /** A count above the limit is valid, because the limit may have been lowered. */
    @Test
    void aCountAboveALoweredLimitIsNoProblem() throws SQLException {
        script("update accounts set request_limit = 0");
        assertTrue(terminal.done("check").contains("ok       counts: valid counts: 1; counts above the limit,"
                + " possibly because the limit was lowered: 1"));
    }

    @Test
    void aCorruptedPageIsReportedAndTheRestIsChecked() throws Exception {
        stet.stop();
        byte[] intact = Files.readAllBytes(database);
        long root;
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            root = statement.executeQuery("select rootpage from sqlite_schema where name = 'texts'").getLong(1);
        }
        byte[] noise = new byte[4_096];
        Arrays.fill(noise, (byte) 0xa5);
        try (RandomAccessFile file = new RandomAccessFile(database.toFile(), "rw")) {
            file.seek((root - 1) * noise.length);
            file.write(noise);
        }
        List<String> problems = problems("check");
        assertTrue(problems.get(0).startsWith("pages: "), problems.toString());
        assertTrue(problems.stream().anyMatch(line -> line.startsWith("texts: Some data cannot be read (")), problems.toString());
        assertTrue(terminal.run("check").out().contains("\nok       permissions: "), "the last but two");
        Files.write(database, intact);
        terminal.done("check");
        stet.start();
    }

    @Test
    void permissionsOfOtherUsersAreReported() throws IOException {
        assumeTrue(FileSystems.getDefault().supportedFileAttributeViews().contains("posix"));
        stet.stop();
        Files.setPosixFilePermissions(database, PosixFilePermissions.fromString("rw-r--r--"));
        terminal.done("check"); // other users cannot enter the folder
        Files.setPosixFilePermissions(stet.folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> problems = problems("check");
        assertEquals("permissions: Other users have access to " + stet.folder + "; run chmod 700 " + stet.folder, problems.get(0));
        assertTrue(problems.contains("permissions: Other users have access to " + database + "; run chmod 600 " + database));
        assertEquals(List.of("permissions: Other users have access to " + database + "; run chmod 600 " + database),
                problems("check", database.toString()));
        stet.start();
    }

    @Test
    void aClockThatWasAYearAheadIsReportedOnceItIsRight() {
        stet.clock.advance(Duration.ofDays(365));
        stet.draft(stet.account("ada@example.com"), "welcome", "Welcome", "Hi", "<p>hi again</p>");
        assertEquals(200, stet.get(Running.TEMPLATES + "welcome", key).status());
        assertTrue(stet.isHealthy());
        stet.clock.set(Running.NOW);
        assertEquals(200, stet.get(Running.TEMPLATES + "welcome", key).status());
        assertTrue(stet.isHealthy());
        List<String> problems = problems("check");
        assertEquals(List.of("clock: The clock says 2026-01-31T09:00:00.000Z, but a template is dated 2027-01-31T09:00:00.000Z; check the"
                + " clock. If the clock is correct now, this warning disappears once that date has passed"), problems);
    }

    @Test
    void aSingleFileOfAnyNameIsChecked() throws Exception {
        Path file = stet.folder.resolve("of 100%? #1.db");
        script("vacuum into '" + file + "'");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        byte[] before = Files.readAllBytes(file);
        assertEquals(List.of("schema", "pages", "references", "texts", "versions", "images", "published", "trash", "includes", "counts", "storage", "clock", "checksum", "permissions"),
                terminal.done("check", file.toString()).lines().map(line -> line.replaceFirst("ok +([a-z]+): .*", "$1")).toList());
        assertArrayEquals(before, Files.readAllBytes(file));
        assertFalse(Files.exists(Path.of(file + "-wal")));
    }

    /** The log contains data that the database file lacks. */
    @Test
    void whatAKilledServeLeavesIsCheckedWithItsLog(@TempDir Path copy) throws Exception {
        try (Connection reader = DriverManager.getConnection("jdbc:sqlite:" + database); Statement statement = reader.createStatement()) {
            statement.execute("begin");
            statement.executeQuery("select count(*) from texts").next(); // keeps the log
            stet.draft(stet.account("ada@example.com"), "late", "Late", "", "<p>late</p>");
            for (String name : List.of("stet.db", "stet.db-wal")) {
                Files.copy(stet.folder.resolve(name), copy.resolve(name));
            }
        }
        Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwx------"));
        byte[] before = Files.readAllBytes(copy.resolve("stet.db"));
        byte[] log = Files.readAllBytes(copy.resolve("stet.db-wal"));
        assertTrue(log.length > 0);
        assertTrue(terminal.done("check", "--data", copy.toString()).contains("that match their SHA-256: 4"));
        assertArrayEquals(before, Files.readAllBytes(copy.resolve("stet.db")));
        assertArrayEquals(log, Files.readAllBytes(copy.resolve("stet.db-wal")));
    }

    @Test
    void anUnfinishedChangeByAKilledProgramIsNamed(@TempDir Path folder) throws Exception {
        Path changed = folder.resolve("stet.db");
        terminal.done("backup", changed.toString());
        Path killed = Files.createDirectories(folder.resolve("killed"));
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + changed); Statement statement = connection.createStatement()) {
            statement.execute("pragma journal_mode = delete");
            statement.execute("pragma cache_size = 2"); // SQLite then writes to the database before the commit
            connection.setAutoCommit(false);
            statement.executeUpdate("update templates set name = 'unfinished'");
            statement.executeUpdate("insert into texts (account_id, html) values (1, randomblob(200000))");
            for (String file : List.of("stet.db", "stet.db-journal")) {
                Files.copy(folder.resolve(file), killed.resolve(file));
            }
        }
        Files.setPosixFilePermissions(killed, PosixFilePermissions.fromString("rwx------"));
        Terminal other = new Terminal(killed);
        String unfinished = " contains an unfinished change by a program that was killed; ";
        assertEquals(killed.resolve("stet.db-journal") + unfinished + "run \"account list --data " + killed + "\" to undo it, then try again",
                other.run("check").err().strip());
        for (String ending : List.of("", "-journal")) {
            Files.copy(killed.resolve("stet.db" + ending), folder.resolve("copy.db" + ending));
        }
        assertEquals(folder.resolve("copy.db-journal") + unfinished + "use another copy",
                other.run("check", folder.resolve("copy.db").toString()).err().strip());
        other.done("account", "list");
        other.done("check");
    }

    @Test
    void aNewerDatabaseIsRefused() throws SQLException {
        script("pragma user_version = 1000");
        Terminal.Result result = terminal.run("check");
        assertEquals(1, result.code());
        assertTrue(result.err().startsWith(database + " was created by a newer version of Stet (its schema version is 1000"), result.err());
        assertEquals("", result.out());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"'', FILE is not a Stet database; use another file or folder", "no database, Cannot read FILE: "})
    void aFileThatIsNoDatabaseIsRefused(String content, String sentence) throws IOException {
        Path file = Files.writeString(stet.folder.resolve("other"), content);
        Terminal.Result result = terminal.run("check", file.toString());
        assertEquals(1, result.code());
        assertTrue(result.err().startsWith(sentence.replace("FILE", file.toString())), result.err());
        assertEquals(content, Files.readString(file));
    }

    @Test
    void aMissingDatabaseIsRefused() {
        Path missing = stet.folder.resolve("missing");
        assertEquals("No Stet database found at " + missing + "; choose a folder with --data, or pass a database file as FILE",
                terminal.run("check", missing.toString()).err().strip());
        assertEquals(1, terminal.run("check", "--data", missing.toString()).code());
        assertFalse(Files.exists(missing));
    }

    @Test
    void jsonHasTheSameLines() throws SQLException {
        script("drop index versions_text");
        Terminal.Result result = terminal.run("check", "--json");
        assertEquals(1, result.code());
        JsonNode findings = Json.tree(result.out());
        assertEquals("{\"check\":\"schema\",\"ok\":false,\"text\":\"The index versions_text is missing; restore a backup\"}",
                findings.get(0).toString());
        assertEquals("{\"check\":\"references\",\"ok\":true,\"text\":\"all references are valid\"}", findings.get(2).toString());
        assertEquals(15, findings.size());
        assertEquals(StandardCharsets.UTF_8.encode(result.out()).limit(), result.out().length(), "one line of plain text");
    }
}
