package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Log;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Jar;
import stet.harness.MovableClock;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.process.JdkLoggers;

/** Log lines for start, user activity and shutdown. */
class EventsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String EMAIL = "ada@example.com";

    @TempDir
    Path folder;

    private static JsonNode json(Client.Reply reply) {
        try {
            return JSON.readTree(reply.body());
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void userssChangesAreLinesWithoutSecrets() {
        List<String> secrets = new ArrayList<>(List.of("correct horse", "battery staple", "a wrong guess"));
        try (Running stet = new Running()) {
            Account account = stet.account(EMAIL, Plan.PRO, "correct horse");
            stet.block(account, "footer", "<p>bye</p>");
            String log = Running.logged(() -> {
                Browser browser = Browser.of(stet);
                browser.post("/data/session", "{\"email\":\"" + EMAIL + "\",\"password\":\"a wrong guess\"}");
                assertEquals(200, browser.post("/data/session", "{\"email\":\"ADA@example.com\",\"password\":\"correct horse\"}").status());
                JsonNode key = json(browser.post("/data/keys", "{\"name\":\"the website\"}"));
                secrets.add(key.get("secret").asText().substring(9));
                JsonNode rotated = json(browser.post("/data/keys/" + key.get("id") + "/rotate", "{\"hours\":2}"));
                secrets.add(rotated.get("secret").asText().substring(9));
                assertEquals(204, browser.delete("/data/keys/" + key.get("id")).status());
                JsonNode template = json(browser.post("/data/templates", "{\"id\":\"welcome\",\"name\":\"Welcome\"}"));
                String revision = "{\"revision\":" + template.get("revision") + "}";
                assertEquals(200, browser.post("/data/templates/welcome/publish", revision).status());
                stet.template(account, "welcome", "<p>hi</p>");
                assertEquals(200, browser.post("/data/templates/welcome/versions/1/publish", "{}").status());
                assertEquals(404, browser.post("/data/templates/welcome/versions/9/publish", "{}").status());
                assertEquals(204, browser.delete("/data/templates/welcome").status());
                assertEquals(404, browser.delete("/data/templates/welcome").status());
                assertEquals(204, browser.delete("/data/blocks/footer").status());
                assertEquals(204, browser.put("/data/password", "{\"current\":\"correct horse\",\"password\":\"battery staple\"}").status());
                assertEquals(204, browser.delete("/data/sessions").status());
                secrets.add(String.valueOf(browser.known));
            });
            assertEquals("""
                    WARN sign-in-failed address=127.0.0.1 email=ada@example.com
                    INFO sign-in address=127.0.0.1 email=ada@example.com
                    INFO key-added account=ada@example.com key=1 user=ada@example.com
                    INFO key-rotated account=ada@example.com key=1 new=2 hours=2 user=ada@example.com
                    INFO key-deleted account=ada@example.com key=1 user=ada@example.com
                    INFO template-published account=ada@example.com template=welcome version=1 user=ada@example.com
                    INFO template-published account=ada@example.com template=welcome version=3 user=ada@example.com
                    INFO template-deleted account=ada@example.com template=welcome user=ada@example.com
                    INFO block-deleted account=ada@example.com block=footer user=ada@example.com
                    INFO password-changed email=ada@example.com address=127.0.0.1
                    INFO sessions-ended email=ada@example.com address=127.0.0.1
                    """, log.lines().map(line -> line.substring(25) + "\n").collect(Collectors.joining()));
            secrets.forEach(secret -> assertFalse(log.contains(secret), secret));
        }
    }

    @Test
    void anImportIsALineAndADryRunIsNone() throws IOException {
        try (Running stet = new Running()) {
            Account account = stet.account(EMAIL, Plan.PRO);
            byte[] zip = new RawZip().file("templates/welcome.html", "<p>hi</p>").bytes();
            Browser browser = Browser.of(stet, account);
            String body = new String(zip, StandardCharsets.ISO_8859_1);
            String log = Running.logged(() -> {
                for (String query : List.of("?publish=true&dryRun=true", "?publish=true")) {
                    assertEquals(200, send(stet, browser, "/data/import" + query, body).status());
                }
            });
            assertEquals("INFO imported account=ada@example.com user=ada@example.com created=1 changed=0 blocks=0 published=1",
                    log.lines().map(line -> line.substring(25)).collect(Collectors.joining("\n")));
        }
    }

    private static Client.Reply send(Running stet, Browser browser, String path, String body) {
        try (Client client = new Client(stet.server.address())) {
            return client.write(client.request("POST", path, null, "Cookie: " + browser.cookie, "Content-Type: application/zip",
                    "Content-Length: " + body.length(), "Connection: close") + body).read(false);
        }
    }

    @Test
    void theEndIsTheLastLine() throws SQLException {
        Path data = folder.resolve("data");
        Terminal terminal = new Terminal(data);
        String key = terminal.account(EMAIL, "pro");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0");
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("stet.db"));
                Statement statement = other.createStatement()) {
            statement.executeUpdate("alter table usage rename to lost");
            for (int i = 0; i < 3; i++) {
                assertEquals(500, serving.get(Running.TEMPLATES + "welcome", key).status());
            }
            statement.executeUpdate("alter table lost rename to usage");
            serving.end();
            List<String> events = serving.err().lines().filter(line -> !line.startsWith(" ")).map(line -> line.split(" ")[2]).toList();
            assertTrue(events.contains("repeated"), serving.err());
            assertEquals("ended", events.get(events.size() - 1), serving.err());
        }
    }

    @Test
    void eachLineOfAJsonLogIsJson() throws IOException {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.environment.put("STET_LOG_FORMAT", "json");
        List<String> events = new ArrayList<>();
        String err;
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertTrue(Running.comes(() -> serving.err().lines().count() == 2));
            JsonNode link = JSON.readTree(serving.err().lines().skip(1).findFirst().orElseThrow());
            String token = link.get("link").asText().replaceFirst(".*#", "");
            assertEquals(200, serving.post("/data/setup", "{\"token\":\"" + token + "\",\"name\":\"Harbour\",\"email\":\"" + EMAIL
                    + "\",\"password\":\"correct horse\",\"plan\":\"pro\"}").status());
            serving.end();
            err = serving.err();
        }
        for (String line : err.lines().toList()) {
            JsonNode event = JSON.readTree(line);
            Instant.parse(event.get("time").asText());
            assertTrue(Set.of("INFO", "WARN").contains(event.get("level").asText()), line);
            events.add(event.get("event").asText());
        }
        assertEquals(List.of("started", "set-up", "account-added", "ended"), events);
        assertFalse(err.contains("correct horse"));
        JsonNode started = JSON.readTree(err.lines().findFirst().orElseThrow());
        assertEquals(0, started.get("accounts").intValue());
        assertEquals(folder.resolve("data").toString(), started.get("data").asText());
        Path seed = Files.createDirectory(folder.resolve("seed"));
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0", "--seed", seed.toString())) {
            JsonNode first = JSON.readTree(serving.err().lines().findFirst().orElseThrow());
            assertEquals("seed-left-alone " + seed, first.get("event").asText() + " " + first.get("folder").asText());
        }
        Files.createDirectory(seed.resolve("templates"));
        Files.writeString(seed.resolve("account.json"), "{\"email\": \"eve@example.com\"}");
        Files.writeString(seed.resolve("templates/notes.txt"), "not a template");
        terminal.environment.put("STET_DATA", folder.resolve("other").toString());
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0", "--seed", seed.toString())) {
            JsonNode first = JSON.readTree(serving.err().lines().findFirst().orElseThrow());
            assertEquals("passed-over", first.get("event").asText());
            assertTrue(first.get("file").asText().endsWith("templates/notes.txt"), first.toString());
        }
        assertEquals("--log-format is \"xml\"; use text or json" + System.lineSeparator(), terminal.run("serve", "--log-format", "xml").err());
    }

    /** The real program's log lines do not depend on the machine's time zone. */
    @Tag("jar")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            text | [0-9-]{10}T[0-9:.]{12}Z INFO started version=.* url=.* accounts=0 jdk=.* seconds=[0-9.]+
            json | \\{"time":"[0-9-]{10}T[0-9:.]{12}Z", "level": "INFO","event":"started","version":.*,"accounts":0,"jdk":.*,"seconds":[0-9.]+}
            """)
    void aLineOfTheLog(String format, String pattern) throws Exception {
        Instant begin = Instant.now();
        ProcessBuilder serve = new ProcessBuilder(Jar.command(Files.createDirectories(folder.resolve("tmp")), List.of(), "serve",
                "--data", folder.resolve("logged").toString(), "--listen", "127.0.0.1:0", "--log-format", format));
        serve.environment().put("TZ", "America/New_York");
        Process process = serve.start();
        try (BufferedReader err = process.errorReader(StandardCharsets.UTF_8)) {
            String line = err.readLine();
            assertTrue(line.matches(pattern), line);
            Instant time = Instant.parse(line.replaceFirst(".*?([0-9-]{10}T[0-9:.]{12}Z).*", "$1"));
            assertTrue(Duration.between(begin, time).abs().toMinutes() < 10, line);
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    @ParameterizedTest
    @CsvSource({"rwx------, 0", "rwxr-x---, 1", "rwx-----x, 1"})
    void aFolderThatOthersMayLookIntoIsALine(String permissions, int lines) throws IOException {
        assumeTrue(FileSystems.getDefault().supportedFileAttributeViews().contains("posix"), "there are no modes here");
        Path data = Files.createDirectory(folder.resolve("data"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString(permissions));
        try (Terminal.Serving serving = new Terminal(data).serve("--listen", "127.0.0.1:0")) {
            String line = " WARN folder-open folder=" + data + " mend=\"chmod 700 " + data + "\"";
            assertEquals(lines, serving.err().lines().filter(each -> each.endsWith(line)).count(), serving.err());
        }
    }

    @Test
    void warningsOfTheJdkAreLines() {
        System.Logger jdk = System.getLogger("com.sun.net.httpserver");
        String log = Running.logged(() -> {
            JdkLoggers.writeTo(Running.newLog());
            jdk.log(System.Logger.Level.WARNING, "odd\nrequest");
            jdk.log(System.Logger.Level.WARNING, "{0} of {1}", "two", "three");
            jdk.log(System.Logger.Level.ERROR, "failed", new IllegalStateException("odd"));
            jdk.log(System.Logger.Level.INFO, "ordinary");
        });
        assertEquals("""
                WARN library name=com.sun.net.httpserver message="odd\\u000arequest"
                WARN library name=com.sun.net.httpserver message="two of three"
                ERROR library name=com.sun.net.httpserver message=failed failure="java.lang.IllegalStateException: odd"
                """, log.lines().filter(line -> !line.startsWith(" ")).map(line -> line.substring(25) + "\n").collect(Collectors.joining()));
    }

    @Test
    void theClocksStepsAreLines() {
        MovableClock clock = new MovableClock(Running.NOW);
        ClockSteps steps = new ClockSteps(clock, Running.newLog());
        String log = Running.logged(() -> {
            for (String instant : List.of("2026-01-31T09:01:00Z", "2027-01-31T09:01:00Z", "2027-01-31T09:00:00Z",
                    "2026-01-31T09:01:00Z", "2026-01-31T09:01:00Z")) {
                clock.set(instant);
                steps.check();
            }
        });
        assertEquals("""
                WARN clock-set-forward from=2026-01-31T09:01:00.000Z to=2027-01-31T09:01:00.000Z
                WARN clock-set-back from=2027-01-31T09:00:00.000Z to=2026-01-31T09:01:00.000Z
                """, log.lines().map(line -> line.substring(25) + "\n").collect(Collectors.joining()));
    }

    @Test
    void eachEventIsInTheTable() throws IOException {
        Pattern written = Pattern.compile("(?:\\blog(?:\\(\\))?\\.(?:info|warn|error|refused)\\(|change\\(administrator, request,|\\b(?:log\\(|announce\\(\\w+(?:\\(\\))?(?:\\.log\\(\\))?, ))\\s*\"([a-z-]+)\"");
        Set<String> events = new TreeSet<>(Set.of("repeated", "library", "key-added", "key-rotated", "key-deleted", "token-added", "token-rotated", "token-deleted"));
        try (Stream<Path> files = Files.walk(Path.of("app/main/stet"))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                written.matcher(Files.readString(file)).results().forEach(found -> events.add(found.group(1)));
            }
        }
        Set<String> listed = new TreeSet<>();
        Files.readAllLines(Path.of("app/docs/monitoring.md")).stream().dropWhile(line -> !line.equals("| event | level | details |"))
                .takeWhile(line -> line.startsWith("|")).skip(2).map(line -> line.split("\\|")[1])
                .forEach(cell -> Pattern.compile("`([a-z-]+)`").matcher(cell).results().forEach(found -> listed.add(found.group(1))));
        assertEquals(events, listed);
    }

    /** An event's row gives its level and names its details. */
    @Test
    void eachEventIsAsInItsRow() throws IOException {
        Pattern call = Pattern.compile("\\blog(?:\\(\\))?\\.(info|warn|error)\\(\\s*\"([a-z-]+)\"([^;]*);");
        List<String> rows = Files.readAllLines(Path.of("app/docs/monitoring.md")).stream().filter(line -> line.matches("\\| `.*\\| (?:INFO|WARN|ERROR).*")).toList();
        Set<String> wrong = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("app/main/stet"))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                for (MatchResult found : call.matcher(Files.readString(file)).results().toList()) {
                    String event = found.group(2);
                    String row = rows.stream().filter(each -> each.split(" \\| ")[0].contains("`" + event + "`")).findFirst().orElse("");
                    if (!row.split(" \\| ")[1].contains(found.group(1).toUpperCase(Locale.ROOT))) {
                        wrong.add(event + " is " + found.group(1));
                    }
                    Pattern.compile(",\\s*\"([a-zA-Z]+)\"\\s*,").matcher(found.group(3)).results().map(each -> each.group(1))
                            .filter(detail -> !row.matches(".*`" + detail + "[`=].*")).forEach(detail -> wrong.add(event + " has " + detail));
                }
            }
        }
        assertEquals(Set.of(), wrong);
    }
}
