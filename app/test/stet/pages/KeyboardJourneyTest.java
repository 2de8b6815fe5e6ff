package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;
import stet.harness.Chromium;
import stet.harness.DemoAccount;
import stet.harness.Window;

/** Reviews, webhooks, merges, replacements and lists of test data without a pointer. */
@Tag("browser")
@ExtendWith(Chromium.class)
class KeyboardJourneyTest {
    @AutoClose
    private DemoAccount data;

    @BeforeEach
    void fill() throws IOException {
        data = new DemoAccount();
    }

    private static Window enter(Window window, String role, String name) {
        return window.tabTo(role, name).keys(Keys.ENTER);
    }

    private static void hasFocus(Window window, String name) {
        Window.within(() -> "the focus is not on " + name, () -> name.equals(window.script("return document.activeElement.getAttribute('aria-label')")));
    }

    @Test
    void aGuestComments(Window window) {
        window.open(data.stet, "/review#review").heading("Receipt").sees(".comments", "A little formal?");
        enter(window, "button", "Show changes from the live version of Receipt").sees("ins.line", "delivery");
        window.tabTo("field", "Your name").keys("Lena").tabTo("field", "Comment").keys("Lovely.");
        enter(window, "button", "Comment").sees(".comments", "Lovely.");
        enter(window, "button", "Reply to comment by Lena").heading("Reply to Lena").keys("Really.");
        enter(window, "button", "Reply").closed().sees(".comments", "Really.");
        hasFocus(window, "Reply to comment by Lena");
    }

    @Test
    void anOwnerSetsUpAndRemovesAWebhook(Window window) {
        window.signedIn(data.stet, data.demo, "/account").heading("Account");
        enter(window, "button", "Set up a webhook").heading("Webhook").keys("https://192.0.2.1/hook", Keys.ENTER).closed();
        hasFocus(window, "Change the webhook");
        enter(window, "button", "Change the webhook").heading("Webhook").keys(Keys.ESCAPE).closed();
        enter(window, "button", "Remove the webhook").heading("Remove the webhook?");
        enter(window, "button", "Remove").closed().find("button", "Set up a webhook");
    }

    @Test
    void theTestOfAWebhookKeepsTheFocus(Window window) {
        window.signedIn(data.stet, data.demo, "/account").heading("Account");
        enter(window, "button", "Set up a webhook").heading("Webhook").keys("https://192.0.2.1/hook", Keys.ENTER).closed();
        enter(window, "button", "Send a test").sees("Last delivery failed");
        assertEquals("Send a test", window.script("return document.activeElement.textContent"));
    }

    @Test
    void anUnfoldedDifferenceHasTheFocus(Window window) {
        String lines = "<p>same</p>\n".repeat(20);
        data.stet.template(data.demo, "long", lines + "<p>old</p>");
        data.stet.draft(data.demo, "long", "Long", "Hi", lines + "<p>new</p>");
        window.signedIn(data.stet, data.demo, "/").heading("Templates").tick("Select Long").click("Publish…").heading("Publish 1 template");
        enter(window, "button", "Show difference of Long");
        enter(window, "button", "⋯ 17 unchanged lines").sees(".difference", "same\nsame\nsame\nsame\nsame");
        assertEquals("difference", window.script("return document.activeElement.className"));
    }

    @Test
    void aFailedExportIsClosedByEnter(Window window) {
        window.expect(".*status of 422.*").signedIn(data.stet, data.demo, "/account").heading("Account");
        window.script("const fetched = window.fetch; window.fetch = async (path, ...rest) => path === '/data/export'"
                + " ? Response.json({ error: 'No space' }, { status: 422 }) : fetched(path, ...rest)");
        enter(window, "link", "Export zip").heading("Exporting all templates").sees("dialog .error", "No space.").keys(Keys.ENTER).closed();
    }

    @Test
    void olderActivityIsShownByTheSameButton(Window window) {
        window.signedIn(data.stet, data.demo, "/usage").heading("Usage");
        // Each page of the log has one row.
        window.script("""
                const fetched = window.fetch;
                window.fetch = async (path, ...rest) => {
                  const response = await fetched(path, ...rest);
                  if (!path.startsWith('/data/activity?')) {
                    return response;
                  }
                  const page = await response.json();
                  return Response.json({ ...page, rows: page.rows.slice(0, 1), before: 'more' });
                };
                """);
        window.goTo("/activity").heading("Activity").find("button", "Show older");
        window.script("const { fetch } = window; window.fetch = (path, ...rest) => fetch(path.replace('before=more', 'before='), ...rest)");
        enter(window, "button", "Show older");
        Window.within(() -> window.shown("tbody"), () -> activities(window) == 2);
        window.keys(Keys.ENTER);
        Window.within(() -> window.shown("tbody"), () -> activities(window) == 3);
    }

    @Test
    void theEndOfTheActivityHasTheFocusOnceAllIsShown(Window window) {
        window.signedIn(data.stet, data.demo, "/usage").heading("Usage");
        window.script("""
                const fetched = window.fetch;
                window.fetch = async (path, ...rest) => {
                  if (!path.startsWith('/data/activity?')) {
                    return fetched(path, ...rest);
                  }
                  const isSecond = path.includes('before=more');
                  const page = await (await fetched(path.replace('before=more', 'before='), ...rest)).json();
                  return Response.json({ ...page, before: isSecond ? null : 'more' });
                };
                """);
        window.goTo("/activity").heading("Activity");
        enter(window, "button", "Show older").sees(".end", "End of the activity log.");
        assertEquals("End of the activity log.", window.script("return document.activeElement.textContent"));
    }

    /** Such as Alt+Left, which goes back. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(textBlock = """
            [role=tab][aria-selected=true] | ArrowLeft
            [aria-haspopup=menu]           | ArrowDown
            [role=separator]               | ArrowLeft
            """, delimiter = '|')
    void keysThatMoveArePassedToTheBrowserWithAModifier(String control, String key, Window window) {
        window.signedIn(data.stet, data.demo, "/templates/receipt").heading("Receipt");
        Object isPassed = window.script("""
                const press = modifier => document.querySelector(arguments[0]).dispatchEvent(
                  new KeyboardEvent('keydown', { key: arguments[1], [modifier]: true, bubbles: true, cancelable: true }));
                return ['altKey', 'ctrlKey', 'metaKey', 'shiftKey'].map(press);
                """, control, key);
        assertEquals(List.of(true, true, true, false), isPassed);
    }

    @Test
    void aLetterMovesInAMenuUnlessItIsPressedWithAModifier(Window window) {
        window.signedIn(data.stet, data.demo, "/templates/receipt").heading("Receipt").click("More template actions").find("menuitem", "Duplicate…");
        Object focused = window.script("""
                const menu = document.querySelector(':popover-open');
                const first = document.activeElement;
                return ['altKey', 'ctrlKey', 'metaKey', 'shiftKey'].map(modifier => {
                  menu.dispatchEvent(new KeyboardEvent('keydown', { key: 'd', [modifier]: true, bubbles: true, cancelable: true }));
                  return document.activeElement === first ? 'first' : document.activeElement.textContent.charAt(0);
                });
                """);
        assertEquals(List.of("first", "first", "first", "D"), focused);
    }

    @Test
    void aMenuOpensByEnterAfterAPressThatWasReleasedElsewhere(Window window) {
        window.signedIn(data.stet, data.demo, "/templates/receipt").heading("Receipt").click("More template actions").find("menuitem", "Duplicate…");
        new Actions(window.driver).clickAndHold(window.find("button", "More template actions")).moveToElement(window.find("heading", "Receipt"))
                .release().perform();
        enter(window, "button", "More template actions").find("menuitem", "Duplicate…");
    }

    /** A browser closes a menu without an event when it is taken out of the page. */
    @ParameterizedTest
    @CsvSource({ "'More template actions', Duplicate…", "'Stet, main menu', Templates" })
    void aMenuThatASaveClosesIsMarkedAsClosed(String menu, String item, Window window) {
        window.signedIn(data.stet, data.demo, "/templates/receipt").heading("Receipt").preview("Thank you");
        window.tabTo("field", "Subject").keys("My ").sees(".saved", "Unsaved changes").click(menu).find("menuitem", item);
        window.ctrl("s").sees(".saved", "Saved ");
        hasFocus(window, menu);
        assertEquals("false", window.script("return document.activeElement.getAttribute('aria-expanded')"));
    }

    @Test
    void aPageThatIsLeftWithAnOpenMenuListensToTheWindowNoMore(Window window) {
        window.signedIn(data.stet, data.demo, "/templates/receipt").heading("Receipt");
        window.script("""
                window.listeners = 0;
                for (const [name, step] of [['addEventListener', 1], ['removeEventListener', -1]]) {
                  const run = window[name];
                  window[name] = (type, ...rest) => {
                    window.listeners += type === 'resize' ? step : 0;
                    return run.call(window, type, ...rest);
                  };
                }
                """);
        window.click("More template actions").find("menuitem", "Duplicate…");
        window.goTo("/keys").heading("Keys");
        assertEquals(0L, window.script("return window.listeners"));
    }

    @Test
    void savingADraftKeepsTheFocus(Window window) {
        window.signedIn(data.stet, data.demo, "/templates/receipt").heading("Receipt").preview("Thank you");
        window.tabTo("field", "Subject").keys("My ").sees(".saved", "Unsaved changes");
        enter(window, "button", "Save draft").sees(".saved", "Saved ");
        assertEquals("Save draft", window.script("return document.activeElement.textContent"));
    }

    @Test
    void theFocusOfARemovedTagGoesToTheNextTagOrTheField(Window window) {
        window.signedIn(data.stet, data.demo, "/templates/password-reset").heading("Password reset").tabTo("field", "Add a tag");
        window.keys("autumn", Keys.ENTER).sees(".tagging", "autumn").keys("shop", Keys.ENTER).sees(".tagging", "shop");
        enter(window, "button", "Remove tag autumn");
        hasFocus(window, "Remove tag shop");
        window.keys(Keys.ENTER);
        hasFocus(window, "Add a tag");
    }

    /** Such as the Enter that accepts a character of Japanese. */
    @Test
    void aKeyThatEndsACompositionDoesNothingElse(Window window) {
        String press = "return document.activeElement.dispatchEvent("
                + "new KeyboardEvent('keydown', { key: arguments[0], isComposing: arguments[1], bubbles: true, cancelable: true }))";
        window.signedIn(data.stet, data.demo, "/templates/password-reset").heading("Password reset").tabTo("field", "Add a tag").keys("aki");
        assertEquals(true, window.script(press, "Enter", true));
        assertEquals("aki", window.script("return document.activeElement.value"));
        assertEquals(false, window.script(press, "Enter", false));
        window.sees(".tagging", "aki");
        window.click("More template actions").find("menuitem", "Rename").click();
        window.script(press, "Escape", true);
        assertEquals("INPUT", window.script("return document.querySelector('.renaming') && document.activeElement.tagName"));
        window.script(press, "Escape", false);
        window.heading("Password reset").choose("Edit", "Find and replace").type("Find", "aki");
        assertEquals(true, window.script(press, "Enter", true));
        assertEquals(true, window.script(press, "Escape", true));
        assertEquals(false, window.script(press, "Escape", false));
    }

    @Test
    void aConflictIsMerged(Window window) {
        window.signedIn(data.stet, data.demo, "/templates/password-reset").heading("Password reset");
        data.saveElsewhere("password-reset");
        window.tabTo("field", "Subject").keys("My ").ctrl("s").heading("Someone else saved changes");
        enter(window, "button", "Merge…").heading("Merge changes");
        enter(window, "button", "Use merged text").sees("Choose a version.").keys(Keys.ARROW_DOWN);
        enter(window, "button", "Use merged text").closed().sees(".saved", "Unsaved changes");
        window.ctrl("s").sees(".saved", "Saved ");
    }

    @Test
    void aTextIsReplaced(Window window) {
        window.signedIn(data.stet, data.demo, "/templates").heading("Templates").tabTo("checkbox", "Select Receipt").keys(Keys.SPACE);
        enter(window, "button", "Replace…").heading("Replace in 1 draft").keys("<p>")
                .tabTo("field", "Replace with").keys("<p class=\"text\">");
        enter(window, "button", "Find").heading("Matches found");
        enter(window, "button", "Show difference of Receipt").sees("ins.line.added", "text");
        enter(window, "button", "Replace in 1 text").heading("Replaced").keys(Keys.ESCAPE).closed();
        String receipt = data.stet.db.read(dao -> new String(dao.templates().find(data.demo.id(), "receipt").orElseThrow().html(), StandardCharsets.UTF_8));
        assertTrue(receipt.contains("<p class=\"text\">") && !receipt.contains("<p>"), receipt);
    }

    @Test
    void aListOfTestDataIsEdited(Window window) {
        window.signedIn(data.stet, data.demo, "/templates/receipt").heading("Receipt").preview("Thank you");
        long before = rows(window);
        enter(window, "button", "Add a row to items");
        Window.within(() -> "no new row", () -> rows(window) == before + 1);
        assertEquals("INPUT", window.script("return document.activeElement.tagName"), "the new row has the focus");
        window.keys("A pen").preview("A pen");
    }

    private static long activities(Window window) {
        return (Long) window.script("return document.querySelectorAll('.activity tbody tr').length");
    }

    private static long rows(Window window) {
        return (Long) window.script("return document.querySelectorAll('.sample-rows tbody tr').length");
    }
}
