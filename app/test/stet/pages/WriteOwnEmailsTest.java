package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.pages.WritePage.ready;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.base.Json;
import stet.core.Account;
import stet.example.DemoTeam;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** The starters and the demo's emails in <em>Write</em>: each part is seen, chosen, and has its fields. */
@Tag("browser")
@ExtendWith(Chromium.class)
class WriteOwnEmailsTest {
    /** Chooses each part of an email. A line for each: its kind, its name in the structure if the preview does not show it, the labels of its fields. */
    private static final String PARTS = """
            return [...document.querySelectorAll('[role=treeitem]')].map(item => {
              const row = item.querySelector('.row-of');
              row.click();
              const fields = [...document.querySelectorAll('.piece-fields :is(label, button, a.button)')];
              return [document.querySelector('.piece-panel h2').textContent, row.matches('.absent') ? row.querySelector('b').textContent : '',
                fields.map(field => field.textContent.trim()).join(', ')].join(' | ');
            });
            """;
    private static final Map<String, Set<String>> FIELDS = Map.of("Heading", Set.of("Text colour"), "Text", Set.of("Text colour"),
            "Button", Set.of("Label", "Link", "Background", "Text colour"), "Image", Set.of("Image address", "Description", "Width"), "Divider", Set.of("Line colour"),
            "Shared block", Set.of("Open block"), "Condition", Set.of("Shown only if"), "List", Set.of("Repeated for each of"));

    @AutoClose
    private final Running stet = new Running();

    @Test
    void eachPartHasItsFields(Window window) throws IOException {
        Account demo = new DemoTeam(stet.db, stet.now(), new SecureRandom()).add();
        Browser browser = Browser.of(stet, demo, stet.db.read(dao -> dao.users().find("demo@example.com")).orElseThrow());
        for (String starter : List.of("sign-up", "reset", "order-receipt", "invitation", "digest", "empty")) {
            assertEquals(201, browser.post("/data/templates", "{\"id\":\"starter-" + starter + "\",\"name\":\"Mine: " + starter + "\",\"starter\":\"" + starter + "\"}").status());
        }
        Map<String, String> names = new TreeMap<>(); // by ID
        Json.tree(browser.get("/data/templates").text()).get("templates").forEach(each -> names.put(each.get("id").textValue(), each.get("name").textValue()));
        assertEquals(14, names.size());
        window.signedIn(stet, browser, "/usage").heading("Usage").writes();
        Set<String> kinds = new TreeSet<>();
        Set<String> absent = new TreeSet<>();
        for (String id : names.keySet()) {
            window.goTo("/templates/" + id).heading(names.get(id));
            Window.within(() -> "no parts", () -> (Boolean) window.script("return document.querySelector('[role=treeitem]') !== null"));
            ready(window);
            for (Object part : (List<?>) window.script(PARTS)) {
                String[] words = ((String) part).split(" \\| ", 3);
                kinds.add(words[0]);
                absent.add(words[1]);
                for (String field : FIELDS.getOrDefault(words[0], Set.of())) {
                    assertTrue(words[2].contains(field), id + ": " + part);
                }
            }
        }
        assertEquals("[Button, Columns, Condition, Divider, Heading, Image, List, Section, Shared block, Text]", kinds.toString(), "no HTML");
        absent.remove("");
        assertEquals("[It was a quiet week. There is nothing new., No new books this week.]", absent.toString(), "for lists without rows");
    }
}
