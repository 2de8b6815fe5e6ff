package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;
import static stet.harness.Browser.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Running;

/** Publishing drafts, and the version history, over the web application's routes. */
class PublishingTest {
    private static final String NOT_FOUND = "{\"error\":\"Not found\"}";
    private static final String AT = "2026-01-31T09:00:00.000Z";
    private static final String LATER = "2026-01-31T10:00:00.000Z";
    /** Opens clicked links outside the preview. */
    private static final String BASE = "<base target=\"_blank\">";
    private static final String LOST = "\"<style>\" is not closed, so no mail client shows the rest of the email";
    private static final String SAVED = "\"savedBy\":null,\"savedAt\":\"" + AT + "\",\"request\":null";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);
    private final String key = stet.key(ada);

    private static String sha256(String html) {
        return HexFormat.of().formatHex(Secret.sha256(html.getBytes(StandardCharsets.UTF_8)));
    }

    private static String version(int number, String at, String note, String html, boolean live) {
        return "{\"number\":" + number + ",\"publishedAt\":\"" + at + "\",\"publishedBy\":\"ada@example.com\",\"note\":\"" + note + "\",\"bytes\":" + html.length()
                + ",\"sha256\":\"" + sha256(html) + "\",\"live\":" + live + "}";
    }

    private static String template(String state, String subject, String html, int revision, String updated, String version) {
        return "{\"id\":\"welcome\",\"name\":\"Welcome\",\"nameRevision\":1,\"subject\":\"" + subject + "\",\"html\":\"" + html + "\",\"samples\":{},\"state\":\""
                + state + "\",\"stale\":[],\"createdAt\":\"" + AT + "\",\"updatedAt\":\"" + updated + "\",\"revision\":" + revision
                + ",\"savedBy\":null,\"savedAt\":\"" + updated + "\",\"request\":null,\"published\":" + version + ",\"tags\":[],\"lastFetched\":null}";
    }

    private String served() {
        return stet.get(Running.TEMPLATES + "welcome?format=html", key).text();
    }

    @Test
    void theNextRequestReturnsThePublishedVersion() {
        stet.draft(ada, "welcome", "Welcome", "Hi {{name}}", "<p>one</p>");
        answered(404, "{\"error\":\"template_not_published\"}", stet.get(Running.TEMPLATES + "welcome", key));
        answered(200, template("published", "Hi {{name}}", "<p>one</p>", 1, AT, version(1, AT, "the first", "<p>one</p>", true)),
                browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"note\":\"the first\"}"));
        answered(200, "{\"id\":\"welcome\",\"name\":\"Welcome\",\"subject\":\"Hi {{name}}\",\"html\":\"<p>one</p>\",\"variables\":[\"name\"],"
                + "\"updatedAt\":\"" + AT + "\"}", stet.get(Running.TEMPLATES + "welcome", key));
        Browser author = Browser.of(stet, ada);
        for (int i = 1; i <= 50; i++) {
            String html = "<p>" + i + "</p>";
            assertEquals(200, author.put("/data/templates/welcome", "{\"revision\":" + i + ",\"subject\":\"\",\"html\":\"" + html + "\",\"samples\":{}}").status());
            assertEquals(i == 1 ? "<p>one</p>" : "<p>" + (i - 1) + "</p>", served());
            assertEquals(200, author.post("/data/templates/welcome/publish", "{\"revision\":" + (i + 1) + "}").status());
            assertEquals(html, served());
        }
    }

    @Test
    void aDraftWithErrorsIsPublishedOnlyByForce() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>{{ is text, {{name}}</p>\n{{#if a}}x");
        String refused = "{\"error\":\"line 1: \\\"{{\\\" is not closed; line 2: \\\"{{#if a}}\\\" is not closed\",\"field\":\"html\"}";
        answered(422, refused, browser.post("/data/templates/welcome/publish", "{\"revision\":1}"));
        answered(422, refused, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":false}"));
        JsonNode publication = json(browser.get("/data/templates/welcome/publication"));
        assertEquals("[\"name\",\"a\"]", publication.get("next").get("variables").toString());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"sha256\":\""
                + publication.get("sha256").asText() + "\",\"force\":true}").status());
        assertEquals("<p>{{ is text, {{name}}</p>\n{{#if a}}x", served());
    }

    @Test
    void anOldVersionWithErrorsIsPublishedAgainWithoutForce() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>{{</p>");
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":true}").status());
        stet.template(ada, "welcome", "<p>two</p>");
        assertEquals(200, browser.post("/data/templates/welcome/versions/1/publish", "{}").status());
        assertEquals("<p>{{</p>", served());
    }

    @Test
    void aDraftWithAnUnknownBlockIsNotPublishedEvenByForce() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>{{> none}} {{</p>");
        answered(422, "{\"error\":\"line 1: shared block \\\"none\\\" not found\",\"field\":\"html\"}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":true}"));
        assertTrue(json(browser.get("/data/templates/welcome/publication")).get("next").isNull());
    }

    @Test
    void whatHandlebarsRejectsNeedsForce() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>\n{{ user.name | default: \"friend\" }}</p>");
        answered(422, "{\"error\":\"line 2: \\\"{{ user.name | default: \\\"friend\\\" }}\\\" has a \\\"|\\\"; Handlebars has no filters\",\"field\":\"html\"}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":1}"));
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":true}").status());
        assertEquals("<p>\n{{ user.name | default: \"friend\" }}</p>", served());
    }

    @Test
    void inlinePartialsArePublishedAsWritten() {
        String inline = "{{#*inline \"row\"}}<tr><td>{{n}}</td></tr>{{/inline}}<table>{{#each items}}{{> row}}{{/each}}</table>{{> row user size=big}}";
        stet.draft(ada, "welcome", "Welcome", "Hi", inline);
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1}").status());
        assertEquals(inline, served());
        assertEquals("{\"variables\":[\"n\",\"items\",\"user\",\"big\"]}", stet.get(Running.TEMPLATES + "welcome?format=variables", key).text());
    }

    @Test
    void aBlockWithValuesNeedsForceAndIsPublishedAsWritten() {
        stet.block(ada, "footer", "<i>{{company}}</i>");
        stet.draft(ada, "welcome", "Welcome", "Hi", "{{> \"footer\"}}{{> footer a=1}}");
        answered(422, "{\"error\":\"line 1: \\\"{{> footer a=1}}\\\" passes a value to a shared block, which is not supported; blocks use the variables of the email\",\"field\":\"html\"}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":1}"));
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":true}").status());
        assertEquals("<i>{{company}}</i>{{> footer a=1}}", served());
    }

    @Test
    void whatMailClientsLoseNeedsForce() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "a\n<style>p{}<p>b");
        answered(422, "{\"error\":\"line 2: " + LOST.replace("\"", "\\\"") + "\",\"field\":\"html\"}", browser.post("/data/templates/welcome/publish", "{\"revision\":1}"));
        JsonNode dialog = json(browser.get("/data/templates/welcome/publication"));
        assertEquals("error " + LOST, dialog.get("problems").get(0).get("level").asText() + " " + dialog.get("problems").get(0).get("sentence").asText());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":true}").status());
        assertEquals("a\n<style>p{}<p>b", served());
    }

    @Test
    void whatCannotBePublishedChangesNothing() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>\n{{name</p>");
        answered(422, "{\"error\":\"line 2: \\\"{{\\\" is not closed\",\"field\":\"html\"}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":1}"));
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>ok</p>");
        answered(409, "{\"error\":\"This draft has changed since you opened it\",\"theirs\":" + template("never", "Hi", "<p>ok</p>", 2, AT, "null") + "}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":1}"));
        answered(422, "{\"error\":\"\\\"revision\\\" is missing\",\"field\":\"revision\"}", browser.post("/data/templates/welcome/publish", "{}"));
        answered(422, "{\"error\":\"The note is 201 characters; the limit is 200\",\"field\":\"note\"}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":2,\"note\":\"" + "n".repeat(201) + "\"}"));
        answered(404, NOT_FOUND, browser.post("/data/templates/no-such/publish", "{\"revision\":1}"));
        answered(200, "{\"versions\":[]}", browser.get("/data/templates/welcome/versions"));
        answered(404, "{\"error\":\"template_not_published\"}", stet.get(Running.TEMPLATES + "welcome", key));
    }

    private static String report(String... names) {
        return "\"report\":{\"tree\":[" + Stream.of(names).map(name -> "{\"name\":\"" + name + "\",\"isList\":false,\"isMissing\":true,\"inner\":[]}")
                .collect(Collectors.joining(",")) + "],\"sets\":[]}";
    }

    @Test
    void thePublicationHasDifferencesVariablesAndRecentKeys() {
        stet.draft(ada, "welcome", "Welcome", "Hi {{name}}", "<p>{{old}}</p>");
        answered(200, "{\"revision\":1,\"problems\":[],\"moreProblems\":0,\"live\":null,\"sha256\":\"" + sha256("Hi {{name}}", "<p>{{old}}</p>") + "\",\"next\":{\"subject\":\"Hi {{name}}\",\"html\":\"<p>{{old}}</p>\","
                + "\"variables\":[\"name\",\"old\"],\"moreVariables\":0},\"added\":[\"name\",\"old\"],\"moreAdded\":0,\"removed\":[],\"moreRemoved\":0,\"unchanged\":false," + report("name", "old") + ",\"keys\":[]," + SAVED + "}",
                browser.get("/data/templates/welcome/publication"));
        stet.publish(ada, "welcome");
        String live = "\"live\":{\"subject\":\"Hi {{name}}\",\"html\":\"<p>{{old}}</p>\",\"variables\":[\"name\",\"old\"],\"moreVariables\":0,\"number\":1}";
        answered(200, "{\"revision\":1,\"problems\":[],\"moreProblems\":0," + live + ",\"sha256\":\"" + sha256("Hi {{name}}", "<p>{{old}}</p>") + "\",\"next\":{\"subject\":\"Hi {{name}}\",\"html\":\"<p>{{old}}</p>\","
                + "\"variables\":[\"name\",\"old\"],\"moreVariables\":0},\"added\":[],\"moreAdded\":0,\"removed\":[],\"moreRemoved\":0,\"unchanged\":true," + report("name", "old") + ",\"keys\":[]," + SAVED + "}",
                browser.get("/data/templates/welcome/publication"));
        stet.clock.advance(Duration.ofHours(1));
        served();
        served();
        stet.draft(ada, "welcome", "Welcome", "Hi {{name}}", "<p>{{new}}</p>");
        String after = "{\"revision\":2,\"problems\":[],\"moreProblems\":0," + live + ",\"sha256\":\"" + sha256("Hi {{name}}", "<p>{{new}}</p>") + "\",\"next\":{\"subject\":\"Hi {{name}}\",\"html\":\"<p>{{new}}</p>\","
                + "\"variables\":[\"name\",\"new\"],\"moreVariables\":0},\"added\":[\"new\"],\"moreAdded\":0,\"removed\":[\"old\"],\"moreRemoved\":0,\"unchanged\":false," + report("name", "new") + ",\"keys\":[%s]," + SAVED.replace(AT, LATER) + "}";
        String fetched = after.formatted("{\"name\":\"test\",\"start\":\"" + Secret.start(key) + "\",\"requests\":2,\"lastAt\":\"" + LATER + "\"}");
        browser.get("/data/usage"); // writes the statistics
        answered(200, fetched, browser.get("/data/templates/welcome/publication"));
        stet.clock.advance(Duration.ofDays(31));
        answered(200, after.formatted(""), Browser.of(stet, ada).get("/data/templates/welcome/publication"));
        answered(404, NOT_FOUND, Browser.of(stet, ada).get("/data/templates/no-such/publication"));
    }

    @Test
    void aDraftIsNotPublishedIfABlockChangedUnseen() {
        stet.block(ada, "footer", "<i>old</i>");
        stet.template(ada, "welcome", "<p>{{> footer}}</p>");
        String seen = sha256("", "<p><i>old</i></p>");
        stet.block(ada, "footer", "<i>new</i>");
        answered(409, "{\"error\":\"A shared block was changed; review the changes again\"}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"sha256\":\"" + seen + "\"}"));
        assertEquals("<p><i>old</i></p>", served());
        assertEquals(200, browser.post("/data/templates/welcome/publish",
                "{\"revision\":1,\"sha256\":\"" + sha256("", "<p><i>new</i></p>") + "\"}").status());
        assertEquals("<p><i>new</i></p>", served());
    }

    /** After part of a draft is moved to a shared block without changing the text, publishing records the block's use. */
    @Test
    void publishingRecordsTheUseOfABlockMadeFromAPart() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hi</p><i>footer</i>");
        stet.publish(ada, "welcome");
        assertEquals(201, browser.post("/data/blocks", "{\"name\":\"footer\",\"html\":\"<i>footer</i>\"}").status());
        assertEquals("changed", json(browser.put("/data/templates/welcome",
                "{\"revision\":1,\"subject\":\"Hi\",\"html\":\"<p>Hi</p>{{> footer}}\",\"samples\":{}}")).get("state").asText());
        JsonNode publication = json(browser.get("/data/templates/welcome/publication"));
        assertEquals("false " + publication.get("live").get("html"), publication.get("unchanged").asText() + " " + publication.get("next").get("html"));
        assertEquals("published", json(browser.post("/data/templates/welcome/publish", "{\"revision\":2}")).get("state").asText());
        assertTrue(json(browser.get("/data/templates/welcome/publication")).get("unchanged").asBoolean());
        assertEquals(200, browser.put("/data/blocks/footer", "{\"revision\":1,\"html\":\"<i>new</i>\"}").status());
        answered(200, "{\"templates\":[{\"id\":\"welcome\",\"name\":\"Welcome\",\"draftChanged\":false,\"blocks\":[\"footer\"]}]}",
                browser.get("/data/stale"));
    }

    /** After a block's text is moved to a block within it, publishing records the inner block's use. */
    @Test
    void publishingRecordsTheUseOfABlockWithinABlock() {
        stet.block(ada, "footer", "<i>footer</i>");
        stet.template(ada, "welcome", "{{> footer}}");
        stet.block(ada, "inner", "<i>footer</i>");
        assertEquals(200, browser.put("/data/blocks/footer", "{\"revision\":1,\"html\":\"{{> inner}}\"}").status());
        assertEquals("false", json(browser.get("/data/templates/welcome/publication")).get("unchanged").asText());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1}").status());
        answered(200, "{\"templates\":[]}", browser.get("/data/stale"));
        stet.block(ada, "inner", "<i>new</i>");
        assertEquals("[\"inner\"]", json(browser.get("/data/stale")).at("/templates/0/blocks").toString());
    }

    @Test
    void aLiveTextIsNeitherPublishedNorReviewedAgain() {
        stet.block(ada, "footer", "<i>F</i>");
        stet.template(ada, "welcome", "<p>one</p>{{> footer}}");
        String same = "{\"error\":\"Nothing to review; the draft matches the live version\",\"field\":null}";
        answered(422, "{\"error\":\"Version 1 is already live\",\"field\":null}", browser.post("/data/templates/welcome/versions/1/publish", "{}"));
        answered(422, same, browser.post("/data/templates/welcome/request", "{\"note\":\"\"}"));
        // A newer block or another draft makes publishing possible.
        stet.block(ada, "footer", "<i>G</i>");
        assertEquals(200, browser.post("/data/templates/welcome/request", "{\"note\":\"\"}").status());
        stet.template(ada, "welcome", "<p>two</p>");
        answered(422, same, browser.post("/data/templates/welcome/request", "{\"note\":\"\"}"));
        assertEquals(200, browser.post("/data/templates/welcome/versions/1/publish", "{}").status());
        assertEquals(200, browser.post("/data/templates/welcome/request", "{\"note\":\"\"}").status());
    }

    private static String sha256(String subject, String html) {
        return HexFormat.of().formatHex(Secret.sha256(subject + "\0" + html));
    }

    @Test
    void versionsAreListedAndShown() {
        publishTwoVersions();
        answered(200, "{\"versions\":[" + second() + "," + first() + "]}", browser.get("/data/templates/welcome/versions"));
        answered(200, first().substring(0, first().length() - 1) + ",\"subject\":\"One {{a}}\",\"html\":\"<p><i>F</i></p>\",\"variables\":[\"a\"],\"moreVariables\":0,"
                + "\"draft\":{\"subject\":\"One {{a}}\",\"html\":\"<p>{{> footer}}</p>\"},"
                + "\"added\":[\"a\"],\"moreAdded\":0,\"removed\":[],\"moreRemoved\":0,\"keys\":[]}", browser.get("/data/templates/welcome/versions/1"));
    }

    private String first() {
        return version(1, AT, "first", "<p><i>F</i></p>", false);
    }

    private String second() {
        return version(2, LATER, "second", "<b>two</b>", true);
    }

    /** Version 1 includes a block; version 2 is live, and its text is the draft. */
    private void publishTwoVersions() {
        stet.block(ada, "footer", "<i>F</i>");
        stet.draft(ada, "welcome", "Welcome", "One {{a}}", "<p>{{> footer}}</p>");
        browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"note\":\"first\"}");
        stet.clock.advance(Duration.ofHours(1));
        stet.draft(ada, "welcome", "Welcome", "Two", "<b>two</b>");
        browser.post("/data/templates/welcome/publish", "{\"revision\":2,\"note\":\"second\"}");
    }

    @Test
    void anUnknownVersionIsNotFound() {
        publishTwoVersions();
        for (String number : new String[] {"0", "3", "-1", "1.0", "x", "99999999999", "01", "%201"}) {
            answered(404, NOT_FOUND, browser.get("/data/templates/welcome/versions/" + number));
            answered(404, NOT_FOUND, browser.post("/data/templates/welcome/versions/" + number + "/preview", "{}"));
            answered(404, NOT_FOUND, browser.post("/data/templates/welcome/versions/" + number + "/restore", "{\"revision\":2}"));
            answered(404, NOT_FOUND, browser.post("/data/templates/welcome/versions/" + number + "/publish", "{}"));
        }
        answered(404, NOT_FOUND, browser.get("/data/templates/no-such/versions"));
        answered(404, NOT_FOUND, browser.get("/data/templates/no-such/versions/1"));
    }

    @Test
    void aVersionIsPreviewedAsItWasPublished() {
        publishTwoVersions();
        JsonNode preview = json(browser.post("/data/templates/welcome/versions/1/preview", "{}"));
        assertEquals(1, preview.size());
        answered(200, "<p><i>F</i></p>" + BASE, browser.get(preview.get("preview").asText()));
    }

    @Test
    void restoringAVersionChangesTheDraftAndNotWhatIsServed() {
        publishTwoVersions();
        stet.clock.advance(Duration.ofHours(1));
        answered(409, "{\"error\":\"This draft has changed since you opened it\",\"theirs\":"
                + template("published", "Two", "<b>two</b>", 2, LATER, second()) + "}",
                browser.post("/data/templates/welcome/versions/1/restore", "{\"revision\":1}"));
        answered(200, template("changed", "One {{a}}", "<p>{{> footer}}</p>", 3, "2026-01-31T11:00:00.000Z", second()).replace("savedBy\":null", "savedBy\":\"ada@example.com\""),
                browser.post("/data/templates/welcome/versions/1/restore", "{\"revision\":2}"));
        assertEquals("<b>two</b>", served());
    }

    /** The history does not change. */
    @Test
    void anOldVersionIsPublishedAgainUnderANewNumber() {
        publishTwoVersions();
        stet.clock.advance(Duration.ofHours(1));
        String third = version(3, "2026-01-31T11:00:00.000Z", "back", "<p><i>F</i></p>", true);
        JsonNode again = json(browser.post("/data/templates/welcome/versions/1/publish", "{\"note\":\"back\"}"));
        assertEquals(third, again.get("published").toString());
        assertEquals("changed", again.get("state").asText(), "the draft is that of version 2");
        assertEquals("<p><i>F</i></p>", served());
        answered(200, "{\"versions\":[" + third + "," + second().replace("true", "false") + "," + first() + "]}",
                browser.get("/data/templates/welcome/versions"));
    }

    @Test
    void aRequestCannotChooseTheNumberOfAVersion() {
        publishTwoVersions();
        answered(422, "{\"error\":\"\\\"number\\\" is not a known field\",\"field\":\"number\"}",
                browser.post("/data/templates/welcome/versions/1/publish", "{\"number\":1}"));
    }

    /** A history of any length is read in pages. */
    @Test
    void aLongHistoryHasPages() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>one</p>");
        stet.publish(ada, "welcome");
        String path = "/data/templates/welcome/versions";
        for (int i = 2; i <= 100; i++) {
            stet.db.change(dao -> dao.versions().publishAgain(ada.id(), "welcome", 1, "", stet.now()));
        }
        assertEquals("100 to 1, null", page(path));
        stet.db.change(dao -> dao.versions().publishAgain(ada.id(), "welcome", 1, "", stet.now()));
        assertEquals("101 to 2, 2", page(path));
        assertEquals("1 to 1, null", page(path + "?before=2"));
        assertEquals("[]", json(browser.get(path + "?before=1")).get("versions").toString());
        answered(400, "{\"error\":\"The request is incomplete or malformed\"}", browser.get(path + "?before=x"));
    }

    private String page(String path) {
        JsonNode page = json(browser.get(path));
        JsonNode versions = page.get("versions");
        return versions.get(0).get("number") + " to " + versions.get(versions.size() - 1).get("number") + ", " + page.get("before");
    }
}
