package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** A writer and an editor working on one draft. */
@Tag("browser")
@ExtendWith(Chromium.class)
class CollaborationJourneyTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("owner@example.com", Plan.PRO);

    private Browser of(String email, Role role) {
        return Browser.of(stet, account, stet.member(account, email, role, "correct horse"));
    }

    @Test
    void aWriterIsNotOfferedToPublishRenameOrDelete(Window window) {
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>Hello</p>");
        window.signedIn(stet, of("ben@example.com", Role.WRITER), "/").heading("Templates");
        assertNull(window.look("link", "Activity"));
        window.click("More actions for Welcome").find("menuitem", "Duplicate…");
        assertNull(window.look("menuitem", "Delete…"));
        window.keys(Keys.ESCAPE);
        window.follow("Welcome").heading("Welcome").find("button", "Request review…");
        assertNull(window.look("button", "Publish…"));
        window.click("More template actions").find("menuitem", "Duplicate…");
        assertNull(window.look("menuitem", "Rename"));
        assertNull(window.look("menuitem", "Delete…"));
    }

    @Test
    void aWriterRequestsAReviewAndAnEditorPublishes(Window window) {
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>Hello</p>");
        stet.draft(account, "other", "Other", "", "");
        Browser ben = of("ben@example.com", Role.WRITER);
        window.signedIn(stet, ben, "/templates/welcome").heading("Welcome").write("<p>Hello from Ben</p>").click("Request review…").heading("Request review of Welcome")
                .type("Note", "for Friday")
                .click("Request review").closed().sees(".request", "ben@example.com requested a review")
                .sees(".saved", "Saved ");

        // Eve finds the request in the list and sees that he has the page open.
        window.signedIn(stet, of("eve@example.com", Role.EDITOR), "/").heading("Templates").pick("State", "Review requested (1)")
                .sees(".matches", "1 of 2 templates");
        window.follow("Welcome").heading("Welcome").sees(".presence", "ben@example.com has this open")
                .sees(".saved", "by ben@example.com");

        stet.clock.advance(Duration.ofSeconds(10));
        save(ben, 2, "<p>Hello from Ben, again</p>");
        window.open(stet, "/templates/welcome").heading("Welcome").click("Publish…").heading("Publish Welcome").sees(".dialog-body", "for Friday")
                .sees(".dialog-body", "The draft has changed since the request.")
                .click("Publish").closed().sees(".live-version", "Version 1 published").sees(".live-version", "by eve@example.com");
        Window.within(() -> "still requested", () -> window.shown(".request").isEmpty());
        window.tab("History").sees("ol.versions", "by eve@example.com");
        window.follow("Activity").heading("Activity").sees("table.activity", "version 1").sees("table.activity", "for Friday");
        window.driver.findElement(By.cssSelector("#kind option[value=template-published]")).click();
        Window.within(() -> window.shown("table.activity"), () -> !window.shown("table.activity").contains("ben@example.com"));
        window.sees("table.activity", "eve@example.com");
    }

    private static void save(Browser browser, int revision, String html) {
        String draft = "{\"revision\":" + revision + ",\"subject\":\"Hi\",\"html\":\"" + html + "\",\"samples\":{}}";
        assertEquals(200, browser.put("/data/templates/welcome", draft).status());
    }

    /** Without a reload, both texts are shown side by side; it is a conflict only if the page has unsaved text. */
    @Test
    void anOpenPageShowsWhatAnotherUserSaves(Window window) {
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>Hello</p>");
        Browser ben = of("ben@example.com", Role.WRITER);
        window.signedIn(stet, of("eve@example.com", Role.EDITOR), "/templates/welcome").heading("Welcome").sees(".saved", "Saved");
        save(ben, 1, "<p>Hello from Ben</p>");
        seen(window);
        window.sees(".presence", "ben@example.com saved a newer version").click("Show newer text").heading("Someone else saved changes")
                .sees("ben@example.com saved changes on");
        assertNull(window.look("button", "Keep mine"), "there is nothing of hers to keep");
        window.click("Use theirs").closed();
        Window.within(() -> "the editor has " + window.text(), () -> window.text().equals("<p>Hello from Ben</p>"));
        seen(window);
        Window.within(() -> "still newer", () -> !window.shown(".presence").contains("saved a newer version"));

        window.type("Subject", "Hi {{name}}");
        save(ben, 2, "<p>Hello from Ben, once more</p>");
        seen(window);
        window.sees(".presence", "ben@example.com saved a newer version").click("Show newer text").heading("Someone else saved changes")
                .click("Continue editing").closed().sees(".notice", "Your text has not been saved");
        window.ctrl("s").heading("Someone else saved changes").click("Keep mine").closed().sees(".saved", "Saved ");
    }

    @Test
    void anOpenPageReportsThatItsTemplateWasDeleted(Window window) {
        stet.draft(account, "other", "Other", "", "");
        window.signedIn(stet, of("eve@example.com", Role.EDITOR), "/templates/other").heading("Other");
        assertEquals(204, Browser.of(stet, account).delete("/data/templates/other").status());
        seen(window);
        window.sees(".presence", "was deleted.");
    }

    /** A narrow window shows one pane of the editor, at first the email. Links to another pane show that pane. */
    @Test
    void aNarrowWindowShowsOnePaneAtATime(Window window) {
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>Hello {{name}}</p>\n<p>{{url</p>");
        window.looks("light", 360, 780).signedIn(stet, account, "/templates/welcome").heading("Welcome").preview("Hello");
        assertEquals("Preview", pane(window));
        window.click("Details");
        assertEquals("Details", pane(window));
        window.tab("Checks").click("Go to line 2");
        assertEquals("Text", pane(window));
        assertTrue((Boolean) window.script("return document.querySelector('.CodeMirror').contains(document.activeElement)"));
        window.click("Preview").preview("Hello");
        assertEquals("Preview", pane(window));
        window.tabTo("button", "Text").keys(Keys.ENTER).sees(".CodeMirror", "{{name}}");
        assertEquals("Text", pane(window));
        window.open(stet, "/templates/welcome").heading("Welcome").sees(".CodeMirror", "{{name}}");
        assertEquals("Text", pane(window), "it is remembered");
        window.looks("light", 1280, 900).preview("Hello");
        assertEquals("", window.shown(".switcher"));
        window.find("tab", "Data");
    }

    /** The tags move to a second line instead of truncating the template's name. */
    @Test
    void aLongNameWrapsTheHeaderAndIsNotCut(Window window) {
        String name = "Confirmation of a registration in the shop";
        stet.template(account, "welcome", "<p>Hello</p>");
        stet.draft(account, "welcome", name, "Hi", "<p>Hello again</p>");
        stet.db.change(dao -> dao.library().changeTags(account.id(), "welcome",
                List.of("newsletter", "shop", "sign-up", "transactional", "winter"), List.of(), stet.now()));
        window.looks("light", 1200, 900).signedIn(stet, account, "/templates/welcome").heading(name);
        assertEquals(List.of(), window.script("return [...document.querySelectorAll('.details .title > *')]"
                + ".filter(each => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0).map(each => each.textContent)"),
                "nothing is cut");
        assertEquals(true, window.script("const name = document.querySelector('.details h1'); "
                + "return name.clientHeight < 40 "
                + "&& document.querySelector('.tagging').getBoundingClientRect().top > name.getBoundingClientRect().bottom"));
    }

    /** The visible pane, named by the pressed button. */
    private static String pane(Window window) {
        assertEquals(1L, window.script(
                "return [...document.querySelectorAll('.panes > .pane, .panes > .side')].filter(each => each.checkVisibility()).length"));
        String pane = (String) window.script("return document.querySelector('.switcher [aria-pressed=true]').textContent");
        String selector = Map.of("Text", ".panes > .write", "Preview", ".panes > .preview", "Details", ".panes > .side").get(pane);
        assertFalse(window.shown(selector).isEmpty(), "another pane than " + pane);
        return pane;
    }

    /** Simulates a return to the page, which makes it poll at once instead of after ten seconds. */
    private static void seen(Window window) {
        window.script("document.dispatchEvent(new Event('visibilitychange'))");
    }
}
