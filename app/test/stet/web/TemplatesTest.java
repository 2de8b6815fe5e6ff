package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Running;

/** Templates and drafts over the web application's data routes. */
class TemplatesTest {
    private static final String NOT_FOUND = "{\"error\":\"Not found\"}";
    private static final String AT = "2026-01-31T09:00:00.000Z";
    /** A set of test data exactly as saved, including whitespace. */
    private static final String LENA = "{\"lena\":\"{ \\\"name\\\": \\\"Lena\\\" }\\n\"}";
    private static final String LATER = "2026-01-31T10:00:00.000Z";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);
    private final String key = stet.key(ada);

    private static String draft(String id, String name, String subject, String html, String samples, String updated, int revision) {
        return "{\"id\":\"" + id + "\",\"name\":\"" + name + "\",\"nameRevision\":1,\"subject\":\"" + subject + "\",\"html\":\"" + html + "\",\"samples\":"
                + samples + (samples.equals("{}") ? "" : ",\"defaultSamples\":\"lena\"") + ",\"state\":\"never\",\"stale\":[],\"createdAt\":\"" + AT + "\",\"updatedAt\":\"" + updated
                + "\",\"revision\":" + revision + ",\"savedBy\":\"ada@example.com\",\"savedAt\":\"" + updated + "\",\"request\":null,\"published\":null,\"tags\":[],\"lastFetched\":null}";
    }

    private static String save(long revision, String subject, String html, String samples) {
        return "{\"revision\":" + revision + ",\"subject\":\"" + subject + "\",\"html\":\"" + html + "\",\"samples\":" + samples + "}";
    }

    private String create(String id) {
        Client.Reply reply = browser.post("/data/templates", "{\"id\":\"" + id + "\",\"name\":\"" + id + "\"}");
        assertEquals(201, reply.status());
        return reply.text();
    }

    /** The list without the storage figures. */
    private String list() {
        return browser.get("/data/templates").text().replaceFirst(",\"storage\":\\{[^}]*}", "");
    }

    @Test
    void templatesAreListedWithTheirState() {
        assertEquals("{\"templates\":[],\"deleted\":0}", list());
        create("never");
        stet.template(ada, "live", "<p>live</p>");
        stet.template(ada, "changed", "<p>live</p>");
        stet.draft(ada, "changed", "changed", "", "<p>draft</p>");
        stet.block(ada, "footer", "one");
        stet.template(ada, "stale", "{{> footer}}");
        stet.block(ada, "footer", "two");
        String row = "{\"id\":\"%1$s\",\"name\":\"%1$s\",\"subject\":\"\",\"state\":\"%2$s\",\"updatedAt\":\"" + AT + "\",\"stale\":[%3$s],\"request\":null,\"tags\":[],\"fetchedAt\":null}";
        assertEquals("{\"templates\":[" + String.join(",", row.formatted("changed", "changed", ""), row.formatted("live", "published", ""),
                row.formatted("never", "never", ""), row.formatted("stale", "published", "\"footer\"")) + "],\"deleted\":0}", list());
    }

    @Test
    void aTemplateIsCreatedWithTheChosenId() {
        String made = draft("welcome", "Welcome <b>", "", "", "{}", AT, 1);
        Client.Reply reply = browser.post("/data/templates", "{\"id\":\"welcome\",\"name\":\"Welcome <b>\"}");
        answered(201, made, reply);
        assertEquals("application/json", reply.header("Content-Type"));
        assertEquals("no-store", reply.header("Cache-Control"));
        answered(200, made, browser.get("/data/templates/welcome"));
        answered(404, "{\"error\":\"template_not_published\"}", stet.get(Running.TEMPLATES + "welcome", key));
    }

    @Test
    void anIdThatIsTakenIsRejected() {
        String made = create("welcome");
        answered(422, "{\"error\":\"A template with the ID welcome already exists; choose another ID\",\"field\":\"id\"}",
                browser.post("/data/templates", "{\"id\":\"welcome\",\"name\":\"Other\"}"));
        answered(200, made, browser.get("/data/templates/welcome"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"name\":\"Welcome\"}", "{\"id\":\"\",\"name\":\"Welcome\"}", "{\"id\":null,\"name\":\"Welcome\"}"})
    void aTemplateWithoutIdGetsARandomOne(String json) {
        Matcher first = Pattern.compile("\\{\"id\":\"([a-z0-9]{12})\".*").matcher(browser.post("/data/templates", json).text());
        Matcher second = Pattern.compile("\\{\"id\":\"([a-z0-9]{12})\".*").matcher(browser.post("/data/templates", json).text());
        assertTrue(first.matches() && second.matches());
        assertNotEquals(first.group(1), second.group(1));
        answered(200, draft(first.group(1), "Welcome", "", "", "{}", AT, 1), browser.get("/data/templates/" + first.group(1)));
    }

    @Test
    void aTemplateCreatedAgainRejectsSavesOfTheDeletedOne() {
        for (int revision = 1; revision <= 5; revision += 2) {
            answered(201, draft("welcome", "Welcome", "", "", "{}", AT, revision),
                    browser.post("/data/templates", "{\"id\":\"welcome\",\"name\":\"Welcome\"}"));
            for (int old = 0; old < revision; old++) {
                assertEquals(409, browser.put("/data/templates/welcome", save(old, "mine", "mine", "{}")).status());
            }
            assertEquals(200, browser.put("/data/templates/welcome", save(revision, "Hi", "", "{}")).status());
            answered(204, "", browser.delete("/data/templates/welcome"));
            answered(204, "", browser.delete("/data/deletions/welcome"));
        }
    }

    @Test
    void aCopyHasTheTextsOfItsOriginal() {
        create("welcome");
        browser.put("/data/templates/welcome", save(1, "Hi {{name}}", "<p>{{name}}</p>", LENA));
        answered(201, draft("copy", "Copy", "Hi {{name}}", "<p>{{name}}</p>", LENA, AT, 1),
                browser.post("/data/templates", "{\"id\":\"copy\",\"name\":\"Copy\",\"copyOf\":\"welcome\"}"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            {"id":"-a","name":"A"}                     | "-a\\" is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit | id
            {"id":"a b","name":"A"}                    | "a b\\" is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit | id
            {"id":"../a","name":"A"}                   | "../a\\" is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit | id
            {"id":"a"}                                 | "name\\" is missing        | name
            {"id":"a","name":null}                     | "name\\" is missing        | name
            {"id":"a","name":""}                       | The name must not be empty          | name
            {"id":"a","name":"  "}                     | The name must not be empty          | name
            {"id":"a","name":7}                        | "name\\" must be a string     | name
            {"id":7,"name":"A"}                        | "id\\" must be a string       | id
            {"id":"a","name":["A"]}                    | "name\\" must be a string     | name
            {"id":"a","name":"\\ud800"}                | "name\\" contains an unpaired surrogate, which UTF-8 cannot encode; remove it | name
            {"id":"a","name":"A","copyOf":"none"}      | Template none not found  | copyOf
            {"id":"a","name":"A","copyOf":"b","starter":"empty"} | Choose a starter or a template to copy, not both | copyOf
            {"id":"a","name":"A","html":"x"}           | "html\\" is not a known field | html
            {"id":"a","name":"A","account":2}          | "account\\" is not a known field | account
            """)
    void anInvalidTemplateIsNotCreated(String json, String sentence, String field) {
        String escaped = (sentence.startsWith("\"") ? "\\" : "") + sentence;
        answered(422, "{\"error\":\"" + escaped + "\",\"field\":\"" + field + "\"}", browser.post("/data/templates", json));
        assertEquals("{\"templates\":[],\"deleted\":0}", list());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"", "{", "[]", "null", "\"a\"", "{\"name\":\"A\"} x", "{\"name\":\"A\",\"name\":\"B\"}", "{name:1}"})
    void aBodyThatIsNoJsonObjectIsRejected(String body) {
        Client.Reply reply = browser.post("/data/templates", body);
        assertEquals(422, reply.status());
        assertTrue(reply.text().matches("\\{\"error\":\"(Invalid JSON|The JSON must be an object).*\",\"field\":null}"), reply.text());
        assertEquals("{\"templates\":[],\"deleted\":0}", list());
    }

    @Test
    void deeplyNestedJsonIsRejected() {
        for (int depth : new int[] {1_000, 100_000}) {
            answered(422, "{\"error\":\"The JSON has more than 100000 tokens, or a value that is too long or nested too deeply; shorten it\",\"field\":null}",
                    browser.post("/data/templates", "{\"name\":" + "[".repeat(depth)));
        }
    }

    @Test
    void invalidTestDataIsRejected() {
        create("welcome");
        String[][] rows = {
            {"\"samples\":{\"-a\":\"{}\"}", "\\\"-a\\\" is not a valid test data name; use 1 to 64 letters, digits, - and _, starting with a letter or digit", "samples"},
            {"\"samples\":{\"a\":\"[]\"}", "Test data \\\"a\\\" is invalid: The JSON must be an object", "samples.a"},
            {"\"samples\":{\"a\":\"\"}", "Test data \\\"a\\\" is invalid: The JSON must be an object", "samples.a"},
            {"\"samples\":{\"a\":\"{}\",\"b\":\"{\\n  x}\"}", "Test data \\\"b\\\" is invalid: Invalid JSON: Unexpected character ('x' (code 120)):"
                    + " was expecting double-quote to start field name (line 2, column 3)", "samples.b"},
            {"\"samples\":{\"a\":\"{\\\"b\\\":" + "[".repeat(30) + "]\"}", "Test data \\\"a\\\" is invalid: The JSON has more than 100000 tokens, or a value that is too long or nested too deeply; shorten it", "samples.a"},
            {"\"samples\":{\"a\":\"{}\"},\"defaultSamples\":\"b\"", "Test data \\\"b\\\" not found", "defaultSamples"},
            {"\"samples\":{},\"defaultSamples\":\"b\"", "Test data \\\"b\\\" not found", "defaultSamples"},
            {"\"samples\":{\"a\":\"{}\",\"A\":\"{}\"}", "The names of two test data sets differ only in case, which some file systems ignore; rename one of them", "samples"},
            {"\"samples\":" + sets(21), "There are 21 sets of test data; the limit is 20", "samples"},
            {"\"samples\":{\"a\":\"" + "x".repeat(1_048_577) + "\"}", "The test data is 1048577 bytes; the limit is 1048576 (1 MiB)", "samples"}};
        for (String[] row : rows) {
            String refusal = "{\"error\":\"" + row[1] + "\",\"field\":\"" + row[2] + "\"}";
            answered(422, refusal, browser.put("/data/templates/welcome", "{\"revision\":1,\"subject\":\"\",\"html\":\"\"," + row[0] + "}"));
            answered(422, refusal, browser.post("/data/check", "{\"subject\":\"\",\"html\":\"\"," + row[0] + "}"));
        }
        assertEquals(200, browser.put("/data/templates/welcome", save(1, "", "", sets(20))).status());
    }

    private static String sets(int count) {
        return IntStream.range(0, count).mapToObj(i -> "\"set-" + i + "\":\"{}\"").collect(Collectors.joining(",", "{", "}"));
    }

    /** Another set can become the default, and all can be removed, but not by an outdated save. */
    @Test
    void setsAreSavedWithTheDraft() {
        create("welcome");
        String first = "{\"revision\":%d,\"subject\":\"\",\"html\":\"\",\"samples\":{\"a\":\"{}\",\"b\":\"{ }\"},\"defaultSamples\":\"%s\"}";
        for (int revision = 1; revision <= 3; revision++) {
            String name = revision == 2 ? "b" : "a";
            JsonNode saved = Json.readObject(browser.put("/data/templates/welcome", String.format(first, revision, name)).body());
            assertEquals("{\"a\":\"{}\",\"b\":\"{ }\"} " + name + " " + (revision + 1), saved.get("samples") + " " + saved.get("defaultSamples").asText()
                    + " " + saved.get("revision"));
        }
        assertEquals(409, browser.put("/data/templates/welcome", save(3, "", "", "{}")).status());
        answered(200, draft("welcome", "welcome", "", "", "{}", AT, 5), browser.put("/data/templates/welcome", save(4, "", "", "{}")));
    }

    @Test
    void aSavedDraftIsStoredExactlyAndOnce() {
        create("welcome");
        stet.clock.advance(Duration.ofHours(1));
        String saved = draft("welcome", "welcome", "Hi {{name}} \u00e9\ud83d\ude00", "<p>\\r\\n\\u0000{{name}}\\u2028</p>", LENA, LATER, 2);
        Client.Reply reply = browser.put("/data/templates/welcome",
                save(1, "Hi {{name}} \u00e9\ud83d\ude00", "<p>\\r\\n\\u0000{{name}}\\u2028</p>", LENA));
        assertEquals(200, reply.status());
        assertEquals(Json.readObject(saved.getBytes(StandardCharsets.UTF_8)), Json.readObject(reply.body()));
        assertEquals("<p>\r\n\0{{name}}\u2028</p>", new String(stet.db.read(dao -> dao.templates().find(ada.id(), "welcome")).orElseThrow().html(),
                StandardCharsets.UTF_8));
        // Saving the same again changes nothing.
        stet.clock.advance(Duration.ofHours(1));
        Client.Reply again = browser.put("/data/templates/welcome",
                save(2, "Hi {{name}} \u00e9\ud83d\ude00", "<p>\\r\\n\\u0000{{name}}\\u2028</p>", LENA));
        assertEquals(reply.text(), again.text());
    }

    @Test
    void anOutdatedSaveReturnsTheNewestDraft() {
        create("welcome");
        assertEquals(200, browser.put("/data/templates/welcome", save(1, "One", "first", "{}")).status());
        String theirs = draft("welcome", "welcome", "One", "first", "{}", AT, 2);
        answered(409, "{\"error\":\"This draft has changed since you opened it\",\"theirs\":" + theirs + "}",
                browser.put("/data/templates/welcome", save(1, "Two", "second", "{}")));
        answered(200, theirs, browser.get("/data/templates/welcome"));
        answered(200, draft("welcome", "welcome", "Two", "second", "{}", AT, 3),
                browser.put("/data/templates/welcome", save(2, "Two", "second", "{}")));
        assertEquals(409, browser.put("/data/templates/welcome", save(4, "Three", "third", "{}")).status());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            {"subject":"","html":"","samples":{}}                                | \\"revision\\" is missing | revision
            {"revision":"1","subject":"","html":"","samples":{}}                 | \\"revision\\" must be a whole number | revision
            {"revision":1.5,"subject":"","html":"","samples":{}}                 | \\"revision\\" must be a whole number | revision
            {"revision":99999999999999999999,"subject":"","html":"","samples":{}} | \\"revision\\" must be a whole number | revision
            {"revision":1,"html":"","samples":{}}                                | \\"subject\\" is missing | subject
            {"revision":1,"subject":"a\\nb","html":"","samples":{}}              | The subject contains a line break; it must be a single line | subject
            {"revision":1,"subject":"","samples":{}}                             | \\"html\\" is missing | html
            {"revision":1,"subject":"","html":["x"],"samples":{}}                | \\"html\\" must be a string | html
            {"revision":1,"subject":"","html":"\\udc00","samples":{}}            | \\"html\\" contains an unpaired surrogate, which UTF-8 cannot encode; remove it | html
            {"revision":1,"subject":"","html":"","samples":[]}                   | \\"samples\\" must be an object | samples
            {"revision":1,"subject":"","html":"","samples":{"a":1}}              | \\"samples.a\\" must be a string | samples.a
            {"revision":1,"subject":"","html":"","samples":{},"id":"b"}          | \\"id\\" is not a known field | id
            """)
    void anInvalidDraftIsNotSaved(String json, String sentence, String field) {
        create("welcome");
        answered(422, "{\"error\":\"" + sentence + "\",\"field\":\"" + field + "\"}", browser.put("/data/templates/welcome", json));
        answered(200, draft("welcome", "welcome", "", "", "{}", AT, 1), browser.get("/data/templates/welcome"));
    }

    @Test
    void textsBeyondTheirLimitsAreRejected() {
        create("welcome");
        String most = "x".repeat(2 << 20);
        assertEquals(200, browser.put("/data/templates/welcome", save(1, "s".repeat(998), most, "{}")).status());
        answered(422, "{\"error\":\"The HTML is 2097153 bytes; the limit is 2097152 (2 MiB)\",\"field\":\"html\"}",
                browser.put("/data/templates/welcome", save(2, "", most + "x", "{}")));
        answered(422, "{\"error\":\"The subject is 999 characters; the limit is 998\",\"field\":\"subject\"}",
                browser.put("/data/templates/welcome", save(2, "s".repeat(999), "", "{}")));
        answered(422, "{\"error\":\"The name is 201 characters; the limit is 200\",\"field\":\"name\"}",
                browser.put("/data/templates/welcome/name", "{\"name\":\"" + "n".repeat(201) + "\",\"revision\":1}"));
    }

    /** Each character is escaped as six bytes. */
    @Test
    void theLimitOfHtmlDoesNotDependOnEscapes() {
        create("welcome");
        assertEquals(200, browser.put("/data/templates/welcome", save(1, "", "\\u0001".repeat(2 << 20), "{}")).status());
        assertEquals(2 << 20, stet.db.read(dao -> dao.templates().find(ada.id(), "welcome")).orElseThrow().html().length);
    }

    @Test
    void aRequestBeyondItsRoutesLimitIsTooLarge() {
        create("welcome");
        answered(413, "{\"error\":\"The request is too large\"}",
                browser.put("/data/templates/welcome", save(1, "", "x".repeat(17 << 20), "{}")));
        answered(413, "{\"error\":\"The request is too large\"}",
                Browser.of(stet).post("/data/session", "{\"email\":\"" + "x".repeat(8 << 10) + "\",\"password\":\"x\"}"));
    }

    @Test
    void aDraftThatIsNotSentAsJsonIsRejected() {
        create("welcome");
        answered(415, "{\"error\":\"Unsupported media type\"}",
                browser.put("/data/templates/welcome", save(1, "", "", "{}"), "Content-Type: text/html"));
    }

    @Test
    void aDraftIncludesAsManyBlocksAsAnAccountMayHave() {
        create("welcome");
        String most = IntStream.range(0, 1_000).mapToObj(i -> "{{> b" + i + "}}").collect(Collectors.joining());
        answered(422, "{\"error\":\"The HTML can include at most 1000 shared blocks\",\"field\":\"html\"}",
                browser.put("/data/templates/welcome", save(1, "", most + "{{> one-more}}", "{}")));
        assertEquals(200, browser.put("/data/templates/welcome", save(1, "", most + "{{> b0}}", "{}")).status());
    }

    /** A name carries the revision that its author has seen, so that nobody replaces another's name without seeing it. */
    @ParameterizedTest
    @CsvSource({"rename, eve@example.com 2026-01-31T09:00:00.000Z", "import, ada@example.com 2026-01-31T09:00:00.000Z", "save without a user, ' '"})
    void aNameThatWasNotSeenIsNotReplaced(String first, String namedByAndAt) {
        create("welcome");
        String seen = Json.tree(browser.get("/data/templates/welcome").text()).get("nameRevision").asText();
        Browser other = Browser.of(stet, ada, stet.member(ada, "eve@example.com", Role.EDITOR, "correct horse"));
        switch (first) {
            case "rename" -> assertEquals(200, other.put("/data/templates/welcome/name", "{\"name\":\"Eve's\",\"revision\":" + seen + "}").status());
            case "import" -> assertEquals(200, Browser.of(stet, ada).postZip("/data/import?overwrite=true", new RawZip().file("templates/welcome.html", "")
                    .file("templates/welcome.json", "{\"name\": \"Eve's\"}").bytes()).status());
            default -> stet.db.change(dao -> dao.as(new Actor(null, "eve", "")).templates().save(ada.id(),
                    new Draft("welcome", "Eve's", "", new byte[0], Map.of()), stet.now()));
        }
        Client.Reply reply = browser.put("/data/templates/welcome/name", "{\"name\":\"Ada's\",\"revision\":" + seen + "}");
        JsonNode body = Json.tree(reply.text());
        assertEquals("409 This template has been renamed since you opened it", reply.status() + " " + body.path("error").asText());
        assertEquals("Eve's " + namedByAndAt, String.join(" ", body.at("/theirs/name").asText(), body.at("/theirs/namedBy").asText(), body.at("/theirs/namedAt").asText()));
        String current = body.at("/theirs/nameRevision").asText();
        assertEquals(200, browser.put("/data/templates/welcome/name", "{\"name\":\"Eve's\",\"revision\":" + seen + "}").status(), "the same name");
        assertEquals(200, browser.put("/data/templates/welcome/name", "{\"name\":\"Ada's\",\"revision\":" + current + "}").status());
    }

    @Test
    void anInvalidNewNameIsRejected() {
        create("welcome");
        answered(422, "{\"error\":\"\\\"revision\\\" is missing\",\"field\":\"revision\"}", browser.put("/data/templates/welcome/name", "{\"name\":\"x\"}"));
        answered(422, "{\"error\":\"The name must not be empty\",\"field\":\"name\"}", browser.put("/data/templates/welcome/name", "{\"name\":\"\",\"revision\":1}"));
        answered(404, NOT_FOUND, browser.put("/data/templates/no-such/name", "{\"name\":\"x\",\"revision\":1}"));
    }

    @Test
    void theApiReturnsANewNameAtOnce() {
        stet.template(ada, "welcome", "<p>Hi</p>");
        stet.clock.advance(Duration.ofHours(1));
        assertEquals(200, browser.put("/data/templates/welcome/name", "{\"name\":\"Hello \u2713\",\"revision\":1}").status());
        answered(200, "{\"id\":\"welcome\",\"name\":\"Hello \u2713\",\"subject\":\"\",\"html\":\"<p>Hi</p>\",\"variables\":[],\"updatedAt\":\"" + LATER + "\"}",
                stet.get(Running.TEMPLATES + "welcome", key));
    }

    @Test
    void theSameNameAgainChangesNothing() {
        create("welcome");
        Client.Reply reply = browser.put("/data/templates/welcome/name", "{\"name\":\"Hello\",\"revision\":1}");
        assertEquals(200, reply.status());
        stet.clock.advance(Duration.ofHours(1));
        assertEquals(reply.text(), browser.put("/data/templates/welcome/name", "{\"name\":\"Hello\",\"revision\":1}").text());
    }

    @Test
    void aDeletedTemplateIsNotFound() {
        stet.template(ada, "welcome", "<p>Hi</p>");
        assertEquals(200, stet.get(Running.TEMPLATES + "welcome", key).status());
        answered(204, "", browser.delete("/data/templates/welcome"));
        answered(404, NOT_FOUND, stet.get(Running.TEMPLATES + "welcome", key));
        answered(404, NOT_FOUND, browser.get("/data/templates/welcome"));
        answered(404, NOT_FOUND, browser.delete("/data/templates/welcome"));
        answered(204, "", browser.delete("/data/deletions/welcome"));
        create("welcome");
        answered(404, "{\"error\":\"template_not_published\"}", stet.get(Running.TEMPLATES + "welcome", key));
    }

    @Test
    void theLastApiRequestIsShown() {
        stet.template(ada, "welcome", "<p>Hi</p>");
        assertTrue(browser.get("/data/templates/welcome").text().endsWith("\"lastFetched\":null}"));
        stet.clock.advance(Duration.ofHours(1));
        assertEquals(200, stet.get(Running.TEMPLATES + "welcome", key).status());
        assertTrue(Running.comes(() -> browser.get("/data/templates/welcome").text()
                .endsWith("\"lastFetched\":{\"at\":\"" + LATER + "\",\"key\":\"test\"}}")));
    }
}
