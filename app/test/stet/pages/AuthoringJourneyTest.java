package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Samples;
import stet.harness.Chromium;
import stet.harness.Machine;
import stet.harness.Running;
import stet.harness.Window;

/** From the set-up link to a published template and its history, by mouse and by keyboard. */
@Tag("browser")
@ExtendWith(Chromium.class)
class AuthoringJourneyTest {
    private static final String PASSWORD = "correct horse battery";

    @AutoClose
    private Running stet;

    /** Counts the clicks that a task takes. */
    private static final class Clicks {
        private final Window window;
        private int number;

        Clicks(Window window) {
            this.window = window;
        }

        Window click(String button) {
            number++;
            return window.click(button);
        }
    }

    /** One journey, whose template is also the one that start.md fetches. */
    @Test
    void sixClicksLeadFromTheSetUpLinkToAnAnsweredRequest(Window window) throws Exception {
        Machine.has("curl");
        stet = new Running(null, "one-time");
        Clicks clicks = new Clicks(window);
        window.open(stet, "/setup#one-time").heading("Set up Stet").type("Account name", "Harbour Books").type("Email", "ada@example.com").type("Password", PASSWORD);
        clicks.click("Create account").heading("No templates yet");
        clicks.click("Create your first template…").heading("New template").preview("Confirm my address");
        clicks.click("Create").heading("Sign-up confirmation").preview("Welcome, Ada");
        clicks.click("Publish…").heading("Publish Sign-up confirmation").sees("No problems found.");
        clicks.click("Publish").heading("Sign-up confirmation is live");
        clicks.click("Create API key").heading("Your new key");
        assertEquals(6, clicks.number);

        // The command works when pasted into a terminal.
        Process curl = new ProcessBuilder("sh", "-c", window.value("Request").replace("curl ", "curl -sS -w '%{http_code}' "))
                .redirectErrorStream(true).start();
        String response = new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, curl.waitFor(), response);
        assertEquals(stet.db.read(dao -> new String(dao.templates().find(stet.account("ada@example.com").id(), "sign-up").orElseThrow().html(),
                StandardCharsets.UTF_8)) + "200", response);
        window.click("I've saved it").closed().click("Publish…").sees("No changes since version 1")
                .click("Back to draft").closed();

        // The starter's name and ID were kept.
        String guide = Files.readString(Path.of("app/docs/start.md"));
        assertTrue(guide.contains("keep the suggested name and the ID `sign-up`"), guide);
        assertTrue(guide.contains("/api/v1/templates/sign-up\n"), guide);
    }

    @Test
    void theSetUpLinkMakesOneAccountWithTheLimitsForOwnApps(Window window) {
        stet = new Running(null, "one-time");
        window.open(stet, "/").sees("This server has no accounts yet");
        window.open(stet, "/setup#one-time").heading("Set up Stet");
        window.type("Account name", "Harbour Books").type("Email", "ada@example.com").type("Password", "short").click("Create account")
                .sees("at least 8 characters");
        assertEquals("ada@example.com", window.value("Email"), "the form stays filled in");
        window.type("Password", PASSWORD).click("Create account").heading("No templates yet");
        assertEquals(List.of("PRO 1000000 20"), stet.db.read(dao -> dao.accounts().list()).stream()
                .map(account -> account.plan() + " " + account.requests() + " " + account.keys()).toList());
        window.open(stet, "/setup#one-time").sees("This server already has an account").follow("View templates").heading("No templates yet");
    }

    @Test
    void theFormOfAMistypedSetUpLinkIsShown(Window window) {
        stet = new Running(null, "one-time");
        window.open(stet, "/setup#one%time").heading("Set up Stet").find("button", "Create account");
    }

    @Test
    void theIdFollowsTheNameUntilItIsEdited(Window window) {
        stet = new Running();
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.draft(ada, "sign-up", "Sign-up confirmation", "", "");
        window.signedIn(stet, ada, "/").heading("Templates").click("New template…").heading("New template");
        has(window, "ID", "sign-up-2");
        window.find("field", "Name").click();
        window.keys("Typed over it");
        has(window, "Name", "Typed over it");
        window.choose("Empty").type("Name", "Straße & Café, 2nd try!");
        has(window, "ID", "stra-e-cafe-2nd-try");
        window.type("ID", "house").type("Name", "Café");
        assertEquals("house", window.value("ID"));
        window.click("Create").heading("Café");
        assertEquals("/templates/house", window.path());
        assertTrue(window.text().contains("<title>Café</title>"), window.text());
    }

    @Test
    void aTakenOrInvalidIdIsReportedAsItIsTyped(Window window) {
        stet = new Running();
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.draft(ada, "sign-up", "Sign-up confirmation", "", "");
        window.signedIn(stet, ada, "/").heading("Templates").click("New template…").heading("New template").choose("Empty");
        window.type("ID", "sign-up").sees(".error", "ID sign-up is already taken. Try sign-up-2.");
        window.type("ID", "a b").sees(".error", "Use only letters, digits, - and _");
    }

    private static void has(Window window, String label, String value) {
        Window.within(() -> label + " is " + window.value(label), () -> window.value(label).equals(value));
    }

    /** One journey: an empty template is written, given test data, previewed, published, and fetched with a new key. */
    @Test
    void theApiReturnsTheBytesWrittenOnThePages(Window window) {
        stet = new Running();
        window.signedIn(stet, stet.account("ada@example.com", Plan.PRO), "/").heading("No templates yet").click("Create your first template…").choose("Empty");
        window.type("Name", "Welcome").type("ID", "welcome").click("Create").heading("Welcome");
        assertEquals("/templates/welcome", window.path());
        window.sees(".details .state", "Never published");

        String html = "<h1>Hi {{name}}</h1>\n<p>Your code is <b>{{code}}</b>, from \u00c5sa \u2014 \ud83d\udc4b</p>";
        window.write(html).type("Subject", "Welcome, {{name}}").sees(".saved", "Unsaved changes");
        window.type("Sample value for name", "Ada").type("Sample value for code", "c0de");
        window.preview("Hi Ada");
        assertEquals("Hi Ada\nYour code is c0de, from \u00c5sa \u2014 \ud83d\udc4b", window.preview("c0de"));
        window.sees(".inbox-subject", "Welcome, Ada").save();
        window.click("Publish…").heading("Publish Welcome");
        window.sees("This is the first version").sees("Your app fills in:");
        assertEquals("name Ada\ncode c0de", window.shown("dialog .tree"));
        window.type("Note", "the first").click("Publish");
        window.heading("Welcome is live").click("Later").closed().sees(".details .state", "Published");

        window.follow("Keys").heading("No keys yet").click("New key…");
        window.type("Name", "shop").click("Create").heading("Your new key");
        String key = window.value("Key");
        window.click("I've saved it").closed();
        assertEquals(html, stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
        assertEquals("{\"variables\":[\"name\",\"code\"]}", stet.get(Running.TEMPLATES + "welcome?format=variables", key).text());
    }

    @Test
    void anOldVersionIsViewedRestoredAndPublishedAgain(Window window) {
        stet = new Running();
        Account ada = stet.account("ada@example.com", Plan.PRO, PASSWORD);
        String key = stet.key(ada);
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>The first text</p>");
        stet.publish(ada, "welcome");
        stet.draft(ada, "welcome", "Welcome", "Hello {{name}}", "<p>The second text</p>");
        stet.publish(ada, "welcome");
        window.signIn(stet, ada.name(), PASSWORD).follow("Welcome").heading("Welcome").tab("History");

        window.click("View version 1").heading("Version 1");
        window.preview("The first text");
        window.tab("Source").sees("pre.source", "<p>The first text</p>").click("Close").closed();
        window.choose("More actions for version 1", "Compare…").heading("Compare version 1");
        window.sees("del.line.removed", "first").sees("ins.line.added", "second").sees("ins.line.added", "Hello {{name}}")
                .click("Close").closed();

        window.choose("More actions for version 1", "Restore…").click("Restore").closed().sees("Version 1 restored as draft");
        assertEquals("<p>The first text</p>", window.text());
        window.preview("The first text");
        window.sees(".details .state", "Unpublished changes");
        assertEquals("<p>The second text</p>", stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
        window.click("Publish…").heading("Publish Welcome").sees("1 variable removed: name");
        window.click("Publish").closed().sees("Version 3 of Welcome is live.");
        assertEquals("<p>The first text</p>", stet.get(Running.TEMPLATES + "welcome?format=html", key).text());

        window.choose("More actions for version 2", "Publish again…").heading("Publish version 2 again").sees("ins.line.added", "second");
        window.tab("Preview").sees("figcaption", "Version 2");
        window.click("Publish again").closed().sees("Version 4 of Welcome is live.");
        assertEquals("<p>The second text</p>", stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
        assertEquals("<p>The first text</p>", window.text());
        window.sees("ol.versions", "Version 4").sees("ol.versions", "Version 2 again");
        assertEquals(List.of("4", "3", "2", "1"), window.shown("ol.versions b").lines().map(line -> line.replace("Version ", ""))
                .toList());
    }

    @Test
    void aLongHistoryIsShownInPartsButAnyVersionCanBeCompared(Window window) {
        stet = new Running();
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>one</p>");
        stet.publish(ada, "welcome");
        stet.db.change(dao -> {
            for (int i = 2; i <= 101; i++) { // one more than is shown at first
                dao.versions().publishAgain(ada.id(), "welcome", 1, "", stet.now());
            }
        });
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").tab("History").sees("ol.versions", "Version 2");
        assertEquals(100, window.shown("ol.versions b").lines().count());
        window.click("Show older").sees("ol.versions", "Version 1\n");
        assertEquals(101, window.shown("ol.versions b").lines().count());
        window.choose("More actions for version 1", "Compare…").heading("Compare version 1");
        assertEquals(102L, window.script("return document.querySelectorAll('#against option').length"), "the versions and the draft");
    }

    @Test
    void aBlockSavedDuringPublishingIsShownBeforeItGoesLive(Window window) {
        stet = new Running();
        Account ada = stet.account("ada@example.com", Plan.PRO);
        String key = stet.key(ada);
        stet.block(ada, "footer", "<i>old</i>");
        stet.template(ada, "welcome", "<p>one</p>");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>{{> footer}}</p>");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").click("Publish…").heading("Publish Welcome");
        window.sees("ins.line.added", "old").type("Note", "my note");
        stet.block(ada, "footer", "<i>new</i>");
        window.click("Publish").sees("A shared block was changed; review the changes again")
                .sees("ins.line.added", "new");
        assertEquals("<p>one</p>", stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
        window.click("Publish").closed().sees("Version 2 of Welcome is live.");
        assertEquals("<p><i>new</i></p>", stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
        window.tab("History").sees("ol.versions", "my note");
    }

    @Test
    void problemsThatBlockPublishingAreShownAndFixed(Window window) {
        stet = new Running();
        Account ada = stet.account("ada@example.com", Plan.PRO);
        String key = stet.key(ada);
        stet.draft(ada, "welcome", "Welcome", "Hi {{name}}", "<p>Hi{{#each items}}{{title}}{{/each}}</p>\n{{> foot}}\n<p>{{open</p>");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").sees(".variables", "items[]").tab("Checks");
        window.sees(".checks .blocking", "Shared block \"foot\" not found.").sees(".checks .blocking", "is not closed.");
        window.click("Publish…").heading("Publishing is blocked");
        assertEquals(false, window.find("button", "Publish").isEnabled());
        window.click("Back to draft").closed();
        window.click("Publish…").heading("Publishing is blocked").click("Go to line 3").closed();
        Window.within(() -> "the cursor is not in line 3",
                () -> Long.valueOf(2).equals(window.script("return document.activeElement.closest('.CodeMirror')?.CodeMirror.getCursor().line")));
        assertEquals(404, stet.get(Running.TEMPLATES + "welcome", key).status());
        window.write("<p>Hi</p>").sees("[role=tabpanel]", "No problems found.").click("Publish…").heading("Publish Welcome");
        window.click("Publish").closed().sees("Version 1 of Welcome is live.");
        window.click("Publish…").sees("No changes since version 1 (live).").click("Back to draft")
                .closed();
        assertEquals("<p>Hi</p>", stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
    }

    @Test
    void anEmailWithErrorsIsPublishedAfterTwoConfirmations(Window window) {
        stet = new Running();
        Account ada = stet.account("ada@example.com", Plan.PRO);
        String key = stet.key(ada);
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Write {{ for a place, {{name}}</p>");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").click("Publish…").heading("Errors");
        window.sees(".checks .blocking", "\"{{\" is not closed.").click("Publish anyway…")
                .heading("Publish Welcome with 1 error?");
        window.sees("\"{{\" is not closed.").click("Don't publish").heading("Publish Welcome");
        assertEquals(404, stet.get(Running.TEMPLATES + "welcome", key).status());
        window.click("Publish anyway…").heading("Publish Welcome with 1 error?").click("Publish anyway").closed()
                .sees("Version 1 of Welcome is live.");
        assertEquals("<p>Write {{ for a place, {{name}}</p>", stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
    }

    /** A word diff would take minutes, so the page falls back to lines. */
    @Test
    void aHugeChangeIsComparedByLines(Window window) {
        stet = new Running();
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.template(ada, "welcome", words(1, 200));
        stet.draft(ada, "welcome", "welcome", "Hi", words(2, 200) + "<p>the last line, changed</p>\n");
        window.signedIn(stet, ada, "/templates/welcome").heading("welcome").click("Publish…").heading("Publish welcome");
        window.tab("HTML").sees(".legend", "200 lines in live").sees(".legend", "201 lines in new");
        assertEquals("0", window.script("return String(document.querySelectorAll('.difference mark').length)"));
    }

    @Test
    void changesShowInvisibleCharacters(Window window) {
        stet = new Running();
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.template(ada, "welcome", "<p>Hi {{name}}, a b</p>\n<p>same\u200b</p>\n\t<p>tab</p>\n<p>end</p>\n");
        stet.draft(ada, "welcome", "welcome", "Hi", "<p>Hi {{name}}\u200b, a\u00a0b</p>  \n<p>same\u200b</p>\n    <p>tab</p>\n<p>e\u00adnd</p>\u2066");
        window.signedIn(stet, ada, "/templates/welcome").heading("welcome").click("Publish…").heading("Publish welcome");
        window.tab("HTML").sees("ins.line .unended", "no line end");
        String unseen = "return [...document.querySelectorAll('dialog [role=tabpanel]:not([hidden]) .unseen')]"
                + ".filter(each => (each.closest('del') !== null) === arguments[0]).map(each => each.dataset.as).join(' ')";
        assertEquals("\u00b7 \u2192", window.script(unseen, true), "removed");
        assertEquals("ZWSP NBSP \u00b7 \u00b7 \u00b7 \u00b7 \u00b7 \u00b7 SHY U+2066", window.script(unseen, false), "added");
        window.click("Cancel").closed();
    }

    @Test
    void changedLineEndsAreNamedAndNotShownAsChangesOfLines(Window window) {
        stet = new Running();
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.template(ada, "welcome", "<p>one</p>\n<p>two</p>\n<p>three</p>\n");
        stet.draft(ada, "welcome", "welcome", "Hi", "<p>one</p>\r\n<p>2</p>\r\n<p>three</p>\r\n");
        window.signedIn(stet, ada, "/templates/welcome").heading("welcome").click("Publish…").heading("Publish welcome");
        window.tab("HTML").sees("Line ends: LF in live, CRLF in new.").sees(".legend", "1 line in live").sees(".legend", "1 line in new");
    }

    /** Lines of 1,900 characters that share hardly any words with the lines of another seed. */
    private static String words(int seed, int lines) {
        Random random = new Random(seed);
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < lines; i++) {
            for (int j = 0; j < 380; j++) {
                all.append(Integer.toString(1_000 + random.nextInt(9_000))).append(' ');
            }
            all.append('\n');
        }
        return all.toString();
    }

    @Test
    void theKeyboardIsEnoughToSignInEditAndPublish(Window window) {
        stet = new Running();
        Account ada = stet.account("ada@example.com", Plan.PRO, PASSWORD);
        String key = stet.key(ada);
        stet.template(ada, "receipt", "<p>Old</p>");
        stet.template(ada, "welcome", "<p>Old</p>");
        window.open(stet, "/").heading("Sign in");
        window.keys("ada@example.com", Keys.TAB, PASSWORD, Keys.ENTER).heading("Templates");
        window.keys("/", "welc").sees(".matches", "1 of 2 templates");
        window.tabTo("link", "welcome").keys(Keys.ENTER).heading("welcome");
        window.tabTo("field", "HTML of the email").ctrl("a").keys("<p>New, {{name}}</p>").sees(".saved", "Unsaved changes").ctrl("s")
                .sees(".saved", "Saved ");
        // Tab leaves the editor; arrow keys switch tabs.
        window.tabTo("tab", "Data").keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT).sees("[role=tabpanel]", "The subject is empty.");
        window.keys(Keys.HOME).tabTo("field", "Sample value for name").keys("Ada").preview("New, Ada");
        window.tabTo("button", "Publish…").keys(Keys.ENTER).heading("Publish welcome");
        window.tabTo("field", "Note").keys("by hand", Keys.ENTER).closed().sees("Version 2 of welcome is live.");
        assertEquals("<p>New, {{name}}</p>", stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
        window.tabTo("button", "Publish…").keys(Keys.ENTER).heading("Publish welcome").keys(Keys.ESCAPE).closed();
        assertEquals("Publish…", window.script("return document.activeElement.textContent"));
    }

    @Test
    void aThousandTemplatesCanBeSearched(Window window) {
        stet = new Running();
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.db.change(dao -> {
            for (int i = 0; i < 1_000; i++) {
                byte[] html = ("<p>" + i + "</p>").getBytes(StandardCharsets.UTF_8);
                dao.templates().save(ada.id(), new Draft("t-" + i, "Mail number " + i, "", html, Samples.NONE), stet.now());
            }
        });
        window.signedIn(stet, ada, "/").heading("Templates").sees(".matches", "1,000 templates");
        window.type("Search templates", "r 77").sees(".matches", "19 of 1,000 templates"); // 77, 177 to 977, and 770 to 779
        assertEquals(19, window.shown("tr .name").lines().filter(name -> name.contains("77")).count());
        window.type("Search templates", "t-999").sees(".matches", "1 of 1,000 templates").follow("Mail number 999")
                .heading("Mail number 999");
        window.preview("999");
        window.type("Subject", "Nine").save().follow("Templates").heading("Templates");
        window.type("Search templates", "zz").sees("No matching templates.").click("Show all").sees(".matches", "1,000 templates");
        assertEquals("", window.value("Search templates"));
    }
}
