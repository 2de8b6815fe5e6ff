package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
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

        // A longer list is edited as JSON beyond its first rows.
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

    @Test
    void testDataIsEditedAsFieldsAsJsonAndFromAFile(Window window, @TempDir Path folder) throws IOException {
        stet.draft(account, "welcome", "Welcome", "For {{name}}", HTML);
        Path file = Files.writeString(folder.resolve("lena.json"), LENA);
        window.signedIn(stet, account, "/templates/welcome").heading("Welcome").tab("Data").sees(".sets", "No test data yet.");
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

        // A file becomes a set, unchanged.
        window.click("New test data").heading("New test data").type("Name", "a b").click("Add")
                .sees("Use 1 to 64 letters, digits, - and _").type("Name", "lena");
        window.driver.findElement(By.id("test-file")).sendKeys(file.toString());
        window.click("Add").closed().preview("Hi Lena: Ink , {{order.total}}");
        chooses(window, "lena");
        window.sees(".inbox-subject", "For Lena").save();
        assertEquals(LENA, saved().document("lena"));

        // A field changes only its value.
        window.type("Sample value for name", "Lena K.").type("Sample value for items[].price", "3").preview("Hi Lena K.: Ink 3,");
        window.choose("Manage test data", "Make default").save();
        String edited = LENA.replace("Lena", "Lena K.").replace("\"Ink\"", "\"Ink\", \"price\": \"3\"");
        assertEquals(edited, saved().document("lena"));
        assertEquals("lena", saved().defaultName());

        // An error shows its position; the preview stays, and the last valid JSON is kept.
        window.click("JSON");
        json(window).ctrl(Keys.END.toString()).keys(Keys.ARROW_UP, Keys.END, ",")
                .sees(".json-status", "Line 3, column 47: unexpected text after the end of the document.");
        window.keys(Keys.BACK_SPACE).sees(".json-status", "No errors.").keys(Keys.ARROW_LEFT, Keys.BACK_SPACE, ",")
                .sees(".json-status", "remove the comma before }").ctrl("s")
                .sees(".write .error", "Not saved. Fix the error in test data lena at line 3, column 45: remove the comma before }.");
        assertTrue(window.preview("Hi Lena K.").contains("Ink 3"));
        window.click("Fields").sees(".notice", "Error on line 3").click("Show error").ctrl("z")
                .sees(".json-status", "No errors.").keys(Keys.ARROW_RIGHT, " ").save();
        assertEquals(edited.replace("} ] }", "} ]} "), saved().document("lena"));
        window.click("Format").sees(".json", "\"vip\": 1.50,").save();
        assertEquals("{\n  \"name\": \"Lena K.\",\n  \"vip\": 1.50,\n", saved().document("lena").substring(0, 38));

        // The publish dialog and old versions use the default set.
        window.click("Publish…").heading("Publish Welcome").sees(".tree", "items[] 1 row").sees(".tree", "price 3")
                .sees("No test data for order.").click("Publish").heading("Welcome is live").click("Later").closed();
        window.tab("History").click("View version 1").heading("Version 1").preview("Hi Lena K.");
        window.driver.findElement(By.cssSelector("#shown-set option[value=default]")).click();
        window.preview("Hi Ada: Tea");
        window.click("Close").closed().tab("Data");
        choose(window, "default");
        window.preview("Hi Ada").contains("Tea");
        window.choose("Manage test data", "Rename…").heading("Rename default").type("Name", "ada").click("Rename").closed();
        chooses(window, "ada");
        window.choose("Manage test data", "Delete…").click("Delete").closed();
        chooses(window, "lena (default)");
        window.save();
        assertEquals("[lena]", saved().documents().keySet().toString());
    }

    /** Errors show their position, and changing a value leaves all other characters unchanged. */
    @Test
    void jsonErrorsHaveAPositionAndChangesKeepOtherCharacters(Window window) {
        window.open(stet, "/signin").heading("Sign in");
        String found = (String) window.driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                import(new URL('samples/json.js', document.querySelector('script[type=module]').src)).then(({ parseDocument, changed, formatted }) => done([
                  ...arguments[0].map(text => { const { error } = parseDocument(text);
                    return error ? `${error.line}:${error.column} ${error.sentence}` : 'ok'; }),
                  ...arguments[1].map(([text, path, value]) => changed(text, path, value === null ? undefined : value)),
                  formatted('{"a":[],"b":{},"c":[1.50,{"d":"\\\\u00e9"}]}'),
                ].join('\\n')), failure => done(String(failure)));
                """, List.of("", "{", "{\"a\"", "{\"a\": 1,}", "{a: 1}", "{\"a\": 'x'}", "{\"a\": Ada}", "{\"a\": 1\r\n \"b\": 2}", "{\n \"a\": [1, 2\n}",
                        "{} x", "[]", "{\"a\":\"x\n\"}", "{\"a\":1,\"a\":2}", "{\"a\":\"\\q\"}", "{\"a\":01}",
                                "{\"a\":123456789012345678901}",
                        "{\"a\":" + "[".repeat(20) + "]}", " {\"a\":[-1.5e3,true,null,{\"__proto__\":\"\\u00e9\"}]} \n"),
                List.of(List.of("{}\n", List.of("name"), "Ada"), List.of("{\n  \"a\": 1\n}\n", List.of("b", "c"), 2),
                        List.of("{\n  \"a\": 1\n}", List.of("items", 0, "price"), "3"), List.of("{ \"a\": {\"b\": 1.50} }",
                                List.of("a", "c"), true),
                        Arrays.asList("{ \"a\": 1.50, \"b\": 2 }", List.of("a"), null),
                                Arrays.asList("{\n  \"a\": 1,\n  \"b\": 2\n}", List.of("b"), null),
                        List.of("{\n\t\"items\": [\n\t\t{\"x\": 1}\n\t]\n}", List.of("items", 0, "y"), "z"),
                        List.of("{\"a\":\"x\"}", List.of("a", "b"), "\"")));
        assertEquals("""
                1:1 the document is empty; enter at least {}
                1:1 { is never closed
                1:5 missing colon after "a"
                1:8 remove the comma before }
                1:2 expected a name in double quotes
                1:7 use double quotes for strings: "Ada"
                1:7 put double quotes around Ada
                2:2 missing comma or } before "
                3:1 missing comma or ] before }
                1:4 unexpected text after the end of the document
                1:1 test data must be a JSON object that starts with {
                1:6 this string has no closing double quote
                1:8 duplicate name "a"
                1:7 a backslash must be followed by one of " \\ / b f n r t u
                1:6 invalid number; write it as a string in double quotes
                1:6 numbers can have at most 20 characters; write this number as a string in double quotes
                1:25 nested more than 20 levels deep
                ok
                {
                  "name": "Ada"
                }

                {
                  "a": 1,
                  "b": {
                    "c": 2
                  }
                }

                {
                  "a": 1,
                  "items": [
                    {
                      "price": "3"
                    }
                  ]
                }
                { "a": {"b": 1.50, "c": true} }
                { "b": 2 }
                {
                  "a": 1
                }
                {
                \t"items": [
                \t\t{"x": 1, "y": "z"}
                \t]
                }
                {"a":{"b":"\\""}}
                {
                  "a": [],
                  "b": {},
                  "c": [
                    1.50,
                    {
                      "d": "\\u00e9"
                    }
                  ]
                }
                """, found);
    }

    @Test
    void testDataOfTwoUsersIsMergedOrKeptBoth(Window window) {
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>Hi {{name}}</p>");
        Browser ben = Browser.of(stet, account, stet.member(account, "ben@example.com", Role.WRITER, "correct horse"));
        String body = "{\"revision\":%d,\"subject\":\"Hi\",\"html\":\"<p>%s {{name}}</p>\",\"samples\":{%s},\"defaultSamples\":\"a\"}";
        assertEquals(200, ben.put("/data/templates/welcome", body.formatted(1, "Hi", "\"a\":\"{}\",\"b\":\"{}\"")).status());
        window.signedIn(stet, account, "/templates/welcome").heading("Welcome").tab("Data").type("Sample value for name", "Ada")
                .preview("Hi Ada");
        String theirs = "\"a\":\"{}\",\"b\":\"{\\\"name\\\":\\\"Ben\\\"}\",\"c\":\"{}\"";
        assertEquals(200, ben.put("/data/templates/welcome", body.formatted(2, "Hi", theirs)).status());
        // She changed a; he changed b and c. The changes are merged without a conflict.
        window.save();
        Window.within(() -> saved().toString(), () -> saved().documents().size() == 3);
        assertEquals("{\"name\":\"Ben\"}", saved().document("b"));
        assertEquals("Ada", Json.document(saved().document("a")).get("name").asText());

        // Both change the same set, and he also changes the text.
        window.type("Sample value for name", "Ada B.").preview("Hi Ada B.");
        assertEquals(200, ben.put("/data/templates/welcome", body.formatted(4, "Dear", "\"a\":\"{\\\"name\\\":\\\"Ben\\\"}\""))
                .status());
        window.ctrl("s").heading("Someone else saved changes").sees("Whatever you choose, no test data is lost")
                .click("Use theirs").closed()
                .preview("Dear Ben");
        choose(window, "a-2");
        window.preview("Dear Ada B.");
        window.save();
        Window.within(() -> saved().toString(), () -> saved().documents().keySet().toString().equals("[a, a-2]"));
        assertEquals("Ada B.", Json.document(saved().document("a-2")).get("name").asText());
    }
}
