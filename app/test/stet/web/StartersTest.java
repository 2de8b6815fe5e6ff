package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/** Starter emails have no warnings, test data for each variable, and support in every major mail client. */
class StartersTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern BUTTON = Pattern.compile("<td align=\"center\" bgcolor=\"#2455c3\" style=\"border-radius: 8px; mso-padding-alt: 11px 26px;\">\\s*"
            + "<a href=\"\\{\\{\\w+}}\" style=\"display: inline-block; padding: 11px 26px; mso-padding-alt: 0; [^\"]*\">[^<]+</a>\\s*</td>");
    private static final String LONG = "a234567890123456789012345678901234567890123456789012345678901234";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);

    private JsonNode json(Client.Reply reply) throws IOException {
        assertTrue(reply.status() < 300, reply.status() + " " + reply.text());
        return JSON.readTree(reply.text());
    }

    private JsonNode starters() throws IOException {
        return json(browser.get("/data/starters")).get("starters");
    }

    @Test
    void startersAreListedInOrder() throws IOException {
        assertEquals(List.of("sign-up", "reset", "order-receipt", "invitation", "digest", "welcome"), starters().findValuesAsText("id"));
    }

    @Test
    void noStarterHasAWarning() throws IOException {
        for (JsonNode starter : starters()) {
            String id = starter.get("id").asText();
            ObjectNode draft = JSON.createObjectNode();
            List.of("subject", "html", "samples", "defaultSamples").forEach(field -> draft.set(field, starter.get(field)));
            JsonNode found = json(browser.post("/data/check", draft.toString()));
            assertEquals("[]", found.get("problems").toString(), id);
            assertEquals("[]", found.get("blocks").toString(), id);
            assertEquals("[]", found.get("sets").toString(), id + " has test data for each variable");
            assertTrue(found.get("variables").size() > 3, id + " shows how variables are used");
        }
    }

    @Test
    void startersSupportDarkModeAndAllButWelcomeOutlook() throws IOException {
        for (JsonNode starter : starters()) {
            String id = starter.get("id").asText();
            String html = starter.get("html").asText();
            assertTrue(html.contains("<meta name=\"color-scheme\" content=\"light dark\">") && html.contains("prefers-color-scheme: dark"), id);
            assertTrue(id.equals("welcome") || html.contains("<!--[if mso]>") && html.contains("[data-ogsc]") && html.contains("role=\"presentation\""), id);
        }
    }

    /** The button is one link for all mail clients, without a part for Outlook alone. */
    @Test
    void allButWelcomeAndDigestHaveOneButton() throws IOException {
        for (JsonNode starter : starters()) {
            String id = starter.get("id").asText();
            String html = starter.get("html").asText();
            assertEquals(Set.of("welcome", "digest").contains(id) ? 0 : 1, BUTTON.matcher(html).results().count(), id);
            assertFalse(html.contains("v:"), id);
        }
    }

    /** Far below the 102 KB after which Gmail cuts off an email, so that an author can add texts. */
    @Test
    void noStarterHasTenThousandCharacters() throws IOException {
        for (JsonNode starter : starters()) {
            assertTrue(starter.get("html").asText().length() < 10_000, starter.get("id").asText());
        }
    }

    @Test
    void onlyTheDigestHasImagesWhoseAddressesAreVariables() throws IOException {
        for (JsonNode starter : starters()) {
            List<String> images = Pattern.compile("<img [^>]*>").matcher(starter.get("html").asText()).results().map(MatchResult::group).toList();
            assertEquals(starter.get("id").asText().equals("digest") ? 1 : 0, images.size(), images.toString());
            images.forEach(image -> assertTrue(image.matches("<img src=\"\\{\\{\\w+}}\" alt=\"\\{\\{\\w+}}\" width=\"\\d+\" .*"), "nobody else's host: " + image));
        }
    }

    @Test
    void aTemplateFromAStarterIsServedUnchanged() throws IOException {
        String key = stet.key(ada);
        for (JsonNode starter : starters()) {
            String id = starter.get("id").asText();
            JsonNode made = json(browser.post("/data/templates", "{\"id\":\"my-" + id + "\",\"name\":\"Mine\",\"starter\":\"" + id + "\"}"));
            assertEquals(starter.get("html"), made.get("html"));
            assertEquals(starter.get("subject"), made.get("subject"));
            assertEquals(starter.get("samples"), made.get("samples"));
            JsonNode plan = json(browser.get("/data/templates/my-" + id + "/publication"));
            assertEquals("[]", plan.get("problems").toString(), id);
            assertEquals(200, browser.post("/data/templates/my-" + id + "/publish", "{\"revision\":" + plan.get("revision") + ",\"sha256\":"
                    + plan.get("sha256") + ",\"note\":\"\",\"force\":false}").status());
            assertEquals(starter.get("html").asText(), stet.get(Running.TEMPLATES + "my-" + id + "?format=html", key).text());
        }
    }

    /** start.md sends the first email with a value for each of its variables, in each language. */
    @Test
    void theGuideFillsInItsStarter() throws IOException {
        String guide = Files.readString(Path.of("app/docs/start.md"));
        JsonNode starter = StreamSupport.stream(starters().spliterator(), false).filter(each -> each.get("id").asText().equals("sign-up")).findFirst().orElseThrow();
        assertTrue(guide.contains("choose the starter *" + starter.get("name").asText() + "*"));
        browser.post("/data/templates", "{\"id\":\"sign-up\",\"name\":\"Mine\",\"starter\":\"sign-up\"}");
        Set<String> variables = new TreeSet<>();
        JsonNode plan = json(browser.get("/data/templates/sign-up/publication"));
        browser.post("/data/templates/sign-up/publish", "{\"revision\":" + plan.get("revision") + ",\"sha256\":" + plan.get("sha256")
                + ",\"note\":\"\",\"force\":false}");
        json(stet.get(Running.TEMPLATES + "sign-up?format=variables", stet.key(ada))).get("variables").forEach(variable -> variables.add(variable.asText()));
        for (String send : List.of("await send('ada@example.com', 'sign-up', {", "send(\"ada@example.com\", \"sign-up\", {")) {
            String values = guide.substring(guide.indexOf(send) + send.length()).split("}\\)")[0];
            assertEquals(variables, Pattern.compile("\"?(\\w+)\"?: ").matcher(values).results().map(found -> found.group(1))
                    .collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    @Test
    void anUnknownStarterIsRejected() {
        answered(422, "{\"error\":\"Unknown starter nothing\",\"field\":\"starter\"}",
                browser.post("/data/templates", "{\"id\":\"mine\",\"name\":\"Mine\",\"starter\":\"nothing\"}"));
        assertEquals(404, browser.get("/data/templates/mine").status());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "free, false, free",
        "welcome, true, welcome-3",
        "welcome-2, true, welcome-2-2",
        "theirs, false, theirs",
        "deleted, true, deleted-3",
        LONG + ", true, a234567890123456789012345678901234567890123456789012345678901-2",
    })
    void aTakenIdIsReportedWithAFreeOne(String id, boolean taken, String free) {
        stet.draft(ada, "welcome", "Welcome", "", "");
        stet.draft(ada, "welcome-2", "Welcome", "", "");
        stet.draft(ada, LONG, "Long", "", "");
        for (String deleted : List.of("deleted", "deleted-2")) {
            stet.draft(ada, deleted, "Deleted", "", "");
            stet.db.change(dao -> dao.trash().delete(ada.id(), deleted, stet.now()));
        }
        stet.draft(stet.account("eve@example.com", Plan.FREE), "theirs", "Theirs", "", "");
        answered(200, "{\"taken\":" + taken + ",\"free\":\"" + free + "\"}", browser.get("/data/ids?id=" + id));
    }

    @Test
    void anInvalidIdIsRejected() {
        String error = "{\"error\":\"\\\"%s\\\" is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit\",\"field\":\"id\"}";
        answered(422, error.formatted("a b"), browser.get("/data/ids?id=a%20b"));
        for (String query : List.of("", "?id%5B%5D=a", "?id=%ff")) {
            answered(422, error.formatted(""), browser.get("/data/ids" + query));
        }
    }

    /** The search for a free id is bounded. */
    @Test
    void noFreeIdIsSuggestedIfAHundredAreTaken() {
        stet.draft(ada, "x", "x", "", "");
        for (int i = 2; i < 120; i++) {
            stet.draft(ada, "x-" + i, "x", "", "");
        }
        answered(200, "{\"taken\":true,\"free\":\"\"}", browser.get("/data/ids?id=x"));
    }
}
