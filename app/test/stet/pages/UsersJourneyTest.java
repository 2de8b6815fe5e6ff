package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Plan;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/**
 * A team: an owner, a new writer, and an editor with another account. The writer uses another host name and thus has separate cookies;
 * the owner and the editor take turns in one browser.
 */
@Tag("browser")
@ExtendWith(Chromium.class)
class UsersJourneyTest {
    private static final String PASSWORD = "correct horse battery";
    private static final String TEAM = "ada@example.com";

    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account(TEAM, Plan.PRO, PASSWORD);

    private static String invite(Window window, String role, String note) {
        window.click("Invite…").heading("Invite users").choose(role).type("For", note).click("Create links")
                .heading("Your invitation");
        String link = window.value("Link");
        window.click("I've copied it").closed().sees(".open-invitations", note);
        return link;
    }

    private static String elsewhere(String link) {
        return link.replace("127.0.0.1", "localhost");
    }

    private String draft() {
        return stet.db.read(dao -> new String(dao.templates().find(account.id(), "welcome").orElseThrow().html(), StandardCharsets.UTF_8));
    }

    /** One journey: invitations, a lost password, two accounts in one browser, a removal, and what the last owner can change. */
    @Test
    void usersAreInvitedChangeRolesAndAreRemoved(Window window) {
        stet.template(account, "welcome", "<p>As it was</p>");
        Account eves = stet.account("eve@example.com", Plan.FREE, PASSWORD);
        window.signedIn(stet, account, "/users").heading("Users").sees("tbody", TEAM);
        String toWriter = invite(window, "Writer", "for Wes");
        String toEditor = invite(window, "Editor", "for Eve");
        invite(window, "Owner", "by mistake");
        window.click("Revoke the invitation for by mistake").sees("Invitation revoked.");

        // the writer is new
        String owner = window.another();
        window.driver.get(elsewhere(toWriter));
        window.heading("Join " + TEAM).sees("as a writer").type("Name", "Wes").type("Email", TEAM).type("Password", PASSWORD)
                .click("Join");
        window.sees(".error", "Another user already has this email address; use another address.");
        window.type("Email", "wes@example.com").click("Join").heading("Templates");
        assertNull(window.look("link", "Keys"));
        window.follow("Users").heading("Users").sees("tbody", "writer");
        assertNull(window.look("button", "Invite…"));
        window.follow("Account wes@example.com").heading("Account").sees("Your role: writer");
        assertNull(window.look("button", "Import zip…"));

        // a lost password
        String writer = window.front(owner);
        window.open(stet, "/users").click("New password Wes").click("Create link").heading("Password-reset link for Wes");
        String reset = window.value("Link");
        window.click("I've copied it").closed().front(writer);
        window.driver.get(elsewhere(reset));
        window.heading("New password").sees("wes@example.com").type("New password", "battery staple").click("Set password")
                .heading("Sign in");
        window.type("Email", "wes@example.com").type("Password", "battery staple").click("Sign in").heading("Templates")
                .follow("welcome").heading("welcome").write("<p>Typed by Wes</p>");

        // the editor has a password and another account
        window.another();
        window.driver.executeCdpCommand("Network.deleteCookies", Map.of("name", "stet", "domain", "127.0.0.1"));
        window.driver.get(toEditor);
        window.heading("Join " + TEAM).follow("Sign in first").heading("Sign in").type("Email", "eve@example.com")
                .type("Password", PASSWORD);
        window.click("Sign in").heading("Join " + TEAM).click("Join " + TEAM).heading("Switch to " + TEAM + "?")
                .click("Switch").heading("Templates");
        window.driver.get(toEditor);
        window.heading("Invitation").sees("This link has been used or revoked, or has expired").follow("View templates");
        window.follow("welcome").heading("welcome").sees(".saved", "Saved").write("<p>Typed by Eve</p>");
        switchElsewhere(window, eves);
        window.ctrl("s")
                .sees("#banner", "You switched to eve@example.com in another window. Your text is kept in this browser.");
        assertEquals("<p>As it was</p>", draft());
        window.click("Back to " + TEAM).sees(".saved", "Saved ");
        assertEquals("<p>Typed by Eve</p>", draft());
        window.looks("light", 360, 740).shoot("switch-light-360");
        window.choose("Stet, main menu", "Switch account…").heading("Switch account").shoot("switch-open-light-360");
        window.looks("light", 1280, 900).click("eve@example.com");
        window.heading("No templates yet");

        // the writer is removed from the only account, and sees this at the next click
        window.front(owner);
        window.signedIn(stet, account, "/users").heading("Users").sees("tbody", "eve@example.com");
        assertNull(window.look("button", "New password eve@example.com"), "who has another account");
        window.click("Role eve@example.com").choose("Writer").click("Change").closed()
                .sees("Role of eve@example.com changed.");
        window.click("Remove Wes").click("Remove").closed().sees("Wes removed.");
        window.front(writer);
        window.ctrl("s").sees("#banner", "You no longer belong to " + TEAM + ". Your text is kept in this browser.");
        assertEquals("<p>Typed by Wes</p>", window.text());
        window.click("Continue…").click("Leave without saving").heading("You do not belong to any account");
        window.follow("Your profile, password and sessions").heading("Account");

        // the last owner
        window.front(owner);
        window.click("Leave account").click("Leave")
                .sees("This is the account's last owner; make someone else an owner first.");
        window.follow("Account " + TEAM).heading("Account").type("Name", "Ada").type("Email", "ada@example.org").click("Save");
        window.sees(".error", "The current password is wrong.").type("Password", PASSWORD).click("Save").sees("Saved.");
        window.click("Name and label…").type("Name", "Harbour Books");
        stet.db.change(dao -> dao.as(new Actor(null, "Zoe", "")).accounts().rename(account, "Cove", stet.now()));
        window.click("Save").sees(".error", "ago. It is now: name “Cove”, no label, no colour. To replace it, click the button again.")
                .click("Save").closed().sees("Harbour Books: Pro");
        window.find("link", "Account ada@example.org");
        assertEquals("Ada", stet.owner(account).name());
    }

    /** Switches to another account, as if in another window of the same browser. */
    private static void switchElsewhere(Window window, Account to) {
        window.driver.executeAsyncScript("fetch('/data/session', { method: 'PUT', headers: { 'Content-Type': 'application/json' },"
                + " body: JSON.stringify({ account: arguments[0] }) }).then(arguments[1])", to.id());
    }
}
