package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import stet.core.User;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.DemoAccount;
import stet.harness.Look.View;
import stet.harness.Look;
import stet.harness.Window;

/** Accessibility and layout of the pages with an editor, and their dialogs. */
@Tag("browser")
@ExtendWith(Chromium.class)
class EditorLookTest {
    @AutoClose
    private static DemoAccount data;

    @BeforeAll
    static void fill() throws IOException {
        data = new DemoAccount();
        data.stet.draft(data.demo, "unclosed", "Unclosed", "Hi", "<p>Hi {{name</p>");
    }

    private static final List<View> VIEWS = List.of(
            new View("template", "/templates/welcome", window -> window.heading("Welcome").preview("Welcome")),
            new View("template-inspected", "/templates/welcome", window -> {
                window.heading("Welcome").preview("Welcome");
                Window.within(() -> "nothing is chosen", () -> {
                    window.inPreview("document.querySelector('a[href]')"
                            + ".dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))");
                    return window.look("field", "Link address") != null;
                });
            }),
            new View("publish-pictures", "/templates/receipt", window -> {
                window.heading("Receipt").click("Publish…").heading("Publish Receipt").sees("ins.line", "delivery")
                        .scrolled("dialog [role=tab]");
                Window.within(() -> "no pictures", () -> { // a click may miss a tab that moves while the dialog loads
                    if (!"true".equals(window.find("tab", "Preview").getDomAttribute("aria-selected"))) {
                        window.tab("Preview");
                    }
                    return window.shown("figcaption").contains("Draft");
                });
            }),
            new View("template-blocks", "/templates/receipt", window -> window.heading("Receipt").tab("Blocks")
                    .preview("Thank you")),
            new View("template-checks", "/templates/newsletter", window -> window.heading("Autumn newsletter").tab("Checks")
                    .sees(".checks", "is not closed").preview("Autumn")),
            new View("template-features", "/templates/welcome", window -> {
                window.heading("Welcome").tab("Checks").click("Accept border-radius").sees(".features", "accepted for this template")
                        .preview("Welcome");
                window.script("document.querySelectorAll('.features details').forEach(one => { one.open = true; })");
                window.sees(".features", "Undo");
            }),
            new View("template-clients", "/templates/welcome", window -> window.heading("Welcome").tab("Checks").click("Select clients…")
                    .heading("Mail clients").sees("Source: caniemail.com, 2026")),
            new View("template-history", "/templates/receipt", window -> window.heading("Receipt").tab("History")
                    .sees("ol.versions", "Version 1").preview("Thank you")),
            new View("template-comments", "/templates/receipt", window -> window.heading("Receipt").tab("Comments")
                    .sees(".comments", "A little formal?").preview("Thank you")),
            new View("template-comment-answer", null, window -> window.click("Reply to comment by Kim").heading("Reply to Kim")),
            new View("template-comment-delete", null, window -> window.click("Cancel").closed().click("Delete comment by Kim")
                    .heading("Delete this comment?")),
            new View("template-reviews", "/templates/receipt", window -> window.heading("Receipt")
                    .choose("More template actions", "Review links…").heading("Review links for Receipt").click("Create link to draft")
                    .sees(".review-link", "/review#")),
            new View("template-rows", "/templates/receipt", window -> window.heading("Receipt").tab("Data")
                    .click("Add a row to items").sees(".sample-rows", "2").preview("Thank you")),
            new View("template-json", "/templates/receipt", window -> window.heading("Receipt").tab("Data").click("JSON")
                    .sees(".json-status", "No errors.").click("Format").preview("Thank you")),
            new View("template-json-error", "/templates/welcome", window -> {
                window.heading("Welcome").click("JSON").sees(".json-status", "No errors.");
                window.script("document.querySelector('.json .CodeMirror').CodeMirror.replaceRange('x', { line: 1, ch: 2 })");
                window.sees(".json-status", "Line 2, column 3: ");
            }),
            new View("template-set-new", "/templates/receipt", window -> window.heading("Receipt").click("New test data")
                    .heading("New test data")),
            new View("publish-again", "/templates/receipt", window -> window.heading("Receipt").tab("History")
                    .choose("More actions for version 1", "Publish again…").heading("Publish version 1 again")
                    .sees("API keys that fetched the template in the last 30 days")),
            new View("template-api", "/templates/receipt", window -> window.heading("Receipt").tab("API").click("TypeScript")
                    .sees("pre", "ReceiptEmail").preview("Thank you")),
            new View("template-view", "/templates/receipt", window -> window.heading("Receipt").tab("History")
                    .click("View version 1").heading("Version 1").preview("Thank you")),
            new View("template-difference", "/templates/receipt", window -> window.heading("Receipt").tab("History")
                    .choose("More actions for version 1", "Compare…").sees("ins.line", "delivery")),
            new View("publish", "/templates/receipt", window -> window.heading("Receipt").click("Publish…")
                    .heading("Publish Receipt")
                    .sees("ins.line", "delivery")),
            new View("publish-blocked", "/templates/newsletter", window -> window.heading("Autumn newsletter").click("Publish…")
                    .heading("Publishing is blocked")),
            new View("publish-errors", "/templates/unclosed", window -> window.heading("Unclosed").click("Publish…")
                    .heading("Errors")),
            new View("publish-anyway", null, window -> window.click("Publish anyway…").heading("Publish Unclosed with 1 error?")),
            new View("template-restore", "/templates/receipt", window -> window.heading("Receipt").tab("History")
                    .choose("More actions for version 1", "Restore…").heading("Restore version 1 as draft?")),
            new View("template-restore-conflict", null, window -> {
                data.saveElsewhere("receipt");
                window.click("Restore").heading("Someone else saved changes");
            }),
            new View("template-set-duplicate", "/templates/receipt", window -> window.heading("Receipt")
                    .choose("Manage test data", "Duplicate…").heading("Duplicate default")),
            new View("template-set-rename", null, window -> window.click("Cancel").closed().choose("Manage test data", "Rename…")
                    .heading("Rename default")),
            new View("template-set-delete", null, window -> window.click("Cancel").closed().choose("Manage test data", "Delete…")
                    .heading("Delete test data default?")),
            new View("conflict", "/templates/password-reset", window -> {
                window.heading("Password reset").type("Sample value for name", "Lena");
                data.saveElsewhere("password-reset");
                window.type("Subject", "Choose your new password").ctrl("s").heading("Someone else saved changes");
            }),
            new View("merge", null, window -> window.click("Merge…").heading("Merge changes").click("Use merged text")
                    .sees("Choose a version.")),
            new View("conflict-notice", null, window -> window.click("Back").click("Continue editing").sees("saved")
                    .find("button", "Compare versions")),
            new View("blocks-stale", "/blocks", window -> window.sees("Some live templates use an older version")),
            new View("block", "/blocks/footer", window -> window.heading("footer").preview("Questions")),
            new View("block-alone", "/blocks/footer/preview", window -> window.heading("footer").preview("Questions")),
            new View("preview-alone", "/templates/welcome/preview", window -> window.heading("Welcome")
                    .preview("Confirm my address")),
            new View("stale", "/stale", window -> window.heading("Live templates with outdated blocks").sees(".list", "Welcome")),
            new View("stale-changes", null, window -> window.click("Show changes to Welcome").heading("Changes to Welcome")
                    .sees("ins.line", "Harbour")),
            new View("template-collaboration", "/templates/receipt", window -> window.heading("Receipt")
                    .sees(".presence", "Ben Ode has this open")
                    .sees(".request", "for the sale").sees(".live-version", "published").preview("Thank you")),
            new View("leave", "/templates/welcome", window -> window.heading("Welcome").type("Subject", "Hi").follow("Keys")
                    .heading("Leave with unsaved changes?")),
            new View("signin-again", "/templates/welcome", window -> {
                window.heading("Welcome").type("Subject", "Hi");
                window.driver.executeCdpCommand("Network.clearBrowserCookies", Map.of());
                window.ctrl("s").heading("Sign in again");
            }),
            new View("banner-ended", null, window -> window.click("Close").sees("#banner", "Your session has expired")));

    /** Whether the browser keeps what was typed. */
    private static final String KEPT = """
            const done = arguments[arguments.length - 1];
            indexedDB.open('stet', 1).onsuccess = ({ target: { result } }) => {
              const asked = result.transaction('texts').objectStore('texts').getAll();
              asked.onsuccess = () => {
                result.close();
                done(asked.result.some(({ path, text }) => path === '/data/templates/welcome' && text.html.includes('{{n')));
              };
            };
            """;

    /** Run in sequence in an editor with unsaved text. */
    private static final List<View> UNSAVED = List.of(
            new View("template-complete", "/templates/welcome", window -> {
                window.heading("Welcome").sees(".variables", "company")
                        .script("const mirror = document.querySelector('.CodeMirror').CodeMirror; "
                        + "mirror.focus(); mirror.setCursor({line: 1, ch: 0})");
                window.keys("{{n").offers("name");
            }),
            new View("template-kept", null, window -> {
                Window.within(() -> "no text is kept", () -> (Boolean) window.driver.executeAsyncScript(KEPT));
                window.goTo("/templates/welcome").heading("Welcome").click("Show recovered text")
                        .heading("Recovered text");
            }),
            new View("template-menu", null, window -> window.click("Not now").closed().click("More template actions")),
            new View("template-preview-menu", null, window -> window.keys(Keys.ESCAPE).click("Export")),
            new View("template-edit-menu", null, window -> window.keys(Keys.ESCAPE).click("Edit")),
            new View("template-find", null, window -> window.keys(Keys.ESCAPE).choose("Edit", "Find and replace").type("Find", "e")
                    .sees(".found", "1 of")),
            new View("template-insert-block", null, window -> window.choose("Edit", "Insert block…")
                    .heading("Insert shared block")),
            new View("template-insert-image", null, window -> window.keys(Keys.ESCAPE).closed().choose("Edit", "Insert image…").heading("Choose an image")),
            new View("template-make-block", null, window -> {
                window.keys(Keys.ESCAPE).closed()
                        .script("document.querySelector('.CodeMirror').CodeMirror.execCommand('selectAll')");
                window.click("Make block…").heading("Make a block");
            }),
            new View("shortcuts", null, window -> window.keys(Keys.ESCAPE).closed().keys(Keys.F1).heading("Shortcuts")),
            new View("signout-kept", "/usage", window -> window.heading("Usage").click("Sign out")
                    .heading("Sign out and delete unsaved text?")),
            new View("banner-away", "/templates/welcome", window -> {
                window.heading("Welcome").type("Subject", "Hello");
                online(window, false);
                window.ctrl("s").sees("#banner", "Cannot reach the server.");
                online(window, true);
            }));

    private static void online(Window window, boolean isOnline) {
        window.driver.executeCdpCommand("Network.enable", Map.of());
        window.driver.executeCdpCommand("Network.emulateNetworkConditions",
                Map.of("offline", !isOnline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
    }

    @Test
    void editorsAndDialogsAreAccessibleAndFitTheWindow(Window window) throws IOException {
        Look look = new Look(window);
        window.expect(".*net::ERR_INTERNET_DISCONNECTED.*").signedIn(data.stet, data.demo, "/templates/welcome");
        look.at(VIEWS.subList(0, 1));
        for (String pane : List.of("Text", "Details")) {
            window.click(pane);
            look.narrow("template-" + pane.toLowerCase(Locale.ROOT), "light");
        }
        look.at(VIEWS.subList(1, VIEWS.size()));
        User ben = data.stet.db.read(dao -> dao.users().find("ben@example.com")).orElseThrow();
        look.at("request", () -> window.signedIn(data.stet, Browser.of(data.stet, data.demo, ben), "/templates/welcome")
                .heading("Welcome")
                .click("Request review…").heading("Request review of Welcome"));
        window.signedIn(data.stet, data.demo, "/usage");
        look.at(UNSAVED);
        assertEquals("[]", look.missed(PagesLookTest.OF_EDITOR, Pattern.compile("/(templates|blocks)/:.*|/stale")).toString());
        assertEquals("", look.wrong());
    }
}
