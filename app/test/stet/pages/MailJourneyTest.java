package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Look;
import stet.harness.MailSink;
import stet.harness.Running;
import stet.harness.Window;

/** Emails to users on the pages: tests, a forgotten password, a confirmed address, invitations, and the queue. */
@Tag("browser")
@ExtendWith(Chromium.class)
class MailJourneyTest {
    private static final String PASSWORD = "correct horse";

    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO, PASSWORD);
    private MailSink sink;

    @BeforeEach
    void start() throws IOException {
        sink = new MailSink();
        stet.restartWithMail(sink.url());
        stet.draft(ada, "welcome", "Welcome", "Hello {{name}}", "<p>Hello {{name}}</p>");
        stet.publish(ada, "welcome");
    }

    @AfterEach
    void close() {
        stet.close();
        sink.close();
    }

    private MailSink.Mail mail() {
        assertTrue(Running.comes(() -> !sink.mails.isEmpty()));
        return sink.mails.remove(0);
    }

    /** The path in the link of an email. */
    private static String link(MailSink.Mail mail) {
        Matcher link = Pattern.compile("http://[^/]+(/\\w+#[\\w-]+)").matcher(mail.text());
        assertTrue(link.find(), mail.text());
        return link.group(1);
    }

    /** One journey: the address is confirmed by an email, then receives the unsaved draft and the live version. */
    @Test
    void anAddressIsConfirmedAndThenReceivesTests(Window window) {
        Look look = new Look(window);
        look.at("mail-unconfirmed", () -> window.signedIn(stet, ada, "/templates/welcome").choose("More template actions", "Send test…").heading("Send a test")
                .sees("ada@example.com is not confirmed yet"));
        window.looks("light", 1440, 900).click("Send confirmation").sees("Open the link in the email to ada@example.com");
        look.at("mail-confirm", () -> window.open(stet, link(mail())).heading("Confirm email address").sees("Confirm that ada@example.com is your address."));
        window.looks("light", 1440, 900).click("Confirm address").sees("Email address confirmed.");
        look.at("mail-account", () -> window.sees("Stet sends emails to ada@example.com."));
        window.looks("light", 1440, 900).tick("Other users of ada@example.com may send me tests").click("Save");
        // the draft, with unsaved changes
        window.goTo("/templates/welcome").heading("Welcome").write("<p>Hello {{name}}, unsaved</p>");
        look.at("mail-test", () -> window.choose("More template actions", "Send test…").heading("Send a test").sees("Sends this draft, including unsaved changes,"));
        window.looks("light", 1440, 900).click("Send").sees("Sent to ada@example.com. The mail server replied: 250 queued as 4711.");
        look.narrow("mail-test-sent", "light");
        assertTrue(mail().html().contains("unsaved"));
        window.click("Close").closed();
        window.looks("light", 1280, 900).tab("History").choose("More actions for version 1", "Send test…").heading("Send a test").click("Send")
                .sees("Sent to ada@example.com.");
        assertEquals("<p>Hello {{name}}</p>", mail().html());
        assertEquals("", look.wrong());
    }

    @Test
    void aTestThatIsNotSentIsReportedWithTheMailServersReply(Window window) {
        stet.confirm("ada@example.com");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").choose("More template actions", "Send test…").heading("Send a test");
        sink.reply("RCPT", "450 greylisted");
        window.click("Send").sees("450 greylisted. Stet tries again");
        window.click("Close").closed();
        sink.reply("RCPT", "550 no such mailbox");
        window.tab("History").choose("More actions for version 1", "Send test…").heading("Send a test").click("Send")
                .sees("Not sent to ada@example.com. The mail server rejected the recipient ada@example.com: 550 no such mailbox.");
        Look look = new Look(window);
        look.at("mail-test-failed", () -> { });
        sink.obey();
        window.looks("light", 1440, 900).click("Send").sees("Sent to ada@example.com.");
        assertEquals("", look.wrong());
    }
    @Test
    void aReviewPageSendsTestsToMembersOnly(Window window) {
        stet.confirm("ada@example.com");
        String url = Json.tree(Browser.of(stet, ada).post("/data/templates/welcome/reviews", "{}").text()).get("url").asText();
        String path = url.substring(url.indexOf("/review"));
        window.open(stet, path).heading("Welcome").preview("Hello");
        assertEquals(0L, window.script("return [...document.querySelectorAll('button')].filter(each => each.textContent === 'Send test…').length"));
        Look look = new Look(window);
        look.at("mail-review", () -> window.signedIn(stet, ada, "/").open(stet, path).heading("Welcome").click("Send test…").heading("Send a test"));
        window.looks("light", 1440, 900).click("Send").sees("Sent to ada@example.com.");
        assertEquals("[Test] Hello {{name}}", mail().header("Subject"));
        assertEquals("", look.wrong());
    }

    @Test
    void aForgottenPasswordIsReset(Window window) {
        stet.confirm("ada@example.com");
        Look look = new Look(window);
        look.at("mail-signin", () -> window.open(stet, "/signin").heading("Sign in").find("link", "Forgot password?"));
        look.at("mail-forgot", () -> window.follow("Forgot password?").heading("Forgot password"));
        window.type("Email", "ada@example.com").click("Send link").sees("an email with a link is on its way");
        look.at("mail-forgot-sent", () -> { });
        window.open(stet, link(mail())).heading("New password").type("New password", "battery staple").click("Set password").sees("Password set.");
        window.type("Email", "ada@example.com").type("Password", "battery staple").click("Sign in").heading("Templates");
        assertEquals("", look.wrong());
    }

    @Test
    void anAddressOfNobodyHasTheSameAnswerAsAUsers(Window window) {
        window.open(stet, "/forgot").type("Email", "nobody@example.com").click("Send link").sees("an email with a link is on its way");
    }

    @Test
    void invitationsAreEmailed(Window window) {
        Look look = new Look(window);
        look.at("mail-invite", () -> window.signedIn(stet, ada, "/users").click("Invite…").heading("Invite users").type("For", "ben@example.com\nCarl"));
        window.click("Create links").heading("Your invitations").sees("Also emailed to ben@example.com.");
        window.click("I've copied it").closed();
        window.open(stet, "/signin").open(stet, link(mail())).heading("Join ada@example.com");
        assertEquals("", look.wrong());
    }

    @Test
    void unsentEmailsAreListedForAdministrators(Window window) {
        stet.db.change(dao -> dao.users().setAdministrator(stet.owner(ada).id(), true));
        Look look = new Look(window);
        sink.reply("RCPT", "550 no such mailbox");
        User will = stet.member(ada, "will@example.com", Role.WRITER, PASSWORD);
        stet.confirm("will@example.com");
        Browser.of(stet, ada, will).post("/data/templates/welcome/versions/1/tests", "{\"to\":" + will.id() + "}");
        assertTrue(Running.comes(() -> stet.db.read(dao -> dao.mailQueue().problems()).stream().anyMatch(mail -> mail.outcome().contains("550"))));
        look.at("mail-queue", () -> {
            window.signedIn(stet, ada, "/installation").heading("Administration").sees("1 email not sent");
            window.script("document.querySelector('details').open = true");
        });
        window.sees("550 no such mailbox");
        assertEquals("", look.wrong());
    }

    @Test
    void withoutAMailServerThePagesOfferNoEmails(Window window) {
        stet.restartWithMail(null);
        window.open(stet, "/signin").heading("Sign in");
        assertEquals(false, window.script("return document.body.textContent.includes('Forgot password')"));
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").click("More template actions").find("menuitem", "Duplicate…");
        assertEquals(false, window.script("return document.body.textContent.includes('Send test') || document.body.textContent.includes('Confirm your email')"));
        window.signedIn(stet, ada, "/users").click("Invite…").heading("Invite users");
        assertEquals(false, window.script("return document.body.textContent.includes('Email each link')"));
    }
}
