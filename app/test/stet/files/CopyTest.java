package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.access.RightsTest;
import stet.access.TenancyTest;
import stet.base.Json;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Draft;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Validation;
import stet.dao.Author;
import stet.dao.SourceDao.FilesOrigin;
import stet.dao.SourceDao.OriginKind;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;
import stet.sqlite.WritingLock;

/** Copying templates between a user's accounts. */
class CopyTest {
    private static final String HTML = "<p>{{name}} {{> footer}}</p>";
    private static final String NOT_FOUND = "{\"error\":\"Not found\"}";
    private static final String EDITORS_ONLY = "{\"error\":\"Only editors and owners of the account can do this\"}";

    @AutoClose
    private final Running stet = new Running();
    private Account staging;
    private Account production;
    private User eve;
    private Browser browser;

    @BeforeEach
    void start() {
        staging = account("staging", "a@example.com");
        production = account("production", "b@example.com");
        eve = stet.member(staging, "eve@example.com", Role.WRITER, "correct horse");
        belongs(Role.EDITOR);
        browser = Browser.of(stet, staging, eve);
        stet.block(staging, "footer", "<i>{{> inner}}</i>");
        stet.block(staging, "inner", "inner");
        stet.block(staging, "unused", "unused");
        template(staging, "welcome", HTML);
        stet.publish(staging, "welcome");
        stet.db.change(dao -> dao.library().changeTags(staging.id(), "welcome", List.of("shop"), List.of(), stet.now()));
    }

    private Account account(String name, String owner) {
        return stet.db.write(dao -> dao.accounts().addWithOwner(name, owner, null, Plan.PRO, stet.now()));
    }

    private void belongs(Role role) {
        stet.member(production, "eve@example.com", role, "correct horse");
    }

    private void template(Account account, String id, String html) {
        stet.db.change(dao -> dao.templates().save(account.id(), new Draft(id, "Welcome", "Hi {{name}}", Utf8.encode(html),
                Map.of("ada", "{\"name\":\"Ada\"}", "bob", "{\"name\":\"Bob\"}")), stet.now()));
    }

    private Client.Reply copy(Map<String, Object> options) {
        return copy(production.id(), options);
    }

    private Client.Reply copy(long account, Map<String, Object> options) {
        Map<String, Object> body = new HashMap<>(Map.of("templates", List.of("welcome")));
        body.putAll(options);
        return browser.post("/data/copies/" + account, Utf8.text(Json.write(body)));
    }

    private static String plan(String created, String changed, int unchanged, String blocks, String published) {
        return "{\"created\":[" + created + "],\"changed\":[" + changed + "],\"unchanged\":" + unchanged + ",\"blocks\":[" + blocks
                + "],\"published\":[" + published + "],\"ignored\":[]}";
    }

    private List<String> rows() throws SQLException {
        List<String> rows = TenancyTest.rows(stet.folder, production);
        rows.removeIf(row -> row.matches("(?s)(garbage|texts)\\|.*"));
        return rows;
    }

    private String html(Account account, String id) {
        return stet.db.read(dao -> new String(dao.templates().find(account.id(), id).orElseThrow().html(), StandardCharsets.UTF_8));
    }

    private List<String> activity() {
        return stet.db.read(dao -> dao.activity().since(production.id(), Instant.EPOCH, 20)).stream()
                .map(row -> row.kind().word() + "|" + row.subject() + "|" + row.detail() + "|" + row.actor()).toList();
    }

    // ---- contents of the copy

    private static final String WELCOME_WITH_ITS_BLOCKS = plan("\"welcome\"", "", 0, "\"footer\",\"inner\"", "");

    @Test
    void aDryRunReportsWhatACopyWouldChangeAndChangesNothing() throws SQLException {
        List<String> before = rows();
        answered(200, WELCOME_WITH_ITS_BLOCKS, copy(Map.of("dryRun", true)));
        assertEquals(before, rows());
    }

    @Test
    void aCopyHasTheDraftItsTagsBlocksAndTestData() {
        answered(200, WELCOME_WITH_ITS_BLOCKS, copy(Map.of()));
        assertEquals(HTML, html(production, "welcome"));
        stet.db.read(dao -> {
            var template = dao.templates().find(production.id(), "welcome").orElseThrow();
            assertEquals("Welcome|Hi {{name}}|[ada, bob]|null", template.name() + "|" + template.subject() + "|"
                    + template.samples().documents().keySet() + "|" + template.published());
            assertEquals(List.of("shop"), dao.library().tags(production.id(), "welcome").orElseThrow());
            assertEquals("<i>{{> inner}}</i>", Utf8.text(dao.blocks().html(production.id(), "footer").orElseThrow()));
            assertFalse(dao.blocks().html(production.id(), "unused").isPresent());
            return null;
        });
    }

    @Test
    void sourceAndActivityOfACopyNameItsAccountAndUser() {
        copy(Map.of());
        assertEquals("COPY|from staging|eve@example.com", stet.db.read(dao -> dao.sources().find(production.id(), "template", "welcome"))
                .map(source -> source.how() + "|" + source.note() + "|" + source.by()).orElseThrow());
        assertEquals(List.of("copied|footer|from staging|eve@example.com", "copied|inner|from staging|eve@example.com",
                "copied|welcome|from staging|eve@example.com"), activity().stream().filter(row -> row.startsWith("copied")).sorted().toList());
    }

    @Test
    void aSecondCopyChangesNothing() throws SQLException {
        copy(Map.of());
        List<String> once = rows();
        answered(200, plan("", "", 1, "", ""), copy(Map.of()));
        assertEquals(once, rows());
    }

    @Test
    void copiesOfPublishedTemplatesArePublishedOnRequest() {
        template(staging, "draft", "<p>never published</p>");
        JsonNode done = Json.tree(copy(Map.of("templates", List.of("welcome", "draft"), "publish", true)).text());
        assertEquals("[\"draft\",\"welcome\"] [\"welcome\"]", done.get("created") + " " + done.get("published"));
        String key = stet.key(production);
        assertEquals("<p>{{name}} <i>inner</i></p>", stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
        assertEquals(404, stet.get(Running.TEMPLATES + "draft", key).status());
    }

    // ---- conflicts

    @ParameterizedTest(name = "{0}")
    @CsvSource(textBlock = """
            draft changed  | template welcome was changed in production by b@example.com
            made here      | template welcome was created in production and last changed by b@example.com
            block changed  | shared block footer was changed in production by b@example.com
            published here | template welcome has a different live version, published in production by b@example.com
            """, delimiter = '|')
    void aCopyOverwritesChangesOnlyOnRequest(String change, String sentence) throws SQLException {
        Browser owner = Browser.of(stet, production);
        if (!change.equals("made here")) {
            assertEquals(200, copy(Map.of("publish", true)).status());
        }
        switch (change) {
            case "block changed" -> assertEquals(200, owner.put("/data/blocks/footer", "{\"revision\":1,\"html\":\"theirs\"}").status());
            case "made here" -> assertEquals(201, owner.post("/data/templates", "{\"id\":\"welcome\",\"name\":\"Theirs\"}").status());
            default -> assertEquals(200, owner.put("/data/templates/welcome",
                    "{\"revision\":1,\"subject\":\"theirs\",\"html\":\"<p>theirs</p>\",\"samples\":{}}").status());
        }
        if (change.equals("published here")) {
            assertEquals(200, owner.post("/data/templates/welcome/publish", "{\"revision\":2,\"note\":\"\"}").status());
            stet.db.change(dao -> dao.templates().save(production.id(), new Draft("welcome", "Welcome", "Hi {{name}}", Utf8.encode(HTML),
                    Map.of("ada", "{\"name\":\"Ada\"}", "bob", "{\"name\":\"Bob\"}")), stet.now()));
        }
        template(staging, "welcome", "<p>newer {{> footer}}</p>");
        List<String> before = rows();
        assertTrue(copy(Map.of("dryRun", true)).text().contains("\"conflicts\":[{"));
        Client.Reply refused = copy(Map.of("publish", true));
        assertEquals(409, refused.status());
        assertTrue(refused.text().contains("Nothing was changed: " + sentence), refused.text());
        assertEquals(before, rows());
        assertEquals(200, copy(Map.of("publish", true, "overwrite", true)).status());
        assertEquals("<p>newer {{> footer}}</p>", html(production, "welcome"));
    }

    /** When files arrive by a push or an import, a copy counts as a local change, even if the template came from those files. */
    @Test
    void filesDoNotRevertACopyThatReplacedPushedFiles() {
        assertEquals(1, imported(OriginKind.PUSH, "<p>of files</p>", false).texts().created().size());
        assertEquals(200, copy(Map.of("publish", true, "overwrite", true)).status());
        assertNotReverted(OriginKind.PUSH, Conflict.What.CHANGED);
    }

    @Test
    void filesDoNotRevertACopyThatFoundItsTextThere() {
        assertEquals(1, imported(OriginKind.PUSH, "<p>of files</p>", false).texts().created().size());
        template(production, "welcome", HTML);
        stet.db.change(dao -> dao.library().changeTags(production.id(), "welcome", List.of("shop"), List.of(), stet.now()));
        assertTrue(copy(Map.of()).text().contains("\"unchanged\":1"));
        assertNotReverted(OriginKind.PUSH, Conflict.What.CHANGED);
    }

    @Test
    void filesDoNotRevertACopyThatCreatedItsTemplate() {
        assertEquals(200, copy(Map.of("publish", true)).status());
        assertNotReverted(OriginKind.COPY, Conflict.What.MADE);
    }

    /** Checks that files arrive only with overwrite. @param origin of the template before @param what the conflict without overwrite */
    private void assertNotReverted(OriginKind origin, Conflict.What what) {
        assertEquals(origin, source());
        for (OriginKind how : List.of(OriginKind.PUSH, OriginKind.IMPORT)) {
            assertEquals(List.of(what), imported(how, "<p>of files</p>", false).found().preventing().stream().map(Conflict::what).toList());
        }
        assertEquals(HTML, html(production, "welcome"));
        assertEquals(List.of("welcome"), imported(OriginKind.PUSH, "<p>of files</p>", true).texts().changed());
        assertEquals(OriginKind.PUSH, source());
    }

    private OriginKind source() {
        return stet.db.read(dao -> dao.sources().find(production.id(), "template", "welcome")).orElseThrow().how();
    }

    private Changes imported(OriginKind how, String html, boolean overwrite) {
        try (AccountFiles files = AccountFiles.of(Source.of(new TreeMap<>(Map.of("templates/welcome.html", Utf8.encode(html)))))) {
            return new Import(stet.db, production, files, new ImportOptions(PublishMode.NONE, overwrite, false, true, new FilesOrigin(how, "")),
                    Author.of(Actor.COMMAND_LINE), stet.clock).run();
        }
    }

    /** The target already has the block. Drafts that include it change, but nothing served does. */
    @Test
    void aCopiedBlockChangesOnlyDrafts() {
        assertEquals(200, copy(Map.of()).status());
        stet.template(production, "other", "<b>{{> inner}}</b>");
        stet.block(staging, "inner", "newer");
        answered(200, plan("", "", 1, "\"inner\"", ""), copy(Map.of()));
        String key = stet.key(production);
        assertEquals("<b>inner</b>", stet.get(Running.TEMPLATES + "other?format=html", key).text());
        assertEquals(List.of("other"), Json.tree(Browser.of(stet, production).get("/data/stale").text()).get("templates").findValuesAsText("id"));
    }

    @Test
    void anIdInTheTrashThereIsRefused() throws SQLException {
        stet.template(production, "welcome", "old");
        stet.db.change(dao -> dao.trash().delete(production.id(), "welcome", stet.now()));
        List<String> before = rows();
        Client.Reply refused = copy(Map.of("overwrite", true));
        assertEquals(422, refused.status());
        assertTrue(refused.text().contains("in the trash"), refused.text());
        assertEquals(before, rows());
    }

    // ---- rejected requests

    @Test
    void invalidCopiesAreRejected() throws SQLException {
        List<String> before = rows();
        answered(422, "{\"error\":\"The templates are already in this account; choose another account\",\"field\":\"account\"}", copy(staging.id(), Map.of()));
        answered(422, "{\"error\":\"Choose at least one template\",\"field\":\"templates\"}", copy(Map.of("templates", List.of())));
        answered(422, "{\"error\":\"Template none not found\",\"field\":\"templates\"}",
                copy(Map.of("templates", List.of("welcome", "none"))));
        answered(422, "{\"error\":\"\\\"prune\\\" is not a known field\",\"field\":\"prune\"}", copy(Map.of("prune", true)));
        assertEquals(before, rows());
    }

    /** Unknown, of others, and not a number. */
    @Test
    void accountsOfOthersAreNotFound() throws SQLException {
        Account foreign = account("foreign", "z@example.com");
        answered(404, NOT_FOUND, copy(999, Map.of()));
        answered(404, NOT_FOUND, copy(foreign.id(), Map.of()));
        answered(404, NOT_FOUND, browser.post("/data/copies/x", "{\"templates\":[\"welcome\"]}"));
        assertTrue(stet.db.read(dao -> dao.templates().list(foreign.id())).isEmpty());
    }

    @Test
    void aTemplateInTheTrashIsNotFound() {
        stet.db.change(dao -> dao.trash().delete(staging.id(), "welcome", stet.now()));
        answered(422, "{\"error\":\"Template welcome not found\",\"field\":\"templates\"}", copy(Map.of()));
    }

    @Test
    void aWriterThereCopiesOnlyDrafts() throws SQLException {
        belongs(Role.WRITER);
        List<String> before = rows();
        answered(403, EDITORS_ONLY, copy(Map.of("publish", true)));
        assertEquals(before, rows());
        assertEquals(200, copy(Map.of()).status());
    }

    @Test
    void aWriterThereRenamesNoPublishedTemplate() {
        belongs(Role.WRITER);
        assertEquals(200, copy(Map.of()).status());
        stet.publish(production, "welcome");
        stet.db.change(dao -> dao.templates().rename(staging.id(), "welcome", "Renamed", stet.now()));
        answered(422, "{\"error\":\"templates/welcome.json: Only editors and owners can rename a published template\","
                + "\"field\":null}", copy(Map.of()));
    }

    @ParameterizedTest
    @EnumSource(value = Role.class, names = {"EDITOR", "OWNER"})
    void editorsAndOwnersTherePublishCopies(Role role) {
        belongs(role);
        assertEquals("[\"welcome\"]", Json.tree(copy(Map.of("publish", true)).text()).path("published").toString());
    }

    private void ends(String ending) {
        stet.db.change(dao -> {
            switch (ending) {
                case "removed" -> dao.members().remove(production.id(), eve.id());
                case "demoted" -> dao.members().setRole(production.id(), eve.id(), Role.WRITER, stet.now());
                case "suspended" -> dao.accounts().setSuspended(production, true, stet.now());
                case "two-factor authentication" -> dao.twoFactors().setRequired(production.id(), true);
                default -> dao.accounts().delete(production, stet.now());
            }
        });
    }

    private static final String ENDINGS = """
            removed       | 404 {"error":"Not found"}
            demoted       | 403 {"error":"Only editors and owners of the account can do this"}
            suspended     | 403 {"error":"This account is suspended; contact an administrator"}
            two-factor authentication | 403 {"error":"This account requires two-factor authentication; set it up on the Security page","twoFactor":true}
            deleted       | 404 {"error":"Not found"}
            """;

    /** Rights in the target account; RightsTest covers the selected account. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(textBlock = ENDINGS, delimiter = '|', quoteCharacter = '$')
    void aCopyWithoutARightInTheTargetIsRejected(String ending, String expected) throws SQLException {
        ends(ending);
        List<String> before = rows();
        Client.Reply reply = copy(Map.of("publish", true));
        assertEquals(expected, reply.status() + " " + reply.text());
        assertEquals(before, rows());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(textBlock = ENDINGS, delimiter = '|', quoteCharacter = '$')
    void aRightThatEndsWhileTheCopyWaitsRejectsIt(String ending, String expected) throws Exception {
        endsMeanwhile(ending, true, expected);
    }

    /** A writer may copy drafts, but an editor's copy may also rename live templates. */
    @Test
    void anEditorDemotedMeanwhileIsRejected() throws Exception {
        endsMeanwhile("demoted", false, "403 {\"error\":\"Only editors and owners of the account can do this\"}");
    }

    private void endsMeanwhile(String ending, boolean publish, String expected) throws Exception {
        List<String> before;
        CompletableFuture<Client.Reply> copying;
        WritingLock.hold(stet.db);
        try {
            copying = CompletableFuture.supplyAsync(() -> copy(Map.of("publish", publish)));
            assertTrue(Running.comes(RightsTest::isLockWaitedForByARoute));
            ends(ending);
            before = rows();
        } finally {
            WritingLock.release(stet.db);
        }
        Client.Reply reply = copying.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertEquals(expected, reply.status() + " " + reply.text());
        assertEquals(before, rows());
    }

    // ---- bounds

    @Test
    void aCopyBeyondTheStorageLimitIsRejected() throws SQLException {
        stet.db.change(dao -> dao.storage().changeLimit(production, 10L, stet.now()));
        List<String> before = rows();
        Client.Reply refused = copy(Map.of());
        assertEquals(422, refused.status(), refused.text());
        assertTrue(refused.text().contains("; its limit is 10 bytes"), refused.text());
        assertEquals(before, rows());
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "free"})
    void thePlanOfTheTargetDoesNotMatter(String plan) {
        stet.db.change(dao -> dao.accounts().changePlan(production, Plan.of(plan), null, stet.now()));
        assertEquals(200, copy(Map.of()).status());
    }

    @Test
    void aCopyToAFullAccountIsRejected() {
        stet.db.change(dao -> IntStream.range(0, Validation.TEMPLATES).forEach(i -> dao.templates().save(production.id(),
                new Draft("full-" + i, "x", "", new byte[] {'x'}, Map.of()), stet.now())));
        String error = "{\"error\":\"The account would have 10001 templates; the limit is 10000\",\"field\":null}";
        answered(422, error, copy(Map.of("dryRun", true)));
        answered(422, error, copy(Map.of()));
    }

    @Test
    void aCopyOfMoreThan128MiBIsRejected() {
        byte[] long2MiB = new byte[2 << 20];
        Arrays.fill(long2MiB, (byte) 'x');
        List<String> ids = IntStream.range(0, 65).mapToObj(i -> "long-" + i).toList();
        ids.forEach(id -> stet.db.change(dao -> dao.templates().save(staging.id(), new Draft(id, "x", "", long2MiB, Map.of()), stet.now())));
        answered(422, "{\"error\":\"These templates exceed 128 MiB; copy them in parts\",\"field\":\"templates\"}",
                copy(Map.of("templates", ids)));
        assertEquals(0, Objects.requireNonNullElse(stet.folder.resolve("tmp").toFile().list(), new String[0]).length);
    }
}
