package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Samples;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;

/** A deleted template is visible only in the trash, and can be restored unchanged. */
class TrashTest {
    private static final String NOT_FOUND = "{\"error\":\"Not found\"}";
    private static final String TAKEN = "The template welcome is in the trash; restore it, or delete it permanently to reuse its ID";
    private static final Pattern ROUTE = Pattern.compile("\"((?:GET|POST|PUT|PATCH|DELETE) /data/[^\"]+)\"");
    /**
     * Routes that may name the template: the trash, activity and usage; and the starters, which happen to contain the same
     * words.
     */
    private static final Set<String> MAY_NAME_IT = Set.of("GET /data/deletions", "GET /data/activity", "GET /data/usage", "GET /data/starters");

    /** Bodies that routes with a template accept; all other routes accept an empty object. */
    private static final Map<String, String> BODIES = Map.of("PUT /data/templates/:id", "{\"revision\":3,\"subject\":\"\",\"html\":\"\",\"samples\":{}}",
            "PUT /data/templates/:id/name", "{\"name\":\"A\",\"revision\":1}", "PUT /data/templates/:id/tags", "{\"add\":[\"a\"]}",
            "PUT /data/templates/:id/features", "{\"add\":[\"css-gap\"]}", "POST /data/templates/:id/presence", "{\"dirty\":true}",
            "POST /data/templates/:id/comments", "{\"text\":\"hi\"}", "POST /data/templates/:id/publish", "{\"revision\":3}",
            "POST /data/templates/:id/versions/:id/restore", "{\"revision\":3}", "POST /data/templates/:id/versions/:id/tests", "{\"to\":1}");
    /** Reports that this server sends no emails, whatever the template. */
    private static final String NO_MAIL = "POST /data/templates/:id/versions/:id/tests";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);
    private final String key = stet.key(ada);

    /** A template with two versions, a newer draft, a sample, tags, a review request, a block and an API request. */
    @BeforeEach
    void fill() {
        stet.block(ada, "footer", "<i>footer</i>");
        stet.template(ada, "welcome", "<p>one</p>{{> footer}}");
        stet.template(ada, "welcome", "<p>{{name}}</p>{{> footer}}");
        byte[] html = "<p>newer {{name}}</p>{{> footer}}".getBytes(StandardCharsets.UTF_8);
        stet.db.change(dao -> {
            dao.templates().save(ada.id(), new Draft("welcome", "Welcome", "Hi", html, Samples.of(Map.of("lena", "{\"name\": \"Ada\"}"), "lena")), stet.now());
            dao.requests().add(ada.id(), "welcome", "for Friday", stet.now());
        });
        assertEquals(200, get("welcome").status());
    }

    private Client.Reply get(String id, String... headers) {
        return stet.get(Running.TEMPLATES + id, key, headers);
    }

    private Client.Reply imported(String how, byte[] zip) {
        return browser.postZip("/data/import" + how, zip);
    }

    private static List<String> routes() throws IOException {
        return ROUTE.matcher(Files.readString(Path.of("app/main/stet/server/Handler.java"))).results().map(found -> found.group(1)).toList();
    }

    /** Returns everything that users see of the template: its page, each text in its history, and the effect of publishing. */
    private List<String> shown() {
        assertTrue(Running.comes(() -> browser.get("/data/templates/welcome").text().contains("\"lastFetched\":{")));
        return List.of("/data/templates/welcome", "/data/templates/welcome/versions", "/data/templates/welcome/versions/1",
                "/data/templates/welcome/versions/2", "/data/templates/welcome/publication", "/data/templates", "/data/blocks", "/data/stale",
                "/data/export").stream().map(path -> {
                    Client.Reply reply = browser.get(path);
                    assertEquals(200, reply.status(), path);
                    CRC32 sum = new CRC32();
                    sum.update(reply.body());
                    return path + " " + (path.endsWith("export") ? Long.toHexString(sum.getValue()) : reply.text());
                }).toList();
    }

    /** As if the template had not been deleted, editing a block in its draft or live version updates {@code updatedAt}. */
    @Test
    void aBlockEditedAfterTheDeletionChangesUpdatedAt() {
        stet.block(ada, "inner", "one");
        stet.block(ada, "outer", "{{> inner}}");
        stet.block(ada, "unused", "one");
        stet.template(ada, "draft", "{{> outer}}");
        stet.db.change(dao -> {
            byte[] html = "no block".getBytes(StandardCharsets.UTF_8);
            dao.templates().save(ada.id(), new Draft("welcome", "Welcome", "Hi", html, Map.of()), stet.now()); // its version has the footer
        });
        stet.template(ada, "other", "other");
        List<String> ids = List.of("draft", "welcome", "other");
        ids.forEach(id -> answered(204, "", browser.delete("/data/templates/" + id)));
        for (String block : List.of("inner", "footer", "unused")) {
            stet.clock.advance(Duration.ofHours(1));
            stet.block(ada, block, "two");
        }
        stet.clock.advance(Duration.ofHours(1));
        ids.forEach(id -> assertEquals(200, browser.post("/data/deletions/" + id + "/restore", "{}").status()));
        assertEquals(List.of("2026-01-31T10:00:00.000Z", "2026-01-31T11:00:00.000Z", "2026-01-31T09:00:00.000Z"), ids.stream()
                .map(id -> Json.readObject(get(id).body()).get("updatedAt").asText()).toList());
    }

    @Test
    void aDeletedTemplateIsUnknownAndIsRestoredUnchanged() {
        Client.Reply before = get("welcome");
        List<String> shown = shown();
        stet.clock.advance(Duration.ofHours(1));
        answered(204, "", browser.delete("/data/templates/welcome"));
        Client.Reply gone = get("welcome");
        Client.Reply unknown = get("no-such");
        assertEquals("404 " + NOT_FOUND, gone.status() + " " + gone.text());
        assertEquals(unknown.headers().keySet(), gone.headers().keySet());
        assertEquals(404, get("welcome", "If-None-Match: " + before.header("ETag")).status(), "also for a cache");
        assertEquals(5, stet.used(ada), "each of them counts");
        answered(200, "{\"templates\":[{\"id\":\"welcome\",\"name\":\"Welcome\",\"published\":2,\"deletedAt\":\"2026-01-31T10:00:00.000Z\","
                + "\"deletedBy\":\"ada@example.com\",\"keptUntil\":\"2026-03-02T10:00:00.000Z\"}]}", browser.get("/data/deletions"));
        stet.restart();
        assertEquals(200, browser.post("/data/deletions/welcome/restore", "{}").status());
        assertEquals(shown, shown());
        Client.Reply after = get("welcome");
        assertEquals(before.text(), after.text());
        assertEquals(before.header("ETag"), after.header("ETag"));
        assertEquals(304, get("welcome", "If-None-Match: " + before.header("ETag")).status());
        answered(200, "{\"templates\":[]}", browser.get("/data/deletions"));
        answered(404, NOT_FOUND, browser.post("/data/deletions/welcome/restore", "{}"));
        answered(422, "{\"error\":\"The shared block \\\"footer\\\" is still used by welcome; remove it there first\",\"field\":null}", browser.delete("/data/blocks/footer"));
    }

    /** Calls all routes of the handler; a new route that finds a deleted template fails here. */
    @Test
    void noRouteFindsADeletedTemplate() throws IOException {
        answered(204, "", browser.delete("/data/templates/welcome"));
        for (String route : routes()) {
            String method = route.substring(0, route.indexOf(' '));
            String path = route.substring(method.length() + 1).replace("/templates/:id", "/templates/welcome").replace(":id", "1");
            if (route.contains("/templates/:id")) {
                String body = method.equals("GET") || method.equals("DELETE") ? null : BODIES.getOrDefault(route, "{}");
                Client.Reply reply = browser.send(method, path, body);
                assertEquals(route.equals(NO_MAIL) ? 422 : 404, reply.status(), () -> route + ": " + reply.text());
            } else if (method.equals("GET") && !path.contains("/1") && !MAY_NAME_IT.contains(route)) {
                Client.Reply reply = browser.get(path + "?q=newer");
                assertFalse(reply.text().toLowerCase(Locale.ROOT).contains("welcome"), route + ": " + reply.text());
            }
        }
        assertEquals(404, get("welcome").status());
    }

    @Test
    void aBlockThatOnlyADeletedTemplateIncludesCanBeDeleted() {
        answered(204, "", browser.delete("/data/templates/welcome"));
        answered(204, "", browser.delete("/data/blocks/footer"));
        assertEquals(200, browser.post("/data/deletions/welcome/restore", "{}").status());
        assertEquals(200, get("welcome").status());
        assertTrue(browser.get("/data/templates/welcome/publication").text().contains("shared block \\\"footer\\\" not found"));
    }

    @Test
    void theIdIsTakenUntilThePermanentDeletion() {
        answered(204, "", browser.delete("/data/templates/welcome"));
        String refused = "{\"error\":\"" + TAKEN + "\",\"field\":\"id\"}";
        answered(422, refused, browser.post("/data/templates", "{\"id\":\"welcome\",\"name\":\"New\"}"));
        stet.template(ada, "other", "<p>other</p>");
        answered(422, refused, browser.post("/data/templates", "{\"id\":\"welcome\",\"name\":\"New\",\"copyOf\":\"other\"}"));
        for (String how : List.of("?dryRun=true", "", "?publish=true")) {
            answered(422, "{\"error\":\"templates/welcome.html: " + TAKEN + "\",\"field\":\"id\"}",
                    imported(how, new RawZip().file("templates/new.html", "").file("templates/welcome.html", "mine").bytes()));
        }
        assertEquals(404, get("new").status(), "of the import nothing is done");
        answered(204, "", browser.delete("/data/deletions/welcome"));
        answered(404, NOT_FOUND, browser.delete("/data/deletions/welcome"));
        answered(404, NOT_FOUND, browser.post("/data/deletions/welcome/restore", "{}"));
        Client.Reply created = browser.post("/data/templates", "{\"id\":\"welcome\",\"name\":\"New\"}");
        assertEquals(201, created.status());
        assertTrue(created.text().contains("\"revision\":4,"), "an editor that has the old one open gets a conflict: " + created.text());
        stet.sweep();
        assertEquals(List.of("2"), Rows.of(stet.folder, "select count(*) from templates"));
        assertEquals(List.of("1"), Rows.of(stet.folder, "select count(*) from versions"));
        assertEquals("{\"error\":\"template_not_published\"}", get("welcome").text());
    }

    @Test
    void emptyingTheTrashDeletesAllItsTemplates() {
        stet.db.change(dao -> {
            for (int i = 0; i < 230; i++) {
                dao.templates().save(ada.id(), new Draft("t" + i, "T", "", new byte[0], Samples.NONE), stet.now());
                dao.trash().delete(ada.id(), "t" + i, stet.now());
            }
        });
        answered(204, "", browser.delete("/data/deletions"));
        answered(200, "{\"templates\":[]}", browser.get("/data/deletions"));
        assertTrue(browser.get("/data/activity?kind=trash-emptied").text().contains("\"detail\":\"230 templates\""));
        stet.sweep();
        assertEquals(List.of("1"), Rows.of(stet.folder, "select count(*) from templates"));
        assertEquals(List.of("0"), Rows.of(stet.folder, "select count(*) from templates where deleted_at is not null"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"writer", "editor", "owner"})
    void editorsRestoreAndOwnersDelete(String word) {
        Role role = Role.valueOf(word.toUpperCase(Locale.ROOT));
        Browser their = Browser.of(stet, ada, stet.member(ada, word + "@example.com", role, "correct horse"));
        assertEquals(role == Role.OWNER ? 204 : 403, their.delete("/data/templates/welcome").status());
        browser.delete("/data/templates/welcome");
        assertEquals(200, their.get("/data/deletions").status());
        assertEquals(role == Role.WRITER ? 403 : 200, their.post("/data/deletions/welcome/restore", "{}").status());
        browser.delete("/data/templates/welcome");
        assertEquals(role == Role.OWNER ? 204 : 403, their.delete("/data/deletions/welcome").status());
        assertEquals(role == Role.OWNER ? 204 : 403, their.delete("/data/deletions").status());
    }

    @Test
    void deletingAnAccountDeletesItsTrash() {
        answered(204, "", browser.delete("/data/templates/welcome"));
        stet.db.change(dao -> dao.accounts().delete(ada, stet.now()));
        stet.sweep();
        for (String table : List.of("accounts", "templates", "versions", "texts")) {
            assertEquals(List.of("0"), Rows.of(stet.folder, "select count(*) from " + table), table);
        }
    }

    @Test
    void theTrashHoldsAtMostTenThousandTemplates() throws SQLException {
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + stet.folder.resolve("stet.db"));
                Statement statement = database.createStatement()) {
            statement.executeUpdate("""
                    pragma busy_timeout = 5000;
                    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
                    insert into templates (
                      row, account_id, id, name, created_at, updated_at, saved_at, revision, sha256, subject, text, deleted_at)
                    select 1000 + i, 1, 't' || i, 'T', 1, 1, 1, 1, zeroblob(32), '', (select text from templates where row < 1000), 1
                    from n;
                    """);
        }
        answered(422, "{\"error\":\"The trash is full (10000 templates); empty it first\",\"field\":null}",
                browser.delete("/data/templates/welcome"));
        assertEquals(200, get("welcome").status());
        answered(204, "", browser.delete("/data/deletions/t7"));
        answered(204, "", browser.delete("/data/templates/welcome"));
    }

    @Test
    void aFullAccountRestoresAndImportsNoFurtherTemplate() throws SQLException {
        answered(204, "", browser.delete("/data/templates/welcome"));
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + stet.folder.resolve("stet.db"));
                Statement statement = database.createStatement()) {
            statement.executeUpdate("""
                    pragma busy_timeout = 5000;
                    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
                    insert into templates (row, account_id, id, name, created_at, updated_at, saved_at, revision, sha256, subject, text)
                    select 1000 + i, 1, 't' || i, 'T', 1, 1, 1, 1, zeroblob(32), '', (select text from templates) from n
                    """);
        }
        answered(422, "{\"error\":\"Template limit reached (10000); delete a template first\",\"field\":null}",
                browser.post("/data/deletions/welcome/restore", "{}"));
        answered(422, "{\"error\":\"The account would have 10001 templates; the limit is 10000\",\"field\":null}",
                imported("?overwrite=true", new RawZip().file("templates/t7.html", "mine").file("templates/new.html", "").bytes()));
        assertEquals(200, imported("?overwrite=true", new RawZip().file("templates/t7.html", "mine").bytes()).status());
        answered(204, "", browser.delete("/data/templates/t7"));
        assertEquals(200, browser.post("/data/deletions/welcome/restore", "{}").status());
    }

    @Test
    void commandsDeleteListAndRestoreWhileTheServerRuns() {
        Terminal terminal = new Terminal(stet.folder);
        terminal.done("template", "delete", "ada@example.com", "welcome", "--yes");
        assertEquals("404 " + NOT_FOUND, get("welcome").status() + " " + get("welcome").text());
        assertEquals("[]\n", terminal.done("template", "list", "ada@example.com", "--json"));
        assertTrue(terminal.done("template", "list", "ada@example.com", "--trash").matches("(?s)ID .*welcome +deleted +\\S+Z +Welcome\\R"));
        terminal.done("template", "restore", "ada@example.com", "welcome");
        assertEquals(200, get("welcome").status());
        terminal.done("template", "delete", "ada@example.com", "welcome", "--yes");
        terminal.done("template", "delete", "ada@example.com", "welcome", "--for-good", "--yes");
        stet.sweep();
        assertEquals(List.of("0"), Rows.of(stet.folder, "select count(*) from templates"));
    }

    @ParameterizedTest(name = "{1} {2}")
    @CsvSource(delimiterString = " | ", quoteCharacter = '`', textBlock = """
            deleted | publish | welcome                 | Template welcome is in the trash. Restore the template with "template restore".
            deleted | delete  | welcome --yes           | Template welcome is in the trash. Restore the template with "template restore".
            deleted | prune   | welcome --keep 1 --yes  | Template welcome is in the trash. Restore the template with "template restore".
            deleted | restore | welcom                  | Template welcom not found; did you mean welcome?
            live    | restore | welcome                 | Template welcome is not in the trash; "template list --trash" shows deleted templates
            live    | delete  | welcome                 | This moves template welcome to the trash; requests for the template then get 404. Confirm with --yes.
            live    | delete  | welcome --for-good      | This permanently deletes template welcome and its history. Confirm with --yes.
            gone    | restore | welcome                 | Template welcome not found
            """)
    void aCommandThatDoesNotFitTheStateIsRejected(String state, String command, String arguments, String sentence) {
        Terminal terminal = new Terminal(stet.folder);
        if (!state.equals("live")) {
            terminal.done("template", "delete", "ada@example.com", "welcome", "--yes");
        }
        if (state.equals("gone")) {
            terminal.done("template", "delete", "ada@example.com", "welcome", "--for-good", "--yes");
        }
        Terminal.Result rejected = terminal.run(("template " + command + " ada@example.com " + arguments).split(" "));
        assertEquals("1 " + sentence, rejected.code() + " " + rejected.err().strip());
    }
}
