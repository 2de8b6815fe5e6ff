package stet.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.harness.Client;
import stet.harness.Exposition;
import stet.harness.Running;
import stet.harness.Terminal;

/** The program that serve runs after every backup. */
class AfterBackupTest {
    private static final String FIRST = "stet-2026-01-31T090000Z.db";
    private static final String SECOND = "stet-2026-02-01T090000Z.db";

    @TempDir
    Path home;

    private Path folder;
    private Path program;
    private Terminal terminal;

    @BeforeEach
    void fill() {
        folder = home.resolve("backups");
        program = home.resolve("a program");
        terminal = new Terminal(home.resolve("data"));
        terminal.account("ada@example.com", "pro");
    }

    /** @param script gets the backup as $1; runs in a separate folder */
    private void program(String script) throws IOException {
        Files.writeString(program, "#!/bin/sh\ncd '" + home + "'\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    private Terminal.Serving serve(String timeout) {
        return terminal.serve("serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--backup-dir", folder.toString(),
                "--backup-keep", "1", "--after-backup", program.toString(), "--after-backup-timeout", timeout);
    }

    private static void assertLogged(Terminal.Serving serving, String text) {
        assertTrue(Running.comes(() -> serving.err().contains(text)), serving::err);
    }

    private static int times(Terminal.Serving serving, String event) {
        return serving.err().split(" " + event + " ", -1).length - 1;
    }

    private static String health(Terminal.Serving serving) {
        Client.Reply reply = serving.get("/healthz", null);
        return reply.status() + " " + reply.text();
    }

    private static String metrics(Terminal.Serving serving) {
        Matcher url = Pattern.compile(" metrics=(\\S+)/metrics").matcher(serving.err());
        assertTrue(url.find());
        URI at = URI.create(url.group(1));
        try (Client client = new Client(new InetSocketAddress(at.getHost(), at.getPort()))) {
            String text = client.send("GET", "/metrics", null).text();
            assertFalse(new Exposition(text).types.isEmpty());
            return text;
        }
    }

    /** Checks that the processes whose pids the program wrote, one per line, have ended. */
    private void assertEnded(String name, int number) throws IOException {
        List<String> pids = Files.readAllLines(home.resolve(name));
        assertEquals(number, pids.size());
        assertTrue(Running.comes(() -> pids.stream().allMatch(pid -> {
            try {
                return Files.readString(Path.of("/proc", pid, "stat")).contains(") Z ");
            } catch (IOException gone) {
                return true;
            }
        })), pids::toString);
    }

    @Test
    void theProgramGetsTheBackupsPathNoInputAndNoSecrets() throws IOException {
        program("""
                cat > input; env > variables; cp "$1" "copy of $(basename "$1")" && sha256sum "$1" > sums; echo "$# copied"; echo and >&2
                """);
        try (Terminal.Serving serving = serve("1m")) {
            assertLogged(serving, "INFO after-backup-done file=" + folder.resolve(FIRST));
            assertTrue(serving.err().contains("output=\"1 copied\\u000aand\""), serving::err);
            assertEquals(Files.readString(folder.resolve(FIRST + ".sha256")).split(" ")[0], Files.readString(home.resolve("sums")).split(" ")[0]);
            assertEquals(0, terminal.run("check", home.resolve("copy of " + FIRST).toString()).code());
            assertFalse(Files.readString(home.resolve("variables")).replace("STET_EXEC_MARK=", "").contains("STET_"));
            assertEquals(0, Files.size(home.resolve("input")));
        }
    }

    @Test
    void theMetricsHaveTheTimeOfTheLastSuccess() throws IOException {
        program("exit 0");
        try (Terminal.Serving serving = serve("1m")) {
            assertLogged(serving, "INFO after-backup-done file=" + folder.resolve(FIRST));
            String metrics = metrics(serving);
            assertTrue(metrics.contains("\nstet_after_backup_failed 0\n"), metrics);
            assertTrue(metrics.contains("\nstet_after_backup_last_timestamp_seconds " + terminal.clock.instant().getEpochSecond()), metrics);
        }
    }

    @Test
    void afterARestartOnlyTheNextBackupIsProcessed() throws IOException {
        program("exit 0");
        try (Terminal.Serving serving = serve("1m")) {
            assertLogged(serving, "INFO after-backup-done file=" + folder.resolve(FIRST));
        }
        try (Terminal.Serving again = serve("1m")) {
            terminal.clock.advance(Duration.ofHours(24));
            assertLogged(again, "after-backup-done file=" + folder.resolve(SECOND));
            assertEquals(1, times(again, "after-backup-done"));
        }
    }

    @Test
    void aFailureIsInLogHealthAndMetricsAndTriedAgain() throws IOException {
        program("echo no network; exit 3");
        try (Terminal.Serving serving = serve("1m")) {
            assertLogged(serving, "WARN after-backup-failed file=" + folder.resolve(FIRST) + " reason=\"exit code 3\" output=\"no network\"");
            assertTrue(Running.comes(() -> health(serving).equals("503 {\"status\":\"failing\",\"reason\":\"the --after-backup program failed\"}")));
            assertTrue(metrics(serving).contains("\nstet_after_backup_failed 1\n"));
            Files.delete(program);
            terminal.clock.advance(Duration.ofMinutes(10));
            assertLogged(serving, "reason=\"cannot run: ");
            program("exit 0");
            terminal.clock.advance(Duration.ofMinutes(9));
            assertEquals(0, times(serving, "after-backup-done"));
            terminal.clock.advance(Duration.ofMinutes(1));
            assertLogged(serving, "after-backup-done file=" + folder.resolve(FIRST));
            assertTrue(Running.comes(() -> health(serving).startsWith("200")));
            assertTrue(metrics(serving).contains("\nstet_after_backup_failed 0\n"));
        }
    }

    /** A failure delays neither the next backup nor the deletion of the oldest backup. */
    @Test
    void afterAFailureTheNextBackupIsProcessed() throws IOException {
        program("exit 1");
        try (Terminal.Serving serving = serve("1m")) {
            assertLogged(serving, "after-backup-failed file=" + folder.resolve(FIRST));
            program("[ -f \"$1\" ]");
            terminal.clock.advance(Duration.ofHours(24));
            assertLogged(serving, "after-backup-done file=" + folder.resolve(SECOND));
            assertFalse(Files.exists(folder.resolve(FIRST)));
        }
    }

    @Test
    void aProgramThatHangsIsKilledWithItsChildren() throws IOException {
        program("""
                trap '' TERM
                sleep 1000 & echo $! >> pids
                (sleep 1000 & echo $! >> pids) &
                echo $$ >> pids
                echo waiting
                while :; do sleep 1; done""");
        try (Terminal.Serving serving = serve("1s")) {
            assertLogged(serving, "reason=\"timed out after 1 s\" output=waiting");
            assertEnded("pids", 3);
        }
    }

    @Test
    void theEndOfALongOutputIsLogged() throws IOException {
        program("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo done");
        try (Terminal.Serving serving = serve("10m")) {
            assertLogged(serving, "after-backup-done");
            assertTrue(serving.err().contains("x\\u000adone\""));
            assertTrue(serving.err().lines().allMatch(line -> line.length() < 2_000));
        }
    }

    @Test
    void aProgramWhoseOutputNeverEndsTimesOut() throws IOException {
        program("exec yes");
        try (Terminal.Serving serving = serve("1s")) {
            assertLogged(serving, "reason=\"timed out after 1 s\" output=\"");
        }
    }

    @Test
    void theProgramMayMoveTheBackup() throws IOException {
        program("mv \"$1\" moved.db");
        try (Terminal.Serving serving = serve("1m")) {
            assertLogged(serving, "after-backup-done");
            assertTrue(Running.comes(() -> !Files.exists(folder.resolve(FIRST + ".sha256"))));
            terminal.clock.advance(Duration.ofHours(24));
            assertTrue(Running.comes(() -> times(serving, "after-backup-done") == 2), serving::err);
            assertTrue(health(serving).startsWith("200"));
        }
        assertEquals(0, terminal.run("check", home.resolve("moved.db").toString()).code());
    }

    /** Even if the program ignores SIGTERM; the next start runs it again. */
    @Test
    void stoppingServeKillsTheProgram() throws IOException {
        program("trap '' TERM; sleep 1000 & echo $! >> pids; echo $$ >> pids; while :; do sleep 1; done");
        try (Terminal.Serving serving = serve("10m")) {
            assertTrue(Running.comes(() -> {
                try {
                    return Files.readAllLines(home.resolve("pids")).size() == 2;
                } catch (IOException notYet) {
                    return false;
                }
            }), serving::err);
        }
        assertEnded("pids", 2);
        program("exit 0");
        try (Terminal.Serving again = serve("1m")) {
            assertLogged(again, "after-backup-done file=" + folder.resolve(FIRST));
        }
    }
}
