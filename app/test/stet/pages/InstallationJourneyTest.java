package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** The administration page: a second account from creation to deletion. */
@Tag("browser")
@ExtendWith(Chromium.class)
class InstallationJourneyTest {
    @AutoClose
    private final Running stet = new Running();

    @Test
    void aLimitThatIsNoNumberIsRejected(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.db.changeUncached(dao -> dao.users().setAdministrator(stet.owner(ada).id(), true));
        window.expect(".*status of 422.*").signedIn(stet, ada, "/installation").heading("Administration");
        window.click("Plan ada@example.com").type("Requests per period", "7").click("Change").closed().sees("tbody", "0 of 7");
        window.click("Plan ada@example.com").type("Requests per period", "1,000").click("Change").sees("[data-error=requests]", "a whole number");
        assertEquals(7, stet.account("ada@example.com").requestLimit());
    }

    /** One journey: two invitations, limits, the check of the images' URL, suspension, a new name, and deletion. */
    @Test
    void anAdministratorManagesAnAccountUntilItsDeletion(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.template(ada, "welcome", "<p>Ada's own</p>");
        stet.db.changeUncached(dao -> dao.users().setAdministrator(stet.owner(ada).id(), true));
        window.signedIn(stet, ada, "/").heading("Templates").follow("Administration").heading("Administration")
                .sees("tbody", "ada@example.com");
        window.click("New account…").type("Name", "ada@example.org").click("Create").sees(".error", "choose another name");
        window.type("Name", "Acme").click("Create").heading("Invite the owner");
        String link = window.value("Invitation");
        assertTrue(link.matches("http://127\\.0\\.0\\.1:[0-9]+/join#[0-9A-Za-z]{32}"), link);
        window.click("I've sent it").closed().sees("tbody", "Acme");
        window.click("Invite Acme").click("Invite").heading("Invite the owner");
        assertNotEquals(link, window.value("Invitation"));
        window.click("I've sent it").closed();

        Account acme = stet.account("Acme");
        stet.db.change(dao -> dao.members().setRole(acme.id(), dao.users().add("bob@example.com", "hash", stet.now())
                .id(), Role.OWNER, stet.now()));
        Browser bob = Browser.of(stet, acme);
        assertEquals("{\"templates\":[],\"deleted\":0,\"storage\":{\"bytes\":0,\"limit\":1073741824}}", bob.get("/data/templates").text());

        // figures of a large account
        assertEquals(true, window.script("document.querySelectorAll('.list.accounts [data-label=Used]').forEach(each => { each.textContent = '900,000 of 1,000,000'; }); "
                + "const list = document.querySelector('.list.accounts').getBoundingClientRect(); "
                + "return list.right <= document.querySelector('.page-head, main').getBoundingClientRect().right"), "the list leaves its column");
        window.click("Plan Acme").choose("pro").type("Requests per period", "7").click("Change").closed();
        window.sees("tbody", "0 of 7");
        window.click("Plan Acme").sees("dialog[open]", "0 B of 200.00 MiB used.").type("Images in bytes", "1048576").click("Change").closed();
        assertEquals(1 << 20, stet.db.read(dao -> dao.images().room(acme.id())).limit());
        window.click("Plan Acme").sees("dialog[open]", "0 B of 1.00 MiB used.").click("Cancel").closed();
        window.click("Try it").sees("Nothing listens at 127.0.0.1:8080; start the proxy or change --images-url.");
        stet.db.change(dao -> dao.images().setUrl("http://127.0.0.1:" + stet.server.address().getPort() + "/images"));
        window.click("Try it").sees("The image was loaded from this server, but recipients cannot load it");
        window.click("Suspend Acme").heading("Suspend Acme?").click("Suspend").closed().sees(".badge", "suspended");
        assertEquals(403, bob.get("/data/templates").status());
        window.click("Resume Acme").heading("Resume Acme?").click("Resume").closed();
        assertTrue(Running.comes(() -> window.look("text", "suspended") == null));
        assertEquals(200, bob.get("/data/templates").status());
        window.click("Rename Acme").type("Name", "Acme & Sons").click("Rename").closed().sees("tbody", "Acme & Sons");
        window.type("Search accounts", "sons");
        Window.within(() -> window.shown("tbody .name"), () -> window.shown("tbody .name").equals("Acme & Sons"));
        window.click("Delete Acme & Sons").type("Type Acme & Sons to confirm", "Acme").click("Delete")
                .sees("The name does not match the account; enter the account's exact name.");
        window.type("Type Acme & Sons to confirm", "Acme & Sons").click("Delete").closed().sees("Acme & Sons deleted.");
        assertEquals(401, bob.get("/data/templates").status());
        assertNull(window.look("button", "Plan Acme & Sons"));
    }
}
