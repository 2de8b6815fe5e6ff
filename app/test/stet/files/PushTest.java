package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.access.TenancyTest;
import stet.base.Json;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Role;
import stet.core.SecretKind;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.PushApi;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.http.Failure;

/** The responses and effects of the deploy token routes (git-and-ci.md). */
class PushTest {
    private static final String AT = "2026-01-31T09:00:00.000Z";
    private static final String WRONG = "401 {\"error\":\"The deploy token is missing, unknown, deleted or expired; API keys are not accepted\"}";
    private static final String EDITORS = "403 {\"error\":\"Publishing, pruning and rollback require a deploy token with the editor role\"}";
    private static final String SUSPENDED = "403 {\"error\":\"This account is suspended; contact an administrator\"}";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);
    private String token = token("ci", Role.EDITOR, null);

    private String token(String name, Role role, Instant end) {
        String secret = "stet_deploy_" + name + "-of-the-account";
        stet.db.change(dao -> dao.tokens().add(ada, name, role, secret, end, stet.now()));
        return secret;
    }

    private Client request(String method, String path, String bearer, byte[] body, int held) {
        Client client = new Client(stet.server.address());
        List<String> headers = new ArrayList<>(List.of("Connection: close"));
        if (body != null) { // like curl --data-binary
            headers.addAll(List.of("Content-Type: application/x-www-form-urlencoded", "Content-Length: " + body.length));
        }
        String text = body == null ? "" : new String(body, 0, body.length - held, StandardCharsets.ISO_8859_1);
        return client.write(client.request(method, path, bearer, headers.toArray(String[]::new)) + text);
    }

    private Client.Reply send(String method, String path, byte[] body) {
        try (Client client = request(method, path, token, body, 0)) {
            Client.Reply reply = client.read(false);
            PushApi.check(method, path, reply);
            return reply;
        }
    }

    private static RawZip mails(String html) {
        return new RawZip().file("templates/welcome.html", html).file("templates/welcome.json",
                "{\"name\": \"Welcome\", \"subject\": \"Hi {{name}}\"}").file("blocks/footer.html", "<i>footer</i>");
    }

    private Client.Reply push(String query, RawZip files) {
        return send("POST", "/push" + query, files.bytes());
    }

    private List<String> rows() throws SQLException {
        List<String> rows = TenancyTest.rows(stet.folder, ada);
        rows.removeIf(row -> row.matches("(?s)(garbage|texts|storage|sessions|secret_uses)\\|.*|activity\\|.*\\|push-rejected\\|.*"));
        return rows;
    }

    private String live() {
        return stet.db.read(dao -> dao.templates().published(ada.id(), "welcome")).map(served -> new String(served.html(), StandardCharsets.UTF_8))
                .orElse(null);
    }

    /** All routes and parameters are described. */
    @Test
    void theDescriptionHasTheRoutesAndTheirParameters() throws IOException {
        Matcher route = Pattern.compile("case \"((?:GET|POST|DELETE) /pu(?:sh|ll)[^\"]*)\"").matcher(Files.readString(Path.of("app/main/stet/server/Handler.java")));
        assertEquals(PushApi.operations(), route.results().map(found -> found.group(1)).collect(Collectors.toCollection(TreeSet::new)));
        for (String[] operation : new String[][] {{"GET", "/push"}, {"POST", "/push"}, {"GET", "/pull"}}) {
            String error = Json.tree(send(operation[0], operation[1] + "?no-such=1", operation[0].equals("POST") ? new byte[0] : null).text())
                    .get("error").asText();
            assertEquals("Unknown parameter no-such" + (PushApi.parameters(operation[0], operation[1]).isEmpty() ? ""
                    : "; known parameters: " + String.join(", ", PushApi.parameters(operation[0], operation[1]))), error);
        }
    }

    /** Includes errors that no push test triggers. */
    @ParameterizedTest
    @CsvSource({"Unauthorized, WRONG_TOKEN", "Forbidden, EDITOR_TOKENS_ONLY", "Forbidden, ACCOUNT_SUSPENDED", "NotFound, NOT_FOUND",
        "TooLarge, CONTENT_TOO_LARGE", "TooMany, TOO_MANY_TRIES", "Busy, BUSY"})
    void theDescriptionHasTheErrors(String response, Failure failure) {
        assertEquals(List.of(), PushApi.problems(response, failure.response().body()));
    }

    @Test
    void theDocumentedCurlCommandPublishesAndItsRepetitionChangesNothing() throws SQLException {
        answered(200, "{\"account\":\"ada@example.com\",\"created\":[\"welcome\"],\"changed\":[],\"unchanged\":0,\"blocks\":[\"footer\"],"
                + "\"published\":[\"welcome\"],\"variables\":{\"welcome\":{\"added\":[\"name\"]}},\"ignored\":[\"README.md\"]}",
                push("?publish=true&note=abc123", mails("<p>{{name}} {{> footer}}</p>").file("README.md", "read me")));
        assertEquals("<p>{{name}} <i>footer</i></p>", live());
        List<String> before = rows();
        answered(200, "{\"account\":\"ada@example.com\",\"created\":[],\"changed\":[],\"unchanged\":1,\"blocks\":[],\"published\":[],"
                + "\"ignored\":[]}", push("?publish=true&note=other", mails("<p>{{name}} {{> footer}}</p>")));
        assertEquals(before, rows());
    }

    /** Another system's files, zipped by its own tools; the response lists what was omitted. */
    @Test
    void filesOfAnotherSystemArePublishedAndOmissionsListed() {
        answered(200, "{\"account\":\"ada@example.com\",\"created\":[\"hi\"],\"changed\":[],\"unchanged\":0,\"blocks\":[],"
                + "\"published\":[\"hi\"],\"notices\":[\"IDs come from file names or file contents: welcome/content.html becomes template hi\",\"Skipped: welcome/content.txt\"],\"ignored\":[]}",
                push("?publish=true", new RawZip().file("out/welcome/content.html", "<p>Hi</p>").file("out/welcome/content.txt", "Hi")
                        .file("out/welcome/meta.json", "{\"Name\": \"Hi\", \"Alias\": \"hi\", \"Subject\": \"Hi\"}")));
    }

    /** History, activity and the page show the note and the token's name, one row per template. */
    @Test
    void historyAndActivitySayWhereItCameFrom() {
        push("?publish=true&note=abc123", mails("<p>one</p>").file("templates/other.html", "other").file("templates/other.json",
                "{\"published\": false}"));
        JsonNode version = Json.tree(browser.get("/data/templates/welcome/versions").text()).get("versions").get(0);
        assertEquals("token ci|abc123", version.get("publishedBy").asText() + "|" + version.get("note").asText());
        assertEquals("{\"how\":\"push\",\"at\":\"" + AT + "\",\"by\":\"token ci\",\"note\":\"abc123\"}",
                Json.tree(browser.get("/data/templates/welcome").text()).get("source").toString());
        assertEquals("{\"how\":\"push\",\"at\":\"" + AT + "\",\"by\":\"token ci\",\"note\":\"abc123\"}",
                Json.tree(browser.get("/data/blocks/footer").text()).get("source").toString());
        List<String> rows = stet.db.read(dao -> dao.activity().since(ada.id(), Instant.EPOCH, 10)).stream()
                .map(row -> row.kind().word() + "|" + row.subject() + "|" + row.detail() + "|" + row.actor() + "|" + row.address())
                .filter(row -> row.contains("|token ci|")).sorted().toList();
        assertEquals(List.of("pushed|footer|abc123|token ci|127.0.0.1", "pushed|other|abc123|token ci|127.0.0.1",
                "template-published|welcome|version 1: abc123|token ci|127.0.0.1"), rows);
    }

    /** @param query query of a push after a local edit @param conflicts where the response lists the edit @param isSaved whether the push replaces it */
    @ParameterizedTest(name = "{0}")
    @CsvSource({"'', 409, conflicts, false", "?publish=true, 409, conflicts, false", "?dryRun=true, 409, conflicts, false",
        "?overwrite=true&dryRun=true, 200, overwritten, false", "?overwrite=true, 200, overwritten, true"})
    void anEditInStetIsReplacedOnlyOnRequest(String query, int status, String conflicts, boolean isSaved) throws SQLException {
        push("?publish=true", mails("<p>one</p>"));
        assertEquals(200, browser.put("/data/templates/welcome", "{\"revision\":1,\"subject\":\"\",\"html\":\"urgent\",\"samples\":{}}").status());
        List<String> before = rows();
        Client.Reply reply = push(query, mails("<p>two</p>"));
        assertEquals(status, reply.status(), reply.text());
        String conflict = "[{\"kind\":\"template\",\"id\":\"welcome\",\"what\":\"changed\",\"by\":\"ada@example.com\",\"at\":\"" + AT + "\"}]";
        assertEquals(conflict, Json.tree(reply.text()).get(conflicts).toString());
        assertEquals(isSaved, !before.equals(rows()));
    }

    @Test
    void aPushReplacesTheChangesOfItsPullButNoLaterOnes() throws IOException {
        push("?publish=true", mails("<p>one</p>"));
        assertEquals(200, browser.put("/data/templates/welcome", "{\"revision\":1,\"subject\":\"Hi\",\"html\":\"urgent\",\"samples\":{}}").status());
        SortedMap<String, String> pulled = unzip(send("GET", "/pull", null));
        assertEquals(List.of("blocks/footer.html", "stet-pulled.json", "templates/welcome.html", "templates/welcome.json"),
                List.copyOf(pulled.keySet()));
        assertEquals("urgent", pulled.get("templates/welcome.html"));
        assertEquals(409, push("?publish=true", mails("<p>one</p>").file("stet-pulled.json", pulled.get("stet-pulled.json"))).status(),
                "pulled, and discarded");
        RawZip merged = mails("urgent and merged").file("stet-pulled.json", pulled.get("stet-pulled.json"));
        assertEquals(200, push("?publish=true", merged).status());
        assertEquals("urgent and merged", live());
        assertEquals(200, browser.put("/data/templates/welcome", "{\"revision\":3,\"subject\":\"Hi\",\"html\":\"later\",\"samples\":{}}").status());
        assertEquals(409, push("?publish=true", mails("merged again").file("stet-pulled.json", pulled.get("stet-pulled.json"))).status());
        // nor a change that was pulled and pushed over, then repeated in Stet
        assertEquals(200, browser.put("/data/templates/welcome", "{\"revision\":4,\"subject\":\"Hi\",\"html\":\"urgent\",\"samples\":{}}").status());
        assertEquals(409, push("?publish=true", mails("merged again").file("stet-pulled.json", pulled.get("stet-pulled.json"))).status());
    }

    /** Because it is committed to Git. */
    @Test
    void theFileAboutThePulledStateIsIndented() throws IOException {
        push("", mails("<p>one</p>"));
        assertEquals(200, browser.put("/data/templates/welcome", "{\"revision\":1,\"subject\":\"Hi\",\"html\":\"urgent\",\"samples\":{}}").status());
        assertEquals(List.of("{", "  \"templates\": {"), unzip(send("GET", "/pull", null)).get("stet-pulled.json").lines().limit(2).toList());
    }

    /** The sources of live versions, with blocks as tags. */
    @Test
    void aPullOfLiveVersionsHasTheirSources() throws IOException {
        push("?publish=true", mails("<p>one {{> footer}}</p>").file("templates/draft.html", "draft").file("templates/draft.json", "{\"published\": false}"));
        push("", mails("<p>two {{> footer}}</p>"));
        SortedMap<String, String> live = unzip(send("GET", "/pull?published=true", null));
        assertEquals(List.of("blocks/footer.html", "templates/welcome.html", "templates/welcome.json"), List.copyOf(live.keySet()));
        assertEquals("<p>one {{> footer}}</p>", live.get("templates/welcome.html"));
        assertEquals("<p>two {{> footer}}</p>", unzip(send("GET", "/pull", null)).get("templates/welcome.html"));
    }

    private static SortedMap<String, String> unzip(Client.Reply reply) throws IOException {
        assertEquals(200, reply.status(), reply.text());
        SortedMap<String, String> files = new TreeMap<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(reply.body()))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                files.put(entry.getName(), new String(zip.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return files;
    }

    @Test
    void aRollbackLastsUntilTheFilesChange() {
        push("?publish=true", mails("<p>one {{> footer}}</p>"));
        push("?publish=true", mails("broken {{> footer}}"));
        assertEquals(200, send("POST", "/push/templates/welcome/rollback", null).status());
        for (String other : List.of("a", "b")) { // further requests
            assertEquals(200, push("?publish=true", mails("broken {{> footer}}").file("templates/other.html", other)).status());
            assertEquals("<p>one <i>footer</i></p>", live());
        }
        assertEquals(200, push("?publish=true", mails("<p>fixed</p>")).status());
        assertEquals("<p>fixed</p>", live());
        assertEquals(200, send("POST", "/push/templates/welcome/rollback?to=1", null).status());
        assertEquals(200, push("?publish=true", mails("<p>fixed {{> footer}}</p>")).status());
        assertEquals(200, send("POST", "/push/templates/welcome/rollback?to=1", null).status());
        RawZip block = new RawZip().file("templates/welcome.html", "<p>fixed {{> footer}}</p>").file("templates/welcome.json",
                "{\"name\": \"Welcome\", \"subject\": \"Hi {{name}}\"}").file("blocks/footer.html", "<b>new</b>");
        assertEquals(200, push("?publish=true", block).status());
        assertEquals("<p>fixed <b>new</b></p>", live());
    }

    @Test
    void rollbackPublishesAnOlderVersionAndTheNextPushMayFixIt() {
        push("?publish=true", mails("<p>one</p>"));
        push("?publish=true", mails("<p>broken</p>"));
        assertEquals(List.of("2 true", "1 false"), versions());
        answered(200, "{\"template\":\"welcome\",\"version\":3,\"of\":1}", send("POST", "/push/templates/welcome/rollback?note=oh", null));
        assertEquals("<p>one</p>", live());
        assertEquals(List.of("3 true", "2 false", "1 false"), versions());
        assertEquals(200, push("?publish=true", mails("<p>fixed</p>")).status());
        assertEquals("<p>fixed</p>", live());
        answered(200, "{\"template\":\"welcome\",\"version\":5,\"of\":2}", send("POST", "/push/templates/welcome/rollback?to=2", null));
        assertEquals("<p>broken</p>", live());
    }

    @Test
    void invalidRollbacksAreRejected() {
        push("?publish=true", mails("<p>one</p>"));
        push("?publish=true", mails("<p>broken</p>"));
        assertEquals(200, send("POST", "/push/templates/welcome/rollback", null).status());
        answered(422, "{\"error\":\"Template welcome has no earlier version to roll back to\",\"field\":\"to\"}",
                send("POST", "/push/templates/welcome/rollback", null)); // and does not return to the broken version
        answered(422, "{\"error\":\"Version 3 is already live\",\"field\":\"to\"}", send("POST", "/push/templates/welcome/rollback?to=3", null));
        answered(422, "{\"error\":\"Template welcome has no version 9\",\"field\":\"to\"}", send("POST", "/push/templates/welcome/rollback?to=9", null));
        answered(404, "{\"error\":\"Not found\"}", send("POST", "/push/templates/none/rollback", null));
        assertEquals(List.of("3 true", "2 false", "1 false"), versions());
    }

    @Test
    void aVersionPublishedByHandAfterARollbackIsAConflict() {
        push("?publish=true", mails("<p>one</p>"));
        push("?publish=true", mails("<p>two</p>"));
        push("?publish=true", mails("<p>three</p>"));
        assertEquals(200, send("POST", "/push/templates/welcome/rollback?to=2", null).status());
        assertEquals(200, browser.post("/data/templates/welcome/versions/1/publish", "{}").status());
        assertEquals(409, push("?publish=true", mails("<p>more</p>")).status());
    }

    /**
     * A push of drafts does not acknowledge a live version that the files' author has not seen; a version republished by hand
     * stays.
     */
    @Test
    void aLiveVersionThatNoFilesHaveStays() throws IOException {
        push("?publish=true", mails("<p>one</p>"));
        String two = "{\"revision\":%d,\"subject\":\"Hi {{name}}\",\"html\":\"%s\",\"samples\":{}}";
        assertEquals(200, browser.put("/data/templates/welcome", two.formatted(1, "urgent")).status());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":2}").status());
        assertEquals(200, browser.put("/data/templates/welcome", two.formatted(2, "<p>two</p>")).status());
        assertEquals(200, push("", mails("<p>two</p>")).status(), "it is the draft already");
        Client.Reply refused = push("?publish=true", mails("<p>three</p>"));
        assertEquals("409 published", refused.status() + " " + Json.tree(refused.text()).path("conflicts").path(0).path("what").asText());
        // only a pull of live versions covers it, not a pull of drafts
        String drafts = unzip(send("GET", "/pull", null)).get("stet-pulled.json");
        assertEquals(409, push("?publish=true", mails("<p>three</p>").file("stet-pulled.json", drafts)).status());
        SortedMap<String, String> live = unzip(send("GET", "/pull?published=true", null));
        assertEquals("urgent", live.get("templates/welcome.html"));
        assertEquals(200, push("?publish=true", mails("<p>three</p>").file("stet-pulled.json", live.get("stet-pulled.json"))).status());
        assertEquals("<p>three</p>", live());

        assertEquals(200, push("", mails("<p>four</p>")).status());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":5}").status());
        assertEquals(200, browser.post("/data/templates/welcome/versions/3/publish", "{}").status());
        assertEquals(409, push("?publish=true", mails("<p>four</p>")).status());
        assertEquals("<p>three</p>", live());
    }

    /** Files without a block do not publish a block created in Stet. */
    @Test
    void anUnpublishedBlockOfStetStays() {
        assertEquals(201, browser.post("/data/blocks", "{\"name\":\"promo\",\"html\":\"old\"}").status());
        push("?publish=true", mails("<p>{{> promo}} {{> footer}}</p>"));
        assertEquals(200, browser.put("/data/blocks/promo", "{\"revision\":1,\"html\":\"new\"}").status());
        assertEquals("[]", Json.tree(push("?publish=true", mails("<p>{{> promo}} {{> footer}}</p>")).text()).get("published").toString());
        assertEquals("<p>old <i>footer</i></p>", live());
    }

    private List<String> versions() {
        List<String> versions = new ArrayList<>();
        Json.tree(send("GET", "/push/templates/welcome/versions", null).text()).get("versions")
                .forEach(version -> versions.add(version.get("number") + " " + version.get("live")));
        return versions;
    }

    @Test
    void pruneLeavesWhatAnImportBroughtUntilAPushHasIt() throws IOException {
        byte[] zip = new RawZip().file("templates/theirs.html", "{{> theirs}}").file("blocks/theirs.html", "x").bytes();
        try (Client client = new Client(stet.server.address())) {
            assertEquals(200, client.write(client.request("POST", "/data/import", null, "Cookie: " + browser.cookie, "Connection: close",
                    "Content-Type: application/zip", "Content-Length: " + zip.length) + new String(zip, StandardCharsets.ISO_8859_1)).read(false).status());
        }
        assertEquals(200, push("?prune=true", mails("one")).status());
        assertEquals(true, stet.db.read(dao -> dao.templates().list(ada.id()).stream().anyMatch(each -> each.id().equals("theirs"))));
        assertEquals(200, push("", mails("one").file("templates/theirs.html", "{{> theirs}}").file("blocks/theirs.html", "x")).status());
        JsonNode plan = Json.tree(push("?prune=true", mails("one")).text());
        assertEquals("[\"theirs\"] [\"theirs\"]", plan.get("pruned") + " " + plan.get("prunedBlocks"));
    }

    /** Review links of a template that moves to the trash stop working, and the plan and the result say so. */
    @ParameterizedTest
    @ValueSource(strings = {"&dryRun=true", ""})
    void pruneSaysWhichReviewLinksItRevokes(String dryRun) {
        push("", mails("one").file("templates/old.html", "old").file("templates/older.html", "older"));
        for (int i = 0; i < 2; i++) {
            assertEquals(201, browser.post("/data/templates/old/reviews", "{}").status());
        }
        JsonNode plan = Json.tree(push("?prune=true" + dryRun, mails("one")).text());
        assertEquals("[\"old\",\"older\"] {\"old\":2}", plan.get("pruned") + " " + plan.get("prunedReviewLinks"));
    }

    /** A draft that was never published says so in its files, so that a round trip with publish=true does not publish it. */
    @Test
    void aPushOfPulledFilesPublishesNoUnpublishedDraft() throws IOException {
        push("?publish=true", mails("<p>one</p>"));
        assertEquals(201, browser.post("/data/templates", "{\"id\":\"secret\",\"name\":\"Secret\"}").status());
        SortedMap<String, String> pulled = unzip(send("GET", "/pull", null));
        assertEquals(List.of("true", "false"), List.of(Json.tree(pulled.get("templates/welcome.json")).path("published").asText("true"),
                Json.tree(pulled.get("templates/secret.json")).path("published").asText("true")));
        RawZip files = new RawZip();
        pulled.forEach(files::file);
        assertEquals("[]", Json.tree(push("?publish=true", files).text()).get("published").toString());
        assertEquals(List.of("welcome"), stet.db.read(dao -> dao.templates().list(ada.id()).stream().map(each -> each.id())
                .filter(id -> dao.templates().published(ada.id(), id).isPresent()).toList()));
    }

    @Test
    void aPruneOfAllTemplatesIsRejected() {
        push("", mails("one"));
        answered(422, "{\"error\":\"--prune would remove all templates from earlier pushes because their files are missing. Check that you are pushing the right files\",\"field\":null}",
                push("?prune=true", new RawZip().file("blocks/footer.html", "<i>footer</i>")));
    }

    @Test
    void aTemplateRestoredAfterAPruneIsTheAccounts() {
        push("", mails("one").file("templates/old.html", "old"));
        assertEquals("[\"old\"]", String.valueOf(Json.tree(push("?prune=true", mails("one")).text()).get("pruned")));
        assertEquals(200, browser.post("/data/deletions/old/restore", "{}").status());
        assertEquals("null", String.valueOf(Json.tree(push("?prune=true", mails("one")).text()).get("pruned")));
        assertEquals(409, push("", mails("one").file("templates/old.html", "new")).status());
    }

    /** Pruning alone, without publishing, also needs an editor. */
    @Test
    void aWriterPrunesNothing() throws SQLException {
        push("?publish=true", mails("<p>one</p>").file("templates/old.html", "old"));
        token = token("w", Role.WRITER, null);
        List<String> before = rows();
        Client.Reply refused = push("?prune=true", mails("<p>two</p>"));
        assertEquals(EDITORS, refused.status() + " " + refused.text());
        assertEquals(before, rows());
        assertEquals("[\"old\"]", String.valueOf(Json.tree(push("?prune=true&dryRun=true", mails("<p>two</p>")).text()).get("pruned")));
        assertEquals(200, push("?prune=false", mails("<p>two</p>")).status());
    }

    @Test
    void aWriterSeesWhatAnEditorsPushWouldDo() {
        push("?publish=true", mails("<p>one</p>").file("templates/old.html", "old"));
        RawZip renamed = new RawZip().file("templates/welcome.html", "<p>two</p>").file("templates/welcome.json", "{\"name\": \"New\", \"subject\": \"Hi\"}");
        token = token("w", Role.WRITER, null);
        assertEquals(403, push("?publish=true&prune=true", renamed).status());
        JsonNode plan = Json.tree(push("?publish=true&prune=true&dryRun=true", renamed).text());
        assertEquals("[\"welcome\"] [\"old\"]", plan.get("published") + " " + plan.get("pruned"));
        assertEquals("<p>one</p>", live());
    }

    @Test
    void aPruneOfAnEditedTemplateIsAConflict() throws SQLException {
        push("?publish=true", mails("<p>{{> footer}}</p>").file("templates/edited.html", "one"));
        assertEquals(200, browser.put("/data/templates/edited", "{\"revision\":1,\"subject\":\"\",\"html\":\"two\",\"samples\":{}}").status());
        List<String> before = rows();
        Client.Reply refused = push("?prune=true", mails("<p>{{> footer}}</p>"));
        assertEquals("409 edited", refused.status() + " " + Json.tree(refused.text()).get("conflicts").get(0).get("id").asText());
        assertEquals(before, rows());
    }

    @Test
    void pruneRemovesOnlyUnusedFilesOfEarlierPushes() {
        stet.db.change(dao -> dao.as(new Actor(null, "Ada", "")).templates().save(ada.id(),
                new Draft("made", "Made", "", "{{> used}}".getBytes(StandardCharsets.UTF_8), Map.of()), stet.now()));
        push("?publish=true", mails("<p>{{> footer}}</p>").file("templates/old.html", "{{> outer}}")
                .file("blocks/outer.html", "{{> inner}}").file("blocks/inner.html", "inner").file("blocks/used.html", "used"));
        Client.Reply done = push("?prune=true&note=abc123", mails("<p>{{> footer}}</p>"));
        assertEquals(List.of("block-deleted inner abc123", "block-deleted outer abc123", "template-deleted old abc123"),
                stet.db.read(dao -> dao.activity().since(ada.id(), Instant.EPOCH, 50)).stream().map(row -> row.kind().word() + " "
                        + row.subject() + " " + row.detail()).filter(row -> row.contains("-deleted ")).sorted().toList());
        assertEquals("[\"old\"] [\"inner\",\"outer\"]", Json.tree(done.text()).get("pruned") + " " + Json.tree(done.text()).get("prunedBlocks"));
        assertEquals(List.of("made", "welcome"), stet.db.read(dao -> dao.templates().list(ada.id())).stream().map(each -> each.id()).toList());
        assertEquals(List.of("footer", "used"), List.copyOf(stet.db.read(dao -> dao.blocks().sha256s(ada.id())).keySet()));
        assertEquals(true, stet.db.read(dao -> dao.trash().has(ada.id(), "old")));
    }

    @Test
    void aWriterRenamesNoLiveTemplate() {
        push("?publish=true", mails("<p>one</p>"));
        token = token("writer", Role.WRITER, null);
        answered(422, "{\"error\":\"templates/welcome.json: Only editors and owners can rename a published"
                + " template\",\"field\":null}", push("", new RawZip().file("templates/welcome.html", "<p>one</p>")
                .file("templates/welcome.json", "{\"name\": \"Renamed\"}").file("blocks/footer.html", "<i>footer</i>")));
        assertEquals(200, push("", mails("<p>two</p>")).status());
        assertEquals("<p>one</p>", live());
    }

    /** Makes requests those of a sender; the account has a live template. */
    private void sendAs(String who) {
        stet.template(ada, "live", "<p>live</p>");
        String key = stet.key(ada);
        token = switch (who) {
            case "nobody" -> null;
            case "unknown" -> "stet_deploy_unknown";
            case "API key" -> key;
            case "writer" -> token("w", Role.WRITER, null);
            case "expired" -> token("e", Role.EDITOR, stet.now().plusSeconds(1));
            case "editor", "deleted", "suspended" -> token;
            default -> throw new AssertionError(who);
        };
        stet.clock.advance(Duration.ofSeconds(1));
        if (who.equals("deleted")) {
            assertEquals(204, browser.delete("/data/tokens/1").status());
        }
        if (who.equals("suspended")) {
            stet.db.change(dao -> dao.accounts().setSuspended(ada, true, stet.now()));
        }
    }

    /** Responses to state, push, push with publish, pull and rollback. */
    private List<Client.Reply> requestAll() {
        return List.of(send("GET", "/push", null), push("", mails("<p>one</p>")), push("?publish=true", mails("<p>one</p>")),
                send("GET", "/pull", null), send("POST", "/push/templates/live/rollback", null));
    }

    /** @param responses status of each of the five requests */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            nobody    | 401 401 401 401 401
            unknown   | 401 401 401 401 401
            API key   | 401 401 401 401 401
            writer    | 200 200 403 200 403
            editor    | 200 200 200 200 422
            expired   | 401 401 401 401 401
            deleted   | 401 401 401 401 401
            suspended | 403 403 403 403 403
            """)
    void theSenderDecidesTheStatuses(String who, String responses) {
        sendAs(who);
        assertEquals(responses, requestAll().stream().map(reply -> "" + reply.status()).collect(Collectors.joining(" ")));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", quoteCharacter = '`', textBlock = """
            nobody    | Bearer realm="stet"
            unknown   | Bearer realm="stet", error="invalid_token"
            API key   | Bearer realm="stet", error="invalid_token"
            expired   | Bearer realm="stet", error="invalid_token"
            deleted   | Bearer realm="stet", error="invalid_token"
            """)
    void withoutAValidTokenEachRequestIsRefusedAndChangesNothing(String who, String challenge) throws SQLException {
        sendAs(who);
        List<String> before = rows();
        for (Client.Reply reply : requestAll()) {
            assertEquals(WRONG, reply.status() + " " + reply.text());
            assertEquals(challenge, reply.header("WWW-Authenticate"));
        }
        assertEquals(before, rows());
    }

    @Test
    void eachRequestToASuspendedAccountIsRefusedAndChangesNothing() throws SQLException {
        sendAs("suspended");
        List<String> before = rows();
        requestAll().forEach(reply -> assertEquals(SUSPENDED, reply.status() + " " + reply.text()));
        assertEquals(before, rows());
    }

    @Test
    void aWriterNeitherPublishesNorRollsBack() {
        sendAs("writer");
        List<Client.Reply> replies = requestAll();
        assertEquals(List.of(EDITORS, EDITORS), Stream.of(replies.get(2), replies.get(4)).map(reply -> reply.status() + " " + reply.text()).toList());
        assertEquals("1 null", stet.db.read(dao -> dao.templates().find(ada.id(), "live")).orElseThrow().published() + " " + live());
    }

    @Test
    void aTokenIsNoApiKey() {
        sendAs("editor");
        assertEquals(401, stet.get(Running.TEMPLATES + "live", token).status());
    }

    /** A session cookie does not replace a token. */
    @Test
    void aCookieIsNoToken() {
        answered(401, WRONG.substring(4), browser.get("/push"));
        answered(401, WRONG.substring(4), browser.post("/push", "x"));
    }

    /** @param ending how the right ends while the last byte of the body is held back */
    @ParameterizedTest(name = "{0}")
    @CsvSource({"deleted", "ended", "suspended", "account deleted"})
    void aPushWhoseRightEndsWhileItsBodyArrivesIsRefused(String ending) throws SQLException {
        stet.template(ada, "live", "<p>live</p>");
        token = token("held", Role.EDITOR, stet.now().plusSeconds(60));
        byte[] zip = mails("<p>evil</p>").bytes();
        try (Client client = request("POST", "/push?publish=true", token, zip, 1)) {
            assertTrue(Running.comes(this::isSecondTokenUsed));
            switch (ending) {
                case "deleted" -> stet.db.change(dao -> dao.tokens().delete(ada.id(), 2, stet.now()));
                case "ended" -> stet.clock.advance(Duration.ofSeconds(60));
                case "suspended" -> stet.db.change(dao -> dao.accounts().setSuspended(ada, true, stet.now()));
                default -> stet.db.change(dao -> dao.accounts().delete(ada, stet.now()));
            }
            List<String> before = ending.equals("account deleted") ? List.of() : rows();
            client.write(new String(zip, zip.length - 1, 1, StandardCharsets.ISO_8859_1));
            Client.Reply reply = client.read(false);
            assertEquals(ending.equals("suspended") ? SUSPENDED : WRONG, reply.status() + " " + reply.text());
            assertEquals(before, ending.equals("account deleted") ? List.of() : rows());
        }
        assertEquals(0L, (long) stet.db.read(dao -> dao.sql().number("select count(*) from templates where id = 'welcome'")));
    }

    private boolean isSecondTokenUsed() {
        return stet.db.read(dao -> dao.tokens().list(ada.id())).get(1).lastUsedAt() != null;
    }

    /** Requests with invalid tokens are throttled by address and logged; a valid token from the same address still works. */
    @Test
    void wrongTokensAreThrottledAndLogged() {
        String right = token;
        String log = Running.logged(() -> {
            token = "stet_deploy_guessed-by-somebody";
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 31; i++) {
                statuses.add(send("GET", "/push", null).status());
            }
            assertEquals(30, statuses.stream().filter(status -> status == 401).count());
            assertEquals("429", statuses.get(30).toString());
        });
        assertEquals(30, log.lines().filter(line -> line.endsWith(
                "WARN sign-in-failed address=127.0.0.1 email=\"\" token=stet_deploy_gue")).count(), log);
        token = right;
        assertEquals(200, send("GET", "/push", null).status());
    }

    /** Files omitted from a push must not have changed. */
    @Test
    void aPushBasedOnAnOutdatedStateIsRefused() throws SQLException {
        push("", mails("<p>one</p>"));
        JsonNode state = Json.tree(send("GET", "/push", null).text());
        String unchanged = "{\"templates\":" + state.get("templates") + ",\"blocks\":" + state.get("blocks") + "}";
        assertEquals(1, Json.tree(push("?publish=true", new RawZip().file("stet-unchanged.json", unchanged)).text()).get("published").size());
        List<String> before = rows();
        for (String other : new String[] {unchanged.replaceFirst("[0-9a-f]{64}", "x"), unchanged.replaceFirst("welcome", "none"),
            unchanged.replaceFirst("(footer.{3})[0-9a-f]", "$1z")}) {
            answered(409, "{\"error\":\"The account changed during the push. Nothing was saved. Push again\",\"outdated\":true}",
                    push("", new RawZip().file("stet-unchanged.json", other).file("templates/other.html", "x")));
        }
        assertEquals(before, rows());
    }

    @Test
    void aFileAboutTheStateMustBeAnObject() throws SQLException {
        List<String> before = rows();
        answered(422, "{\"error\":\"stet-unchanged.json: The JSON must be an object\",\"field\":null}",
                push("", new RawZip().file("stet-unchanged.json", "[]").file("templates/other.html", "x")));
        answered(422, "{\"error\":\"stet-pulled.json: The JSON must be an object\",\"field\":null}",
                push("", new RawZip().file("stet-pulled.json", "[]").file("templates/other.html", "x")));
        assertEquals(before, rows());
    }

    // ---- bounds

    @Test
    void anAccountHasAtMost20Tokens() {
        for (int i = 1; i < SecretKind.MAX_TOKENS; i++) {
            assertEquals(201, browser.post("/data/tokens", "{\"name\":\"t" + i + "\",\"days\":1}").status());
        }
        String full = "{\"error\":\"ada@example.com has reached its token limit (20); delete a token first\",\"field\":\"token\"}";
        answered(422, full, browser.post("/data/tokens", "{\"name\":\"more\"}"));
        answered(422, full, browser.post("/data/tokens/1/rotate", "{\"hours\":1}"));
        assertEquals(201, browser.post("/data/tokens/1/rotate", "{\"hours\":0}").status());
        stet.clock.advance(Duration.ofDays(1));
        Browser next = Browser.of(stet, ada);
        assertEquals(1, Json.tree(next.get("/data/tokens").text()).get("secrets").size());
        assertEquals(201, next.post("/data/tokens", "{\"name\":\"more\"}").status(), "expired ones do not count");
    }

    @Test
    void aTokenWithAWrongFieldIsRefused() {
        for (String[] wrong : new String[][] {{"{\"name\":\"x\",\"role\":\"owner\"}", "role"}, {"{\"name\":\"\"}", "name"}, {"{\"name\":\"x\",\"days\":0}", "days"}}) {
            Client.Reply reply = browser.post("/data/tokens", wrong[0]);
            assertEquals("422 " + wrong[1], reply.status() + " " + Json.tree(reply.text()).get("field").asText(), reply.text());
        }
    }

    @Test
    void wrongParametersAreRefused() {
        answered(422, "{\"error\":\"The note is 201 characters; the limit is 200\",\"field\":\"note\"}", push("?note=" + "n".repeat(201), mails("x")));
        assertEquals(200, push("?note=" + "n".repeat(200), mails("x")).status());
        answered(422, "{\"error\":\"Unknown parameter publsh; known parameters: dryRun, force, note, overwrite, preview, prune, publish\",\"field\":\"publsh\"}",
                push("?publsh=true", mails("x")));
        answered(422, "{\"error\":\"note may appear only once and must be valid UTF-8\",\"field\":\"note\"}", push("?note=a&note=b", mails("x")));
        answered(422, "{\"error\":\"note may appear only once and must be valid UTF-8\",\"field\":\"note\"}", push("?note=%FF", mails("x")));
        answered(422, "{\"error\":\"force requires publish\",\"field\":\"force\"}", push("?force=true", mails("x")));
        answered(422, "{\"error\":\"publish must be true or false\",\"field\":\"publish\"}", push("?publish=yes", mails("x")));
    }

    @Test
    void aPushIsNeitherEmptyNorLongerThan64MiB() {
        answered(422, "{\"error\":\"The zip file is empty; add templates or shared blocks\",\"field\":null}", send("POST", "/push", new byte[0]));
        answered(413, "{\"error\":\"The request is too large\"}", send("POST", "/push", new byte[(64 << 20) + 1]));
    }

    @Test
    void aPruneRemovesAtMost200TemplatesAndBlocks() {
        RawZip many = mails("x");
        for (int i = 0; i <= 200; i++) {
            many.file("templates/t" + i + ".html", "x");
        }
        assertEquals(200, push("", many).status());
        answered(422, "{\"error\":\"--prune would remove 201 templates and shared blocks; the limit is 200. Check that you are pushing the right files\",\"field\":null}",
                push("?prune=true", mails("x")));
        assertEquals(200, Json.tree(push("?prune=true", mails("x").file("templates/t0.html", "x")).text()).get("pruned").size());
    }
}
