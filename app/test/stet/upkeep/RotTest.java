package stet.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;
import stet.harness.Terminal;

/** Text whose corruption on disk SQLite does not detect is neither served nor published. */
class RotTest {
    /** Long enough to fill separate pages. */
    private static final String HTML = "<p>as it was written</p>" + " ".repeat(30_000);

    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("ada@example.com", Plan.PRO);
    private final String key = stet.key(account);

    /** Changes a text in place in the file, keeping its length so that the page stays valid. */
    private void corrupt(String text, String corrupted) {
        Path database = stet.folder.resolve("stet.db");
        try (RandomAccessFile file = new RandomAccessFile(database.toFile(), "rw")) {
            String all = new String(Files.readAllBytes(database), StandardCharsets.ISO_8859_1);
            int found = 0;
            for (int at = all.indexOf(text); at >= 0; at = all.indexOf(text, at + 1)) {
                file.seek(at);
                file.write(corrupted.getBytes(StandardCharsets.ISO_8859_1));
                found++;
            }
            assertTrue(found > 0, "the text is in the file");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private Client.Reply welcome(String format) {
        return stet.get(Running.TEMPLATES + "welcome" + format, key);
    }

    private static int count(String text, String part) {
        return text.split(part, -1).length - 1;
    }

    @ParameterizedTest(name = "running {0}")
    @ValueSource(booleans = {false, true})
    void aCorruptedVersionReturns500UntilItIsRepaired(boolean running) {
        stet.template(account, "welcome", HTML);
        stet.template(account, "other", "<p>other</p>");
        stet.restart(); // writes all pages to the file and clears caches
        if (!running) {
            stet.stop();
        }
        corrupt("as it was written", "as it was rotting");
        if (!running) {
            stet.start();
        }
        String log = Running.logged(() -> {
            for (String format : new String[] {"", "?format=html", "?format=variables", "?format=html"}) {
                Client.Reply reply = welcome(format);
                assertEquals("500 {\"error\":\"Internal server error\"}", reply.status() + " " + reply.text());
            }
            assertTrue(stet.isFailing("the database is malformed"));
            assertEquals(200, stet.get(Running.TEMPLATES + "other", key).status());
        });
        assertEquals(4, Running.failures(log), log);
        assertEquals(1, count(log, "request-failed status=500 method=GET path=/api/v1/templates/:id failure=\"stet.dao.StoreException: "
                + "Corrupted data in account ada@example.com: version 1 of template welcome "), log);
        assertTrue(log.lines().noneMatch(line -> line.startsWith(" ")), "no stack trace: " + log);
        assertEquals(1, stet.used(account), "only the request for the other template is counted");
        stet.stop();
        corrupt("as it was rotting", "as it was written");
        stet.start();
        assertEquals(HTML, welcome("?format=html").text());
        assertTrue(stet.isHealthy());
        assertEquals(2, stet.used(account));
    }

    /** A version's SHA-256 covers every column. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {
        "update versions set variables = 'other'", "update versions set subject = 'other'", "update versions set note = 'other'",
        "update versions set published_at = published_at + 1", "update versions set published_by = 'other'",
        "update versions set draft_sha256 = zeroblob(32)",
        "update versions set row_sha256 = zeroblob(32)", "update version_blocks set sha256 = zeroblob(32)",
        "update version_blocks set block = 'other'", "delete from version_blocks",
        "pragma foreign_keys = off; update versions set number = 3 where number = 2; update templates set published = 3"})
    void aVersionWithAChangedRowIsNotServed(String change) throws SQLException {
        stet.block(account, "footer", "<p>footer</p>");
        stet.template(account, "welcome", "<p>{{name}}</p>{{> footer}}");
        stet.template(account, "welcome", "<p>{{name}}, again</p>{{> footer}}");
        assertEquals(200, welcome("").status());
        stet.stop();
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + stet.folder.resolve("stet.db"));
                Statement statement = database.createStatement()) {
            statement.executeUpdate(change);
        }
        stet.start();
        String log = Running.logged(() -> assertEquals(500, welcome("").status()));
        assertTrue(log.contains("Corrupted data in account ada@example.com: version "), log);
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
            GET  | /versions/1         | {}
            GET  | /publication        | {}
            POST | /versions/1/preview | {}
            POST | /versions/1/publish | {}
            POST | /versions/1/restore | {"revision":2}
            """)
    void noPageUsesACorruptedVersion(String method, String path, String body) {
        stet.template(account, "welcome", HTML);
        stet.draft(account, "welcome", "welcome", "", "<p>draft</p>");
        Browser browser = Browser.of(stet, account);
        stet.restart();
        corrupt("as it was written", "as it was rotting");
        String log = Running.logged(() -> {
            String page = "/data/templates/welcome" + path;
            Client.Reply reply = method.equals("GET") ? browser.get(page) : browser.post(page, body);
            assertEquals(500, reply.status(), reply.text());
        });
        assertTrue(log.contains("Corrupted data in account ada@example.com: version 1 of template welcome "), log);
        stet.db.read(dao -> {
            assertEquals(1, dao.versions().list(account.id(), "welcome", Long.MAX_VALUE, Integer.MAX_VALUE).size());
            assertEquals("<p>draft</p>", new String(dao.templates().find(account.id(), "welcome").orElseThrow().html(), StandardCharsets.UTF_8));
            return null;
        });
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"the draft of template welcome", "the shared block footer"})
    void aCorruptedTextIsNotPublished(String corrupted) {
        stet.block(account, "footer", corrupted.contains("block") ? HTML : "<p>footer</p>");
        stet.draft(account, "welcome", "welcome", "", "{{> footer}}" + (corrupted.contains("draft") ? HTML : ""));
        Browser browser = Browser.of(stet, account);
        stet.restart();
        corrupt("as it was written", "as it was rotting");
        String log = Running.logged(() -> {
            Client.Reply reply = browser.post("/data/templates/welcome/publish", "{\"revision\":1}");
            assertEquals(500, reply.status(), reply.text());
        });
        assertEquals(1, count(log, "StoreException: Corrupted data in account ada@example.com: " + corrupted + " "), log);
        Running.logged(() -> assertEquals(500, browser.get("/data/templates/welcome/publication").status(), "nor is it shown as the next"));
        assertEquals(404, welcome("").status());
        Terminal terminal = new Terminal(stet.folder);
        Terminal.Result command = terminal.run("template", "publish", "ada@example.com", "welcome");
        assertEquals(2, command.code());
        assertTrue(command.err().startsWith("Database error: Corrupted data in account ada@example.com: " + corrupted + " "), command.err());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"the draft of template welcome", "the shared block footer"})
    void aCorruptedTextIsNotExported(String corrupted) {
        stet.block(account, "footer", corrupted.contains("block") ? HTML : "<p>footer</p>");
        stet.draft(account, "welcome", "welcome", "", corrupted.contains("draft") ? HTML : "<p>draft</p>");
        Browser browser = Browser.of(stet, account);
        assertEquals(200, browser.get("/data/export").status());
        stet.restart();
        corrupt("as it was written", "as it was rotting");
        String log = Running.logged(() -> assertEquals(500, browser.get("/data/export").status()));
        assertEquals(1, count(log, "StoreException: Corrupted data in account ada@example.com: " + corrupted + " "), log);
        Terminal.Result command = new Terminal(stet.folder).run("export", stet.folder.resolve("files").toString(),
                "--account", "ada@example.com");
        assertEquals(2, command.code());
        assertTrue(command.err().startsWith("Database error: Corrupted data in account ada@example.com: " + corrupted + " "), command.err());
    }

    @Test
    void aCorruptedDraftCanBeOpenedAndSavedAgain() {
        stet.draft(account, "welcome", "welcome", "", HTML);
        Browser browser = Browser.of(stet, account);
        stet.restart();
        corrupt("as it was written", "as it was rotting");
        assertEquals(200, browser.get("/data/templates/welcome").status());
        stet.draft(account, "welcome", "welcome", "", "<p>again</p>");
        stet.publish(account, "welcome");
        assertEquals("<p>again</p>", welcome("?format=html").text());
    }
}
