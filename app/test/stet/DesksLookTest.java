package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import stet.Look.View;

/** The pages with an editor and their dialogs, as everyone sees them. */
@Tag("browser")
@ExtendWith(Chromium.class)
class DesksLookTest {
    @AutoClose
    private static DemoDesk desk;

    @BeforeAll
    static void fill() throws IOException {
        desk = new DemoDesk();
    }

    private static final List<View> VIEWS = List.of(
            new View("template", "/templates/welcome", window -> window.heading("Welcome").preview("Welcome")),
            new View("template-alone", "/templates/welcome/preview", window -> window.heading("Welcome").preview("Welcome")),
            new View("template-inspected", "/templates/welcome", window -> {
                window.heading("Welcome").preview("Welcome");
                Window.within(() -> "nothing is chosen", () -> {
                    window.inPreview("document.querySelector('a[href]')"
                            + ".dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))");
                    return window.look("field", "Link address") != null;
                });
            }),
            new View("publish-pictures", "/templates/receipt", window -> window.heading("Receipt").press("Publish\u2026")
                    .heading("Publish Receipt").tab("Pictures").sees("figcaption", "The draft")),
            new View("template-blocks", "/templates/receipt", window -> window.heading("Receipt").tab("Blocks").preview("Thank you")),
            new View("template-checks", "/templates/newsletter", window -> window.heading("Autumn newsletter").tab("Checks")
                    .sees(".checks", "is not closed").preview("Autumn")),
            new View("template-history", "/templates/receipt", window -> window.heading("Receipt").tab("History")
                    .sees("ol.versions", "Version 1").preview("Thank you")),
            new View("template-json", "/templates/receipt", window -> window.heading("Receipt").tab("Variables").press("JSON")
                    .sees(".json-status", "No errors.").press("Format").preview("Thank you")),
            new View("template-json-error", "/templates/welcome", window -> {
                window.heading("Welcome").press("JSON").sees(".json-status", "No errors.");
                window.script("document.querySelector('.json .CodeMirror').CodeMirror.replaceRange('x', { line: 1, ch: 2 })");
                window.sees(".json-status", "Line 2, column 3: ");
            }),
            new View("template-set-new", "/templates/receipt", window -> window.heading("Receipt").press("New set of test data")
                    .heading("New set of test data")),
            new View("publish-again", "/templates/receipt", window -> window.heading("Receipt").tab("History")
                    .choose("More for version 1", "Publish again…").heading("Publish version 1 again").sees("Fetched in the last 30 days")),
            new View("template-api", "/templates/receipt", window -> window.heading("Receipt").tab("API").preview("Thank you")),
            new View("template-view", "/templates/receipt", window -> window.heading("Receipt").tab("History")
                    .press("View version 1").heading("Version 1").preview("Thank you")),
            new View("template-difference", "/templates/receipt", window -> window.heading("Receipt").tab("History")
                    .choose("More for version 1", "Difference").sees("ins.line", "delivery")),
            new View("publish", "/templates/receipt", window -> window.heading("Receipt").press("Publish…").heading("Publish Receipt")
                    .sees("ins.line", "delivery")),
            new View("publish-blocked", "/templates/newsletter", window -> window.heading("Autumn newsletter").press("Publish…")
                    .heading("Publishing is blocked")),
            new View("conflict", "/templates/password-reset", window -> {
                window.heading("Password reset");
                desk.stet.db.change(dao -> dao.save(desk.demo.id(), DemoDesk.other(dao.template(desk.demo.id(), "password-reset").orElseThrow()), desk.stet.now()));
                window.type("Subject", "Choose your new password").ctrl("s").heading("Someone else saved meanwhile");
            }),
            new View("block", "/blocks/footer", window -> window.heading("footer").preview("Questions")),
            new View("stale", "/stale", window -> window.heading("Older blocks in live templates")
                    .press("Show difference of Welcome").sees("ins.line", "Harbour")),
            new View("template-desk", "/templates/receipt", window -> window.heading("Receipt").sees(".presence", "Ben Ode has this open")
                    .sees(".request", "for the sale").sees(".live-version", "published").preview("Thank you")),
            new View("leave", "/templates/welcome", window -> window.heading("Welcome").type("Subject", "Hi").follow("Keys")
                    .heading("Leave with unsaved changes?")),
            new View("signin-again", "/templates/welcome", window -> {
                window.heading("Welcome").type("Subject", "Hi");
                window.driver.executeCdpCommand("Network.clearBrowserCookies", Map.of());
                window.ctrl("s").heading("Sign in again");
            }),
            new View("template-complete", "/templates/welcome", window -> {
                window.heading("Welcome").sees(".variables", "company").script("const mirror = document.querySelector('.CodeMirror').CodeMirror; "
                        + "mirror.focus(); mirror.setCursor({line: 1, ch: 0})");
                window.keys("{{n").sees(".CodeMirror-hints", "name");
            }),
            new View("preview-alone", "/templates/welcome/preview", window -> window.heading("Welcome").preview("Confirm my address")),
            new View("template-kept", "/templates/welcome", window -> window.heading("Welcome").press("Show the kept text")
                    .heading("Text kept in this browser")),
            // One after the other on the same page.
            new View("template-menu", null, window -> window.press("Not now").closed().press("More for this template")),
            new View("template-preview-menu", null, window -> window.keys(Keys.ESCAPE).press("More to do with the preview")),
            new View("template-edit-menu", null, window -> window.keys(Keys.ESCAPE).press("Edit")),
            new View("template-find", null, window -> window.keys(Keys.ESCAPE).choose("Edit", "Find and replace").type("Find", "e")
                    .sees(".found", "1 of")),
            new View("template-insert-block", null, window -> window.choose("Edit", "Insert a block…").heading("Insert a shared block")),
            new View("template-make-block", null, window -> {
                window.keys(Keys.ESCAPE).closed().script("document.querySelector('.CodeMirror').CodeMirror.execCommand('selectAll')");
                window.choose("Edit", "Make the selection a block…").heading("Make the selection a block");
            }),
            new View("shortcuts", null, window -> window.keys(Keys.ESCAPE).closed().keys(Keys.F1).heading("Shortcuts")));

    @Test
    void everyDeskIsForEveryone(Window window) {
        Look look = new Look(window);
        for (View view : VIEWS) {
            look.at(view.name(), () -> view.steps().accept(view.path() == null ? window : window.signedIn(desk.stet, desk.demo, view.path())));
            if (view == VIEWS.get(0)) {
                look.atPreview(view.name());
            }
        }
        assertEquals("", look.wrong());
    }
}
