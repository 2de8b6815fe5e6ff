package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import stet.base.Json;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Samples;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** Sets of test data in a browser: edited as fields, as JSON, from a file, and by two users at once. */
@Tag("browser")
@ExtendWith(Chromium.class)
class SetsJourneyTest {
    private static final String HTML = "<p>Hi {{name}}: {{#each items}}{{title}} {{price}}, {{/each}}{{order.total}}</p>";
    private static final String ADA = "{\"name\": \"Ada\", \"items\": [{\"title\": \"Tea\"}]}";
    private static final String LENA = "{ \"name\": \"Lena\",\r\n\t\"vip\": 1.50,\r\n\t\"items\": [ {\"title\": \"Ink\"} ] }\r\n";

    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("ada@example.com", Plan.PRO);

    private Samples saved() {
        return stet.db.read(dao -> dao.templates().samples(account.id(), "welcome"));
    }

    @Test
    void allPlacesOfAVariableAreOneButton(Window window) {
        stet.draft(account, "welcome", "Welcome", "For {{name}}", "<p>{{name}}</p>\n<p>once {{other}}</p>\n<p>{{name}}</p>");
        window.signedIn(stet, account, "/templates/welcome").heading("Welcome").tab("Data").click("name is used in 3 places; go to the next occurrence");
        assertEquals("subject", window.script("return document.activeElement.id"));
        window.click("name is used in 3 places; go to the next occurrence").click("name is used in 3 places; go to the next occurrence");
        assertEquals(2L, window.script("return document.querySelector('.CodeMirror').CodeMirror.getCursor().line"));
        window.click("Go to line 2");
        assertEquals(1L, window.script("return document.querySelector('.CodeMirror').CodeMirror.getCursor().line"));
    }

    @Test
    void rowsOfAListAreATable(Window window) {
        stet.draft(account, "welcome", "Welcome", "For {{name}}", HTML);
        window.signedIn(stet, account, "/templates/welcome").heading("Welcome").tab("Data")
                .type("Sample value for items[].title", "Tea").type("Sample value for items[].price", "2").click("Add a row to items")
                .type("Sample value for items[].title, row 2", "Ink").type("Sample value for items[].price, row 2", "3")
                .preview("Tea 2, Ink 3,");
        window.click("Add a row to items").type("Sample value for items[].title, row 3", "Pen").preview("Tea 2, Ink 3, Pen ,");
        window.click("Remove row 2 of items").preview("Tea 2, Pen ,");
        assertEquals("Sample value for items[].title, row 2", window.script("return document.activeElement.ariaLabel"));
        window.click("Remove row 2 of items").click("Remove row 1 of items").sees(".variables", "no rows yet")
                .type("Sample value for items[].title", "Cup").preview("Cup ,");
        window.save();
        assertEquals("{\n  \"items\": [{\"title\":\"Cup\"}]\n}\n", saved().document("default"));
    }

    /** The rows behind them are edited as JSON. */
    @Test
    void aLongListShowsItsFirstRows(Window window) {
        String many = IntStream.range(0, 60).mapToObj(i -> "{\"title\": \"T" + i + "\"}").collect(Collectors.joining(", "));
        stet.db.change(dao -> dao.templates().save(account.id(), new Draft("welcome", "Welcome", "", HTML.getBytes(StandardCharsets.UTF_8),
                Samples.of(Map.of("default", "{\"items\": [" + many + ", 7]}"), "default")), stet.now()));
        window.signedIn(stet, account, "/templates/welcome").heading("Welcome").tab("Data")
                .sees(".variables", "61 rows; the first 50 are shown below");
        assertEquals("T49", window.value("Sample value for items[].title, row 50"));
        assertNull(window.look("field", "Sample value for items[].title, row 51"));
    }

    /** Focuses the JSON editor. */
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

    /** A draft with these sets; the first one is the default. */
    private Window opened(Window window, String... sets) {
        Map<String, String> documents = new LinkedHashMap<>();
        for (int i = 0; i < sets.length; i += 2) {
            documents.put(sets[i], sets[i + 1]);
        }
        stet.db.change(dao -> dao.templates().save(account.id(), new Draft("welcome", "Welcome", "For {{name}}", HTML.getBytes(StandardCharsets.UTF_8),
                Samples.of(documents, sets.length == 0 ? null : sets[0])), stet.now()));
        return window.signedIn(stet, account, "/templates/welcome").heading("Welcome").tab("Data");
    }

    @Test
    void fieldsFillASetNamedDefault(Window window) {
        opened(window).sees(".sets", "No test data yet.");
        assertNull(window.look("field", "Test data"));
        window.type("Sample value for name", "Ada").type("Sample value for items[].title", "Tea")
                .type("Sample value for order.total", "7");
        window.preview("Hi Ada: Tea , 7");
        chooses(window, "default");
        window.tab("Checks").sees("[role=tabpanel]", "No test data for items[].price.")
                .click("Go to test data default");
        window.click("Add missing examples").preview("Hi Ada: Tea € 24.00, 7");
        window.save();
        assertEquals("{\n  \"name\": \"Ada\",\n  \"items\": [\n    {\n      \"title\": \"Tea\",\n      \"price\": \"€ 24.00\"\n    }\n  ],\n"
                + "  \"order\": {\n    \"total\": \"7\"\n  }\n}\n", saved().document("default"));
    }

    @Test
    void aFileBecomesASetUnchanged(Window window, @TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("lena.json"), LENA);
        opened(window, "default", ADA).click("New test data").heading("New test data").type("Name", "a b").click("Add")
                .sees("Use 1 to 64 letters, digits, - and _").type("Name", "lena");
        window.driver.findElement(By.id("test-file")).sendKeys(file.toString());
        window.click("Add").closed().preview("Hi Lena: Ink , {{order.total}}");
        chooses(window, "lena");
        window.sees(".inbox-subject", "For Lena").save();
        assertEquals(LENA, saved().document("lena"));
    }

    @Test
    void aFieldChangesOnlyItsValue(Window window) {
        opened(window, "lena", LENA).type("Sample value for name", "Lena K.").type("Sample value for items[].price", "3")
                .preview("Hi Lena K.: Ink 3,");
        window.save();
        assertEquals(LENA.replace("Lena", "Lena K.").replace("\"Ink\"", "\"Ink\", \"price\": \"3\""), saved().document("lena"));
    }

    @Test
    void removingAnUnusedNameLeavesTheFocusInAField(Window window) {
        opened(window, "lena", LENA).preview("Hi Lena: Ink");
        window.find("button", "Remove the sample value for vip").sendKeys(Keys.ENTER);
        Window.within(() -> "vip stays", () -> window.driver.findElements(By.cssSelector("[data-variable=vip]")).isEmpty());
        assertEquals(true, window.script("return document.activeElement.matches('.variables input')"));
    }

    /** The preview keeps the last valid document. */
    @Test
    void anErrorOfJsonShowsItsPositionAndIsNotSaved(Window window) {
        opened(window, "lena", LENA).preview("Hi Lena: Ink");
        window.click("JSON");
        json(window).ctrl(Keys.END.toString()).keys(Keys.ARROW_UP, Keys.END, ",")
                .sees(".json-status", "Line 3, column 33: unexpected text after the end of the document.");
        window.keys(Keys.BACK_SPACE).sees(".json-status", "No errors.").keys(Keys.ARROW_LEFT, Keys.BACK_SPACE, ",")
                .sees(".json-status", "remove the comma before }").ctrl("s")
                .sees(".write .error", "Not saved. Fix the error in test data lena at line 3, column 31: remove the comma before }.");
        assertTrue(window.preview("Hi Lena").contains("Ink"));
        window.click("Fields").sees(".notice", "Error on line 3").click("Show error").ctrl("z")
                .sees(".json-status", "No errors.").keys(Keys.ARROW_RIGHT, " ").save();
        assertEquals(LENA.replace("} ] }", "} ]} "), saved().document("lena"));
    }

    @Test
    void formattingJsonKeepsTheDigitsOfNumbers(Window window) {
        opened(window, "lena", LENA).preview("Hi Lena: Ink");
        window.click("JSON").click("Format").sees(".json", "\"vip\": 1.50,").save();
        assertEquals("{\n  \"name\": \"Lena\",\n  \"vip\": 1.50,\n", saved().document("lena").substring(0, 35));
    }

    @Test
    void thePublishDialogAndVersionsHaveTheDefaultSet(Window window) {
        opened(window, "default", ADA, "lena", LENA.replace("\"Ink\"", "\"Ink\", \"price\": \"3\""));
        choose(window, "lena");
        window.preview("Hi Lena");
        window.choose("Manage test data", "Make default").save();
        assertEquals("lena", saved().defaultName());
        window.click("Publish…").heading("Publish Welcome").sees(".tree", "items[] 1 row").sees(".tree", "price 3")
                .sees("No test data for order.").click("Publish").heading("Welcome is live").click("Later").closed();
        window.tab("History").click("View version 1").heading("Version 1").preview("Hi Lena");
        window.driver.findElement(By.cssSelector("#shown-set option[value=default]")).click();
        window.preview("Hi Ada: Tea");
    }

    @Test
    void aSetIsRenamedAndDeleted(Window window) {
        opened(window, "lena", LENA, "default", ADA);
        choose(window, "default");
        window.preview("Hi Ada: Tea");
        window.choose("Manage test data", "Rename…").heading("Rename default").type("Name", "ada").click("Rename").closed();
        chooses(window, "ada");
        window.choose("Manage test data", "Delete…").click("Delete").closed();
        chooses(window, "lena (default)");
        window.save();
        assertEquals("[lena]", saved().documents().keySet().toString());
    }

    private static final String BODY = "{\"revision\":%d,\"subject\":\"Hi\",\"html\":\"<p>%s {{name}}</p>\",\"samples\":{%s},\"defaultSamples\":\"a\"}";

    private void saves(Browser user, long revision, String text, String samples) {
        assertEquals(200, user.put("/data/templates/welcome", BODY.formatted(revision, text, samples)).status());
    }

    /** Opens a draft that another user has saved with these sets, and fills in the set {@code a}. @return the other user */
    private Browser bothEdit(Window window, String samples) {
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>Hi {{name}}</p>");
        Browser ben = Browser.of(stet, account, stet.member(account, "ben@example.com", Role.WRITER, "correct horse"));
        saves(ben, 1, "Hi", samples);
        window.signedIn(stet, account, "/templates/welcome").heading("Welcome").tab("Data").type("Sample value for name", "Ada")
                .preview("Hi Ada");
        return ben;
    }

    @Test
    void differentSetsOfTwoUsersAreMergedWithoutAConflict(Window window) {
        Browser ben = bothEdit(window, "\"a\":\"{}\",\"b\":\"{}\"");
        saves(ben, 2, "Hi", "\"a\":\"{}\",\"b\":\"{\\\"name\\\":\\\"Ben\\\"}\",\"c\":\"{}\"");
        window.save();
        Window.within(() -> saved().toString(), () -> saved().documents().size() == 3);
        assertEquals("{\"name\":\"Ben\"}", saved().document("b"));
        assertEquals("Ada", Json.document(saved().document("a")).get("name").asText());
    }

    @Test
    void oneSetOfTwoUsersIsKeptTwice(Window window) {
        Browser ben = bothEdit(window, "\"a\":\"{}\"");
        saves(ben, 2, "Dear", "\"a\":\"{\\\"name\\\":\\\"Ben\\\"}\"");
        window.ctrl("s").heading("Someone else saved changes").sees("Whatever you choose, no test data is lost")
                .click("Use theirs").closed()
                .preview("Dear Ben");
        choose(window, "a-2");
        window.preview("Dear Ada");
        window.save();
        Window.within(() -> saved().toString(), () -> saved().documents().keySet().toString().equals("[a, a-2]"));
        assertEquals("Ada", Json.document(saved().document("a-2")).get("name").asText());
    }
}
