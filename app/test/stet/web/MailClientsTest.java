package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;
import static stet.harness.Browser.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Running;

/** Mail client checks: findings and their positions, the account's clients, and accepted features. */
class MailClientsTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);

    private JsonNode check(String html) {
        return json(browser.post("/data/check", Json.object().put("subject", "Hi").put("html", html).set("samples", Json.object()).toString()));
    }

    /** Returns each unsupported feature with its lines: {@code border-radius 1 4 footer:2}. */
    private String found(String html) {
        List<String> found = new ArrayList<>();
        for (JsonNode feature : check(html).path("features")) {
            StringBuilder line = new StringBuilder(feature.get("title").asText());
            feature.get("places").forEach(place -> line.append(' ')
                    .append(place.get("block").isNull() ? "" : place.get("block").asText() + ':').append(place.get("line").asInt()));
            found.add(line.toString());
        }
        return found.stream().sorted().collect(Collectors.joining(", "));
    }

    private void choose(String clients) {
        assertEquals(200, browser.put("/data/clients", "{\"clients\":[" + clients + "]}").status());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            <p>fine</p>                                                      | ``
            ~<p style="color:red;~border-radius:4px">                        | border-radius 3
            <style>~p { border-radius: 1px }</style>~<p style="border-radius:{{r}}px"> | <style> element 1, border-radius 2 3
            <p style="{{#if a}}border-radius:1px{{/if}}">{{#b}}~<p style="border-radius:1px">{{/b}} | border-radius 1 2
            <video></video><dialog>                                          | <dialog> element 1, <video> element 1
            <a href="#top">a</a>~<picture srcset="https://a/b.webp 2x">      | <picture> element 2, srcset and sizes attributes 2, webP image format 2
            <input type="checkbox">~<input>                                  | <input type="checkbox"> element 1
            <!-- <p style="border-radius:1px"> -->{{! <video> }}             | ``
            # in a shared block, its line there; in a block within a block, the inner one
            ~{{> footer}}~<p style="border-radius:1px">                      | border-radius footer:2 3
            {{> outer}}{{> outer}}                                           | <video> element outer:3 outer:3, border-radius footer:2 footer:2
            # what Outlook alone reads, and what all others read
            <!--[if mso]>~<p style="border-radius:1px"><![endif]-->          | border-radius 2
            <!--[if mso]><v:rect width="9" style="width:9px"><v:fill src="https://a/b.webp"/>~<![endif]--> | webP image format 1
            <!--[if !mso]>~<p style="border-radius:1px"><![endif]-->         | ``
            <!--[if !mso]><!-->~<p style="border-radius:1px"><!--<![endif]-->~<p style="border-radius:1px"> | border-radius 3
            <!--[if !mso]><!-->~<p style="border-radius:1px"><!-- <![endif] -->~<p style="border-radius:1px"> | border-radius 3
            <![if !mso]>~<p style="border-radius:1px"><![endif]>~<p style="border-radius:1px"> | border-radius 3
            <!--[if !mso]><!--><![if !vml]>a<![endif]>~<p style="border-radius:1px"><!--<![endif]-->~<p style="border-radius:1px"> | border-radius 3
            <!--[if mso]><!-->~<p style="border-radius:1px"><!--<![endif]--> | border-radius 2
            <!--[if (gte mso 9)&(!IE)]>~<p style="border-radius:1px"><![endif]--> | border-radius 2
            """)
    void featuresThatOutlookOnWindowsLacksAreFound(String html, String expected) {
        stet.block(ada, "footer", "<p>\n<i style=\"border-radius:1px\"></i>");
        stet.block(ada, "outer", "{{> footer}}\n\n<video>");
        choose("\"outlook-windows\"");
        assertEquals(expected, found(html.replace('~', '\n')).replace(", HTML5 doctype 1", ""));
    }

    /** URI schemes are case-insensitive (RFC 3986, 3.1). */
    @ParameterizedTest
    @ValueSource(strings = {"mailto:a@b.example", "MAILTO:a@b.example", "MailTo:a@b.example"})
    void aMailtoLinkIsFoundInAnyCase(String href) {
        choose("\"yahoo\"");
        assertTrue(found("<a href=\"" + href + "\">a</a>").contains("mailto"), found("<a href=\"" + href + "\">a</a>"));
        assertFalse(found("<a href=\"https://mailto.example\">a</a>").contains("mailto"));
    }

    @Test
    void aConditionalCommentConcernsOnlyOutlook() {
        choose("\"gmail\"");
        assertEquals("", found("<!--[if mso]><video></video><![endif]-->"));
        assertEquals("<video> element 1", found("<!--[if !mso]><!--><video></video><!--<![endif]-->"));
        choose("\"gmail\",\"outlook-windows\"");
        JsonNode video = check("<!--[if mso]><video></video><![endif]-->").get("features").get(0);
        assertEquals("[\"Outlook for Windows 2007-2019\"]", video.get("none").toString());
    }

    @Test
    void theLeastSupportedFeaturesComeFirst() {
        JsonNode features = check("<p style=\"padding:1px;border-radius:1px;box-shadow:0 0 1px red\"><video>").get("features");
        assertEquals("html-video css-box-shadow css-border-radius css-padding", features.findValuesAsText("id").stream().collect(Collectors.joining(" ")));
    }

    @Test
    void aFeatureNamesTheClientsThatLackItOrSupportAPartOfIt() {
        JsonNode features = check("<p style=\"border-radius:1px;box-shadow:0 0 1px red\">").get("features");
        assertEquals("[\"Gmail (web, mobile web)\",\"Outlook for Windows 2007-2019\",\"Yahoo Mail\"]", features.get(0).get("none").toString());
        JsonNode radius = features.get(1);
        assertEquals("[\"Outlook for Windows 2003-2019\"] [\"Yahoo Mail\"]", radius.get("none") + " " + radius.get("partly"));
    }

    @Test
    void onlyTheFirstPlacesAreListed() {
        JsonNode feature = check("<p style=\"border-radius:1px\">\n".repeat(60)).get("features").get(0);
        assertEquals(50, feature.get("places").size());
        assertEquals(10, feature.get("morePlaces").asInt());
    }

    @Test
    void anAccountChoosesItsClients() {
        JsonNode clients = json(browser.get("/data/clients"));
        assertEquals("apple-mail gmail outlook-com outlook-windows samsung-email yahoo", chosen(clients));
        assertTrue(clients.get("date").asText().startsWith("2026-"), clients.toString());
        choose("\"yahoo\",\"aol\",\"aol\"");
        assertEquals("aol yahoo", chosen(json(browser.get("/data/clients"))));
        assertEquals("apple-mail gmail outlook-com outlook-windows samsung-email yahoo",
                chosen(json(Browser.of(stet, stet.account("ben@example.com", Plan.PRO)).get("/data/clients"))), "another account's are its own");
    }

    @Test
    void anUnknownClientOrNoneIsRejected() {
        choose("\"yahoo\"");
        answered(422, "{\"error\":\"Unknown mail client pine\",\"field\":\"clients\"}", browser.put("/data/clients", "{\"clients\":[\"pine\"]}"));
        answered(422, "{\"error\":\"Choose at least one mail client\",\"field\":\"clients\"}", browser.put("/data/clients", "{\"clients\":[]}"));
        assertEquals("yahoo", chosen(json(browser.get("/data/clients"))));
    }

    private static String chosen(JsonNode clients) {
        List<String> chosen = new ArrayList<>();
        clients.get("clients").forEach(client -> {
            if (client.get("chosen").asBoolean()) {
                chosen.add(client.get("id").asText());
            }
        });
        return String.join(" ", chosen);
    }

    private String accepted(String id) {
        JsonNode accepted = json(browser.get("/data/templates/" + id)).path("accepted");
        return String.join(" ", accepted.findValuesAsText("id"));
    }

    @Test
    void knownFeaturesAreAcceptedAndRemoved() {
        stet.template(ada, "welcome", "<video>");
        JsonNode reply = json(browser.put("/data/templates/welcome/features", "{\"add\":[\"html-video\",\"css-float\",\"html-video\"]}"));
        assertEquals("{\"id\":\"css-float\",\"title\":\"float\",\"by\":\"ada@example.com\",\"at\":\"" + stet.now() + "\"}",
                reply.get("accepted").get(0).toString().replace(".000Z", "Z"));
        assertEquals("css-float html-video", accepted("welcome"));
        assertEquals(200, browser.put("/data/templates/welcome/features", "{\"remove\":[\"css-float\",\"no-such\"]}").status());
        assertEquals("html-video", accepted("welcome"));
    }

    @Test
    void anUnknownFeatureIsNotAccepted() {
        stet.template(ada, "welcome", "<video>");
        answered(422, "{\"error\":\"Unknown feature no-such\",\"field\":\"add\"}",
                browser.put("/data/templates/welcome/features", "{\"add\":[\"css-float\",\"no-such\"]}"));
        assertEquals("", accepted("welcome"));
    }

    @Test
    void noFeatureIsAcceptedInAnUnknownOrDeletedTemplate() {
        assertEquals(404, browser.put("/data/templates/welcome/features", "{\"add\":[\"css-float\"]}").status());
        stet.template(ada, "welcome", "<video>");
        assertEquals(204, browser.delete("/data/templates/welcome").status());
        assertEquals(404, browser.put("/data/templates/welcome/features", "{\"add\":[\"css-float\"]}").status(), "in the trash");
    }

    @Test
    void anAcceptedFeatureChangesNeitherTheApiNorPublishing() {
        stet.template(ada, "welcome", "<video>");
        stet.draft(ada, "welcome", "welcome", "Hi", "<video><dialog>");
        String before = stet.get(Running.TEMPLATES + "welcome", stet.key(ada)).text();
        assertEquals(200, browser.put("/data/templates/welcome/features", "{\"add\":[\"html-video\"]}").status());
        assertEquals(before, stet.get(Running.TEMPLATES + "welcome", stet.key(ada)).text());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":2}").status(), "the other feature is only advice");
    }

    @Test
    void anAcceptedFeatureStaysWithTheTemplateAndItsCopy() {
        stet.template(ada, "welcome", "<video>");
        assertEquals(200, browser.put("/data/templates/welcome/features", "{\"add\":[\"html-video\"]}").status());
        assertEquals(201, browser.post("/data/templates", "{\"id\":\"copy\",\"name\":\"Copy\",\"copyOf\":\"welcome\"}").status());
        assertEquals("html-video", accepted("copy"));
        assertEquals(204, browser.delete("/data/templates/welcome").status());
        assertEquals(200, browser.post("/data/deletions/welcome/restore", "{}").status());
        assertEquals("html-video", accepted("welcome"));
    }
}
