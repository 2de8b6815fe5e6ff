package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import stet.core.Account;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Client;
import stet.harness.MailSink;
import stet.harness.Pictures;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.harness.Window;

/** Creating a review link, opening it without an account, and revoking it. */
@Tag("browser")
@ExtendWith(Chromium.class)
class ReviewJourneyTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);

    /** One journey: a link is created, a guest comments on a text and two images, a user answers and resolves, and the link is revoked. */
    @Test
    void aGuestCommentsOnADraftUntilItsLinkIsRevoked(Window window) {
        stet.template(ada, "welcome", "<p>Hello");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Dear\n<img src=\"https://127.0.0.1:1/logos/tea.png?v=2\"><img src=\"data:,\">");
        window.expect(".*/tea.png.* - Failed to load resource: .*");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").choose("More template actions", "Review links…")
                .click("Create link to draft").sees(".review-link", "/review#");
        assertEquals(true, window.script("return document.querySelector('.review-link').getBoundingClientRect().bottom "
                + "< document.querySelector('dialog[open] .actions').getBoundingClientRect().top"), "the link is above the buttons");
        String link = window.shown(".review-link").replaceFirst(".*/review#", "/review#");
        Browser browser = Browser.of(stet, ada);
        window.open(stet, link).heading("Welcome").sees("ada@example.com invites you to review the draft").preview("Dear");
        window.inPreview("const text = [...document.querySelector('p').childNodes].find(each => each.nodeType === 3); const box = document.createRange(); box.selectNodeContents(text);"
                + "const { left, top } = box.getBoundingClientRect();"
                + "document.querySelector('p').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, clientX: left + 3, clientY: top + 3 }))");
        window.sees(".about", "“Dear”").type("Your name", "Kim").type("Comment", "Too formal <b>here").click("Comment")
                .sees(".comments", "Too formal <b>here").sees(".comments", "guest, unverified name");
        window.inPreview("document.querySelector('[src*=tea]').click()");
        window.sees(".about", "“tea.png”").inPreview("document.querySelector('[src*=data]').click()");
        window.sees(".about", "“img”");
        window.type("Comment", "No description").click("Comment").sees(".comments", "No description");
        window.click("Show changes from the live version of Welcome").sees(".difference", "Hello");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").tab("Comments").sees(".comments blockquote", "Dear")
                .sees(".comments", "Line 1").sees(".comments", "Line 2").click("Reply to comment by Kim").type("Your reply", "Changed it.").click("Reply").closed()
                .sees(".comments .answer", "Changed it.").click("Resolve comment by Kim").sees(".comments .resolved", "Resolved by");
        window.tab("History").choose("More actions for version 1", "Review link…").sees(".review-link", "/review#").sees("dialog", "Version 1, created by ada@example.com, expires ");
        assertFalse(window.shown("dialog").contains("[object"), window.shown("dialog"));
        window.click("Close").closed();
        String id = browser.get("/data/templates/welcome/reviews").text().replaceFirst("(?s).*\"id\":(\\d+),\"number\":null.*", "$1");
        Browser.answered(204, "", browser.delete("/data/templates/welcome/reviews/" + id));
        window.open(stet, "/signin").open(stet, link).sees("This link has expired or is no longer valid");
    }

    @Test
    void aDraftWithoutALiveVersionOffersNoComparison(Window window) {
        stet.draft(ada, "new", "New", "Hi", "<p>Dear");
        String made = Browser.of(stet, ada).post("/data/templates/new/reviews", "{}").text();
        window.open(stet, made.replaceFirst("(?s).*(/review#\\w+)\".*", "$1")).heading("New").preview("Dear");
        assertFalse(window.shown(".review-head").contains("Show changes"), window.shown(".review-head"));
    }

    /** Pushes a preview pr-17 of a template with an image and two sets of test data. @return the path of its link */
    private String pushedPreview() {
        stet.template(ada, "welcome", "<p>Hello");
        stet.db.change(dao -> dao.tokens().add(ada, "ci", Role.WRITER, "stet_deploy_ci", null, stet.now()));
        byte[] zip = new RawZip().file("templates/welcome.html", "<p>Dear {{name}}</p><img src=\"{{> images/logo.png}}\">").file("images/logo.png", Pictures.png(30, 20, 7))
                .file("templates/welcome.samples/ann.json", "{\"name\": \"Ann\"}").file("templates/welcome.samples/ben.json", "{\"name\": \"Ben\"}").bytes();
        String reply;
        try (Client client = new Client(stet.server.address())) {
            reply = client.write(client.request("POST", "/push?dryRun=true&overwrite=true&preview=pr-17", "stet_deploy_ci", "Connection: close", "Content-Length: " + zip.length)
                    + new String(zip, StandardCharsets.ISO_8859_1)).read(false).text();
        }
        assertTrue(reply.contains("/review#"), reply);
        return reply.replaceFirst("(?s).*(/review#\\w+)\"}.*", "$1");
    }

    @Test
    void aPreviewOfAPushIsShownUntilItIsDeleted(Window window) {
        String link = pushedPreview();
        window.open(stet, link).heading("welcome").sees("A preview of pr-17, pushed by token ci. Comment where you found the link. This link expires");
        window.preview("Dear Ann");
        window.script("const sets = document.querySelector('header select'); sets.value = 'ben'; sets.dispatchEvent(new Event('change', { bubbles: true }))");
        window.preview("Dear Ben");
        window.click("Show changes from the live version of welcome").sees(".difference", "Hello");
        for (int width : new int[] {1440, 1024, 390}) {
            window.looks(width == 1024 ? "dark" : "light", width, 850).shoot("preview-of-a-push-" + width);
            assertEquals(true, window.script("const box = node => document.querySelector(node).getBoundingClientRect(); return box('.unfolded').bottom <= box('.pane.preview').top"
                    + " && box('h1').height < 40 && document.documentElement.scrollWidth <= innerWidth && box('.preview iframe').height > 300"), "at " + width);
        }
        window.looks("light", 1280, 900);
        stet.db.change(dao -> dao.pushPreviews().end(ada.id(), "pr-17", stet.now()));
        window.open(stet, "/signin").open(stet, link).sees("This link has expired or is no longer valid");
    }

    /** Not even for a user who may send tests of drafts. */
    @Test
    void aPreviewOfAPushHasNoCommentsAndSendsNoTests(Window window) throws IOException {
        try (MailSink sink = new MailSink()) {
            stet.restartWithMail(sink.url());
            stet.confirm("ada@example.com");
            String link = pushedPreview();
            window.signedIn(stet, ada, "/templates/welcome").heading("welcome").click("More template actions").find("menuitem", "Send test…");
            window.open(stet, link).heading("welcome").preview("Dear Ann");
            window.inPreview("document.querySelector('p').click()");
            assertEquals(true, window.script("return document.querySelector('.guest-comments, .comments, [name=comment]') === null"));
            assertEquals(false, window.script("return document.body.textContent.includes('Send test')"));
            window.alone();
        }
    }

    /** A comment leads to its text, however that is written and wherever it moves, until the text has changed. */
    @Test
    void aCommentLeadsToItsText(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Fish</p>\n<p id=\"one\">Fish &amp;\n  <b id=\"two\">Chips</b> for {{name}}</p>\n<p>Fish</p>\n");
        Browser browser = Browser.of(stet, ada);
        String link = browser.post("/data/templates/welcome/reviews", "").text().replaceFirst("(?s).*(/review#[^\"]*).*", "$1");
        window.open(stet, link).heading("Welcome").preview("Chips");
        window.type("Your name", "Kim");
        for (String text : List.of("one:Fish &", "two:Chips")) {
            window.inPreview("const text = document.querySelector('#" + text.split(":")[0] + "').childNodes; const node = [...text].find(each => each.nodeType === 3);"
                    + "const box = document.createRange(); box.selectNodeContents(node); const { left, top } = box.getClientRects()[0];"
                    + "node.parentNode.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, clientX: left + 3, clientY: top + 3 }))");
            window.sees(".about", "“" + text.split(":")[1] + "”").type("Comment", "About " + text).click("Comment").sees(".comments", "About " + text);
        }
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").tab("Comments").sees(".comments", "Line 2").sees(".comments", "Line 3");
        window.write("<p>Fish</p>\n<p>New</p>\n<p id=\"one\">Fish &amp;\n  <b id=\"two\">Chips</b> for {{name}}</p>\n<p>Fish</p>\n").save();
        window.sees(".comments", "Line 3").sees(".comments", "Line 4").click("Line 4");
        assertEquals(3L, window.script("return document.querySelector('.CodeMirror').CodeMirror.getCursor().line"));
        window.script("document.querySelector('.CodeMirror').CodeMirror.replaceRange('Crisps', { line: 3, ch: 17 }, { line: 3, ch: 22 })");
        window.save();
        window.sees(".comments", "The text has changed.").sees(".comments", "Line 3");
    }

    @Test
    void aReviewRequestCreatesALinkThatSigningOutEverywhereRevokes(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Dear");
        User ben = stet.member(ada, "ben@example.com", Role.WRITER, "correct horse");
        window.signedIn(stet, Browser.of(stet, ada, ben), "/templates/welcome").heading("Welcome").click("Request review…")
                .tick("Also create a review link for someone without an account").click("Request review").sees(".review-link", "/review#").click("Close").closed()
                .sees(".request", "requested a review");
        window.signedIn(stet, Browser.of(stet, ada, ben), "/security").click("Sign out everywhere…")
                .sees("Also revoke the invitation, password-reset and review links I created").click("Sign out everywhere").closed()
                .heading("Sign in");
        assertTrue(Browser.of(stet, ada).get("/data/templates/welcome/reviews").text().contains("\"links\":[]"));
    }

    @Test
    void aReviewIsRequestedThoughItsLinkCannotBeCreated(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Dear");
        User ben = stet.member(ada, "ben@example.com", Role.WRITER, "correct horse");
        window.signedIn(stet, Browser.of(stet, ada, ben), "/templates/welcome").heading("Welcome").click("Request review…")
                .tick("Also create a review link for someone without an account");
        window.script("""
                const fetched = window.fetch;
                window.fetch = async (path, ...rest) => path.endsWith('/reviews') ? new Response('{"error": "Not now"}', { status: 500 }) : fetched(path, ...rest);
                """);
        window.click("Request review").sees("#status", "Not now.").sees(".request", "requested a review");
    }

    @Test
    void revokingALinkLeavesTheFocusInTheDialog(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Dear");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").choose("More template actions", "Review links…").heading("Review links for Welcome");
        window.click("Create link to draft");
        has(window, 1);
        window.click("Create link to draft");
        has(window, 2);
        window.driver.findElement(By.cssSelector("dialog li button")).sendKeys(Keys.ENTER);
        has(window, 1);
        Window.within(() -> "not at the other link", () -> (Boolean) window.script("return document.activeElement.closest('dialog li') !== null"));
        window.keys(Keys.ENTER);
        has(window, 0);
        Window.within(() -> "not at the heading", () -> (Boolean) window.script("return document.activeElement.matches('dialog h2')"));
    }

    private static void has(Window window, int links) {
        Window.within(() -> "not " + links + " links", () -> window.driver.findElements(By.cssSelector("dialog li")).size() == links);
    }
}
