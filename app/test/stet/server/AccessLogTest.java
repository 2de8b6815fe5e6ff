package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.access.TrustedProxies;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Client;
import stet.harness.Running;
import stet.harness.Terminal;

/** The access log: one line per response in the combined format; no response waits for it. */
class AccessLogTest {
    /** The combined format as log analysers parse it. */
    private static final Pattern COMBINED = Pattern.compile("(\\S+) - (\\S+) \\[(\\d\\d/[A-Z][a-z]{2}/\\d{4}:\\d\\d:\\d\\d:\\d\\d \\+0000)] "
            + "\"((?:[^\"\\\\]++|\\\\.)*+)\" (\\d{3}) (\\d+|-) \"((?:[^\"\\\\]++|\\\\.)*+)\" \"((?:[^\"\\\\]++|\\\\.)*+)\"");

    @TempDir
    Path folder;
    private Running stet;
    private Account account;
    private String key;
    private AccessLog log;

    @BeforeEach
    void start() {
        stet = new Running();
        account = stet.account("ada@example.com", Plan.PRO);
        key = stet.key(account);
        stet.template(account, "welcome", "<p>hi</p>");
    }

    @AfterEach
    void end() {
        stet.close();
        if (log != null) {
            log.close();
        }
    }

    private Path file() {
        return folder.resolve("access.log");
    }

    private void logTo(Path file) {
        serve(AccessLog.toFile(file, TrustedProxies.LOOPBACK, stet.clock, stet.log));
    }

    private void serve(AccessLog to) {
        log = to;
        stet.server.close();
        stet.server = new Server(stet.db, stet.upkeep, stet.clock, Server.Settings.at(new InetSocketAddress("127.0.0.1", 0)), null, log);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** Returns the only line that a request writes. */
    private String line(Runnable request) {
        int before = lines(file()).size();
        request.run();
        assertTrue(Running.comes(() -> lines(file()).size() > before));
        List<String> lines = lines(file());
        assertEquals(before + 1, lines.size());
        String line = lines.get(before);
        assertTrue(COMBINED.matcher(line).matches(), line);
        assertTrue(line.chars().allMatch(letter -> letter >= ' ' && letter < 127), line);
        return line;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            GET    | /api/v1/templates/welcome                    | yes |                             | KEY [31/Jan/2026:09:00:00 +0000] "GET /api/v1/templates/welcome HTTP/1.1" 200 BYTES "-" "-"
            GET    | /api/v1/templates/welcome?format=html        | yes | User-Agent: curl/8.5.0      | KEY [31/Jan/2026:09:00:00 +0000] "GET /api/v1/templates/welcome?format=html HTTP/1.1" 200 9 "-" "curl/8.5.0"
            HEAD   | /api/v1/templates/welcome                    | yes | Referer: http://a/b         | KEY [31/Jan/2026:09:00:00 +0000] "HEAD /api/v1/templates/welcome HTTP/1.1" 200 - "http://a/b" "-"
            GET    | /api/v1/templates/welcome                    | no  | X-Forwarded-For: 192.0.2.7  | - [31/Jan/2026:09:00:00 +0000] "GET /api/v1/templates/welcome HTTP/1.1" 401 BYTES "-" "-"
            GET    | /api/v1/templates/a%22b%0Ac                  | yes |                             | KEY [31/Jan/2026:09:00:00 +0000] "GET /api/v1/templates/a%22b%0Ac HTTP/1.1" 404 BYTES "-" "-"
            GET    | /healthz                                     | no  | User-Agent: "x\\ \u00e9     | - [31/Jan/2026:09:00:00 +0000] "GET /healthz HTTP/1.1" 200 BYTES "-" "\\"x\\\\ \\xe9"
            GET    | /no-such?token=secret&format=html&secret     | no  | Referer: http://a/?s=1      | - [31/Jan/2026:09:00:00 +0000] "GET /no-such?...&format=html&... HTTP/1.1" 404 BYTES "http://a/?..." "-"
            """)
    void eachResponseIsALine(String method, String path, String withKey, String header, String expected) {
        logTo(file());
        int[] bytes = new int[1];
        String line = line(() -> bytes[0] = stet.send(method, path, withKey.equals("yes") ? key : null,
                header == null ? new String[0] : new String[] {header}).body().length);
        String address = header != null && header.startsWith("X-Forwarded-For") ? "192.0.2.7" : "127.0.0.1";
        assertEquals(address + " - " + expected.replace("KEY", key.substring(0, 9) + "...").replace("BYTES", Integer.toString(bytes[0])), line);
    }

    /** A target, a referrer and a user agent are cut after 512 characters. */
    @ParameterizedTest
    @ValueSource(ints = {485, 490, 500, 505})
    void aKeyIsNotLoggedWhereATextIsCut(int before) {
        logTo(file());
        String text = "/" + "a".repeat(before - 1) + key;
        String line = line(() -> stet.get(text, null, "Referer: " + text, "User-Agent: " + text));
        assertFalse(line.contains(key.substring(0, 10)), line);
        assertTrue(line.contains("aaa" + key.substring(0, 5)), line);
    }

    @Test
    void noKeyIsLoggedWhereverItIsSent() {
        logTo(file());
        line(() -> stet.get(Running.TEMPLATES + key + "?api_key=" + key + "&format=" + key, null, "Referer: http://a/" + key + "?k=" + key,
                "User-Agent: " + key));
        String token = "stet_deploy_" + key.substring(5);
        line(() -> stet.get("/push/" + token + "?publish=" + token, null, "Referer: http://a/" + token, "User-Agent: " + token));
        line(() -> stet.get(Running.TEMPLATES + "welcome", key));
        line(() -> stet.get(Running.TEMPLATES + "welcome", "stet_unknown_key_of_somebody"));
        String written = String.join("\n", lines(file()));
        assertFalse(written.contains(key.substring(9)), written);
        assertFalse(written.contains("somebody"), written);
    }

    @Test
    void aLongLineIsTruncated() {
        logTo(file());
        String line = line(() -> stet.get("/" + "x".repeat(10_000), null, "User-Agent: " + "y".repeat(10_000), "Referer: " + "z".repeat(5_000)));
        assertTrue(line.length() < 2_000, () -> line.length() + " characters");
    }

    @Test
    void aMovedDeletedOrTruncatedFileIsWrittenAgain() throws IOException {
        assumeTrue(folder.getFileSystem().supportedFileAttributeViews().contains("posix"), "there are no modes here");
        logTo(file());
        line(() -> stet.get("/healthz", null));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file())));
        Files.move(file(), folder.resolve("access.log.1"));
        line(() -> stet.get("/healthz", null));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file())));
        assertEquals(1, lines(folder.resolve("access.log.1")).size());
        Files.delete(file());
        line(() -> stet.get("/healthz", null));
        Files.write(file(), new byte[0]); // like copytruncate
        line(() -> stet.get("/healthz", null));
        assertEquals(0, log.dropped());
    }

    /** A disk that blocks writes. */
    private static final class Stuck extends OutputStream {
        final CountDownLatch free = new CountDownLatch(1);
        final CountDownLatch stuck = new CountDownLatch(1);
        private long lines;

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            stuck.countDown();
            try {
                free.await();
            } catch (InterruptedException stopped) {
                throw new IOException(stopped);
            }
            lines += new String(bytes, from, length).lines().count();
        }

        @Override
        public void write(int letter) {
            throw new AssertionError();
        }
    }

    @Test
    void noResponseWaitsForADiskThatDoesNotWrite() throws InterruptedException {
        Stuck disk = new Stuck();
        serve(AccessLog.toStream(disk, TrustedProxies.LOOPBACK, stet.clock, stet.log));
        int sent = 1_024 + 300; // the queue, and some more
        String logged = Running.logged(() -> {
            try (Client client = new Client(stet.server.address())) {
                assertEquals(200, client.get("/healthz", null).status());
                assertTrue(disk.stuck.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
                for (int i = 0; i < sent; i++) {
                    assertEquals(404, client.get("/no-such", null).status());
                }
                assertTrue(Running.comes(() -> log.dropped() >= 300), () -> log.dropped() + " dropped");
                disk.free.countDown();
                log.close();
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            }
        });
        assertEquals(sent + 1, disk.lines + log.dropped());
        assertTrue(logged.contains(" WARN access-log-dropped lines=" + log.dropped() + "\n"), logged);
    }

    @Test
    void theEndWaitsForLinesBeingWritten() throws InterruptedException {
        Stuck disk = new Stuck();
        serve(AccessLog.toStream(disk, TrustedProxies.LOOPBACK, stet.clock, stet.log));
        assertEquals(200, stet.get("/healthz", null).status());
        assertTrue(disk.stuck.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        Thread end = new Thread(stet.server::close);
        end.start();
        boolean waits = Running.comes(() -> Stream.of(end.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(AccessLog.class.getName())));
        disk.free.countDown();
        end.join(Running.PATIENCE.toMillis());
        assertTrue(waits);
        assertEquals("1 written, 0 dropped", disk.lines + " written, " + log.dropped() + " dropped");
    }

    @Test
    void aFullDiskIsLoggedOnceAndTriedAgain() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/full")), "there is no full disk here");
        Path link = Files.createSymbolicLink(file(), Path.of("/dev/full"));
        logTo(link);
        String logged = Running.logged(() -> {
            for (int i = 1; i <= 3; i++) {
                int requests = i;
                assertEquals(200, stet.get("/healthz", null).status());
                assertTrue(Running.comes(() -> log.dropped() == requests));
            }
        });
        assertEquals(1, logged.lines().filter(line -> line.contains(" ERROR access-log-failed ")).count(), logged);
        assertTrue(logged.contains(" ERROR repeated of=access-log-failed "), logged);
        Files.delete(link);
        assertEquals(200, stet.get("/healthz", null).status());
        assertTrue(Running.comes(() -> lines(file()).size() == 1));
    }

    // ---- the option

    @Test
    void theOptionNamesAFileOrStandardOutput() {
        Terminal terminal = new Terminal(folder.resolve("data"));
        Path other = folder.resolve("other.log");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0", "--access-log", other.toString())) {
            serving.get("/healthz", null);
        }
        assertEquals(1, lines(other).size(), "the end writes what waits");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0", "--access-log", "-")) {
            serving.get("/healthz", null);
            assertTrue(Running.comes(() -> serving.out().contains("\"GET /healthz HTTP/1.1\" 200 ")), serving.out());
        }
        assertEquals(new Terminal.Result(1, "", "Cannot write the access log " + folder + "/no/such: file or folder not found"
                + System.lineSeparator()), terminal.run("serve", "--access-log", folder + "/no/such"));
    }
}
