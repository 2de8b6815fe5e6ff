package stet.upkeep;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Machine;
import stet.harness.Running;
import stet.harness.Terminal;

/** The commands backup and restore, with and without a running serve. */
class BackupTest {
    private static final String ADA = "ada@example.com";
    private static final String HTML = "<p>Grüße, {{name}}</p>";

    @TempDir
    Path home;

    private Path data;
    private Path copy;
    private Terminal terminal;
    private String key;

    @BeforeEach
    void fill() throws IOException {
        data = home.resolve("data");
        copy = home.resolve("copy.db");
        terminal = new Terminal(data);
        key = terminal.account(ADA, "pro");
        Path templates = Files.createDirectories(home.resolve("files/templates"));
        Files.writeString(templates.resolve("welcome.html"), HTML);
        terminal.done("import", home.resolve("files").toString(), "--account", ADA, "--publish");
    }

    private String backup() {
        Terminal.Result result = terminal.run("backup", copy.toString());
        assertEquals(0, result.code(), result.err());
        assertEquals("", result.out());
        return result.err();
    }

    private void assertRefused(String sentence, String... arguments) throws IOException {
        byte[] before = Files.exists(copy) && Files.isRegularFile(copy) ? Files.readAllBytes(copy) : new byte[0];
        assertEquals(new Terminal.Result(1, "", sentence.replace("HOME", home.toString()) + "\n"), terminal.run(arguments));
        assertArrayEquals(before, Files.exists(copy) && Files.isRegularFile(copy) ? Files.readAllBytes(copy) : new byte[0]);
    }

    private static void script(Path database, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static Set<String> names(Path folder) throws IOException {
        if (Files.notExists(folder)) {
            return Set.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    /** Names of files added to the data folder. */
    private Set<String> added() throws IOException {
        Set<String> names = names(data);
        names.removeAll(Set.of("stet.db", "serve.lock", "create.lock", "native", "tmp", "stet.db.opened"));
        return names;
    }

    private Client.Reply welcome(Terminal.Serving serving) {
        return serving.get(Running.TEMPLATES + "welcome?format=html", key);
    }

    // ---- backup

    @Test
    void aBackupReportsItsSizeVersionsAndTime() {
        String line = backup();
        assertTrue(line.matches("Backup " + copy + " written and verified: 0\\.[0-9] MB, 1 version, [0-9]+\\.[0-9] s\n"), line);
    }

    @Test
    void aBackupAndItsChecksumAreReadableByTheirOwnerOnly() throws IOException {
        backup();
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)));
        assertEquals(Set.of("data", "files", "copy.db", "copy.db.sha256"), names(home));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("copy.db.sha256"))));
    }

    @Test
    void aBackupReplacesAnOlderOneAndNoOtherFile() throws IOException {
        backup();
        byte[] first = Files.readAllBytes(copy);
        Path part = Files.writeString(home.resolve("copy.db.part"), "another's");
        terminal.done("key", "add", ADA, "second");
        backup();
        assertFalse(Arrays.equals(first, Files.readAllBytes(copy)), "the older backup is replaced");
        assertEquals(Set.of("data", "files", "copy.db", "copy.db.sha256", "copy.db.part"), names(home));
        assertEquals("another's", Files.readString(part));
    }

    @Test
    void aBackupOnStandardOutputCanBeRestored() throws IOException {
        Path out = home.resolve("out");
        String line = terminal.runInto(out, "backup", "-");
        assertTrue(line.startsWith("Backup written and verified: "), line);
        assertEquals(Set.of(), names(data.resolve("tmp")));
        terminal.environment.put("STET_DATA", home.resolve("other").toString());
        assertEquals(0, terminal.run("restore", out.toString()).code());
        assertEquals("welcome", terminal.done("template", "list", ADA).lines().skip(1).findFirst().orElseThrow().split(" ")[0]);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            data              | HOME/data is a folder; choose a file name
            none/copy.db      | The backup folder HOME/none does not exist; create it first
            data/stet.db      | HOME/data/stet.db is one of the database's files; choose another name
            data/serve.lock   | HOME/data/serve.lock is one of the database's files; choose another name
            data/stet-v6.db   | HOME/data/stet-v6.db is one of the database's files; choose another name
            data/stet.db-wal  | HOME/data/stet.db-wal is one of the database's files; choose another name
            files/templates/welcome.html | HOME/files/templates/welcome.html exists and is not a Stet backup; choose another name
            """)
    void filesThatMustNotBeReplacedAreRefused(String file, String sentence) throws IOException {
        assertRefused(sentence, "backup", home.resolve(file).toString());
        assertEquals(HTML, Files.readString(home.resolve("files/templates/welcome.html")));
    }

    @Test
    void databasesOfOthersAndInUseAreNotReplaced() throws IOException, SQLException {
        script(copy, "create table their (own text)");
        assertRefused("HOME/copy.db exists and is not a Stet backup; choose another name", "backup", copy.toString());
        Files.delete(copy);
        backup();
        Files.createFile(home.resolve("copy.db-wal"));
        assertRefused("HOME/copy.db may be a database in use (its log HOME/copy.db-wal exists); choose another name", "backup", copy.toString());
    }

    /** A corrupted backup would replace a good one. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            update texts set html = x'3c703e' where id = (select text from versions)     | Version 1 of template welcome of ada@example.com is corrupted (wrong SHA-256)
            update versions set sha256 = zeroblob(32)                                    | Version 1 of template welcome of ada@example.com is corrupted (wrong SHA-256)
            update templates set sha256 = zeroblob(32)                                   | The draft of template welcome of ada@example.com is corrupted (wrong SHA-256)
            update members set role = 'awner'                                             | The file is corrupted: CHECK constraint failed in members
            insert into members values (99, 1, 'owner', 1, 0, 0)                          | Rows of members that reference missing rows of accounts: 1
            """)
    void aCorruptedDatabaseIsNotBackedUp(String damage, String problem) throws IOException, SQLException {
        backup();
        byte[] before = Files.readAllBytes(copy);
        script(data.resolve("stet.db"), "pragma foreign_keys = off", "pragma ignore_check_constraints = on", damage);
        Terminal.Result result = terminal.run("backup", copy.toString());
        assertEquals(2, result.code());
        assertTrue(result.err().startsWith("Database error: no backup was made because the database is corrupted: " + problem), result.err());
        assertArrayEquals(before, Files.readAllBytes(copy));
        assertEquals(Set.of("data", "files", "copy.db", "copy.db.sha256"), names(home));
    }

    // ---- the checksum beside a backup

    @Test
    void theChecksumIsASha256sum() throws Exception {
        Path odd = home.resolve("a\\b c\nd.db");
        for (Path file : List.of(copy, odd)) {
            assertEquals(0, terminal.run("backup", file.toString()).code());
            String name = file.getFileName() + ".sha256";
            try {
                Process program = new ProcessBuilder("sha256sum", "--strict", "--check", name).directory(home.toFile()).start();
                assertEquals("0 ", program.waitFor() + " " + new String(program.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException missing) {
                Machine.has(false, "sha256sum is not here");
            }
            assertEquals(0, terminal.run("check", file.toString()).code());
            assertEquals(0, terminal.run("restore", file.toString()).code());
        }
    }

    /** Flipped bits are detected anywhere, even in rows that nothing else checks, such as names, passwords and counts. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void aFlippedBitIsRefused(long seed) throws IOException {
        backup();
        byte[] intact = Files.readAllBytes(copy);
        byte[] before = Files.readAllBytes(data.resolve("stet.db"));
        Random random = new Random(seed);
        for (int i = 0; i < 30; i++) {
            byte[] flipped = intact.clone();
            int bit = random.nextInt(intact.length * 8);
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(copy, flipped);
            assertEquals(1, terminal.run("restore", copy.toString()).code(), "bit " + bit);
            assertEquals(1, terminal.run("check", copy.toString()).code(), "bit " + bit);
        }
        assertArrayEquals(before, Files.readAllBytes(data.resolve("stet.db")));
        Files.write(copy, intact);
        assertEquals(0, terminal.run("restore", copy.toString()).code());
    }

    @Test
    void aBackupThatDoesNotMatchItsChecksumIsRefused() throws IOException, SQLException {
        backup();
        script(copy, "update accounts set name = 'eve@example.com'");
        assertRefused("HOME/copy.db does not match HOME/copy.db.sha256, so the file or its checksum has changed since the backup. Nothing was restored; use another backup",
                "restore", copy.toString());
        Terminal.Result check = terminal.run("check", copy.toString());
        assertTrue(check.code() == 1 && check.out().contains("problem  checksum: " + copy + " does not match " + copy
                + ".sha256; make a new backup, or use another file\n"), check.toString());
    }

    @Test
    void anInvalidChecksumFileIsRefused() throws IOException {
        backup();
        Files.writeString(home.resolve("copy.db.sha256"), "no checksum");
        for (String command : List.of("restore", "backup")) {
            assertRefused("HOME/copy.db.sha256 is not in sha256sum format; delete the file or create it again", command, copy.toString());
        }
    }

    @Test
    void aBackupWithoutAChecksumIsRestoredWithAWarning() throws IOException {
        backup();
        Files.delete(home.resolve("copy.db.sha256"));
        assertTrue(terminal.done("check", copy.toString()).contains("ok       checksum: not verified because there is no " + copy
                + ".sha256\n"));
        Terminal.Result result = terminal.run("restore", copy.toString());
        assertTrue(result.code() == 0 && result.err().lines().skip(1).findFirst().orElseThrow().matches("The backup's \\.sha256 file was not found, so the checksum was not verified\\."
                + " The SHA-256 of the backup is [0-9a-f]{64}"), result.toString());
    }

    @Test
    void aTruncatedBackupSaysHowMuchIsMissing() throws IOException {
        backup();
        byte[] whole = Files.readAllBytes(copy);
        Files.write(copy, Arrays.copyOf(whole, whole.length - 100_000));
        String sentence = "HOME/copy.db is truncated to " + (whole.length - 100_000) + " of " + whole.length + " bytes; 0.1 MB is missing";
        assertRefused(sentence, "restore", copy.toString());
        assertTrue(terminal.run("check", copy.toString()).out().startsWith("problem  length: " + sentence.replace("HOME", home.toString())
                + "; restore a backup\n"));
        Files.write(copy, Arrays.copyOf(whole, 50));
        assertRefused("HOME/copy.db is truncated to 50 bytes", "restore", copy.toString());
    }

    // ---- restore

    @Test
    void aFolderInPlaceOfTheDatabaseIsNotReplaced() throws IOException {
        backup();
        Files.delete(data.resolve("stet.db"));
        Files.createDirectory(data.resolve("stet.db"));
        assertEquals(new Terminal.Result(2, "", "Cannot read " + data.resolve("stet.db") + ": Is a directory\n"), terminal.run("restore", copy.toString()));
        assertEquals(Set.of(), added());
    }

    /** One journey: a restore, its report, and the way back. */
    @Test
    void aRestoreKeepsTheOldDatabaseAndReportsTheDifferences() throws IOException {
        String leaked = terminal.done("token", "add", ADA, "leaked").strip();
        backup();
        String id = terminal.done("key", "list", ADA).lines().skip(1).findFirst().orElseThrow().split(" ")[0];
        terminal.done("key", "delete", ADA, id);
        String second = terminal.done("key", "add", ADA, "second").strip();
        terminal.done("account", "plan", ADA, "--requests", "300");
        terminal.done("token", "delete", ADA, terminal.done("token", "list", ADA).lines().skip(1).findFirst().orElseThrow().split(" ")[0]);
        String token = terminal.done("token", "add", ADA, "ci").strip();
        try (Running stet = new Running(data)) {
            stet.template(stet.account(ADA), "welcome", "<p>new</p>");
            for (int i = 0; i < 3; i++) {
                assertEquals(200, stet.get(Running.TEMPLATES + "welcome", second).status());
            }
            assertEquals(401, stet.get(Running.TEMPLATES + "welcome", key).status());
            stet.stop();
            Terminal.Result result = terminal.run("restore", copy.toString());
            assertEquals(0, result.code(), result.err());
            Path kept = data.resolve("replaced-2026-01-31T090000Z");
            assertEquals("""
                    Restored the database in DATA: 1 account, 1 valid key, 1 valid deploy token, 1 template, 1 version; last change 2026-01-31T09:00:00.000Z
                    The previous database is kept in KEPT: 1 account, 1 valid key, 1 valid deploy token, 1 template, 2 versions; last change 2026-01-31T09:00:00.000Z
                    Plans, passwords, drafts and published versions were replaced with those in the backup. All users must sign in again.
                    Keys valid again:
                      ada@example.com: test (START1...)
                    Keys no longer valid:
                      ada@example.com: second (START2...)
                    Deploy tokens valid again:
                      ada@example.com: leaked (START3...)
                    Deploy tokens no longer valid:
                      ada@example.com: ci (START4...)
                    Request counts lowered by the restore (accounts may exceed their limits this period):
                      ada@example.com: 0 instead of 3 of 300
                    """.replace("DATA", data.toString()).replace("KEPT", kept.toString()).replace("START1", key.substring(0, 9))
                    .replace("START2", second.substring(0, 9)).replace("START3", leaked.substring(0, 16)).replace("START4", token.substring(0, 16)), result.err());
            assertEquals(Set.of("replaced-2026-01-31T090000Z"), added());
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("stet.db"))));
            stet.start();
            assertEquals(HTML, stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
            assertEquals(401, stet.get(Running.TEMPLATES + "welcome", second).status());
            stet.stop();
            assertEquals(0, terminal.run("restore", kept.resolve("stet.db").toString()).code(), "the old database can be restored");
            stet.start();
            assertEquals("<p>new</p>", stet.get(Running.TEMPLATES + "welcome?format=html", second).text());
            assertEquals(4, stet.used(stet.account(ADA)));
        }
    }

    @ParameterizedTest(name = "from standard input: {0}")
    @ValueSource(booleans = {false, true})
    void aBackupIsRestoredIntoAnEmptyFolder(boolean isStream) throws IOException {
        backup();
        Path other = home.resolve("other");
        terminal.environment.put("STET_DATA", other.toString());
        terminal.bytes = isStream ? Files.readAllBytes(copy) : new byte[0];
        Terminal.Result result = terminal.run("restore", isStream ? "-" : copy.toString());
        assertEquals("Restored the database in " + other + ": 1 account, 1 valid key, 0 valid deploy tokens, 1 template, 1 version;"
                + " last change 2026-01-31T09:00:00.000Z", result.err().lines().findFirst().orElseThrow());
        assertEquals("""
                Plans, passwords, drafts and published versions were replaced with those in the backup. All users must sign in again.
                Keys and deploy tokens deleted since the backup are valid again. Keys, deploy tokens and request counts from after the backup are lost.
                """, result.err().lines().skip(isStream ? 2 : 1).map(line -> line + "\n").collect(Collectors.joining()));
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertEquals(HTML, welcome(serving).text());
        }
    }

    /** Piped input that is truncated or not a backup. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            head -c 20000 COPY                | The backup on standard input is truncated to 20000 of
            head -c 50 COPY                   | The backup on standard input is truncated to 50 bytes
            true                              | The backup on standard input is empty
            yes                               | The backup on standard input is not a database; restore a backup, or use another file or folder
            """)
    void anIncompleteOrInvalidPipeIsRefused(String program, String sentence) throws Exception {
        backup();
        terminal.environment.put("STET_DATA", home.resolve("other").toString());
        Process pipe = new ProcessBuilder("sh", "-c", program.replace("COPY", copy.toString())).start();
        try {
            terminal.in = pipe.getInputStream();
            Terminal.Result result = terminal.run("restore", "-");
            assertEquals(1, result.code());
            assertTrue(result.err().startsWith(sentence), result.err());
        } finally {
            pipe.destroy();
        }
        assertFalse(Files.exists(home.resolve("other/stet.db")));
    }

    @Test
    void allUsersMustSignInAfterARestore() throws IOException {
        try (Running stet = new Running(data)) {
            Browser browser = Browser.of(stet, stet.account(ADA));
            backup();
            assertEquals(200, browser.get("/data/templates").status());
            stet.stop();
            assertEquals(0, terminal.run("restore", copy.toString()).code());
            stet.start();
            assertEquals(401, browser.get("/data/templates").status());
        }
    }

    @Test
    void aRestoreIsRefusedWhileTheDatabaseIsInUse() throws IOException, SQLException {
        backup();
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertRefused("HOME/data/stet.db is in use by serve or another restore; stop that process first", "restore", copy.toString());
            assertEquals(HTML, welcome(serving).text());
        }
        try (Connection command = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("stet.db"));
                Statement statement = command.createStatement()) {
            statement.execute("begin immediate");
            assertRefused("HOME/data/stet.db is in use by another process; try again when that process has finished", "restore", copy.toString());
            statement.execute("delete from usage");
            statement.execute("commit");
        }
        assertEquals(Set.of(), added());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            none       | Cannot read HOME/none: file or folder not found
            data       | HOME/data is a folder; use a backup file
            empty      | HOME/empty is empty; restore it from a backup
            text       | HOME/text is not a database; restore a backup, or use another file or folder
            cut        | HOME/cut is truncated to 9000 of
            other      | HOME/other is not a Stet database; use another file or folder
            newer      | HOME/newer was created by a newer version of Stet
            used       | HOME/used is in use or was not closed properly (HOME/used-wal exists); restore a backup made by "backup"
            flipped    | HOME/flipped is corrupted and was not restored; use another backup (Version 1 of template welcome of ada@example.com is corrupted (wrong SHA-256)
            """)
    void aFileThatIsNotIntactIsRefusedAndChangesNothing(String file, String sentence) throws IOException, SQLException {
        backup();
        Path given = home.resolve(file);
        switch (file) {
            case "empty" -> Files.createFile(given);
            case "text" -> Files.writeString(given, "not a database at all");
            case "cut" -> Files.write(given, Arrays.copyOf(Files.readAllBytes(copy), 9_000));
            case "other" -> script(given, "create table their (own text)");
            case "newer" -> script(Files.copy(copy, given), "pragma user_version = 1000");
            case "used" -> Files.createFile(Files.copy(copy, given).resolveSibling("used-wal"));
            case "flipped" -> flip(Files.copy(copy, given));
            default -> { }
        }
        byte[] before = Files.readAllBytes(data.resolve("stet.db"));
        Terminal.Result result = terminal.run("restore", given.toString());
        assertEquals(1, result.code());
        assertTrue(result.err().startsWith(sentence.replace("HOME", home.toString())), result.err());
        assertEquals(1, result.err().lines().count());
        assertArrayEquals(before, Files.readAllBytes(data.resolve("stet.db")));
        assertEquals(Set.of(), added());
        assertEquals(Set.of(), names(data.resolve("tmp")));
    }

    /** Flips one character of the HTML, like a failing disk. */
    private static void flip(Path database) throws IOException {
        byte[] bytes = Files.readAllBytes(database);
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("<p>Gr");
        assertTrue(at > 0);
        try (RandomAccessFile file = new RandomAccessFile(database.toFile(), "rw")) {
            file.seek(at + 1);
            file.write('q');
        }
    }

    @Test
    void aBackupFromBeforeTheFirstReleaseIsRefused() throws IOException, SQLException {
        backup();
        Path old = home.resolve("old.db");
        script(Files.copy(copy, old), "pragma user_version = 9");
        assertEquals(old + " was created before Stet's first release (its schema version is 9; this version supports 11); use another folder",
                terminal.run("restore", old.toString()).err().strip());
    }

    /** The corrupted database is kept together with its log. */
    @Test
    void aDatabaseThatCannotBeReadIsReplacedAndKept() throws IOException {
        backup();
        Files.writeString(data.resolve("stet.db"), "no database any more");
        Files.writeString(data.resolve("stet.db-wal"), "its log");
        Terminal.Result result = terminal.run("restore", copy.toString());
        Path kept = data.resolve("replaced-2026-01-31T090000Z");
        assertEquals(List.of("The previous database is kept in " + kept + ", but cannot be read",
                "Plans, passwords, drafts and published versions were replaced with those in the backup. All users must sign in again.",
                "Keys and deploy tokens deleted since the backup are valid again. Keys, deploy tokens and request counts from after the backup are lost."),
                result.err().lines().skip(1).toList());
        assertEquals("its log", Files.readString(kept.resolve("stet.db-wal")));
        assertEquals("no database any more", Files.readString(kept.resolve("stet.db")));
        Account ada;
        try (Running stet = new Running(data)) {
            ada = stet.account(ADA);
            assertEquals(HTML, stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
        }
        assertEquals(Plan.PRO, ada.plan());
    }
}
