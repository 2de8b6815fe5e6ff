package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;
import stet.server.HeavyWorkTest;

/** Typed text is kept and can be saved when two windows edit one draft, a session ends, or the server stops. */
@Tag("browser")
@ExtendWith(Chromium.class)
class NothingTypedIsLostTest {
    private static final String PASSWORD = "correct horse battery";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO, PASSWORD);

    @BeforeEach
    void fill() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>As it was</p>");
    }

    private String draft() {
        return stet.db.read(dao -> new String(dao.templates().find(ada.id(), "welcome").orElseThrow().html(), StandardCharsets.UTF_8));
    }

    /** Opens the draft in two windows; the other window saves first. @return the other window */
    private String raced(Window window) {
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").sees(".saved", "Saved");
        String first = window.another();
        window.open(stet, "/templates/welcome").heading("Welcome").sees(".saved", "Saved");
        String second = window.front(first);
        window.write("<p>By the first</p>").save();
        window.front(second);
        window.write("<p>By the second</p>").ctrl("s").heading("You saved changes in another window").sees("You saved changes on");
        window.sees("del.line.removed", "By the first").sees("ins.line.added", "By the second");
        assertEquals("<p>By the first</p>", draft());
        return first;
    }

    @Test
    void theSecondToSaveKeepsTheirOwnText(Window window) {
        String first = raced(window);
        window.click("Keep mine").closed().sees(".saved", "Saved ");
        assertEquals("<p>By the second</p>", draft());
        window.front(first);
        window.write("<p>Once more by the first</p>").ctrl("s").heading("You saved changes in another window").click("Keep mine").closed();
        window.sees(".saved", "Saved ");
        assertEquals("<p>Once more by the first</p>", draft());
    }

    @Test
    void theSecondToSaveUsesTheSavedVersionAndCanUndoThat(Window window) {
        raced(window);
        window.click("Use the saved version").closed().sees("The editor now contains the saved version");
        assertEquals("<p>By the first</p>", window.text());
        assertEquals("<p>By the first</p>", draft());
        window.preview("By the first");
        window.script("document.querySelector('.CodeMirror').CodeMirror.focus()");
        window.ctrl("z").sees(".saved", "Unsaved changes");
        assertEquals("<p>By the second</p>", window.text());
        window.save();
        assertEquals("<p>By the second</p>", draft());
    }

    @Test
    void theSecondToSaveMergesTheTwoTexts(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "a\nb\nc\nd\n");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").sees(".saved", "Saved");
        stet.draft(ada, "welcome", "Welcome", "Hi there", "a\nb\nc\ntheir d\ntheir e\n");
        window.write("my a\nb\nc\nmy d\n").ctrl("s").click("Merge…").heading("Merge changes");
        window.sees("Resolve 1 conflict: choose which version to keep.").tab("Preview").sees("figcaption", "Merged").tab("Text")
                .sees("ins.line", "my a").click("Use merged text").sees("Choose a version.");
        assertEquals("my a\nb\nc\nmy d\n", window.text());
        window.click("Back").click("Merge…").choose("Yours, then theirs, Line 4").click("Use merged text").closed()
                .sees(".saved", "Unsaved changes");
        assertEquals("my a\nb\nc\nmy d\ntheir d\ntheir e\n", window.text());
        assertEquals("Hi there", window.value("Subject"));
        assertEquals("a\nb\nc\ntheir d\ntheir e\n", draft());
        window.save();
        assertEquals("my a\nb\nc\nmy d\ntheir d\ntheir e\n", draft());
    }

    @Test
    void aSaveDuringAMergeAsksForAnotherMerge(Window window) {
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").sees(".saved", "Saved");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>As it was</p>\n<p>Theirs</p>\n");
        window.write("<p>Mine</p>").ctrl("s").click("Merge…").heading("Merge changes").choose("Theirs, Line 1")
                .click("Use merged text").closed().sees(".saved", "Unsaved changes");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Later</p>\n<p>Theirs</p>\n");
        window.write("<p>Mine</p>\n<p>Theirs</p>\n").ctrl("s").click("Merge…").heading("Merge changes")
                .sees("Resolve 1 conflict: choose which version to keep.").choose("Yours, Line 1").click("Use merged text").closed().save();
        assertEquals("<p>Mine</p>\n<p>Theirs</p>\n", draft());
    }

    @Test
    void theSecondToSaveContinuesEditing(Window window) {
        raced(window);
        window.click("Continue editing").closed().sees(".saved", "Unsaved changes");
        assertEquals("<p>By the second</p>", window.text());
        assertEquals("<p>By the first</p>", draft());
        window.write("<p>By both</p>").ctrl("s").heading("You saved changes in another window").click("Keep mine").closed()
                .sees(".saved", "Saved ");
        assertEquals("<p>By both</p>", draft());
    }

    @Test
    void theSecondToRestoreIsAskedToo(Window window) {
        stet.publish(ada, "welcome");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").tab("History").sees("ol.versions", "Version 1");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>By another</p>");
        window.choose("More actions for version 1", "Restore…").click("Restore").heading("Someone else saved changes")
                .click("Cancel").closed();
        assertEquals("<p>By another</p>", draft());
        window.choose("More actions for version 1", "Restore…").click("Restore").click("Restore anyway").closed()
                .sees("Version 1 restored as draft");
        assertEquals("<p>As it was</p>", draft());
    }

    @Test
    void aDraftThatTheUserHasNotSeenIsNotPublished(Window window) {
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").sees(".saved", "Saved").click("Publish…")
                .heading("Publish Welcome");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>By another</p>");
        window.click("Publish").closed().sees("Nothing was published because the draft has changed. The latest draft is now shown.");
        assertEquals("<p>By another</p>", window.text());
        window.sees(".details .state", "Never published");
    }

    private void endSessions() {
        stet.db.changeUncached(dao -> dao.sessions().deleteAll(stet.owner(ada).id()));
    }

    @Test
    void anExpiredSessionIsRenewedInPlace(Window window) {
        window.signIn(stet, ada.name(), PASSWORD).follow("Welcome").heading("Welcome").sees(".saved", "Saved");
        window.preview("As it was");
        endSessions();
        window.write("<p>Typed for an hour</p>");
        window.sees("#banner", "Your session has expired");
        window.ctrl("s").heading("Sign in again");
        assertEquals(ada.name(), window.value("Email"));
        window.type("Password", "not it").click("Sign in").sees("The email or password is wrong.");
        window.type("Password", PASSWORD).click("Sign in").closed().sees(".saved", "Saved ");
        assertEquals("<p>Typed for an hour</p>", window.text());
        assertEquals("<p>Typed for an hour</p>", draft());
        assertEquals("", window.shown("#banner p"));
        window.preview("Typed for an hour");
        endSessions();
        window.write("<p>And another</p>").sees("#banner", "Your session has expired").click("Sign in again")
                .heading("Sign in again");
        window.type("Password", PASSWORD).click("Sign in").closed().save();
        assertEquals("<p>And another</p>", draft());
    }

    @Test
    void anUnreachableServerIsReportedAndTriedAgain(Window window) {
        window.expect(".* - Failed to load resource: net::ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE).*");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").sees(".saved", "Saved");
        window.preview("As it was");
        int port = stet.server.address().getPort();
        stet.stop();
        window.write("<p>Typed meanwhile</p>").ctrl("s").sees("#banner",
                "Cannot reach the server. Your text is kept in this browser.");
        window.click("Retry").sees("#banner", "Cannot reach the server");
        assertEquals("<p>Typed meanwhile</p>", window.text());
        stet.start(port);
        window.sees(".saved", "Saved "); // the page retries on its own
        assertEquals("<p>Typed meanwhile</p>", draft());
        assertEquals("", window.shown("#banner p"));
        window.preview("Typed meanwhile");
    }

    @Test
    void aBusyServerIsTriedAgain(Window window) throws SQLException {
        for (int i = 0; i < 16; i++) {
            stet.template(ada, "mail-" + i, "");
        }
        window.expect(".*status of 503.*");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").write("<p>Typed meanwhile</p>");
        try (HeavyWorkTest.Crowded crowded = new HeavyWorkTest.Crowded(stet, Browser.of(stet, ada), 17)) {
            assertTrue(Running.comes(() -> !crowded.answered().isEmpty()));
            window.ctrl("s");
            assertTrue(Running.comes(() -> (boolean) window.driver.executeScript(
                    "return performance.getEntriesByType('resource').some(each => each.responseStatus === 503)")));
            crowded.release();
            window.sees(".saved", "Saved ");
        }
        assertEquals("<p>Typed meanwhile</p>", draft());
    }

    @Test
    void skippingToTheContentKeepsUnsavedTextAndTheHistory(Window window) {
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").write("<p>Typed</p>").sees(".saved", "Unsaved changes");
        Object entries = window.script("return history.length");
        window.script("document.querySelector('.skip').focus()");
        window.keys(Keys.ENTER);
        Window.within(() -> "the focus is not on the content", () -> "main".equals(window.script("return document.activeElement.id")));
        assertEquals(entries, window.script("return history.length"));
        assertEquals("<p>Typed</p>", window.text());
    }

    @Test
    void leavingWithUnsavedTextAsksFirst(Window window) {
        window.signedIn(stet, ada, "/").heading("Templates").follow("Welcome").heading("Welcome").write("<p>Not yet</p>");
        window.follow("Keys").heading("Leave with unsaved changes?").click("Stay").closed();
        assertEquals("/templates/welcome <p>Not yet</p>", window.path() + " " + window.text());
        window.driver.navigate().back();
        window.heading("Leave with unsaved changes?").click("Save and leave").closed().heading("Templates");
        assertEquals("<p>Not yet</p>", draft());
        window.driver.navigate().forward();
        window.heading("Welcome").write("<p>Never</p>").follow("Keys").click("Leave without saving").heading("Keys");
        assertEquals("<p>Not yet</p>", draft());
    }
}
