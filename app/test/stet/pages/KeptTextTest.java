package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Template;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** The browser keeps unsaved text and offers it after a reload, but never restores it unasked. */
@Tag("browser")
@ExtendWith(Chromium.class)
class KeptTextTest {
    private static final String PASSWORD = "correct horse battery";
    /** Reads or fills the browser's store and returns its texts, one per line. */
    private static final String STORE = """
            const done = arguments[arguments.length - 1];
            const asked = indexedDB.open('stet', 1);
            asked.onsuccess = () => {
              const database = asked.result;
              const store = database.transaction('texts', 'readwrite').objectStore('texts');
              for (let i = 0; i < arguments[0]; i++) {
                store.put({ id: 'old-' + i, owner: 'eve\\n9', path: '/data/templates/x', name: 'x', at: Date.now() - 60000 + i, text: { html: 'x' } });
              }
              const all = store.getAll();
              all.onsuccess = () => {
                database.close();
                done(all.result.map(one => [one.isReplaced ? 'replaced' : 'unsaved', one.text.subject, one.text.html].join(' ')).join('\\n'));
              };
            };
            """;

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO, PASSWORD);

    private static void keeps(Window window, String text) {
        Window.within(() -> "kept is " + kept(window), () -> kept(window).contains(text));
    }

    private static String kept(Window window) {
        return (String) window.driver.executeAsyncScript(STORE, 0);
    }

    private String draft() {
        Template draft = stet.db.read(dao -> dao.templates().find(ada.id(), "welcome").orElseThrow());
        return draft.subject() + " " + new String(draft.html(), StandardCharsets.UTF_8) + " "
                + draft.samples().documents().toString().replaceAll("\\s+", "");
    }

    @Test
    void textTypedBeforeAReloadIsOfferedAndRestored(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>As it was, {{name}}</p>");
        window.signIn(stet, ada.name(), PASSWORD).follow("Welcome").heading("Welcome").sees(".saved", "Saved");
        window.write("<p>Typed for an hour, {{name}}</p>").type("Sample value for name", "Ada").type("Subject", "Dear {{name}}");
        keeps(window, "unsaved Dear {{name}} <p>Typed for an hour, {{name}}</p>");
        window.driver.navigate().refresh();

        // The text is offered but not restored.
        window.heading("Welcome").sees(".recovered", "unsaved text");
        assertEquals("<p>As it was, {{name}}</p>", window.text());
        window.click("Show recovered text").heading("Recovered text").sees("ins.line.added", "Typed for an hour")
                .sees("ins.line.added", "Dear {{name}}");
        window.click("Not now").closed();
        assertEquals("<p>As it was, {{name}}</p>", window.text());
        window.click("Show recovered text").click("Restore mine").closed().sees(".saved", "Unsaved changes");
        assertEquals("Dear {{name}} <p>Typed for an hour, {{name}}</p>", window.value("Subject") + " " + window.text());
        assertEquals("Ada", window.value("Sample value for name"));
        assertEquals("", window.shown(".recovered"));
        window.save();
        assertEquals("Dear {{name}} <p>Typed for an hour, {{name}}</p> {default={\"name\":\"Ada\"}}", draft());
        Window.within(() -> "kept is " + kept(window), () -> kept(window).isEmpty());
    }

    /** Types a text, reloads the page, and is offered the text. */
    private void offered(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>As it was</p>");
        window.signIn(stet, ada.name(), PASSWORD).follow("Welcome").heading("Welcome").sees(".saved", "Saved").write("<p>Once more</p>");
        keeps(window, "Once more");
        window.driver.navigate().refresh();
        window.heading("Welcome").sees(".recovered", "unsaved text");
    }

    /** A user who speaks to the browser says what they see (WCAG 2.5.3). */
    @Test
    void theNameOfEachButtonOfAnOfferBeginsWithItsText(Window window) {
        offered(window);
        assertEquals("Show: Show recovered text, Not now: Not now, hide recovered text", window.script(
                "return [...document.querySelectorAll('.recovered button')].map(each => each.textContent + ': ' + each.ariaLabel).join(', ')"));
    }

    @Test
    void keptTextIsTheUsersOwnAndSignOutAsksBeforeDeletingIt(Window window) {
        offered(window);
        window.choose("Stet, main menu", "Sign out").heading("Sign out and delete unsaved text?")
                .sees("Signing out deletes the unsaved text for Welcome from this browser").click("Stay signed in").closed();
        keeps(window, "Once more");
        stet.member(ada, "ben@example.com", Role.WRITER, PASSWORD);
        window.signedIn(stet, Browser.of(stet, ada, stet.db.read(dao -> dao.users().find("ben@example.com"))
                .orElseThrow()), "/templates/welcome");
        window.heading("Welcome").sees(".saved", "Saved");
        assertEquals("", window.shown(".recovered"));
        window.choose("Stet, main menu", "Sign out").heading("Sign in");
        keeps(window, "Once more");
        window.signIn(stet, ada.name(), PASSWORD).click("Sign out").click("Sign out and delete").heading("Sign in");
        assertEquals("", kept(window));
    }

    @Test
    void aTextReplacedByAnotherIsRestored(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>As it was, {{name}}</p>");
        stet.publish(ada, "welcome");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").sees(".saved", "Saved");
        window.write("<p>Mine, {{name}}</p>").type("Subject", "Mine");
        stet.draft(ada, "welcome", "Welcome", "Theirs", "<p>Theirs</p>");
        window.ctrl("s").heading("Someone else saved changes").click("Use theirs").closed().sees(".recovered", "was replaced");
        assertEquals("Theirs <p>Theirs</p>", window.value("Subject") + " " + window.text());
        window.driver.navigate().refresh();
        window.heading("Welcome").sees(".recovered", "was replaced").click("Restore mine").sees(".saved", "Unsaved changes");
        assertEquals("Mine <p>Mine, {{name}}</p>", window.value("Subject") + " " + window.text());
        window.save();
        assertEquals("Mine <p>Mine, {{name}}</p> {}", draft());
    }

    /** Each restored text replaces the one before, which can then be restored. */
    @Test
    void aDraftReplacedByAnOldVersionIsRestored(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>As it was, {{name}}</p>");
        stet.publish(ada, "welcome");
        stet.draft(ada, "welcome", "Welcome", "Mine", "<p>Mine, {{name}}</p>");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").sees(".saved", "Saved");
        window.tab("History").choose("More actions for version 1", "Restore…").click("Restore").closed().sees(".recovered", "was replaced");
        assertEquals("Hi <p>As it was, {{name}}</p>", window.value("Subject") + " " + window.text());
        window.type("Subject", "Typed since").click("Restore mine");
        assertEquals("Mine <p>Mine, {{name}}</p>", window.value("Subject") + " " + window.text());
        window.sees(".recovered", "was replaced").click("Restore mine");
        assertEquals("Typed since <p>As it was, {{name}}</p>", window.value("Subject") + " " + window.text());
        window.click("Show recovered text").click("Delete").closed();
        Window.within(() -> window.shown(".recovered"), () -> window.shown(".recovered").isEmpty());
    }

    /** The newest 20 texts are kept. */
    @Test
    void keptTextsAreLimitedAndDiscardedByLeavingWithoutSaving(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>As it was</p>");
        window.signedIn(stet, ada, "/").heading("Templates").follow("Welcome").heading("Welcome").sees(".saved", "Saved").type("Subject", "Typed");
        keeps(window, "unsaved Typed");
        window.driver.executeAsyncScript(STORE, 30);
        window.type("Subject", "The last");
        keeps(window, "unsaved The last");
        assertEquals(20, kept(window).lines().count());
        window.follow("Templates").heading("Leave with unsaved changes?").click("Leave without saving").heading("Templates");
        Window.within(() -> "kept is " + kept(window), () -> !kept(window).contains("The last"));
        window.follow("Welcome").heading("Welcome").sees(".saved", "Saved");
        assertNull(window.look("button", "Show recovered text"));
    }

    /** Which was typed while an earlier text was being saved. */
    @Test
    void aTextLeftWithoutSavingStaysDeletedWhenASaveEnds(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>As it was</p>");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").type("Subject", "Saved");
        LateResponsesTest.holdFirst(window, "/data/templates/welcome");
        window.ctrl("s").type("Subject", "Discarded").follow("Templates").heading("Leave with unsaved changes?")
                .click("Leave without saving").heading("Templates");
        LateResponsesTest.release(window, 1);
        assertEquals("", kept(window));
        assertEquals("Saved <p>As it was</p> {}", draft());
    }
}
