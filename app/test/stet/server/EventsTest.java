package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
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
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Activity.ActivityKind;
import stet.core.Actor;
import stet.core.Plan;
import stet.core.Role;
import stet.dao.Dao;
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

    /** One journey through the kinds of changes; a request that returns 404 has no line. */
    @Test
    void changesByUsersAreLinesWithoutSecrets() {
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
                    INFO key-added account=ada@example.com subject="the website" detail=KEY... actor=ada@example.com address=127.0.0.1
                    INFO key-rotated account=ada@example.com subject="the website" detail=KEY... actor=ada@example.com address=127.0.0.1
                    INFO key-deleted account=ada@example.com subject="the website" detail=KEY... actor=ada@example.com address=127.0.0.1
                    INFO template-created account=ada@example.com subject=welcome detail=Welcome actor=ada@example.com address=127.0.0.1
                    INFO template-published account=ada@example.com subject=welcome detail="version 1" actor=ada@example.com address=127.0.0.1
                    INFO template-published account=ada@example.com subject=welcome detail="version 3" actor=ada@example.com address=127.0.0.1
                    INFO template-deleted account=ada@example.com subject=welcome actor=ada@example.com address=127.0.0.1
                    INFO block-deleted account=ada@example.com subject=footer actor=ada@example.com address=127.0.0.1
                    INFO password-changed subject=ada@example.com actor=ada@example.com address=127.0.0.1
                    INFO sessions-ended email=ada@example.com address=127.0.0.1
                    """, log.lines().map(line -> line.substring(25).replaceAll("stet_\\w+", "KEY") + "\n").collect(Collectors.joining()));
            secrets.forEach(secret -> assertFalse(log.contains(secret), secret));
        }
    }

    @Test
    void anImportIsALineAndADryRunIsNone() throws IOException {
        try (Running stet = new Running()) {
            Account account = stet.account(EMAIL, Plan.PRO);
            byte[] zip = new RawZip().file("templates/welcome.html", "<p>hi</p>").bytes();
            Browser browser = Browser.of(stet, account);
            String log = Running.logged(() -> {
                for (String query : List.of("?publish=true&dryRun=true", "?publish=true")) {
                    assertEquals(200, browser.postZip("/data/import" + query, zip).status());
                }
            });
            assertEquals("INFO imported account=ada@example.com detail=\"1 created, 1 published\" actor=ada@example.com address=127.0.0.1",
                    log.lines().map(line -> line.substring(25)).collect(Collectors.joining("\n")));
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
        assertEquals(List.of("started", "set-up", "account-added", "administrator-added", "ended"), events);
        assertFalse(err.contains("correct horse"));
        JsonNode started = JSON.readTree(err.lines().findFirst().orElseThrow());
        assertEquals(0, started.get("accounts").intValue());
        assertEquals(folder.resolve("data").toString(), started.get("data").asText());
    }

    /** The first event of a serve with a seed and a JSON log. */
    private static JsonNode firstEvent(Terminal terminal, Path seed) throws IOException {
        terminal.environment.put("STET_LOG_FORMAT", "json");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0", "--seed", seed.toString())) {
            return JSON.readTree(serving.err().lines().findFirst().orElseThrow());
        }
    }

    @Test
    void aJsonLogNamesASeedThatIsIgnored() throws IOException {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.account(EMAIL, "pro");
        Path seed = Files.createDirectory(folder.resolve("seed"));
        JsonNode first = firstEvent(terminal, seed);
        assertEquals("seed-ignored " + seed, first.get("event").asText() + " " + first.get("folder").asText());
    }

    @Test
    void aJsonLogNamesAFileThatIsIgnored() throws IOException {
        Path templates = Files.createDirectories(folder.resolve("seed/templates"));
        Files.writeString(folder.resolve("seed/account.json"), "{\"email\": \"eve@example.com\"}");
        Files.writeString(templates.resolve("notes.txt"), "not a template");
        JsonNode first = firstEvent(new Terminal(folder.resolve("data")), folder.resolve("seed"));
        assertEquals("file-ignored", first.get("event").asText());
        assertTrue(first.get("file").asText().endsWith("templates/notes.txt"), first.toString());
    }

    @Test
    void aLogHasNoOtherFormat() {
        assertEquals("--log-format is \"xml\"; use text or json" + System.lineSeparator(),
                new Terminal(folder.resolve("data")).run("serve", "--log-format", "xml").err());
    }

    /** The real program's log lines do not depend on the machine's time zone. */
    @Tag("jar")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            text | [0-9-]{10}T[0-9:.]{12}Z INFO started version=.* url=.* accounts=0 jdk=.* seconds=[0-9.]+
            json | \\{"time":"[0-9-]{10}T[0-9:.]{12}Z", "level": "INFO","event":"started","version":.*,"accounts":0,"jdk":.*,"seconds":[0-9.]+}
            """)
    void theTimesOfLinesAreInUtc(String format, String pattern) throws Exception {
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
            String line = " WARN folder-readable folder=" + data + " fix=\"chmod 700 " + data + "\"";
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
        Pattern written = Pattern.compile("(?:\\blog(?:\\(\\))?\\.(?:info|warn|error|refused)\\(|\\bannounce\\(\\w+(?:\\(\\))?(?:\\.log\\(\\))?, )\\s*\"([a-z-]+)\"");
        Set<String> events = new TreeSet<>(Set.of("repeated", "library"));
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

    /** activity.md lists the kinds in the order of the code, each with its sentence. */
    @Test
    void eachKindOfActivityIsInTheTable() throws IOException {
        List<String> rows = Files.readAllLines(Path.of("app/docs/activity.md")).stream().dropWhile(line -> !line.equals("| kind | shown as | subject; details |"))
                .takeWhile(line -> line.startsWith("|")).skip(2).map(line -> line.split(" \\| ")[0].replaceAll("[`| ]", "") + " " + line.split(" \\| ")[1]).toList();
        assertEquals(Stream.of(ActivityKind.values()).map(kind -> kind.word() + " " + kind.sentence).toList(), rows);
    }

    /** A transaction that fails after it has recorded its change leaves no line. */
    @Test
    void aChangeThatIsRolledBackIsNoLine() {
        try (Running stet = new Running()) {
            Account account = stet.account(EMAIL, Plan.PRO, "correct horse");
            Browser browser = Browser.of(stet, account);
            stet.db.change(dao -> dao.sql().execute("create trigger full before insert on sessions begin select raise(abort, 'full'); end"));
            String log = Running.logged(() -> assertEquals(500,
                    browser.put("/data/password", "{\"current\":\"correct horse\",\"password\":\"battery staple\"}").status()));
            assertFalse(log.contains("password-changed"), log);
            assertEquals("", Running.logged(() -> assertThrows(Refusal.class, () -> stet.db.change(dao -> {
                Dao own = dao.as(Actor.COMMAND_LINE);
                own.blocks().save(account.id(), "footer", Utf8.encode("<p>"), stet.now());
                throw new Refusal("enough");
            }))));
        }
    }

    @Test
    void aPartOfATransactionThatIsRolledBackIsNoLine() {
        try (Running stet = new Running()) {
            Account account = stet.account(EMAIL, Plan.PRO);
            String lines = Running.logged(() -> stet.db.change(dao -> {
                Dao own = dao.as(Actor.COMMAND_LINE);
                assertThrows(Refusal.class, () -> own.nested(() -> {
                    own.keys().add(account, "nested", "a-key-of-the-nested-part", stet.now());
                    throw new Refusal("enough");
                }));
                own.keys().add(account, "kept", "a-key-of-the-whole-part", stet.now());
            }));
            assertEquals("INFO key-added account=ada@example.com subject=kept detail=a-key-of-... actor=\"command line\"", lines.strip().substring(25));
        }
    }

    /** A push is a line for each template and shared block that it changes. */
    @Test
    void aPushIsALineForEachOfItsRows() throws IOException {
        try (Running stet = new Running()) {
            Account account = stet.account(EMAIL, Plan.PRO);
            stet.db.change(dao -> dao.tokens().add(account, "ci", Role.EDITOR, "stet_deploy_of-the-test", null, stet.now()));
            byte[] zip = new RawZip().file("templates/welcome.html", "<p>hi</p>").file("blocks/footer.html", "<p>bye</p>").bytes();
            String log = Running.logged(() -> {
                try (Client client = new Client(stet.server.address())) {
                    assertEquals(200, client.write(client.request("POST", "/push?publish=true&note=abc123", "stet_deploy_of-the-test", "Content-Type: application/zip",
                            "Content-Length: " + zip.length, "Connection: close") + new String(zip, StandardCharsets.ISO_8859_1)).read(false).status());
                }
            });
            String by = " actor=\"token ci\" address=127.0.0.1\n";
            assertEquals("INFO template-published account=ada@example.com subject=welcome detail=\"version 1: abc123\"" + by
                    + "INFO pushed account=ada@example.com subject=footer detail=abc123" + by,
                    log.lines().map(line -> line.substring(25) + "\n").collect(Collectors.joining()));
        }
    }

    /** An event's row gives its level and names its details. */
    @Test
    void eachEventsLevelAndDetailsAreInItsRow() throws IOException {
        Pattern call = Pattern.compile("\\blog(?:\\(\\))?\\.(info|warn|error)\\(\\s*\"([a-z-]+)\"([^;]*);");
        List<String> rows = Files.readAllLines(Path.of("app/docs/monitoring.md")).stream().filter(line -> line.matches("\\| `.*\\| (?:INFO|WARN|ERROR).*")).toList();
        Set<String> wrong = new TreeSet<>();
        Set<String> seen = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("app/main/stet"))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                for (MatchResult found : call.matcher(Files.readString(file)).results().toList()) {
                    String event = found.group(2);
                    seen.add(event);
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
        assertTrue(seen.size() > 20, seen.toString());
    }
}
