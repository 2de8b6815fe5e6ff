package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Block;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.User;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Pictures;
import stet.harness.Running;
import stet.harness.Window;

/** Responses that arrive after a later one, after a second click, or after the user has gone on. */
@Tag("browser")
@ExtendWith(Chromium.class)
class LateResponsesTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);

    /**
     * Holds the first response to a request whose path has this end, until {@code release()}. If the page has sent a second request by then,
     * the first response arrives after the second. {@code arrived} has the bodies in the order in which the page has read them.
     */
    static void holdFirst(Window window, String end) {
        window.script("""
                const [end] = arguments;
                const fetched = window.fetch;
                const released = new Promise(done => { window.release = done; });
                let sent = 0;
                window.arrived = [];
                window.fetch = async (path, ...rest) => {
                  const number = path.endsWith(end) ? ++sent : 0;
                  const response = await fetched(path, ...rest);
                  if (number === 1) {
                    await released;
                    while (sent > 1 && window.arrived.length === 0) {
                      await new Promise(requestAnimationFrame);
                    }
                  }
                  if (number > 0) {
                    const text = await response.text();
                    response.text = async () => {
                      setTimeout(() => { window.arrived.push(text); }); // after the page's own steps
                      return text;
                    };
                  }
                  return response;
                };
                """, end);
    }

    static void release(Window window, long responses) {
        window.script("window.release()");
        Window.within(() -> "responses are missing", () -> window.script("return window.arrived.length").equals(responses));
    }

    /** Sends no check until {@code release()}. */
    private static void holdChecks(Window window) {
        window.script("""
                const fetched = window.fetch;
                const released = new Promise(done => { window.release = done; });
                window.fetch = async (path, ...rest) => {
                  await (path === '/data/check' && released);
                  return fetched(path, ...rest);
                };
                """);
    }

    private static String textOf(Window window, String selector) {
        return (String) window.script("return document.querySelector(arguments[0]).innerText.trim()", selector);
    }

    @Test
    void nothingIsReportedMissingOrUnusedBeforeTheFirstCheck(Window window) {
        stet.db.change(dao -> dao.templates().save(ada.id(), new Draft("welcome", "Welcome", "Hi", Utf8.encode("<p>Hello {{name}}</p>"),
                Map.of("Example", "{\"name\":\"Ada\"}")), stet.now()));
        stet.draft(ada, "receipt", "Receipt", "Hi", "");
        window.signedIn(stet, ada, "/").heading("Templates").writes();
        holdChecks(window);
        window.follow("Welcome").heading("Welcome");
        assertEquals("", textOf(window, ".fixed-parts"));
        assertEquals("name", textOf(window, ".variables"));
        assertEquals("Ada", window.value("Sample value for name"));
        window.script("window.release()");
        window.sees(".pieces", "Hello").sees(".variables", "line 1");
        assertEquals("", textOf(window, ".fixed-parts"));
        window.goTo("/").heading("Templates");
        holdChecks(window);
        window.follow("Receipt").heading("Receipt");
        assertEquals("", textOf(window, ".fixed-parts"));
        assertEquals("", textOf(window, ".variables"));
        window.script("window.release()");
        window.sees(".fixed-parts", "This email has no sections").sees(".variables", "No variables yet");
    }

    @Test
    void featuresAcceptedOneAfterTheOtherAreAllShown(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p style=\"border-radius:4px\">a</p><video></video>");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").tab("Checks");
        holdFirst(window, "/features");
        window.click("Accept border-radius").click("Accept <video> element");
        release(window, 2);
        window.sees(".features", "2 features accepted for this template");
    }

    @Test
    void aFeatureAcceptedLateLeavesTheFocusInAField(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<video></video>");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").tab("Checks");
        holdFirst(window, "/features");
        window.click("Accept <video> element").find("field", "Subject").sendKeys("!");
        release(window, 1);
        window.sees(".features", "1 feature accepted for this template");
        assertEquals("subject", window.script("return document.activeElement.id"));
    }

    @Test
    void anImageAddedAfterThePageWasLeftKeepsTheTextOfTheNext(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>old</p>");
        window.signedIn(stet, ada, "/images").heading("Images");
        holdFirst(window, "/data/images");
        window.script("""
                const data = new DataTransfer();
                data.items.add(new File([Uint8Array.from(atob(arguments[0]), char => char.charCodeAt(0))], 'logo.png', { type: 'image/png' }));
                document.querySelector('.images-page').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
                """, Base64.getEncoder().encodeToString(Pictures.png(50, 20, 7)));
        window.goTo("/templates/welcome").heading("Welcome").write("<p>new</p>");
        release(window, 1);
        window.sees(".toast", "logo.png added.");
        assertEquals(false, window.script("return document.getElementById('main').hasAttribute('aria-busy')"));
        assertEquals("<p>new</p>", window.text());
    }

    /** After a change on another page, which the page then loads again or leaves. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(textBlock = """
            /blocks          | Delete footer          | Delete             | /data/blocks/footer
            /blocks/footer   | Delete…                | Delete             | /data/blocks/footer
            /images          | Delete logo.png        | Delete             | /data/images/logo.png
            /trash           | Delete permanently old | Delete permanently | /data/deletions/old
            /trash           | Restore old            | Restore            | /data/deletions/old/restore
            """, delimiter = '|')
    void aPageOpenedMeanwhileStaysAndKeepsItsText(String page, String act, String confirmation, String held, Window window) {
        stet.template(ada, "old", "<p>old</p>");
        stet.db.change(dao -> dao.trash().delete(ada.id(), "old", stet.now()));
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>before</p>");
        stet.block(ada, "footer", "<p>foot</p>");
        stet.image(ada, "logo.png", Pictures.png(50, 20, 7));
        window.signedIn(stet, ada, page);
        if (act.endsWith("…")) {
            window.choose("More block actions", act);
        } else {
            window.click(act);
        }
        window.find("button", confirmation);
        holdFirst(window, held);
        window.click(confirmation).closed().goTo("/templates/welcome").heading("Welcome").write("<p>typed</p>");
        release(window, 1);
        assertEquals("/templates/welcome", window.path());
        assertEquals(false, window.script("return document.querySelector('dialog[open], #main[aria-busy]') !== null"));
        assertEquals("<p>typed</p>", window.text());
    }

    @Test
    void aSaveThatEndsLaterLeavesTheTitleOfTheNextPage(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hello</p>");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").type("Subject", "Saved");
        holdFirst(window, "/data/templates/welcome");
        window.ctrl("s").follow("Templates").click("Leave without saving").heading("Templates");
        release(window, 1);
        assertEquals("Templates · Stet", window.driver.getTitle());
    }

    /** The list stays until the next page is ready, which then has an address of its own. */
    @Test
    void aSearchChangesNoAddressButThatOfTheList(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hello</p>");
        window.signedIn(stet, ada, "/").heading("Templates");
        holdFirst(window, "/data/templates/welcome");
        window.script("""
                const search = document.getElementById('search');
                search.value = 'wel';
                search.dispatchEvent(new Event('input'));
                document.querySelector('[data-id=welcome] a').click();
                setTimeout(() => { window.isLater = true; }, 250); // after the list's own timer, which began earlier
                """);
        Window.within(() -> "not later", () -> Boolean.TRUE.equals(window.script("return window.isLater")));
        release(window, 1);
        window.heading("Welcome");
        assertEquals("", window.script("return location.search"));
    }

    @Test
    void aTemplateDeletedAfterGoingBackLeavesThePageOpen(Window window) {
        stet.draft(ada, "other", "Other", "Hi", "<p>other</p>");
        window.signedIn(stet, ada, "/keys").heading("Keys").goTo("/templates/other").heading("Other").choose("More template actions", "Delete…")
                .find("button", "Delete");
        holdFirst(window, "/data/templates/other");
        window.click("Delete");
        window.driver.navigate().back();
        Window.within(() -> "not the page of keys", () -> "Keys".equals(window.script("return document.querySelector('main h1').textContent")));
        release(window, 1);
        window.closed().sees(".toast", "Other moved to the trash.");
        assertEquals("/keys", window.path());
    }

    @Test
    void aDifferenceIsLoadedOnceAlthoughItsButtonIsClickedTwice(Window window) {
        stet.template(ada, "welcome", "<p>old</p>");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>new</p>");
        window.signedIn(stet, ada, "/").heading("Templates").tick("Select Welcome").click("Publish…").heading("Publish 1 template");
        holdFirst(window, "/publication");
        window.click("Show difference of Welcome").click("Show difference of Welcome");
        release(window, 1);
        window.find("button", "Hide difference of Welcome");
        assertEquals(1L, window.script("return document.querySelectorAll('.unfolded > *').length"));
    }

    @Test
    void theNewestLookOfAnEmptyEmailIsShown(Window window) {
        window.signedIn(stet, ada, "/").heading("No templates yet").click("New template…").choose("Empty");
        Window.within(() -> "no picture", () -> window.script("return document.querySelector('.starter-stage iframe') !== null").equals(true));
        holdFirst(window, "/data/check");
        String set = "const input = document.querySelector('[name=colour]'); input.value = arguments[0]; input.dispatchEvent(new Event('input', { bubbles: true }));";
        window.script("window.asked = []; const held = window.fetch; window.fetch = (path, options) => { window.asked.push(options.body ?? ''); return held(path, options); }");
        for (String colour : List.of("#111111", "#222222")) {
            window.script(set, colour);
            Window.within(() -> "not asked", () -> window.script("return window.asked.some(body => body.includes(arguments[0]))", colour).equals(true));
        }
        release(window, 2);
        assertEquals(true, window.script("return document.querySelector('.starter-stage iframe').getAttribute('src') === JSON.parse(window.arrived[0]).preview"));
    }

    @Test
    void aRequestOfAnAccountThatWasLeftIsNotSentInAnother(Window window) throws Exception {
        Account other = stet.db.write(dao -> dao.accounts().addWithOwner("Other", "ada@example.com", null, Plan.PRO, stet.now()));
        User user = stet.owner(ada);
        Browser browser = Browser.of(stet, ada, user);
        window.expect(".*status of 409.*").signedIn(stet, browser, "/blocks").heading("No shared blocks yet");
        browser.put("/data/session", "{\"account\": " + other.id() + "}");
        window.click("New block…").type("Name", "left").click("Create");
        window.sees("#banner", "You switched to Other in another window.");
        window.click("Cancel").closed().click("ada@example.com, switch account").click("Other").heading("No templates yet");
        window.goTo("/blocks").heading("No shared blocks yet");
        browser.put("/data/session", "{\"account\": " + ada.id() + "}");
        window.click("New block…").type("Name", "wanted").click("Create").sees("#banner", "You switched to ada@example.com in another window.");
        window.click("Cancel").closed().click("Back to Other");
        Window.within(() -> "not sent", () -> blocks(other).contains("wanted"));
        assertEquals(List.of("wanted"), blocks(other));
    }

    private List<String> blocks(Account account) {
        return stet.db.read(dao -> dao.blocks().list(account.id())).stream().map(Block.Summary::name).toList();
    }

    @Test
    void aTextOfASuspendedAccountIsRejectedByASentence(Window window) throws Exception {
        Account other = stet.db.write(dao -> dao.accounts().addWithOwner("Other", "ada@example.com", null, Plan.PRO, stet.now()));
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>old</p>");
        Browser browser = Browser.of(stet, ada, stet.owner(ada));
        window.expect(".*status of 409.*").signedIn(stet, browser, "/templates/welcome").heading("Welcome").write("<p>new</p>");
        browser.put("/data/session", "{\"account\": " + other.id() + "}");
        stet.db.change(dao -> dao.accounts().setSuspended(ada, true, stet.now()));
        window.ctrl("s").sees("#banner", "ada@example.com is suspended.").sees(".toast", "You have switched to another account");
    }

    @Test
    void aNameBeingTypedOutlivesASave(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>old</p>");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").write("<p>new</p>").choose("More template actions", "Rename")
                .type("Name", "Greeting").save();
        assertEquals("Greeting", window.value("Name"));
        window.keys(Keys.ENTER).heading("Greeting");
    }

    @Test
    void tagsTypedAfterRejectedOnesAreKept(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>old</p>");
        window.expect(".*status of 422.*").signedIn(stet, ada, "/templates/welcome").heading("Welcome");
        holdFirst(window, "/tags");
        window.find("field", "Add a tag").sendKeys("-no", Keys.ENTER);
        window.find("field", "Add a tag").sendKeys("shop");
        release(window, 1);
        window.sees("is not a valid tag");
        assertEquals("-no, shop", window.value("Add a tag"));
    }

    @Test
    void thePageRecoversAfterAnExpiredSessionAndAnUnreachableServer(Window window) {
        window.expect(".*status of 401.*").signedIn(stet, ada, "/keys").heading("Keys");
        window.script("""
                const fetched = window.fetch;
                window.fetch = async (path, ...rest) => {
                  if (window.isDown) {
                    throw new TypeError('down');
                  }
                  return window.isExpired && path.startsWith('/data/') ? new Response('{"error":"expired"}', { status: 401 }) : fetched(path, ...rest);
                };
                window.isExpired = true;
                """);
        window.click("New key…").type("Name", "production").click("Create").heading("Sign in again").click("Close").click("Cancel").closed();
        window.script("window.isExpired = false; window.isDown = true;");
        window.follow("Usage").sees("#banner", "Cannot reach the server.");
        window.script("window.isDown = false;");
        window.heading("Usage");
    }

    @Test
    void aWebhookIsTestedOnceAlthoughItsButtonIsClickedTwice(Window window) {
        webhook(window, """
                window.tests = (window.tests ?? 0) + (method === 'POST' ? 1 : 0);
                return { ...set, triedAt: window.tests ? new Date().toISOString() : null };
                """);
        window.goTo("/account").heading("Account").click("Send a test").click("Send a test").sees("Last delivery succeeded");
        assertEquals(1L, window.script("return window.tests"));
    }

    @Test
    void theStateOfAWebhookIsShownAgainIfTheResultOfATestCannotBeRead(Window window) {
        webhook(window, """
                if (method === 'GET' && gets === 2) {
                  throw new TypeError('down');
                }
                return set;
                """);
        window.goTo("/account").heading("Account").click("Send a test").sees(".toast", "Cannot reach the server").sees("No messages sent yet.");
    }

    @Test
    void aWebhookRemovedDuringATestStaysRemoved(Window window) {
        webhook(window, """
                if (method === 'GET' && gets === 2) {
                  window.isPolled = true;
                  await new Promise(done => { window.release = done; });
                  setTimeout(() => { window.isOver = true; });
                  return { ...set, triedAt: new Date().toISOString() };
                }
                return set;
                """);
        window.goTo("/account").heading("Account").click("Send a test");
        Window.within(() -> "no poll", () -> Boolean.TRUE.equals(window.script("return window.isPolled")));
        window.click("Remove the webhook").click("Remove").closed();
        window.script("window.release()");
        Window.within(() -> "not over", () -> Boolean.TRUE.equals(window.script("return window.isOver")));
        window.click("Set up a webhook").heading("Webhook");
        assertEquals("", window.value("URL"));
        assertTrue(window.shown("dialog").contains("Save"));
    }

    /**
     * Opens a page whose requests for the webhook do not reach the server.
     *
     * @param answer returns the webhook, such as {@code set}, from the request's {@code method} and the number of {@code gets} so far
     */
    private void webhook(Window window, String answer) {
        window.signedIn(stet, ada, "/usage").heading("Usage");
        window.script("""
                const fetched = window.fetch;
                const set = { url: 'https://hooks.example.com/1', failure: null, pending: false, triedAt: null };
                const answer = async (method, gets) => { %s };
                let gets = 0;
                window.fetch = async (path, options) => {
                  if (!path.startsWith('/data/webhook')) {
                    return fetched(path, options);
                  }
                  gets += options.method === 'GET' ? 1 : 0;
                  return Response.json({ webhook: await answer(options.method, gets) });
                };
                """.formatted(answer));
    }
}
