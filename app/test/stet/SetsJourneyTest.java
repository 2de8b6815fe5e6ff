package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import stet.core.Account;
import stet.core.Json;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Samples;

/** Sets of test data in a browser: by fields, as JSON, from a file, and of two people at once. */
@Tag("browser")
@ExtendWith(Chromium.class)
class SetsJourneyTest {
    private static final String HTML = "<p>Hi {{name}}: {{#each items}}{{title}} {{price}}, {{/each}}{{order.total}}</p>";
    private static final String LENA = "{ \"name\": \"Lena\",\r\n\t\"vip\": 1.50,\r\n\t\"items\": [ {\"title\": \"Ink\"} ] }\r\n";

    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("ada@example.com", Plan.PRO);

    private Samples saved() {
        return stet.db.read(dao -> dao.samples(account.id(), "welcome"));
    }

    /** Clicks into the JSON. */
    private static Window json(Window window) {
        Window.within(() -> "no JSON", () -> {
            window.driver.findElement(By.cssSelector(".json .CodeMirror-lines")).click();
            return true;
        });
        return window;
    }

    private static void chooses(Window window, String option) {
        Window.within(() -> window.shown("#test-set"), () -> option.equals(
                window.script("return document.querySelector('#test-set').selectedOptions[0].textContent")));
    }

    private static void choose(Window window, String name) {
        Window.within(() -> "no " + name, () -> {
            window.driver.findElement(By.cssSelector("#test-set option[value=" + name + "]")).click();
            return true;
        });
    }

    @Test
    void setsByFieldsAsJsonAndFromAFile(Window window, @TempDir Path folder) throws IOException {
        stet.draft(account, "welcome", "Welcome", "For {{name}}", HTML);
        Path file = Files.writeString(folder.resolve("lena.json"), LENA);
        window.signedIn(stet, account, "/templates/welcome").heading("Welcome").tab("Variables");
        window.type("Sample value of name", "Ada").type("Sample value of items[].title", "Tea").type("Sample value of order.total", "7");
        window.preview("Hi Ada: Tea , 7");
        chooses(window, "default (default)");
        window.tab("Checks").sees("[role=tabpanel]", "The test data has no value for items[].price.").press("Go to test data default");
        window.press("Add examples for what is missing").preview("Hi Ada: Tea € 24.00, 7");
        window.save();
        assertEquals("{\n  \"name\": \"Ada\",\n  \"items\": [\n    {\n      \"title\": \"Tea\",\n      \"price\": \"€ 24.00\"\n    }\n  ],\n"
                + "  \"order\": {\n    \"total\": \"7\"\n  }\n}\n", saved().document("default"));

        // A file becomes a set, as it is written.
        window.press("New set of test data").heading("New set of test data").type("Name", "a b").press("Add")
                .sees("A name has 1 to 64 letters, digits, - and _").type("Name", "lena");
        window.driver.findElement(By.id("test-file")).sendKeys(file.toString());
        window.press("Add").closed().preview("Hi Lena: Ink , {{order.total}}");
        chooses(window, "lena");
        window.sees(".inbox-subject", "For Lena").save();
        assertEquals(LENA, saved().document("lena"));

        // One field changes one value.
        window.type("Sample value of name", "Lena K.").type("Sample value of items[].price", "3").preview("Hi Lena K.: Ink 3,");
        window.press("More").press("Make default").save();
        String edited = LENA.replace("Lena", "Lena K.").replace("\"Ink\"", "\"Ink\", \"price\": \"3\"");
        assertEquals(edited, saved().document("lena"));
        assertEquals("lena", saved().defaultName());

        // An error is told with its place; the preview stays, and nothing is saved over the last good one.
        window.press("JSON");
        json(window).ctrl(Keys.END.toString()).keys(Keys.ARROW_UP, Keys.END, ",")
                .sees(".json-status", "Line 3, column 47: there is more behind the end of the document.");
        window.keys(Keys.BACK_SPACE).sees(".json-status", "No errors.").keys(Keys.ARROW_LEFT, Keys.BACK_SPACE, ",")
                .sees(".json-status", "there is a comma too many before }").ctrl("s")
                .sees(".write .error", "Not saved: The test data \"lena\" cannot be used: It is not JSON");
        assertTrue(window.preview("Hi Lena K.").contains("Ink 3"));
        window.press("Fields").sees(".notice", "This test data has an error on line 3").press("Show it").ctrl("z")
                .sees(".json-status", "No errors.").keys(Keys.ARROW_RIGHT, " ").save();
        assertEquals(edited.replace("} ] }", "} ]} "), saved().document("lena"));
        window.press("Format").sees(".json", "\"vip\": 1.50,").save();
        assertEquals("{\n  \"name\": \"Lena K.\",\n  \"vip\": 1.50,\n", saved().document("lena").substring(0, 38));

        // The dialog before publishing knows the default set; so does an old version.
        window.press("Publish…").heading("Publish Welcome").sees(".tree", "items[] 1 row").sees(".tree", "price 3")
                .sees("The test data has no value for order.").press("Publish").closed().sees("Version 1 of Welcome is live.");
        window.tab("History").press("View version 1").heading("Version 1").preview("Hi Lena K.");
        window.driver.findElement(By.cssSelector("#shown-set option[value=default]")).click();
        window.preview("Hi Ada: Tea");
        window.press("Close").closed().tab("Variables");
        choose(window, "default");
        window.preview("Hi Ada").contains("Tea");
        window.press("Rename the test data…").heading("Rename default").type("Name", "ada").press("Rename").closed();
        chooses(window, "ada");
        window.press("Delete the test data…").press("Delete").closed();
        chooses(window, "lena (default)");
        window.save();
        assertEquals("[lena]", saved().documents().keySet().toString());
    }

    @Test
    void nothingOfTwoPeoplesSetsIsLost(Window window) {
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>Hi {{name}}</p>");
        Browser ben = Browser.of(stet, account, stet.member(account, "ben@example.com", Role.WRITER, "correct horse"));
        String body = "{\"revision\":%d,\"subject\":\"Hi\",\"html\":\"<p>%s {{name}}</p>\",\"samples\":{%s},\"defaultSamples\":\"a\"}";
        assertEquals(200, ben.put("/data/templates/welcome", body.formatted(1, "Hi", "\"a\":\"{}\",\"b\":\"{}\"")).status());
        window.signedIn(stet, account, "/templates/welcome").heading("Welcome").tab("Variables").type("Sample value of name", "Ada").preview("Hi Ada");
        String theirs = "\"a\":\"{}\",\"b\":\"{\\\"name\\\":\\\"Ben\\\"}\",\"c\":\"{}\"";
        assertEquals(200, ben.put("/data/templates/welcome", body.formatted(2, "Hi", theirs)).status());
        // She has changed a, he b and c: both stand, and nobody is asked.
        window.save();
        Window.within(() -> saved().toString(), () -> saved().documents().size() == 3);
        assertEquals("{\"name\":\"Ben\"}", saved().document("b"));
        assertEquals("Ada", Json.document(saved().document("a")).get("name").asText());

        // Both change the same set, and he the text.
        window.type("Sample value of name", "Ada B.").preview("Hi Ada B.");
        assertEquals(200, ben.put("/data/templates/welcome", body.formatted(4, "Dear", "\"a\":\"{\\\"name\\\":\\\"Ben\\\"}\"")).status());
        window.ctrl("s").heading("Someone else saved meanwhile").sees("Whatever you choose, that of both is kept").press("Take theirs").closed()
                .preview("Dear Ben");
        choose(window, "a-2");
        window.preview("Dear Ada B.");
        window.save();
        Window.within(() -> saved().toString(), () -> saved().documents().keySet().toString().equals("[a, a-2]"));
        assertEquals("Ada B.", Json.document(saved().document("a-2")).get("name").asText());
    }
}
