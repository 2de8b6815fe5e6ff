package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stet.access.TenancyTest;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.core.SecretKind;
import stet.dao.PushPreviewDao;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Pictures;
import stet.harness.PushApi;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.upkeep.Backup;
import stet.upkeep.Check;
import stet.upkeep.Sweeper;

/** Previews of a push (git-and-ci.md, Previews): what they show, who may make and end them, their limits and their end. */
class PushPreviewTest {
    private static final String DRY = "/push?dryRun=true&preview=";
    private static final String ENDED = "This link has expired or is no longer valid; ask for a new link";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Account bob = stet.account("bob@example.com", Plan.PRO);
    private final Browser guest = Browser.of(stet);

    @BeforeEach
    void tokens() {
        stet.db.change(dao -> {
            dao.tokens().add(ada, "ci", Role.EDITOR, "editor-of-ada", null, stet.now());
            dao.tokens().add(ada, "review", Role.WRITER, "writer-of-ada", null, stet.now());
            dao.tokens().add(ada, "old", Role.EDITOR, "expired-of-ada", stet.now().plusSeconds(1), stet.now());
            dao.tokens().add(bob, "ci", Role.EDITOR, "editor-of-bob", null, stet.now());
        });
        stet.clock.advance(Duration.ofSeconds(2));
    }

    private Client.Reply send(String token, String method, String path, RawZip files) {
        byte[] body = files == null ? new byte[0] : files.bytes();
        try (Client client = new Client(stet.server.address())) {
            Client.Reply reply = client.write(client.request(method, path, token, "Connection: close", "Content-Length: " + body.length)
                    + new String(body, StandardCharsets.ISO_8859_1)).read(false);
            PushApi.check(method, path, reply);
            return reply;
        }
    }

    private JsonNode done(String token, String method, String path, RawZip files) {
        Client.Reply reply = send(token, method, path, files);
        assertEquals(200, reply.status(), reply.text());
        return Json.tree(reply.text());
    }

    /** Secrets of the links by template ID. */
    private Map<String, String> preview(String name, RawZip files) {
        Map<String, String> secrets = new TreeMap<>();
        done("writer-of-ada", "POST", DRY + name, files).path("previews").properties().forEach(each ->
                secrets.put(each.getKey(), each.getValue().asText().replaceFirst("^http://127\\.0\\.0\\.1:\\d+/review#", "")));
        return secrets;
    }

    private static RawZip mail(String html) {
        return new RawZip().file("templates/welcome.html", html).file("templates/welcome.json", "{\"name\": \"Welcome\", \"subject\": \"Hi {{name}}\"}")
                .file("templates/welcome.samples/ann.json", "{\"name\": \"Ann\"}").file("templates/welcome.samples/ben.json", "{\"name\": \"Ben\"}")
                .file("blocks/footer.html", "<i>footer</i>").file("images/logo.png", Pictures.png(3, 3, 7));
    }

    private void push(RawZip files) {
        done("editor-of-ada", "POST", "/push?publish=true&overwrite=true", files);
    }

    private String review(String secret, String more) {
        Client.Reply reply = guest.post("/data/review", "{\"secret\":\"" + secret + "\"" + more + "}");
        return reply.status() == 200 ? reply.text() : Json.tree(reply.text()).get("error").asText();
    }

    /** The email that a link shows. */
    private String shown(String secret) {
        String found = review(secret, "");
        return found.startsWith("{") ? Browser.unmarked(guest.get(Json.tree(found).get("preview").asText())).text().replaceFirst("<base .*", "") : found;
    }

    private List<String> rows(Account account) throws SQLException {
        stet.sweep();
        List<String> rows = TenancyTest.rows(stet.folder, account);
        rows.removeIf(row -> row.matches("(?s)secret_uses\\|.*"));
        return rows;
    }

    private void assertSound() {
        assertEquals(List.of(), stet.problems());
    }

    /** Files that change each part of {@link #mail}: name, subject, HTML, test data and block, with another image. */
    private static RawZip changed() {
        return new RawZip().file("templates/welcome.html", "<p>{{name}} {{> footer}}<img src=\"{{> images/new.png}}\">")
                .file("templates/welcome.json", "{\"name\": \"Hello\", \"subject\": \"Ho {{name}}\"}").file("templates/welcome.samples/ann.json", "{\"name\": \"Ann\"}")
                .file("templates/welcome.samples/eve.json", "{\"name\": \"Eve\"}").file("blocks/footer.html", "<b>new</b>").file("images/new.png", Pictures.png(4, 4, 9));
    }

    private static String image(String html) {
        return html.replaceFirst(".*src=\"", "").replaceFirst("\".*", "");
    }

    @Test
    void aPreviewShowsTheFilesWithTheirBlocksImagesAndTestData() {
        push(mail("<p>live {{> footer}}"));
        String secret = preview("pr-17", changed()).get("welcome");
        JsonNode review = Json.tree(review(secret, ",\"chosen\":\"eve\""));
        assertEquals("Hello", review.get("name").asText());
        assertEquals("Ho Eve", review.get("subject").asText());
        assertEquals("[\"ann\",\"eve\"] eve", review.get("samples") + " " + review.get("chosen").asText());
        assertEquals("pr-17 by token review", review.get("pushed").asText() + " by " + review.get("madeBy").asText());
        assertEquals("2026-02-14T09:00:02.000Z", review.get("expiresAt").asText());
        assertTrue(review.get("number").isNull());
        assertFalse(review.has("comments") || review.has("revision"));
        String html = shown(secret);
        assertTrue(html.matches("<p>Ann <b>new</b><img src=\"/images/[0-9a-f]{64}\\.png\">"), html);
        Client.Reply image = stet.get(image(html), null);
        assertEquals("200 image/png", image.status() + " " + image.header("Content-Type"));
        assertEquals(404, stet.get(image(html).replace(".png", ".gif"), null).status());
    }

    @Test
    void aPreviewIsComparedWithTheLiveVersion() {
        push(mail("<p>live {{> footer}}"));
        JsonNode compared = Json.tree(review(preview("pr-17", changed()).get("welcome"), ",\"compare\":true"));
        assertEquals("<p>live <i>footer</i>", compared.at("/live/html").asText());
        assertTrue(compared.at("/shown/html").asText().startsWith("<p>{{name}} <b>new</b>"), compared.toString());
    }

    @Test
    void aPreviewLeavesTemplatesBlocksAndImagesUnchanged() throws SQLException {
        push(mail("<p>live {{> footer}}"));
        List<String> before = rows(ada);
        preview("pr-17", changed());
        List<String> after = rows(ada);
        after.removeAll(before);
        assertEquals(List.of("activity", "push_previews", "push_previews", "storage", "texts", "texts"),
                after.stream().map(row -> row.replaceFirst("(?s)\\|.*", "")).sorted().toList(), "one email and one image");
        assertSound();
    }

    @Test
    void aLaterPushLeavesAPreviewUnchanged() {
        push(mail("<p>live {{> footer}}"));
        String secret = preview("pr-17", changed()).get("welcome");
        String html = shown(secret);
        push(mail("<p>other {{> footer}}").file("blocks/late.html", "x"));
        assertEquals(html, shown(secret));
        assertSound();
    }

    @Test
    void anEndedPreviewIsGoneWithItsImages() {
        String secret = preview("pr-17", changed()).get("welcome");
        String image = image(shown(secret));
        assertEquals("{\"ended\":1}", done("writer-of-ada", "DELETE", "/push/previews/pr-17", null).toString());
        assertEquals(ENDED, review(secret, ""));
        assertEquals(404, stet.get(image, null).status());
        assertEquals("{\"ended\":0}", done("writer-of-ada", "DELETE", "/push/previews/pr-17", null).toString());
        assertSound();
    }

    /** The emails that get a preview, for an account that has a, b and c published; c includes the block outer, which includes inner. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', emptyValue = "", value = {
        "nothing                          | templates/a.html=<p>a | ''",
        "a changed draft                  | templates/a.html=<p>A | a",
        "a changed name                   | templates/a.json={\"name\": \"A\"} | a",
        "changed test data                | templates/a.samples/x.json={} | a",
        "a new email                      | templates/d.html=<p>d | d",
        "an email that is not published   | templates/d.html=<p>d;templates/d.json={\"published\": false} | d",
        "an email with an error           | templates/d.html=<p>{{/d}} | d",
        "a block                          | blocks/outer.html=<u>{{> inner}}</u> | c",
        "a block in a block               | blocks/inner.html=<b>new</b> | c",
        "a block that no email includes   | blocks/alone.html=<b>new</b> | ''",
        "an image                         | images/logo.png=png | b",
        "a block of a new and an old email| blocks/inner.html=<b>new</b>;templates/d.html=<p>{{> inner}} | c d",
    })
    void emailsThatThePushWouldChangeHavePreviews(String what, String changes, String expected) {
        Map<String, String> files = new TreeMap<>(Map.of("templates/a.html", "<p>a", "templates/b.html", "<p>b<img src=\"{{> images/logo.png}}\">",
                "templates/c.html", "<p>c{{> outer}}", "blocks/outer.html", "<i>{{> inner}}</i>", "blocks/inner.html", "<b>inner</b>"));
        push(zip(files));
        for (String change : changes.split(";")) {
            files.put(change.substring(0, change.indexOf('=')), change.substring(change.indexOf('=') + 1));
        }
        Map<String, String> secrets = preview("pr", zip(files));
        assertEquals(expected, String.join(" ", secrets.keySet()));
        secrets.forEach((id, secret) -> assertTrue(review(secret, "").startsWith("{\"name\":"), id));
    }

    private static RawZip zip(Map<String, String> files) {
        RawZip zip = new RawZip().file("images/logo.png", Pictures.png(3, 3, files.containsKey("images/logo.png") ? 9 : 7));
        files.forEach((path, text) -> {
            if (path.endsWith(".html") || path.endsWith(".json")) {
                zip.file(path, text);
            }
        });
        return zip;
    }

    @Test
    void aPushOfTheSameNameKeepsTheLinksOfEmailsThatAreStillChanged() throws SQLException {
        RawZip both = mail("<p>one").file("templates/bye.html", "<p>bye");
        Map<String, String> first = preview("pr-17", both);
        Map<String, String> other = preview("pr-18", both);
        Map<String, String> second = preview("pr-17", mail("<p>two"));
        assertEquals(Map.of("welcome", first.get("welcome")), second);
        assertEquals("<p>two", shown(first.get("welcome")));
        assertEquals(ENDED, review(first.get("bye"), ""));
        assertNotEquals(first.get("welcome"), other.get("welcome"));
        assertEquals("<p>one", shown(other.get("welcome")));
        push(mail("<p>two"));
        assertEquals(Map.of(), preview("pr-17", mail("<p>two"))); // nothing is left to preview
        assertEquals(ENDED, review(first.get("welcome"), ""));
        assertEquals("<p>one", shown(other.get("welcome")));
        assertEquals(List.of("preview-pushed pr-17 0 emails", "preview-pushed pr-18 2 emails"), stet.db.read(dao -> dao.sql().list(
                "select kind || ' ' || subject || ' ' || detail as row from activity where kind like 'preview-%' order by subject", row -> row.text("row"))));
        assertSound();
    }

    @Test
    void imagesExpireWithTheirPreview() {
        String secret = preview("pr-17", new RawZip().file("templates/a.html", "<img src=\"{{> images/new.png}}\">").file("images/new.png", Pictures.png(4, 4, 9))).get("a");
        String image = image(shown(secret));
        assertEquals(200, stet.get(image, null).status());
        stet.clock.advance(PushPreviewDao.LIFETIME);
        assertEquals(404, stet.get(image, null).status());
    }

    @Test
    void previewsExpireByTheServersClock() throws SQLException {
        List<String> before = rows(ada);
        String secret = preview("pr-17", mail("<p>one")).get("welcome");
        stet.clock.advance(PushPreviewDao.LIFETIME.minusMillis(1));
        assertEquals("<p>one", shown(secret));
        stet.clock.advance(Duration.ofMillis(1));
        assertEquals(ENDED, review(secret, ""));
        for (int days = 0; days < 20; days++) { // the horizon of retention follows the clock
            stet.clock.advance(Duration.ofDays(1));
            stet.sweep();
        }
        List<String> after = rows(ada);
        after.removeIf(row -> row.contains("|preview-pushed|"));
        assertEquals(String.join("\n", before), String.join("\n", after));
        assertSound();
    }

    /** A conflict prevents the push, so there is nothing to preview; earlier previews stay. */
    @Test
    void aConflictMakesNoPreviews() {
        push(mail("<p>one"));
        String secret = preview("pr-17", mail("<p>two")).get("welcome");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>edited");
        Client.Reply reply = send("writer-of-ada", "POST", DRY + "pr-17", mail("<p>three"));
        assertEquals(409, reply.status(), reply.text());
        assertEquals("<p>two", shown(secret));
        assertEquals("[\"welcome\"]", done("writer-of-ada", "POST", DRY + "pr-17&overwrite=true", mail("<p>three")).get("changed").toString());
        assertEquals("<p>three", shown(secret));
    }

    @ParameterizedTest
    @CsvSource({"writer-of-ada, 200", "editor-of-ada, 200", "expired-of-ada, 401", "no-token, 401", "API key, 401"})
    void aValidTokenIsNeededToMakeAndToEndPreviews(String token, int status) throws SQLException {
        String bearer = token.equals("API key") ? stet.key(ada) : token;
        assertEquals(status, send(bearer, "POST", DRY + "pr-17&publish=true&prune=true", mail("<p>one")).status());
        Client.Reply ended = send(bearer, "DELETE", "/push/previews/pr-17", null);
        assertEquals(status, ended.status());
        assertTrue(status != 200 || ended.text().equals("{\"ended\":1}"), ended.text());
        assertEquals(List.of(), rows(ada).stream().filter(row -> row.startsWith("push_previews") || row.startsWith("templates")).toList());
    }

    @Test
    void anotherAccountNeitherEndsNorReplacesAPreview() {
        String secret = preview("pr-17", mail("<p>one")).get("welcome");
        assertEquals("{\"ended\":0}", done("editor-of-bob", "DELETE", "/push/previews/pr-17", null).toString());
        Map<String, String> own = new TreeMap<>();
        done("editor-of-bob", "POST", DRY + "pr-17", mail("<p>bob")).get("previews").properties().forEach(each -> own.put(each.getKey(), each.getValue().asText()));
        assertEquals("<p>one", shown(secret));
        assertEquals("<p>bob", shown(own.get("welcome").replaceFirst(".*#", "")));
    }

    @Test
    void aPreviewTakesNoComments() {
        String secret = preview("pr-17", mail("<p>one")).get("welcome");
        Client.Reply comment = guest.post("/data/review/comments", "{\"secret\":\"" + secret + "\",\"name\":\"Eve\",\"text\":\"Hi\"}");
        assertEquals("422 {\"error\":\"A preview takes no comments and cannot be sent as a test; use the pull request\",\"field\":null}", comment.status() + " " + comment.text());
    }

    @Test
    void aPreviewEndsWithItsAccountAndPausesWithItsSuspension() {
        String secret = preview("pr-17", mail("<p>one")).get("welcome");
        stet.db.change(dao -> dao.accounts().setSuspended(ada, true, stet.now()));
        assertEquals(ENDED, review(secret, ""));
        stet.db.change(dao -> dao.accounts().setSuspended(stet.account("ada@example.com"), false, stet.now()));
        assertEquals("<p>one", shown(secret));
        stet.db.change(dao -> dao.accounts().delete(ada, stet.now()));
        assertEquals(ENDED, review(secret, ""));
        assertSound();
        assertEquals(0L, (long) stet.db.read(dao -> dao.sql().number("select count(*) from push_previews where secret is not null")));
    }

    @Test
    void aTokenThatIsDeletedWhileItsFilesArriveMakesNoPreviews() throws SQLException {
        byte[] body = mail("<p>one").bytes();
        String text = new String(body, StandardCharsets.ISO_8859_1);
        try (Client client = new Client(stet.server.address())) {
            client.write(client.request("POST", DRY + "pr-17", "writer-of-ada", "Connection: close", "Content-Length: " + body.length) + text.substring(0, 20));
            assertTrue(Running.comes(() -> stet.db.read(dao -> dao.sql().number("select count(*) from secret_uses")) > 0));
            stet.db.change(dao -> dao.secrets(SecretKind.TOKEN).delete(ada.id(), dao.tokens().list(ada.id()).stream().filter(each -> each.name().equals("review"))
                    .findFirst().orElseThrow().id(), stet.now()));
            assertEquals(401, client.write(text.substring(20)).read(false).status());
        }
        assertEquals(List.of(), rows(ada).stream().filter(row -> row.startsWith("push_previews") || row.startsWith("texts")).toList());
    }

    static Stream<String> wrongNames() {
        return Stream.of("", "a%2Fb", "a%00b", "%ff", "-a", "a%20b", "%C3%A4", "x".repeat(65), "x".repeat(10_000), "a&preview=b");
    }

    private static final String WRONG_NAME = "422 {\"error\":\"The name of a preview must have 1 to 64 letters, digits, - and _, and start with a letter or digit\",\"field\":\"preview\"}";

    @ParameterizedTest
    @MethodSource("wrongNames")
    void aPreviewWithAWrongNameIsRefused(String name) throws SQLException {
        List<String> before = rows(ada);
        Client.Reply reply = send("writer-of-ada", "POST", DRY + name, mail("<p>one"));
        assertEquals(WRONG_NAME, reply.status() + " " + reply.text());
        assertEquals(before, rows(ada));
    }

    static Stream<String> wrongNamesInPaths() {
        return wrongNames().filter(name -> !name.isEmpty() && !name.contains("&"));
    }

    @ParameterizedTest
    @MethodSource("wrongNamesInPaths")
    void theEndOfAPreviewWithAWrongNameIsRefused(String name) throws SQLException {
        List<String> before = rows(ada);
        Client.Reply reply = send("writer-of-ada", "DELETE", "/push/previews/" + name, null);
        assertEquals(WRONG_NAME, reply.status() + " " + reply.text());
        assertEquals(before, rows(ada));
    }

    @Test
    void aPreviewRequiresADryRun() {
        Client.Reply reply = send("editor-of-ada", "POST", "/push?preview=pr-17", mail("<p>one"));
        assertEquals("422 {\"error\":\"preview requires dryRun=true\",\"field\":\"preview\"}", reply.status() + " " + reply.text());
    }

    /** Each push is over a limit: 5,000 emails, more bytes than all previews may have, and the account's storage. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "5000 | 1     | 1073741824 | Preview limit reached (1000); delete others with \"push DIR --preview NAME --end\"",
        "40   | 2000000 | 1073741824 | The account's previews would take 64.85 MiB; the limit is 64 MiB; delete others with \"push DIR --preview NAME --end\"",
        "10   | 100000 | 500000 | The account would store 488.78 KiB; its limit is 488.28 KiB. Delete templates and empty the trash, or ask an administrator for more storage",
    })
    void aPushBeyondALimitMakesNoPreviews(int emails, int bytes, long storage, String sentence) throws SQLException {
        stet.db.change(dao -> dao.storage().changeLimit(ada, storage, stet.now()));
        Map<String, String> earlier = preview("pr-1", mail("<p>one"));
        List<String> before = rows(ada);
        RawZip zip = new RawZip();
        for (int i = 0; i < emails; i++) {
            zip.file("templates/m" + i + ".html", "<p>" + i + " " + "x".repeat(bytes));
        }
        Client.Reply reply = send("editor-of-ada", "POST", DRY + "pr-2", zip);
        assertEquals(422, reply.status(), reply.text());
        assertEquals(sentence, Json.tree(reply.text()).get("error").asText());
        assertEquals(before, rows(ada));
        assertEquals("<p>one", shown(earlier.get("welcome")));
        assertSound();
    }

    /** The limit counts only previews that have not expired. */
    @Test
    void previewsOfAllNamesShareALimitOfWhichWritersMayFillNineTenths() throws SQLException {
        for (int round = 0; round < 3; round++) {
            RawZip zip = new RawZip();
            for (int i = 0; i < 300; i++) {
                zip.file("templates/m" + i + ".html", "<p>" + i);
            }
            assertEquals(300, preview("pr-" + round, zip).size());
        }
        RawZip one = new RawZip().file("templates/a.html", "<p>a");
        Client.Reply full = send("writer-of-ada", "POST", DRY + "pr-9", one);
        assertEquals("422 Preview limit for writers reached (900 of 1000); delete others, such as pr-0 (300), pr-1 (300), pr-2 (300), with \"push DIR --preview NAME --end\"",
                full.status() + " " + Json.tree(full.text()).get("error").asText());
        assertEquals(1, done("editor-of-ada", "POST", DRY + "pr-9", one).get("previews").size());
        assertEquals(1, preview("pr-2", one).size(), "fewer than before, though over the writer's limit");
        assertEquals("{\"ended\":300}", done("writer-of-ada", "DELETE", "/push/previews/pr-1", null).toString());
        assertEquals(1, preview("pr-8", one).size());
        stet.clock.advance(PushPreviewDao.LIFETIME); // expired previews do not count, even before they are removed
        RawZip many = new RawZip();
        for (int i = 0; i < 900; i++) {
            many.file("templates/m" + i + ".html", "<p>" + i);
        }
        assertEquals(900, preview("pr-7", many).size());
        assertSound();
    }

    @Test
    void concurrentPushesOfOneNameKeepItsLinkAndOneOfThemWins() throws SQLException {
        Map<String, String> first = preview("pr-17", mail("<p>0"));
        List<CompletableFuture<Map<String, String>>> pushes = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            int number = i;
            pushes.add(CompletableFuture.supplyAsync(() -> preview("pr-17", mail("<p>" + number).file("templates/only-" + number + ".html", "x"))));
        }
        List<Map<String, String>> results = pushes.stream().map(CompletableFuture::join).toList();
        results.forEach(links -> assertEquals(first.get("welcome"), links.get("welcome")));
        String winner = shown(first.get("welcome")).replaceFirst("<p>", "");
        assertEquals(List.of("only-" + winner, "welcome"), stet.db.read(dao -> dao.sql().list(String.class,
                "select item from push_previews where secret is not null order by item")));
        assertSound();
    }

    /** Nothing is left of a push that was killed between its texts and its previews. */
    @Test
    void aKilledPushLeavesNothing() throws SQLException {
        List<String> before = rows(ada);
        stet.db.changeUncached(dao -> dao.garbage().add(dao.addText(ada.id(), new byte[1_000]), stet.now().plus(Duration.ofDays(1)))); // as PreviewStaging writes it
        stet.restart();
        stet.clock.advance(Duration.ofDays(1));
        assertEquals(before, rows(ada));
        assertSound();
    }

    /** A backup has the previews, whose links open after it is restored; an export has none; compaction keeps them. */
    @Test
    void backupsAndCompactionKeepPreviewsAndExportsOmitThem(@TempDir Path other) throws IOException {
        push(mail("<p>one"));
        String exported = Browser.of(stet, ada).get("/data/export").sha256();
        String secret = preview("pr-17", mail("<p>two")).get("welcome");
        assertEquals(exported, Browser.of(stet, ada).get("/data/export").sha256());
        new Sweeper(stet.db).compact(stet.now());
        assertEquals("<p>two", shown(secret));
        new Backup(stet.db).to(other.resolve("stet.db"));
        assertEquals(List.of(), Check.file(stet.folder, other.resolve("stet.db"), stet.now().plus(Duration.ofMinutes(1))).stream().filter(each -> !each.ok()).toList());
        try (Running restored = new Running(other)) {
            assertEquals("Welcome", Json.tree(Browser.of(restored).post("/data/review", "{\"secret\":\"" + secret + "\"}").text()).get("name").asText());
        }
    }

    @Test
    void aCorruptedPreviewIsReportedAndNotShown() throws SQLException {
        String secret = preview("pr-17", mail("<p>one")).get("welcome");
        stet.db.changeUncached(dao -> dao.sql().update("update texts set html = cast('x' || substr(html, 2) as blob) where id = (select text from push_previews where item = 'welcome')"));
        assertEquals("Internal server error", review(secret, ""));
        assertEquals(List.of("texts: The preview pr-17 of welcome of ada@example.com is corrupted (wrong SHA-256); push it again"), stet.problems());
    }
}
