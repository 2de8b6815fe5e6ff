package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.harness.Terminal;

/** Publishing files makes live only text that differs from the live version because of these files (git-and-ci.md). */
class PublishedByFilesTest {
    private static final String TOKEN = "stet_deploy_of-the-account";

    @TempDir
    Path folder;
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Account source = stet.db.write(dao -> dao.accounts().addWithOwner("source", "ada@example.com", null, Plan.PRO, stet.now()));
    private final Browser browser = Browser.of(stet, ada);
    private final Browser atSource = Browser.of(stet, source);
    private final SortedMap<String, String> files = new TreeMap<>();

    PublishedByFilesTest() {
        stet.db.change(dao -> dao.tokens().add(ada, "ci", Role.EDITOR, TOKEN, null, stet.now()));
        files.put("templates/welcome.html", "<p>{{> promo}} {{> footer}}</p>");
        files.put("templates/welcome.json", "{\"name\": \"Welcome\", \"subject\": \"Hi\"}");
        files.put("blocks/footer.html", "<i>one</i>");
    }

    private RawZip zip() {
        RawZip zip = new RawZip();
        files.forEach(zip::file);
        return zip;
    }

    private Client.Reply push(String query) {
        byte[] body = zip().bytes();
        try (Client client = new Client(stet.server.address())) {
            return client.write(client.request("POST", "/push" + query, TOKEN, "Connection: close", "Content-Length: " + body.length)
                    + new String(body, StandardCharsets.ISO_8859_1)).read(false);
        }
    }

    /** Adds or updates these files' template and blocks in the other account, through its page, and copies them from there. */
    private Client.Reply copy(boolean dryRun) throws IOException {
        assertEquals(200, atSource.postZip("/data/import?overwrite=true", zip().bytes()).status());
        if (stet.db.read(dao -> dao.templates().published(source.id(), "welcome")).isEmpty()) { // so that the copy publishes it
            assertEquals(201, atSource.post("/data/blocks", "{\"name\":\"promo\",\"html\":\"old\"}").status());
            assertEquals(200, atSource.post("/data/templates/welcome/publish", "{\"revision\":1}").status());
            stet.db.change(dao -> dao.sql().update("delete from blocks where account_id = ? and name = 'promo'", source.id()));
        }
        return atSource.post("/data/copies/" + ada.id(), Utf8.text(Json.write(Map.of("templates", List.of("welcome"), "publish", true,
                "dryRun", dryRun))));
    }

    private String published(Client.Reply reply) {
        assertEquals(200, reply.status(), reply.text());
        JsonNode plan = Json.tree(reply.text());
        return plan.get("changed") + " " + plan.get("published");
    }

    /** The IDs of changed and of published templates. */
    private String bring(String route, boolean dryRun) throws IOException {
        return switch (route) {
            case "push" -> published(push("?publish=true" + (dryRun ? "&dryRun=true" : "")));
            case "zip" -> published(browser.postZip("/data/import?publish=true" + (dryRun ? "&dryRun=true" : ""), zip().bytes()));
            case "copy" -> published(copy(dryRun));
            default -> {
                for (Map.Entry<String, String> file : files.entrySet()) {
                    Files.createDirectories(folder.resolve("files").resolve(file.getKey()).getParent());
                    Files.writeString(folder.resolve("files").resolve(file.getKey()), file.getValue());
                }
                Terminal.Result result = new Terminal(stet.folder).run("import", folder.resolve("files").toString(), "--account", ada.name(),
                        "--publish", dryRun ? "--dry-run" : "--overwrite");
                assertEquals(0, result.code(), result.err());
                yield listed(result, "changed") + " " + listed(result, "published");
            }
        };
    }

    private static String listed(Terminal.Result result, String what) {
        return result.out().lines().filter(line -> line.startsWith(what + " ")).map(line -> "\"" + line.replaceFirst(".* ", "") + "\"").toList()
                .toString();
    }

    private String live() {
        return stet.get(Running.TEMPLATES + "welcome?format=html", key()).text();
    }

    private String key;

    private String key() {
        key = key == null ? stet.key(ada) : key;
        return key;
    }

    private void change(String what) {
        switch (what) {
            case "name" -> files.put("templates/welcome.json", "{\"name\": \"Renamed\", \"subject\": \"Hi\"}");
            case "tags" -> files.put("templates/welcome.json", "{\"name\": \"Welcome\", \"subject\": \"Hi\", \"tags\": [\"shop\"]}");
            case "test data" -> files.put("templates/welcome.samples/ada.json", "{\"name\": \"Ada\"}");
            case "default set" -> {
                files.put("templates/welcome.samples/ada.json", "{}");
                files.put("templates/welcome.json", "{\"name\": \"Welcome\", \"subject\": \"Hi\", \"defaultSamples\": \"ada\"}");
            }
            case "new block" -> files.put("blocks/unused.html", "unused");
            case "subject" -> files.put("templates/welcome.json", "{\"name\": \"Welcome\", \"subject\": \"Hello\"}");
            case "html" -> files.put("templates/welcome.html", "<p>two {{> promo}} {{> footer}}</p>");
            case "block" -> files.put("blocks/footer.html", "<i>two</i>");
            default -> throw new AssertionError(what);
        }
    }

    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource(delimiter = '|', textBlock = """
            push   | name        | ["welcome"] [] | old <i>one</i>
            push   | tags        | ["welcome"] [] | old <i>one</i>
            push   | test data   | ["welcome"] [] | old <i>one</i>
            push   | default set | ["welcome"] [] | old <i>one</i>
            push   | new block   | [] []          | old <i>one</i>
            zip    | name        | ["welcome"] [] | old <i>one</i>
            zip    | tags        | ["welcome"] [] | old <i>one</i>
            zip    | test data   | ["welcome"] [] | old <i>one</i>
            import | name        | ["welcome"] [] | old <i>one</i>
            import | tags        | ["welcome"] [] | old <i>one</i>
            import | test data   | ["welcome"] [] | old <i>one</i>
            copy   | name        | ["welcome"] [] | old <i>one</i>
            copy   | tags        | ["welcome"] [] | old <i>one</i>
            copy   | test data   | ["welcome"] [] | old <i>one</i>
            push   | subject     | ["welcome"] ["welcome"] | UNFINISHED <i>one</i>
            push   | html        | ["welcome"] ["welcome"] | two UNFINISHED <i>one</i>
            push   | block       | [] ["welcome"]          | UNFINISHED <i>two</i>
            zip    | html        | ["welcome"] ["welcome"] | two UNFINISHED <i>one</i>
            import | block       | [] ["welcome"]          | UNFINISHED <i>two</i>
            copy   | html        | ["welcome"] ["welcome"] | two UNFINISHED <i>one</i>
            """)
    void onlyTextOfTheseFilesGoesLive(String route, String what, String plan, String live) throws IOException {
        assertEquals(201, browser.post("/data/blocks", "{\"name\":\"promo\",\"html\":\"old\"}").status());
        bring(route, false);
        assertEquals("<p>old <i>one</i></p>", live());
        assertEquals(200, browser.put("/data/blocks/promo", "{\"revision\":1,\"html\":\"UNFINISHED\"}").status());
        change(what);
        assertEquals(plan, bring(route, true));
        assertEquals("<p>old <i>one</i></p>", live());
        assertEquals(plan, bring(route, false));
        assertEquals("<p>" + live + "</p>", live());
    }

    /** A block that only an unpublished edit of another block includes. */
    @Test
    void aBlockAddedByAnUnpublishedEditPublishesNothing() {
        assertEquals(201, browser.post("/data/blocks", "{\"name\":\"promo\",\"html\":\"old\"}").status());
        assertEquals(200, push("?publish=true").status());
        files.put("blocks/extra.html", "extra");
        assertEquals("[] []", published(push("")));
        assertEquals(200, browser.put("/data/blocks/promo", "{\"revision\":1,\"html\":\"UNFINISHED {{> extra}}\"}").status());
        files.put("blocks/extra.html", "EXTRA");
        assertEquals("[] []", published(push("?publish=true")));
        assertEquals("<p>old <i>one</i></p>", live());
    }

    /** A block that the live version contains, but that an unpublished edit no longer includes. */
    @Test
    void aBlockRemovedByAnUnpublishedEditPublishesNothing() {
        files.put("blocks/extra.html", "extra");
        assertEquals(200, push("").status());
        assertEquals(201, browser.post("/data/blocks", "{\"name\":\"promo\",\"html\":\"old {{> extra}}\"}").status());
        assertEquals(200, push("?publish=true").status());
        assertEquals("<p>old extra <i>one</i></p>", live());
        assertEquals(200, browser.put("/data/blocks/promo", "{\"revision\":1,\"html\":\"UNFINISHED\"}").status());
        files.put("blocks/extra.html", "EXTRA");
        assertEquals("[] []", published(push("?publish=true")));
        assertEquals("<p>old extra <i>one</i></p>", live());
    }

    /** An HTML file without JSON keeps the account's subject, whose unpublished edit is not among the files. */
    @Test
    void plainHtmlDoesNotPublishAnUnpublishedSubject() {
        files.clear();
        files.put("welcome.html", "<p>one</p>");
        assertEquals("[] [\"welcome\"]", published(browser.postZip("/data/import?publish=true", zip().bytes())));
        assertEquals(200, browser.put("/data/templates/welcome", "{\"revision\":1,\"subject\":\"UNFINISHED\",\"html\":\"<p>one</p>\",\"samples\":{}}").status());
        assertEquals("[] []", published(browser.postZip("/data/import?publish=true&overwrite=true", zip().bytes())));
        files.put("welcome.html", "<p>two</p>");
        assertEquals("[\"welcome\"] [\"welcome\"]", published(browser.postZip("/data/import?publish=true&overwrite=true", zip().bytes())));
    }

    /** A name, a tag or test data does not undo a rollback, and neither does the push after it. */
    @ParameterizedTest
    @CsvSource({"name", "tags", "test data"})
    void aRollbackOutlivesChangesOfMetadata(String what) {
        files.put("templates/welcome.html", "<p>one</p>");
        push("?publish=true");
        files.put("templates/welcome.html", "<p>broken</p>");
        push("?publish=true");
        try (Client client = new Client(stet.server.address())) {
            assertEquals(200, client.write(client.request("POST", "/push/templates/welcome/rollback", TOKEN, "Connection: close",
                    "Content-Length: 0")).read(false).status());
        }
        assertEquals("<p>one</p>", live());
        change(what);
        assertEquals("[\"welcome\"] []", published(push("?publish=true")));
        files.put("templates/other.html", "other");
        assertEquals("[] [\"other\"]", published(push("?publish=true")));
        assertEquals("<p>one</p>", live());
        files.put("templates/welcome.html", "<p>fixed</p>");
        assertEquals("[\"welcome\"] [\"welcome\"]", published(push("?publish=true")));
        assertEquals("<p>fixed</p>", live());
    }
}
