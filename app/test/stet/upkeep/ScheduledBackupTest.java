package stet.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.sqlite.Db;

/** serve's automatic backups, on a clock that the test moves. */
class ScheduledBackupTest {
    private static final String ADA = "ada@example.com";

    @TempDir
    Path home;

    private Path folder;
    private Terminal terminal;

    @BeforeEach
    void fill() {
        folder = home.resolve("backups");
        terminal = new Terminal(home.resolve("data"));
        terminal.account(ADA, "pro");
    }

    private Terminal.Serving serve(String... options) {
        return terminal.serve(Stream.concat(Stream.of("serve", "--listen", "127.0.0.1:0", "--backup-dir", folder.toString()),
                Stream.of(options)).toArray(String[]::new));
    }

    private Set<String> names() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** Checks the backups' names; each backup must have its checksum. */
    private void assertNames(String... names) {
        Set<String> expected = Stream.of(names).flatMap(name -> Stream.of(name, name + ".sha256")).collect(Collectors.toSet());
        assertTrue(Running.comes(() -> names().equals(expected)), () -> names().toString());
    }

    @Test
    void onlyBackupsAndPartsOfBackupsAreDeleted() throws IOException {
        Files.createDirectories(folder.resolve("stet-2020-01-01T000000Z.db")); // a folder, not a backup
        Files.writeString(folder.resolve("stet-2020-01-01.db"), "another's");
        Files.writeString(folder.resolve("notes-2020-01-01T000000Z.db"), "another's");
        Path link = Files.createSymbolicLink(folder.resolve("stet-2020-01-02T000000Z.db"), folder.resolve("stet-2020-01-01.db"));
        Files.writeString(folder.resolve("stet-2020.db.part"), "another's");
        Set<String> others = names();
        Files.writeString(folder.resolve("stet-2020-01-03T000000Z.db.part"), "of a killed serve");
        Files.writeString(folder.resolve("stet-2020-01-03T000000Z.db.123.part"), "of a killed serve");
        Files.writeString(folder.resolve("stet-2020-01-03T000000Z.db.sha256.123.part"), "of a killed serve");
        try (Terminal.Serving serving = serve("--backup-every", "6h", "--backup-keep", "1")) {
            assertTrue(Running.comes(() -> names().contains("stet-2026-01-31T090000Z.db")));
            terminal.clock.advance(Duration.ofHours(6));
            others.addAll(Set.of("stet-2026-01-31T150000Z.db", "stet-2026-01-31T150000Z.db.sha256"));
            assertTrue(Running.comes(() -> names().equals(others)), () -> names() + serving.err());
        }
        assertTrue(Files.isSymbolicLink(link));
    }

    @Test
    void aBackupIsMadeEachIntervalAndOldOnesAreDeleted() {
        try (Terminal.Serving serving = serve("--backup-every", "6h", "--backup-keep", "2")) {
            assertTrue(Running.comes(() -> names().contains("stet-2026-01-31T090000Z.db")));
            terminal.clock.advance(Duration.ofHours(6));
            assertTrue(Running.comes(() -> names().contains("stet-2026-01-31T150000Z.db")));
            terminal.clock.advance(Duration.ofHours(7));
            assertTrue(Running.comes(() -> names().contains("stet-2026-01-31T220000Z.db")
                    && !names().contains("stet-2026-01-31T090000Z.db")));
            terminal.clock.advance(Duration.ofMinutes(359));
            assertEquals(200, serving.get("/healthz", null).status());
        }
        try (Terminal.Serving again = serve("--backup-every", "6h", "--backup-keep", "1")) { // a restart does not restart the interval
            assertEquals(200, again.get("/healthz", null).status());
            terminal.clock.advance(Duration.ofMinutes(1));
            assertNames("stet-2026-02-01T040000Z.db");
        }
    }

    @Test
    void aScheduledBackupIsReadableByItsOwnerOnlyAndCanBeRestored() throws IOException {
        try (Terminal.Serving serving = serve()) {
            assertNames("stet-2026-01-31T090000Z.db");
            assertEquals(200, serving.get("/healthz", null).status());
        }
        Path last = folder.resolve("stet-2026-01-31T090000Z.db");
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(last)));
        terminal.environment.put("STET_DATA", home.resolve("other").toString());
        assertEquals(0, terminal.run("restore", last.toString()).code());
        assertTrue(terminal.done("account", "list").contains(ADA));
    }

    @Test
    void aFailureIsLoggedAndTriedAgainLater() {
        Path away = home.resolve("away");
        String lines;
        try (Terminal.Serving serving = serve("--backup-keep", "1")) {
            assertTrue(Running.comes(() -> serving.err().contains("backup-made")));
            move(folder, away);
            terminal.clock.advance(Duration.ofHours(24));
            assertTrue(Running.comes(() -> serving.err().contains("backup-failed")));
            move(away, folder);
            terminal.clock.advance(Duration.ofMinutes(9));
            assertEquals(200, serving.get("/healthz", null).status());
            terminal.clock.advance(Duration.ofMinutes(1));
            assertNames("stet-2026-02-01T091000Z.db");
            assertTrue(Running.comes(() -> serving.err().split("backup-deleted", -1).length == 2), serving::err);
            lines = serving.err();
        }
        assertEquals(1, lines.split("WARN backup-failed file=", -1).length - 1, lines);
        assertTrue(lines.contains("reason=\"The backup folder " + folder + " does not exist; create it first\""), lines);
    }

    @Test
    void aBackupThatTheFileSystemPreventsIsReportedAndTriedAgainLater() throws IOException {
        try (Terminal.Serving serving = serve()) {
            assertTrue(Running.comes(() -> serving.err().contains("backup-made")));
            Path checksum = Files.createDirectory(folder.resolve("stet-2026-02-01T090000Z.db.sha256")); // in the place of a file
            terminal.clock.advance(Duration.ofHours(24));
            assertTrue(Running.comes(() -> serving.err().contains("WARN backup-failed file=" + folder.resolve("stet-2026-02-01T090000Z.db")
                    + " reason=\"Cannot read " + checksum)), serving::err);
            terminal.clock.advance(Duration.ofMinutes(10));
            assertTrue(Running.comes(() -> names().contains("stet-2026-02-01T091000Z.db")), serving::err);
            assertEquals(2, serving.err().split("WARN backup-failed", -1).length, serving::err);
        }
    }

    /** A backup is overdue when two intervals have passed without one. */
    @Test
    void anOverdueBackupFailsTheHealthCheckUntilItIsMade() {
        Path away = home.resolve("away");
        try (Terminal.Serving serving = serve("--backup-keep", "1")) {
            assertTrue(Running.comes(() -> serving.err().contains("backup-made")));
            move(folder, away);
            terminal.clock.advance(Duration.ofHours(48));
            assertEquals(200, serving.get("/healthz", null).status());
            terminal.clock.advance(Duration.ofSeconds(1));
            Client.Reply late = serving.get("/healthz", null);
            assertEquals("503 {\"status\":\"failing\",\"reason\":\"a backup is overdue\"}", late.status() + " " + late.text());
            move(away, folder);
            terminal.clock.advance(Duration.ofMinutes(10));
            assertTrue(Running.comes(() -> serving.get("/healthz", null).status() == 200));
        }
    }

    /** Backup verification finds a corrupted draft that nobody has opened for months. */
    @Test
    void healthReportsACorruptedDatabase() throws SQLException {
        Path data = home.resolve("data");
        try (Db db = Db.open(data, false)) {
            Account ada = db.read(dao -> dao.accounts().find(ADA)).orElseThrow();
            db.change(dao -> dao.templates().save(ada.id(), new Draft("welcome", "Welcome", "", new byte[] {'h', 'i'}, Map.of()), terminal.clock.instant()));
        }
        String lines;
        try (Terminal.Serving serving = serve()) {
            assertNames("stet-2026-01-31T090000Z.db");
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("stet.db"));
                    Statement statement = other.createStatement()) {
                statement.executeUpdate("update templates set sha256 = zeroblob(32)");
            }
            assertEquals(200, serving.get("/healthz", null).status(), "not found yet");
            terminal.clock.advance(Duration.ofHours(24));
            assertTrue(Running.comes(() -> serving.get("/healthz", null).status() == 503), serving::err);
            assertEquals("{\"status\":\"failing\",\"reason\":\"the database is malformed\"}", serving.get("/healthz", null).text());
            assertNames("stet-2026-01-31T090000Z.db");
            assertTrue(Running.comes(() -> serving.err().contains("WARN health-failing ")), serving::err); // logged up to a second later
            lines = serving.err();
        }
        assertTrue(lines.contains("reason=\"no backup was made because the database is corrupted: The draft of template welcome of " + ADA), lines);
        assertTrue(lines.contains("WARN health-failing reason=\"the database is malformed\""), lines);
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** A backup made while the clock was a year ahead does not prevent later backups and is deleted first. */
    @Test
    void aBackupFromTheFuturePreventsNoOther() throws IOException {
        Files.createDirectories(folder);
        assertEquals(0, terminal.run("backup", folder.resolve("stet-2027-01-31T090000Z.db").toString()).code());
        try (Terminal.Serving serving = serve("--backup-every", "1m", "--backup-keep", "1")) {
            assertNames("stet-2026-01-31T090000Z.db");
            terminal.clock.advance(Duration.ofDays(-30));
            assertNames("stet-2026-01-01T090000Z.db");
            terminal.clock.advance(Duration.ofDays(30));
            assertNames("stet-2026-01-31T090000Z.db");
            assertEquals(200, serving.get("/healthz", null).status());
        }
    }

    @Test
    void theIntervalAndTheTimeOfTheLastBackupAreReported() {
        try (Running stet = new Running()) {
            stet.account(ADA, Plan.PRO);
            assertEquals("{\"every\":null,\"last\":null}", Browser.of(stet, stet.account(ADA)).get("/data/backups").text());
            stet.stop();
            stet.backUpTo(folder);
            Browser browser = Browser.of(stet, stet.account(ADA));
            assertTrue(Running.comes(() -> browser.get("/data/backups").text()
                    .equals("{\"every\":86400,\"last\":\"2026-01-31T09:00:00.000Z\"}")));
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            --backup-every 24h                       | --backup-every needs --backup-dir DIR
            --backup-keep 14                         | --backup-keep needs --backup-dir DIR
            --backup-dir DIR --backup-every 59s      | --backup-every is "59s"; it must be from 1m to 365d
            --backup-dir DIR --backup-every 366d     | --backup-every is "366d"; it must be from 1m to 365d
            --backup-dir DIR --backup-every 24       | --backup-every is "24"; use a duration such as 30s, 15m, 24h or 7d
            --backup-dir DIR --backup-every 1h30m    | --backup-every is "1h30m"; use a duration such as 30s, 15m, 24h or 7d
            --backup-dir DIR --backup-keep 0         | --backup-keep is "0"; it must be a whole number from 1 to 1000
            --backup-dir DIR --backup-keep 1001      | --backup-keep is "1001"; it must be a whole number from 1 to 1000
            --after-backup FILE                      | --after-backup needs --backup-dir DIR
            --backup-dir DIR --after-backup-timeout 1m | --after-backup-timeout needs --after-backup PROGRAM
            --backup-dir DIR --after-backup FILE     | --after-backup is "FILE"; it must be the path of an executable file
            --backup-dir DIR --after-backup true     | --after-backup is "true"; it must be the path of an executable file
            --backup-dir DIR --after-backup /bin     | --after-backup is "/bin"; it must be the path of an executable file
            --backup-dir DIR --backup-every 30m --after-backup /bin/true --after-backup-timeout 31m | --after-backup-timeout is "31m"; it must be at least 1s and at most the --backup-every interval
            --backup-dir FILE                        | Cannot use the folder FILE for backups: a file with that name already exists
            """)
    void badOptionsAreRefused(String options, String sentence) throws IOException {
        Path file = Files.createFile(home.resolve("file"));
        Terminal.Result result = terminal.run(("serve --listen 127.0.0.1:0 " + options).replace("DIR", folder.toString())
                .replace("FILE", file.toString()).split(" "));
        assertEquals(new Terminal.Result(1, "", sentence.replace("FILE", file.toString()) + "\n"), result);
    }
}
