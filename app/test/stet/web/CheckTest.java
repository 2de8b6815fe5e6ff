package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/** Check results are bounded: they list the first variables, places and problems, and count the rest. */
class CheckTest {
    private static final int LONGEST = 2 << 20;
    /** A half of a character, which no text may contain. */
    private static final Pattern HALF = Pattern.compile("\\p{Cs}");

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);

    private JsonNode check(String html, String document) {
        Client.Reply reply = browser.post("/data/check", "{\"subject\":\"Hi\",\"html\":\"" + html + "\",\"samples\":"
                + Utf8.text(Json.write(Map.of("a", document))) + "}");
        assertEquals(200, reply.status(), reply.text());
        assertTrue(reply.body().length < 400_000, "the answer has " + reply.body().length + " bytes");
        return Json.readObject(reply.body());
    }

    private static String numbered(String format, int count) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < count; i++) {
            all.append(String.format(format, i));
        }
        return all.toString();
    }

    /** Problems quote the beginning of a long text, which may end within an emoji of two UTF-16 code units; EMOJI stands for many of them. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"{{f EMOJI}}", "{{#EMOJI}}", "{{f a=1 EMOJI}}", "{{EMOJI", "{{{EMOJI}}", "{{> EMOJI}}", "{{[EMOJI]}}", "{{#if EMOJI}}", "{{EMOJI EMOJI}}",
        "<a EMOJI='x>y", "<aEMOJI", "<p title='EMOJI", "<!--[if EMOJI]>x", "<![CDATA[EMOJI", "<img src='EMOJI'>", "<img alt='EMOJI'>", "{% EMOJI %}", "<%= EMOJI %>",
        "*|EMOJI|*", "%EMOJI%", "${EMOJI}", "[EMOJI]", "<style>p{EMOJI:1}</style>", "<style>p{color:EMOJI", "<style>@EMOJI x</style>", "<a href='EMOJI'>x</a>",
        "<td EMOJI='1'>", "{ {EMOJI}}", "{{=EMOJI EMOJI=}}", "{{else EMOJI}}", "{{/EMOJI}}", "{{&EMOJI}}", "{{f 'EMOJI}}"})
    void noQuoteEndsWithinAnEmoji(String fault) {
        for (String before : List.of("", "x")) {
            String html = fault.replace("EMOJI", before + "\ud83d\ude00".repeat(300));
            JsonNode checked = check(html, "{}");
            assertFalse(HALF.matcher(checked.toString()).find(), checked.toString());
        }
    }

    @Test
    void theFirstThousandPlacesOfAVariableAreListed() {
        JsonNode checked = check("{{x}}".repeat(LONGEST / 5), "{}");
        assertEquals(1, checked.get("variables").size());
        assertEquals(0, checked.get("moreVariables").asInt());
        assertEquals(1_000, checked.get("variables").get(0).get("places").size());
        assertEquals(LONGEST / 5 - 1_000, checked.get("variables").get(0).get("morePlaces").asInt());
    }

    @Test
    void allVariablesTogetherListAThousandPlaces() {
        JsonNode checked = check(numbered("{{v%d}}", 600) + numbered("\\n{{v%d}}", 600), "{}");
        assertEquals(600, checked.get("variables").size());
        assertEquals("{\"name\":\"v0\",\"morePlaces\":0,\"places\":[{\"field\":\"html\",\"line\":1},{\"field\":\"html\",\"line\":2}]}",
                checked.get("variables").get(0).toString());
        assertEquals("{\"name\":\"v599\",\"morePlaces\":1,\"places\":[{\"field\":\"html\",\"line\":1}]}",
                checked.get("variables").get(599).toString());
    }

    @Test
    void theFirstThousandVariablesAreListed() {
        JsonNode checked = check(numbered("{{n%d}}", 5_000).repeat(2), "{}");
        assertEquals(1_000, checked.get("variables").size());
        assertEquals(4_000, checked.get("moreVariables").asInt());
        assertEquals("n999", checked.get("variables").get(999).get("name").asText());
    }

    @Test
    void variablesFormATreeWithExamplesAndMissingNames() {
        JsonNode checked = check("{{#each items}}{{image}}{{price}}{{/each}}{{user.name}}{{top}}",
                "{\"top\":\"" + "x".repeat(100) + "\",\"items\":[{\"price\":7},{}]}");
        assertEquals(5, checked.get("variables").size());
        assertEquals("{\"name\":\"image\",\"morePlaces\":0,\"places\":[{\"field\":\"html\",\"line\":1}]}",
                checked.get("variables").get(1).toString());
        assertEquals("[{\"name\":\"items\",\"isList\":true,\"isMissing\":false,\"rows\":2,\"inner\":["
                + "{\"name\":\"image\",\"isList\":false,\"isMissing\":true,\"inner\":[]},"
                + "{\"name\":\"price\",\"isList\":false,\"isMissing\":false,\"example\":\"7\",\"inner\":[]}]},"
                + "{\"name\":\"user\",\"isList\":false,\"isMissing\":true,\"inner\":[{\"name\":\"name\",\"isList\":false,\"isMissing\":true,\"inner\":[]}]},"
                + "{\"name\":\"top\",\"isList\":false,\"isMissing\":false,\"example\":\"" + "x".repeat(80) + "\u2026\",\"inner\":[]}]",
                checked.get("tree").toString());
        assertEquals("[{\"name\":\"a\",\"missing\":[\"items[].image\",\"user\"],\"moreMissing\":0}]", checked.get("sets").toString());
    }

    /** Twenty sets, of which a draft this long leaves two; each names its first 20 missing variables and counts the others. */
    @Test
    void onlyAsManySetsAreCheckedAsTheDraftsLengthAllows() {
        StringBuilder sets = new StringBuilder("{\"a0\":\"{}\"");
        for (int i = 1; i < 20; i++) {
            sets.append(",\"a").append(i).append("\":\"{}\"");
        }
        JsonNode checked = Json.readObject(browser.post("/data/check", "{\"subject\":\"Hi\",\"html\":\"" + numbered("{{n%d}}", 30) + "x".repeat(2_000_000)
                + "\",\"samples\":" + sets + "}}").body());
        assertEquals(2, checked.get("sets").size());
        assertEquals(20, checked.get("sets").get(1).get("missing").size());
        assertEquals(10, checked.get("sets").get(1).get("moreMissing").asInt());
    }

    @Test
    void theSubjectIsFilledWithTheChosenOrTheDefaultSet() {
        String samples = "\"samples\":{\"ann\":\"{\\\"name\\\":\\\"Ann\\\"}\",\"lena\":\"{\\\"name\\\":\\\"Lena\\\"}\"}";
        for (String[] row : new String[][] {
            {"", "Ann"}, {",\"defaultSamples\":\"lena\"", "Lena"}, {",\"chosen\":\"lena\"", "Lena"}, {",\"chosen\":\"gone\"", "Ann"}}) {
            JsonNode checked = Json.readObject(browser.post("/data/check", "{\"subject\":\"Hi {{name}}\",\"html\":\"\"," + samples + row[0] + "}").body());
            assertEquals("Hi " + row[1], checked.get("subject").asText(), row[0]);
        }
    }

    @Test
    void theFirstThousandProblemsAndBlocksAreListed() {
        JsonNode checked = check(numbered("{{> b%d}}", 3_000) + "{{/a}}".repeat(500), "{}");
        assertEquals(1_000, checked.get("problems").size());
        assertEquals(2_500, checked.get("moreProblems").asInt());
        assertEquals(1_000, checked.get("blocks").size());
        assertFalse(checked.get("blocks").get(999).get("exists").asBoolean());
    }

    @Test
    void theFirstThousandLinesOfAProblemAreListed() {
        JsonNode checked = check("{{/a}}\\n".repeat(3_000), "{}");
        assertEquals(2_000, checked.get("moreProblems").asInt());
        assertEquals(1, checked.get("problems").size());
        assertEquals(1_000, checked.get("problems").get(0).get("lines").size());
        assertEquals(1_000, checked.get("problems").get(0).get("lines").get(999).asInt());
    }

    /** A problem that prevents publishing is always listed, and listed first, however many errors precede it in the text. */
    @Test
    void aProblemThatPreventsPublishingIsListedFirst() {
        JsonNode problems = check("{{x ".repeat(1_500) + "{{> none}}", "{}").get("problems");
        assertEquals("refused", problems.get(0).get("level").asText());
    }

    @Test
    void theFirstThousandVariablesOfAPublicationAreListed() {
        stet.template(ada, "many", numbered("{{old%d}}", 1_500));
        stet.draft(ada, "many", "many", "Hi", numbered("{{new%d}}", 1_700));
        JsonNode publication = Json.readObject(browser.get("/data/templates/many/publication").body());
        assertEquals("1000 700 1000 500", publication.get("added").size() + " " + publication.get("moreAdded").asInt() + " "
                + publication.get("removed").size() + " " + publication.get("moreRemoved").asInt());
        assertEquals("1000 700 1000 500", publication.get("next").get("variables").size() + " " + publication.get("next").get("moreVariables").asInt()
                + " " + publication.get("live").get("variables").size() + " " + publication.get("live").get("moreVariables").asInt());
    }

    @Test
    void theApiReturnsAllVariables() {
        stet.template(ada, "many", numbered("{{new%d}}", 1_700));
        assertEquals(1_700, Json.readObject(stet.get(Running.TEMPLATES + "many?format=variables", stet.key(ada)).body()).get("variables").size());
    }

    @Test
    void aPreviewThatWouldBeTooLongIsCut() {
        JsonNode checked = check("{{#a}}" + "x".repeat(1 << 20) + "{{/a}}", "{\"a\":[1,2,3,4,5]}");
        assertTrue(checked.get("cut").asBoolean());
        String preview = browser.get(checked.get("preview").asText()).text().replaceFirst("(?s)<script nonce.*?</script>", "");
        assertEquals((4 << 20) + "<base target=\"_blank\">".length(), preview.length());
        checked = check("{{#a}}" + "x".repeat(1 << 10) + "{{/a}}", "{\"a\":[1,2,3,4,5]}");
        assertFalse(checked.get("cut").asBoolean());
    }

    /** Looking up long names in many contexts takes bounded work. */
    @Test
    void longNamesInDeepSectionsTakeBoundedWork() {
        String name = "a.".repeat(20_000) + "b";
        String items = "[" + "1,".repeat(999) + "1]";
        JsonNode checked = check("{{#i}}".repeat(60) + "{{" + name + "}}" + "{{/i}}".repeat(60), "{\"i\":" + items + "}");
        assertTrue(checked.get("cut").asBoolean());
    }

    @Test
    void noMoreThanFourMebibytesOfHtmlArePublished() {
        stet.block(ada, "long", "\u20ac".repeat(500_000));
        stet.draft(ada, "three", "three", "Hi", "{{> long}}{{> long}}{{> long}}");
        Client.Reply refused = browser.post("/data/templates/three/publish", "{\"revision\":1,\"force\":true}");
        Browser.answered(422, "{\"error\":\"line 1: the HTML, including its shared blocks, is 4500000 bytes; the limit is 4194304 (4 MiB)\",\"field\":\"html\"}", refused);
        stet.draft(ada, "two", "two", "Hi", "{{> long}}{{> long}}");
        assertEquals(200, browser.post("/data/templates/two/publish", "{\"revision\":1}").status());
        assertEquals(3_000_000, stet.get(Running.TEMPLATES + "two?format=html", stet.key(ada)).body().length);
    }
}
