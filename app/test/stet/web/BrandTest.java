package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Pictures;
import stet.harness.Running;
import stet.images.ImageFile;

/** The look of new emails, and the email that an author begins with. */
class BrandTest {
    private static final String CHOSEN = "{\"brand\":{\"colour\":\"#aa1122\",\"background\":\"#ffffff\",\"font\":\"georgia\",\"logo\":\"https://img.example/a.png?x=1&y=2\"},\"isChosen\":true}";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);

    private String empty(String id) {
        return empty(id, id);
    }

    private String empty(String id, String name) {
        assertEquals(201, browser.post("/data/templates", "{\"id\":\"" + id + "\",\"name\":\"" + name + "\",\"starter\":\"empty\"}").status());
        return draft(id);
    }

    private String draft(String id) {
        return stet.db.read(dao -> new String(dao.templates().find(ada.id(), id).orElseThrow().html(), StandardCharsets.UTF_8));
    }

    private void choose() {
        answered(200, CHOSEN, browser.put("/data/brand", "{\"colour\":\" #AA1122 \",\"background\":\"#ffffff\",\"font\":\"georgia\",\"logo\":\" https://img.example/a.png?x=1&y=2 \"}"));
    }

    @Test
    void aBrandIsChosenForItsAccountAlone() {
        answered(200, "{\"brand\":{\"colour\":\"#2455c3\",\"background\":\"#f3f4f7\",\"font\":\"system\",\"logo\":\"\"},\"isChosen\":false}", browser.get("/data/brand"));
        choose();
        answered(200, CHOSEN, browser.get("/data/brand"));
        assertTrue(Browser.of(stet, stet.account("ben@example.com", Plan.PRO)).get("/data/brand").text().contains("\"isChosen\":false"), "another account's is its own");
    }

    @Test
    void anEmptyEmailHasTheLookOfItsAccount() {
        String plain = empty("plain");
        assertHolds(plain, "<html lang=\"en\"", "<title>plain</title>", "#2455c3");
        assertFalse(plain.contains("<img"), plain);
        choose();
        assertHolds(empty("own"), "#aa1122", "Georgia, 'Times New Roman', serif", "src=\"https://img.example/a.png?x=1&amp;y=2\"");
    }

    private static void assertHolds(String html, String... parts) {
        for (String part : parts) {
            assertTrue(html.contains(part), part + " is not in " + html);
        }
    }

    @Test
    void anEmailThatExistsKeepsItsLook() {
        String plain = empty("plain");
        choose();
        assertEquals(plain, draft("plain"));
    }

    @Test
    void theListOfStartersShowsTheLookOfTheAccount() {
        choose();
        assertHolds(browser.get("/data/starters").text(), "#aa1122");
    }

    /** The words are the gaps that {@code EmptyMail} fills in. */
    @Test
    void aNameAndALogoMayContainTheWordsOfGaps() {
        String brand = "{\"colour\":\"#123456\",\"background\":\"#ffffff\",\"font\":\"arial\",\"logo\":\"https://img.example/FONT-COLOUR.png\"}";
        assertEquals(200, browser.put("/data/brand", brand).status());
        String html = empty("words", "LOGO, FONT, COLOUR & BACKGROUND in OUTLOOK");
        assertHolds(html, "<title>LOGO, FONT, COLOUR &amp; BACKGROUND in OUTLOOK</title>", "src=\"https://img.example/FONT-COLOUR.png\"");
    }

    /** No check warns of the email, mail clients show all of it, and each of its pieces can be edited. */
    @Test
    void anEmptyEmailHasNoProblems() {
        String draft = Json.object().put("subject", "Hi").put("html", empty("sound")).put("pieces", true).set("samples", Json.object()).toString();
        JsonNode checked = Json.tree(browser.post("/data/check", draft).text());
        assertEquals("[]", checked.get("problems").toString());
        assertFalse(checked.has("lost"), checked.toString());
        assertEquals(List.of("heading", "text"), checked.at("/pieces/piece").findValuesAsText("kind"));
        assertEquals("[]", checked.at("/pieces/fixed").toString());
    }

    @Test
    void anImageOfTheAccountCanBeTheLogo() {
        stet.db.change(dao -> dao.images().save(ada.id(), "images/logo.png", ImageFile.of(Pictures.png(40, 20, 1)), stet.now()));
        assertEquals(200, browser.put("/data/brand", "{\"colour\":\"#123456\",\"background\":\"#ffffff\",\"font\":\"arial\",\"logo\":\"{{> images/logo.png}}\"}").status());
        String html = empty("logo");
        assertTrue(html.contains("<img src=\"{{> images/logo.png}}\" width=\"160\""), html);
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " | ", quoteCharacter = '`', textBlock = """
            {'colour':'red','background':'#ffffff','font':'arial'} | colour | Enter a colour such as #2455c3
            {'colour':'#12345','background':'#ffffff','font':'arial'} | colour | Enter a colour such as #2455c3
            {'colour':'#123456','background':'#ffffff;x','font':'arial'} | background | Enter a colour such as #2455c3
            {'colour':'#123456','background':'#ffffff','font':'comic'} | font | Choose one of the fonts
            {'colour':'#123456','background':'#ffffff','font':'arial','logo':'javascript:alert(1)'} | logo | Enter an address of at most 500 characters that begins with https://
            {'colour':'#123456','background':'#ffffff','font':'arial','logo':'{{> images/../a.png}}'} | logo | Enter an address of at most 500 characters that begins with https://
            {'colour':'#123456','background':'#ffffff','font':'arial','logo':'{{> footer}}'} | logo | Enter an address of at most 500 characters that begins with https://
            {'colour':'#123456','background':'#ffffff','font':'arial','logo':'https://a.example/"onerror'} | logo | Enter an address of at most 500 characters that begins with https://
            """)
    void anInvalidBrandIsRejected(String json, String field, String sentence) {
        answered(422, "{\"error\":\"" + sentence + "\",\"field\":\"" + field + "\"}", browser.put("/data/brand", json.replace("\"", "\\\"").replace('\'', '"')));
        assertTrue(browser.get("/data/brand").text().contains("\"isChosen\":false"));
    }
}
