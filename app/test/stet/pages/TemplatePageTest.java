package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** A template's details page: its header, and the dialogs for publishing and deleting. */
@Tag("browser")
@ExtendWith(Chromium.class)
class TemplatePageTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);

    private static final List<String> PLACEHOLDERS =
            List.of("[Product Name]", "[Company Name]", "[Sender Name]", "[Support Email]", "[Your Name]", "[Address]", "[Date]");
    /** Whether an element is completely inside the window and not covered. */
    private static final String IS_SEEN = """
            const node = document.querySelector(arguments[0]);
            const { left, right, top, bottom } = node.getBoundingClientRect();
            return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight
              && node.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
            """;

    /** spec.md, What the service does. */
    @ParameterizedTest(name = "{0} px")
    @ValueSource(ints = {360, 768, 1440})
    void theTemplateIdIsShownInTheHeaderAndCopied(int width, Window window) {
        String id = "Order-confirmation-2026_with-the-longest-id-that-is-allowed-here".substring(0, 64);
        stet.draft(ada, id, "Order confirmation", "Hi", "<p>Hi</p>");
        window.size(width, 780).signedIn(stet, ada, "/templates/" + id).heading("Order confirmation").sees(".details code", id);
        assertTrue((Boolean) window.script(IS_SEEN, ".details .template-id code"));
        window.script("Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { window.copied = text; } } })");
        window.click("Copy the template ID").sees(".template-id", "Copied");
        assertEquals(id, window.script("return window.copied"));
        window.choose("More template actions", "Rename").type("Name", "Order").sees(".details code", id);
    }

    /** Adding and removing tags leaves the editor where it is. */
    @ParameterizedTest(name = "{0} px")
    @ValueSource(ints = {360, 768, 1100, 1440})
    void tagsDoNotMoveTheEditor(int width, Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hello {{name}}</p>\n".repeat(200));
        window.size(width, 780).signedIn(stet, ada, "/templates/welcome").heading("Welcome").preview("Hello");
        if (width < 820) {
            window.click("Text");
        }
        window.script("document.querySelector('.CodeMirror').CodeMirror.scrollTo(0, 900)");
        String where = "const box = document.querySelector('.CodeMirror').getBoundingClientRect(); return [box.top, box.left, box.height, scrollY, "
                + "document.querySelector('.CodeMirror').CodeMirror.getScrollInfo().top].join(' ')";
        Window.within(() -> "not scrolled", () -> ((String) window.script(where)).endsWith(" 900"));
        window.find("field", "Add a tag").click();
        String before = (String) window.script(where);
        for (int i = 1; i <= 12; i++) {
            window.keys("a longer tag " + i, Keys.ENTER).sees(".tagging", "a longer tag " + i);
            assertEquals(before, window.script(where), i + " tags");
        }
        assertTrue((Boolean) window.script(IS_SEEN, ".tagging .tag:last-child"), "the new tag is seen");
        window.click("Remove tag a longer tag 12");
        Window.within(() -> "still there", () -> !window.shown(".tagging").contains("a longer tag 12"));
        assertEquals(before, window.script(where));
    }

    /** Each action is visible without a menu, or in the only menu whose name suggests it. */
    @Test
    void makingABlockIsAButtonAndExportsAreOneMenu(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hello</p>");
        window.size(1280, 800).signedIn(stet, ada, "/templates/welcome").heading("Welcome").preview("Hello");
        window.click("Make block…").sees("Select the HTML for the block first.").click("Export");
        assertEquals("Open in new tab, Download .eml, Copy HTML with test data, Copy HTML", String.join(", ", window.shown("[role=menu]").split("\n+")));
    }

    @Test
    void typesThatArriveLateAreNotShown(Window window) {
        stet.template(ada, "welcome", "<p>{{name}}</p>");
        window.signedIn(stet, ada, "/templates/welcome").heading("welcome").tab("API");
        window.script("""
                const fetched = window.fetch;
                const released = new Promise(done => { window.release = done; });
                window.fetch = async (path, ...rest) => {
                  const response = await fetched(path, ...rest);
                  if (path.endsWith('lang=ts')) {
                    const text = await response.text();
                    response.text = async () => {
                      await released;
                      setTimeout(() => { window.isRead = true; }); // after the page's own steps
                      return text;
                    };
                  }
                  return response;
                };
                """);
        window.click("TypeScript").click("Java").shows(".curl h4", "Java").script("window.release()");
        Window.within(() -> "TypeScript's types are not read", () -> Boolean.TRUE.equals(window.script("return window.isRead")));
        window.shows(".curl h4", "Java");
    }

    /** An owner who is also an administrator has the most navigation entries; the current one is visible. */
    @ParameterizedTest(name = "{0} px")
    @ValueSource(ints = {320, 360, 720, 1280})
    void theNavigationIsOneRow(int width, Window window) {
        stet.db.changeUncached(dao -> dao.users().setAdministrator(stet.owner(ada).id(), true));
        window.size(width, 780).signedIn(stet, ada, "/users").heading("Users");
        String tops = "return [...new Set([...document.querySelectorAll('#header nav a')].map(one => one.getBoundingClientRect().top))].length";
        assertEquals(8L, window.script("return document.querySelectorAll('#header nav a').length"));
        assertEquals(1L, window.script(tops));
        assertTrue((Boolean) window.script(IS_SEEN, "#header nav [aria-current]"));
        window.follow("Administration").heading("Administration");
        assertTrue((Boolean) window.script(IS_SEEN, "#header nav [aria-current]"));
        window.tabTo("link", "Templates").keys(Keys.ENTER).heading("No templates yet");
        assertTrue((Boolean) window.script(IS_SEEN, "#header nav [aria-current]"));
    }

    /** The dialog for publishing several emails lists problems by email, those with errors first, as worded on the tab Checks. */
    @Test
    void severalEmailsHaveOneListOfProblems(Window window) {
        stet.draft(ada, "a", "Without problems", "Hi", "<p>fine</p>");
        stet.draft(ada, "b", "Warned", "Hi", "<a href=\"\">x</a>");
        stet.draft(ada, "c", "Broken", "Hi", "<a href=\"\">x</a>\n{{name");
        stet.draft(ada, "d", "Blocked", "Hi", "<a href=\"\">x</a>\n{{name\n{{> none}}");
        window.size(1280, 800).signedIn(stet, ada, "/templates/d").heading("Blocked").tab("Checks").sees(".checks", "not found");
        String checks = kinds(window, "[role=tabpanel]");
        assertTrue(checks.startsWith("Blocks publishing / Error / Warning"), checks);
        window.click("Publish…").heading("Publishing is blocked");
        assertEquals(checks, kinds(window, "dialog"));
        window.click("Back to draft").closed().goTo("/").heading("Templates").tick("Select all shown").click("Publish…").heading("Publish 4 templates");
        assertEquals("Blocked\nBroken\nWarned", window.shown(".by-mail > li > a"));
        assertEquals(checks, kinds(window, ".by-mail > li:first-child"));
        assertTrue(kinds(window, ".by-mail > li:nth-child(2)").startsWith("Error / Warning"));
        assertEquals("", window.shown(".publications .checks"), "not listed twice");
    }

    /** Returns the problems' levels, in order. */
    private static String kinds(Window window, String within) {
        return window.shown(within + " .checks .kind").replace("\n", " / ");
    }

    @Test
    void aTallPublishDialogOpensAtItsErrorsWhichAreGrouped(Window window) {
        String tall = "<p>{{#if a}}</p>\n<p>" + String.join("</p>\n<p>", PLACEHOLDERS) + "</p>\n" + "<a href=\"\">x</a>\n".repeat(9) + "{{name}}\n".repeat(5);
        stet.draft(ada, "welcome", "Welcome", "Hi", tall + "<p>one</p>\n".repeat(60));
        stet.db.change(dao -> dao.versions().publish(ada.id(), "welcome", dao.versions().prepare(ada.id(), "welcome", true), "", stet.now()));
        stet.draft(ada, "welcome", "Welcome", "Hi", tall + "<p>two</p>\n".repeat(60));
        window.size(1280, 600).signedIn(stet, ada, "/templates/welcome").heading("Welcome").sees(".saved", "Saved").click("Publish…")
                .heading("Errors").sees(".checks", "“…” looks like a placeholder");
        assertEquals(0L, window.script("return document.querySelector('dialog').scrollTop"));
        assertTrue((Boolean) window.script(IS_SEEN, "dialog .checks li"), "the first error is seen");
        assertTrue((Boolean) window.script("return document.querySelector('dialog').contains(document.activeElement)"));
        assertEquals("Error / Warning 7 times / Warning 9 times", window.shown("dialog .checks .kind").replace("\n", " / "));
        window.sees("dialog .checks", "[Support Email]").click("Back to draft").closed();

        // The dialog to publish several templates shows it as well.
        window.follow("Templates").heading("Templates").tick("Select all shown").click("Publish…").heading("Publish 1 template")
                .sees(".by-mail", "is not closed");
        assertEquals(0L, window.script("return document.querySelector('dialog').scrollTop"));
    }

    @Test
    void aPartMadeABlockIsPublishedAndThenOutdatedByItsBlock(Window window) {
        stet.template(ada, "welcome", "<i>footer</i>");
        window.signedIn(stet, ada, "/templates/welcome").heading("welcome").sees(".saved", "Saved")
                .script("document.querySelector('.CodeMirror').CodeMirror.execCommand('selectAll')");
        window.click("Make block…").type("Name", "footer").click("Create block").closed()
                .sees(".CodeMirror", "{{> footer}}");
        assertEquals("{{> footer}}", window.text());
        window.click("Publish…").heading("Publish welcome").sees("The published HTML and subject will not change. The new version differs only in the draft or shared blocks stored with it.").click("Publish").closed()
                .sees(".live-version", "Version 2");
        stet.block(ada, "footer", "<i>new</i>");
        window.follow("Templates").heading("Templates").sees("tr[data-id=welcome]", "older footer");
    }

    /** For users with several accounts, dialogs name the account that they change. */
    @Test
    void dialogsNameTheAccount(Window window) {
        Account harbour = stet.account("harbour@example.com", Plan.PRO);
        stet.template(harbour, "welcome", "<p>one</p>");
        stet.draft(harbour, "welcome", "welcome", "", "<p>two</p>");
        stet.block(harbour, "footer", "x");
        window.signedIn(stet, Browser.of(stet, harbour, stet.member(harbour, "ada@example.com", Role.OWNER, "correct horse")), "/templates/welcome")
                .heading("welcome").sees(".saved", "Saved").click("Publish…").sees("dialog[open]", "Account: harbour@example.com")
                .click("Cancel").closed();
        window.choose("More template actions", "Delete…").sees("dialog[open]", "Account: harbour@example.com").click("Cancel").closed();
        window.goTo("/").heading("Templates").tick("Select welcome").click("Delete…").sees("dialog[open]", "Account: harbour@example.com")
                .click("Cancel").closed();
        window.click("Publish…").sees("dialog[open]", "Account: harbour@example.com").click("Cancel").closed();
        window.goTo("/blocks").click("Delete footer").sees("dialog[open]", "Account: harbour@example.com").click("Cancel").closed();
        window.goTo("/account").heading("Account").sees(".head .lead", "harbour@example.com").click("Name and label…")
                .sees("dialog[open]", "Account: harbour@example.com");
    }

    @Test
    void theLiveVersionIsNotOfferedAgain(Window window) {
        stet.template(ada, "welcome", "<p>one</p>");
        window.signedIn(stet, ada, "/templates/welcome").heading("welcome").tab("History").sees("ol.versions", "Version 1")
                .click("More actions for version 1");
        assertEquals("true", window.find("menuitem", "Publish again…Already live").getDomAttribute("aria-disabled"));
        stet.template(ada, "welcome", "<p>two</p>");
        window.open(stet, "/templates/welcome").heading("welcome").tab("History").sees("ol.versions", "Version 2").click("More actions for version 1");
        assertNull(window.find("menuitem", "Publish again…").getDomAttribute("aria-disabled"));
    }

    @Test
    void noReviewOfTheLiveVersionIsRequested(Window window) {
        stet.template(ada, "welcome", "<p>one</p>");
        Browser ben = Browser.of(stet, ada, stet.member(ada, "ben@example.com", Role.WRITER, "correct horse"));
        window.signedIn(stet, ben, "/templates/welcome").heading("welcome").sees(".saved", "Saved").click("Request review…")
                .sees(".toast", "Nothing to review; the draft matches the live version.");
    }
}
