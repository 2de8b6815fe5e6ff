package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.base.Secret;
import stet.core.Account;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/** A new session starts in the most recently used account. */
class LastAccountTest {
    private static final String EVE = "eve@example.com";
    private static final String PASSWORD = "correct horse";

    @AutoClose
    private final Running stet = new Running();
    /** The first account by name. */
    private Account first;
    private Account last;
    private User eve;

    @BeforeEach
    void start() {
        first = stet.account("a@example.com", Plan.PRO);
        last = stet.account("z@example.com", Plan.PRO);
        eve = stet.member(first, EVE, Role.OWNER, PASSWORD);
        stet.member(last, EVE, Role.EDITOR, PASSWORD);
    }

    /** @return the account's name; "null" for none */
    private String signIn() {
        Client.Reply reply = Browser.of(stet).post("/data/session", "{\"email\":\"" + EVE + "\",\"password\":\"" + PASSWORD + "\"}");
        assertEquals(200, reply.status(), reply.text());
        return Json.tree(reply.text()).get("accountName").asText();
    }

    private void workIn(Account account) {
        assertEquals(200, Browser.of(stet, first, eve).put("/data/session", "{\"account\":" + account.id() + "}").status());
    }

    @Test
    void aSessionBeginsInTheAccountUsedLast() {
        assertEquals("a@example.com", signIn());
        workIn(last);
        assertEquals("z@example.com", signIn());
        workIn(first);
        assertEquals("a@example.com", signIn());
    }

    @ParameterizedTest
    @CsvSource({"removed", "suspended", "deleted"})
    void aSessionBeginsInTheFirstAccountIfTheLastIsClosed(String ending) {
        workIn(last);
        stet.db.change(dao -> {
            switch (ending) {
                case "removed" -> dao.members().remove(last.id(), eve.id());
                case "suspended" -> dao.accounts().setSuspended(last, true, stet.now());
                default -> dao.accounts().delete(last, stet.now());
            }
        });
        assertEquals("a@example.com", signIn());
    }

    @Test
    void joiningAnAccountDoesNotSwitch() {
        workIn(last);
        Account other = stet.account("b@example.com", Plan.FREE);
        String secret = Secret.newLink(new Random(1));
        stet.db.change(dao -> dao.links().invite(other.id(), Role.WRITER, "", "notes", stet.now(), secret));
        Browser browser = Browser.of(stet, last, eve);
        var joined = Json.tree(browser.post("/data/link/join", "{\"secret\":\"" + secret + "\"}").text());
        assertEquals("z@example.com 3", joined.get("accountName").asText() + " " + joined.get("accounts").size());
        assertEquals("z@example.com", Json.tree(browser.get("/data/session").text()).get("accountName").asText());
        assertEquals("z@example.com", signIn());
    }

    /** A user without an account is switched to the account they join. */
    @Test
    void joiningFromNoAccountSwitches() {
        Account other = stet.account("b@example.com", Plan.FREE);
        String secret = Secret.newLink(new Random(1));
        stet.db.change(dao -> dao.links().invite(other.id(), Role.WRITER, "", "notes", stet.now(), secret));
        Browser browser = Browser.of(stet, null, eve);
        assertEquals("b@example.com", Json.tree(browser.post("/data/link/join", "{\"secret\":\"" + secret + "\"}").text())
                .get("accountName").asText());
        assertEquals("b@example.com", signIn());
    }
}
