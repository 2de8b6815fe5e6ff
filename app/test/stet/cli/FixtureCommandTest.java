package stet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.harness.Client;
import stet.harness.Doubled;
import stet.harness.Machine;
import stet.harness.Running;
import stet.harness.Terminal;

/** The options of the command {@code fixture}, and its input from {@code export}. */
class FixtureCommandTest {
    @TempDir
    Path folder;
    private Path seed;
    private Terminal terminal;

    @BeforeEach
    void seed() {
        seed = Doubled.folder(folder);
        terminal = new Terminal(folder.resolve("data"));
    }

    private static Doubled doubled(Terminal.Serving serving) {
        return new Doubled(URI.create(serving.url()));
    }

    @Test
    void theCommandGetsTheAddressAndKeysAndGivesTheExitCode() throws Exception {
        Machine.has("curl");
        Path out = folder.resolve("out");
        String command = "(echo $STET_URL $STET_API_URL $STET_KEY $STET_KEY_FREE_CI $STET_KEY_PRO_CI; "
                + "curl -s -o " + folder.resolve("body") + " -w '%{http_code}' -H \"Authorization: Bearer $STET_KEY\" $STET_API_URL/templates/welcome"
                + ") > " + out + "; exit 7";
        Terminal.Result result = terminal.run("fixture", seed.toString(), "--exec", command);
        List<String> lines = Files.readAllLines(out);
        assertTrue(lines.get(0).matches("(http://127.0.0.1:\\d+) \\1/api/v1 stet-free-key stet-free-key stet-pro-key"), lines.toString());
        assertEquals("200", lines.get(1));
        assertEquals("7 ", result.code() + " " + result.out() + result.err());
        assertEquals(0, terminal.run("fixture", seed.toString(), "--exec", "true").code());
        // A double started by the command itself would read STET_EXEC as an option.
        assertEquals(1, terminal.run("fixture", seed.toString(), "--exec", "env | grep -q ^STET_EXEC=").code());
    }

    /** A reset and a verification in between make no difference. */
    @ParameterizedTest
    @CsvSource({"--strict, templates/welcome, 0, 1", "--strict, api/v1/templates/welcome, 0, 0", "--strict, templates/welcome, 7, 7",
        "--web, templates/welcome, 0, 0"})
    void aStrayRequestEndsAStrictRunWith1(String option, String path, int code, int expected) {
        Machine.has("curl");
        Terminal.Result result = terminal.run("fixture", seed.toString(), option, "--exec", "curl -s $STET_URL/" + path
                + "; curl -s -X POST $STET_URL/_fixture/verify; curl -s -X POST $STET_URL/_fixture/reset; exit " + code);
        assertEquals(expected, result.code());
        assertEquals(expected == 1, result.err().endsWith("The exit code is 1 (--strict) because 1 request was outside the API\n"), result.err());
    }

    /** One process ignores SIGTERM, and the command has already ended, so both are orphans. */
    @Test
    void processesThatACommandLeavesEndWithIt() throws Exception {
        String command = "sleep 600 & echo $! > orphans; (trap '' TERM; sleep 600 & echo $! >> orphans; wait) & echo $! >> orphans; "
                + "while [ \"$(wc -l < orphans)\" -lt 3 ]; do sleep 0.01; done; cp port copy; exit 7";
        Terminal.Result result = terminal.run("fixture", seed.toString(), "--port-file", folder.resolve("port").toString(), "--exec",
                "cd " + folder + "; " + command);
        assertEquals("7 ", result.code() + " " + result.out() + result.err());
        assertTrue(Files.readString(folder.resolve("copy")).matches("[0-9]+\n"));
        List<String> orphans = Files.readAllLines(folder.resolve("orphans"));
        assertEquals(3, orphans.size());
        for (String orphan : orphans) {
            assertTrue(Running.comes(() -> hasEnded(Path.of("/proc", orphan, "stat"))), orphan);
        }
    }

    /** A process that has ended but was not waited for is a zombie. */
    private static boolean hasEnded(Path stat) {
        try {
            return Files.readString(stat).contains(") Z ");
        } catch (IOException gone) {
            return true;
        }
    }

    /** One watched folder, as starting the double takes long. A reload drops accounts that were added, and keeps faults; a reset loads the files. */
    @Test
    void changedFilesAreLoadedAtOnceAndErrorsReported() throws Exception {
        try (Terminal.Serving serving = terminal.serve("fixture", seed.toString(), "--watch")) {
            Doubled stet = doubled(serving);
            stet.done("POST", "/faults", "{\"status\": 500, \"after\": 1000}");
            assertEquals("<p>free</p>", stet.get("welcome?format=html", "stet-free-key").text());
            Doubled.write(seed, "free/templates/welcome.html", "<p>changed</p>", "free/templates/more.html", "<p>more</p>");
            assertTrue(Running.comes(() -> stet.get("welcome?format=html", "stet-free-key").text().equals("<p>changed</p>")));
            assertEquals("<p>more</p>", stet.get("more?format=html", "stet-free-key").text());
            stet.done("POST", "/accounts", "{\"email\": \"added@example.com\"}");
            Doubled.write(seed, "free/templates/welcome.html", "<p>{{#broken</p>");
            assertTrue(Running.comes(() -> serving.err().contains("The folder changed but was not reloaded: free/templates/welcome.html: line 1: ")),
                    serving::err);
            assertEquals("<p>changed</p>", stet.get("welcome?format=html", "stet-free-key").text());
            assertEquals(200, stet.control("GET", "/accounts/added@example.com", "").status());
            Files.delete(seed.resolve("free/templates/welcome.html"));
            assertTrue(Running.comes(() -> stet.get("welcome", "stet-free-key").status() == 404));
            assertEquals(404, stet.control("GET", "/accounts/added@example.com", "").status());
            assertTrue(stet.done("GET", "/faults", "").contains("\"status\":500"));
            stet.done("POST", "/reset", "");
            assertEquals(404, stet.get("welcome", "stet-free-key").status());
            assertEquals("<p>more</p>", stet.get("more?format=html", "stet-free-key").text());
        }
    }

    /** The options of one start, as starting the double takes long. */
    @Test
    void theClockAndTheHostsAreGivenAndRequestsArePrinted() {
        try (Terminal.Serving serving = terminal.serve("fixture", seed.toString(), "--now", "2026-02-01T09:00:00Z", "--verbose", "--strict",
                "--listen", "0.0.0.0:0", "--expose", "Stet, 10.0.0.5, FD00::1, [fd00::2]")) {
            Doubled stet = doubled(serving);
            assertEquals("{\"now\":\"2026-02-01T09:00:00.000Z\"}", stet.done("GET", "/clock", ""));
            stet.get("welcome", "stet-pro-key");
            try (Client client = stet.client()) {
                client.get("/signin", null);
                String get = "GET /_fixture/clock HTTP/1.1\r\nHost: ";
                assertEquals(200, client.write(get + "stet:99\r\n\r\n").read(false).status());
                assertEquals(200, client.write(get + "10.0.0.5\r\n\r\n").read(false).status());
                assertEquals(200, client.write(get + "[fd00::1]:99\r\n\r\n").read(false).status());
                assertEquals(200, client.write(get + "[fd00::2]\r\n\r\n").read(false).status());
                assertEquals(403, client.write(get + "10.0.0.6\r\n\r\n").read(false).status());
            }
            assertEquals("1  GET /api/v1/templates/welcome 200 pro@example.com \"ci\"\nRequest outside the API (strict): 2  GET /signin 404\n", serving.err());
            assertEquals(417, stet.control("POST", "/verify", "{}").status());
        }
    }

    @Test
    void aFolderWithoutTemplatesIsReported() {
        Path empty = Doubled.write(folder.resolve("empty"), "account.json", "{\"email\": \"a@example.com\"}");
        try (Terminal.Serving serving = terminal.serve("fixture", empty.toString())) {
            assertEquals(404, doubled(serving).control("GET", "/accounts/a@example.com/templates/welcome", "").status());
            assertEquals("No templates found in " + empty + ". Add templates as templates/ID.html next to account.json.\n", serving.err());
        }
    }

    @Test
    void anOldPortFileIsGoneBeforeTheStart() throws Exception {
        Path file = Files.writeString(folder.resolve("port"), "1\n");
        assertEquals("Folder " + folder.resolve("no-such") + " not found", terminal.run("fixture", folder.resolve("no-such").toString(), "--port-file",
                file.toString()).err().strip());
        assertFalse(Files.exists(file));
    }

    @Test
    void aDoubleWithoutItsParentReportsWhyItEnds() {
        Terminal.Result result = terminal.run("fixture", seed.toString(), "--with-parent");
        assertEquals("0 Standard input closed; stopping the test double (--with-parent)", result.code() + " " + result.err().strip());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --now tomorrow         | "tomorrow" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z
            --expose a/b           | --expose contains "a/b"; use a host name or address such as stet or 10.0.0.5
            --expose dad:8080      | --expose contains "dad:8080"; use a host name or address such as stet or 10.0.0.5
            --expose stet,fd00::g  | --expose contains "fd00::g"; use a host name or address such as stet or 10.0.0.5
            --expose               | --expose needs a value: --expose HOSTS
            --listen 0.0.0.0:0     | --listen is 0.0.0.0:0, which exposes the controls to other machines; set the allowed hosts with --expose HOSTS
            --exec                 | --exec needs a value: --exec COMMAND
            """)
    void invalidOptionsAreRejected(String options, String sentence) {
        Terminal.Result result = terminal.run(("fixture " + seed + " " + options).split(" "));
        assertEquals("1 " + sentence, result.code() + " " + result.err().strip());
    }

    @Test
    void anExportOfServedDataHasNoDraftsAndNoSecrets() throws Exception {
        String key = terminal.account("ada@example.com", "pro");
        terminal.done("import", seed.resolve("pro").toString(), "--account", "ada@example.com", "--publish");
        Doubled.write(seed.resolve("pro"), "templates/welcome.html", "<p>draft</p>");
        terminal.done("import", seed.resolve("pro").toString(), "--account", "ada@example.com");
        Path out = folder.resolve("out");
        terminal.done("export", out.toString(), "--account", "ada@example.com", "--published", "--with-account");
        assertEquals("<p>Hello {{name}} <i>{{company}}</i></p>\r\n", Files.readString(out.resolve("templates/welcome.html")));
        assertEquals("", Files.readString(out.resolve("templates/unborn.html")));
        assertEquals("""
                {
                  "name": "Welcome",
                  "published": true,
                  "subject": "Hi {{name}}",
                  "updatedAt": "2026-01-31T09:00:00.000Z"
                }
                """, Files.readString(out.resolve("templates/welcome.json")));
        String account = Files.readString(out.resolve("account.json"));
        assertTrue(account.contains("\"email\": \"ada@example.com\"") && account.contains("\"key\": \"stet-test-key-1-1\""), account);
        assertFalse(account.contains(key));
        try (Terminal.Serving serving = terminal.serve("fixture", out.toString())) {
            assertEquals("{\"error\":\"template_not_published\"}", doubled(serving).get("unborn", "stet-test-key-1-1").text());
        }
    }

    @Test
    void anExportKeepsAnAccountFileThatAnImportIgnores() throws Exception {
        terminal.account("ada@example.com", "pro");
        terminal.done("import", seed.resolve("pro").toString(), "--account", "ada@example.com", "--publish");
        Path out = folder.resolve("out");
        String[] export = {"export", out.toString(), "--account", "ada@example.com", "--published", "--with-account"};
        terminal.done(export);
        Files.writeString(out.resolve("account.json"), "{\"email\": \"by@hand.org\"}");
        assertTrue(terminal.run(export).err().contains("account.json already exists and was kept"));
        assertEquals("{\"email\": \"by@hand.org\"}", Files.readString(out.resolve("account.json"), StandardCharsets.UTF_8));
        terminal.done("import", out.toString(), "--account", "ada@example.com", "--publish");
    }
}
