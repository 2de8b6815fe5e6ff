package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.core.Account;
import stet.core.Colour;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Look;
import stet.harness.Running;
import stet.harness.Window;

/** A user with two accounts, staging and production: labels and colours, copying between them, and invitations to both. */
@Tag("browser")
@ExtendWith(Chromium.class)
class AccountsJourneyTest {
    /** Name that would run as a script if a page treated it as markup. */
    private static final String HOSTILE = "<img src=x: onerror=hacked=1>";
    private static final Pattern NO_ROUTE = Pattern.compile("nothing");

    @AutoClose
    private final Running stet = new Running();
    private final Account staging = account("Staging", "ada@example.com");
    private final Account production = account("Production " + HOSTILE, "ada@example.com");
    private final User ada = stet.owner(staging);

    private Account account(String name, String owner) {
        return stet.db.write(dao -> dao.accounts().addWithOwner(name, owner, null, Plan.PRO, stet.now()));
    }

    /** The title is set once the page's data has loaded. */
    private static void titled(Window window, String title) {
        Window.within(() -> "the title is " + window.driver.getTitle(), () -> title.equals(window.driver.getTitle()));
    }

    private void fill() {
        stet.block(staging, "footer", "<i>footer</i>");
        stet.template(staging, "welcome", "<p>Hello {{name}} {{> footer}}</p>");
        stet.template(staging, "receipt", "<p>Receipt</p>");
        stet.db.change(dao -> dao.accounts().setLabel(production, HOSTILE, Colour.RED, stet.now()));
    }

    @Test
    void anAccountsLabelIsShownOnPagesAndInDialogs(Window window) {
        fill();
        Look look = new Look(window);
        window.signedIn(stet, Browser.of(stet, staging, ada), "/account").heading("Account");
        titled(window, "Account · Staging · Stet");
        look.at("label-set", () -> window.goTo("/account").click("Name and label…").heading("Account name and label"));
        window.looks("light", 1280, 900).type("Label", "Staging & tests").choose("blue").click("Save").closed().sees("#header", "Staging & tests");
        assertEquals("blue", window.script("return document.getElementById('header').dataset.colour"));
        titled(window, "Account · Staging & tests · Stet");
        look.at("label-header", () -> window.goTo("/").heading("Templates"));
        window.looks("light", 1280, 900).goTo("/templates/welcome").heading("welcome").click("Publish…").heading("Publish welcome")
                .sees("dialog .account-line", "Staging & tests");
        window.click("Close").closed().choose("More template actions", "Delete…").heading("Delete welcome?")
                .sees("dialog .account-line", "Staging & tests").click("Close").closed();
        assertEquals("", look.wrong());
    }

    /** One journey: a template is copied and published; then one copy overwrites a draft, and another a live version, each only if confirmed. */
    @Test
    void templatesAreCopiedToAnotherAccount(Window window) throws IOException {
        fill();
        Look look = new Look(window);
        window.signedIn(stet, Browser.of(stet, staging, ada), "/").heading("Templates");
        look.at("copy-plan", () -> window.goTo("/templates/welcome").heading("welcome").choose("More template actions", "Copy to account…")
                .heading("Copy welcome to " + production.name() + "?").sees("dialog .account-line", HOSTILE));
        look.at("copy-publish", () -> window.tick("Also publish templates that are live in the source account")
                .sees("dialog .published", "1 template will be published.").sees("dialog .published", "welcome now uses name"));
        window.looks("light", 1280, 900).click("Copy").closed().sees(".toast", "1 new, 0 changed, 1 published");
        assertEquals("<p>Hello {{name}} <i>footer</i></p>",
                stet.get(Running.TEMPLATES + "welcome?format=html", stet.key(production)).text());

        // a conflict in the target, and a third account to choose from
        Account third = account("Third", "zoe@example.com");
        stet.db.change(dao -> dao.members().setRole(third.id(), ada.id(), Role.WRITER, stet.now()));
        stet.template(production, "receipt", "<p>theirs</p>");
        Browser again = Browser.of(stet, staging, ada);
        look.at("copy-account", () -> window.signedIn(stet, again, "/").heading("Templates").tick("Select all shown")
                .click("Copy to account…").heading("Copy 2 templates to another account"));
        look.at("copy-conflict", () -> window.choose(production.name() + " " + HOSTILE).click("Continue")
                .heading("Copy 2 templates to " + production.name() + "?").sees("dialog .warning", "1 item would overwrite changes made there:"));
        window.looks("light", 1280, 900).click("Copy").sees("dialog .error", "Nothing was changed: template receipt was created in " + production.name());
        window.tick("Overwrite these changes").click("Copy").closed().sees(".toast", "0 new, 1 changed");
        assertEquals("<p>Receipt</p>", stet.db.read(dao -> new String(dao.templates().find(production.id(), "receipt").orElseThrow().html(),
                StandardCharsets.UTF_8)));

        // a conflict only for publishing
        String text = "<p>Hello {{name}} {{> footer}}</p>";
        stet.template(production, "welcome", "<p>their live one</p>");
        stet.draft(production, "welcome", "welcome", "", text);
        window.goTo("/templates/welcome").heading("welcome").choose("More template actions", "Copy to account…")
                .heading("Copy welcome to another account").choose(production.name() + " " + HOSTILE).click("Continue")
                .heading("Copy welcome to " + production.name() + "?").tick("Also publish templates that are live in the source account")
                .sees("dialog .conflicts", "welcome has a different live version, published there");
        window.tick("Overwrite these changes").click("Copy").closed().sees(".toast", "0 new, 0 changed, 1 published");
        assertNull(window.script("return window.hacked ?? null"));
        assertEquals("[]", look.missed(Set.of("copy.js"), NO_ROUTE).toString());
        assertEquals("", look.wrong());
    }

    @Test
    void oneInvitationLinkJoinsTwoAccounts(Window window) throws IOException {
        fill();
        Look look = new Look(window);
        window.signedIn(stet, Browser.of(stet, staging, ada), "/").heading("Templates");
        look.at("invite-several", () -> window.goTo("/users").heading("Users").click("Invite…").heading("Invite users")
                .type("For", "ben@example.com\nCarl").pick(production.name() + " " + HOSTILE, "Writer"));
        look.at("invited-several", () -> window.click("Create links").heading("Your invitations"));
        String link = window.value("Link for ben@example.com");
        window.looks("light", 1280, 900).click("I've copied it").closed().sees(".open-invitations", "Carl");
        Account bens = account("Bens", "ben@example.com");
        window.signedIn(stet, Browser.of(stet, bens), link.replaceFirst("^https?://[^/]+", ""));
        look.at("join-several", () -> window.heading("Join Staging and " + production.name()).sees("as an editor"));
        look.at("join-switch", () -> window.click("Join Staging and " + production.name()).heading("Switch to Staging?"));
        window.looks("light", 1280, 900).click("Stay in Bens").heading("No templates yet");
        titled(window, "Templates · Bens · Stet");
        assertEquals(3, stet.db.read(dao -> dao.members().memberships(stet.owner(bens).id())).size());
        assertNull(window.script("return window.hacked ?? null"));
        assertEquals("[]", look.missed(Set.of("links.js"), NO_ROUTE).toString());
        assertEquals("", look.wrong());
    }
}
