package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import stet.core.Account;
import stet.core.Plan;
import stet.dao.LinkDao;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.harness.Window;
import stet.upkeep.Backups;

/** Keys on Free and Pro, usage, passwords, and deleting a template that is in use. */
@Tag("browser")
@ExtendWith(Chromium.class)
class DashboardJourneyTest {
    private static final String WELCOME = Running.TEMPLATES + "welcome?format=html";
    private static final String PASSWORD = "correct horse battery";
    private static final String LINKS_TOO = "Also revoke the invitation, password-reset and review links I created";

    @AutoClose
    private final Running stet = new Running();

    private String created(Window window, String name) {
        window.click("New key…").type("Name", name).click("Create").heading("Your new key");
        String key = window.value("Key");
        window.click("I've saved it").closed();
        return key;
    }

    @Test
    void freeHasOneKeyWhichIsRotatedWithoutAGap(Window window) {
        Account ada = stet.account("ada@example.com", Plan.FREE);
        stet.template(ada, "welcome", "<p>Hi</p>");
        window.signedIn(stet, ada, "/keys").heading("No keys yet").sees(".lead", "0 of 1 key");
        String old = created(window, "production");
        window.sees(".lead", "1 of 1 key").sees("tbody", "production").sees("tbody", "never");
        assertEquals("<p>Hi</p>", stet.get(WELCOME, old).text());
        window.sees(".notice", "This account is limited to 1 key.");
        assertEquals("true", window.find("button", "New key…").getDomAttribute("aria-disabled"));

        window.click("Rotate production").choose("After 24 hours").click("Rotate").heading("Your new key");
        String fresh = window.value("Key");
        window.click("I've saved it").closed().sees(".lead", "1 of 1 key").sees(".badge", "expires");
        assertEquals("200 200", stet.get(WELCOME, old).status() + " " + stet.get(WELCOME, fresh).status());
        stet.clock.advance(Duration.ofHours(24));
        assertEquals("401 200", stet.get(WELCOME, old).status() + " " + stet.get(WELCOME, fresh).status());
    }

    @Test
    void aKeyIsRejectedOnceItIsDeletedOrRotatedImmediately(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.template(ada, "welcome", "<p>Hi</p>");
        window.signedIn(stet, ada, "/keys").heading("No keys yet");
        String shop = created(window, "shop");
        window.sees(".lead", "1 of 5 keys");
        String till = created(window, "till");
        window.sees(".lead", "2 of 5 keys");
        assertEquals("200 200", stet.get(WELCOME, shop).status() + " " + stet.get(WELCOME, till).status());
        window.open(stet, "/keys").heading("Keys").click("Delete shop").sees("1 request in this period").click("Delete")
                .closed();
        window.sees("shop deleted.").sees(".lead", "1 of 5 keys");
        assertEquals("401 200", stet.get(WELCOME, shop).status() + " " + stet.get(WELCOME, till).status());
        window.click("Rotate till").choose("Immediately").click("Rotate").heading("Your new key");
        String fresh = window.value("Key");
        window.click("I've saved it").closed();
        assertEquals("401 200", stet.get(WELCOME, till).status() + " " + stet.get(WELCOME, fresh).status());
    }

    private int push(String token, String html) {
        byte[] zip = new RawZip().file("templates/welcome.html", html).bytes();
        try (Client client = new Client(stet.server.address())) {
            return client.write(client.request("POST", "/push?publish=true&note=commit%20abc", token, "Connection: close",
                    "Content-Length: " + zip.length) + new String(zip, StandardCharsets.ISO_8859_1)).read(false).status();
        }
    }

    @Test
    void aDeployTokenPushesAndIsRotatedAndDeleted(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        window.signedIn(stet, ada, "/keys").heading("No keys yet").click("New token…").type("Name", "ci").choose("Push and publish")
                .choose("In a year").click("Create").heading("Your new deploy token");
        String old = window.value("Token");
        window.click("I've saved it").closed().sees(".tokens tbody", "ci").sees(".tokens tbody", "editor");
        assertEquals(200, push(old, "<p>one</p>"));
        window.open(stet, "/templates/welcome").sees(".source", "From Git, commit abc, by token ci")
                .sees(".source", "Edits made here block the next push");

        window.open(stet, "/keys").click("Rotate token ci").choose("After 1 hour").click("Rotate").heading("Your new deploy token");
        String fresh = window.value("Token");
        window.click("I've saved it").closed();
        assertEquals("200 200", push(old, "<p>two</p>") + " " + push(fresh, "<p>three</p>"));
        stet.clock.advance(Duration.ofHours(1));
        assertEquals("401 200", push(old, "<p>four</p>") + " " + push(fresh, "<p>four</p>"));
        window.open(stet, "/keys").click("Delete token ci").heading("Delete token ci?").click("Delete").sees("ci deleted.");
        assertEquals(401, push(fresh, "<p>five</p>"));
        assertNull(window.look("button", "Rotate token ci"));
    }

    @Test
    void theUsagePageWarnsNearTheLimitAndExplainsMisses(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        String key = stet.key(ada);
        stet.limit(ada, 10);
        stet.template(ada, "welcome", "<p>Hi</p>");
        for (int i = 0; i < 6; i++) { // two fewer than the 80% from which the page warns
            stet.get(WELCOME, key);
        }
        window.signedIn(stet, ada, "/usage").heading("Usage").sees(".big", "6 of 10 requests");
        assertNull(window.look("text", "of its request limit."));
        stet.get(Running.TEMPLATES + "welcom", key);
        stet.get(WELCOME, key);
        window.open(stet, "/usage").sees(".notice", "This account has used 80% of its request limit.");
        window.sees(".misses", "\"welcom\" is unknown; did you mean \"welcome\"?");
        stet.get(WELCOME, key);
        stet.get(WELCOME, key);
        assertEquals(429, stet.get(WELCOME, key).status());
        window.open(stet, "/usage").sees(".notice.bad", "This account has reached its request limit.").sees(".big", "10 of 10 requests")
                .sees(".misses", "429");
        assertEquals("10 of 10", window.script("return document.querySelector('[role=meter]').getAttribute('aria-valuetext')"));
    }

    @Test
    void aLimitIsNotCalledUsedUpBeforeItIs(Window window) {
        window.signedIn(stet, stet.account("ada@example.com", Plan.PRO), "/keys").heading("Keys");
        window.script("const fetched = window.fetch; window.fetch = async (path, ...rest) => path === '/data/usage'"
                + " ? Response.json({ ...await (await fetched(path, ...rest)).json(), used: 9999, limit: 10000 }) : fetched(path, ...rest)");
        window.follow("Usage").sees(".notice", "This account has used 99% of its request limit.");
    }

    @Test
    void anEmptyLogDiffersFromOneWithoutMatches(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        window.signedIn(stet, ada, "/activity").heading("Activity").sees(".end", "No activity yet.");
        window.find("field", "Template, block, key or email").sendKeys("receipt", Keys.ENTER);
        window.sees(".end", "No matches.");
    }

    @Test
    void aUserWhoIsGoneStaysChosenInTheActivity(Window window) {
        window.signedIn(stet, stet.account("ada@example.com", Plan.PRO), "/activity?user=999").heading("Activity").sees(".end", "No matches.");
        assertEquals("Former user", window.script("return document.getElementById('user').selectedOptions[0]?.textContent"));
    }

    @Test
    void afterAFailureOlderRowsForEarlierFiltersAreNotOffered(Window window) {
        window.expect(".*status of 422.*").signedIn(stet, stet.account("ada@example.com", Plan.PRO), "/keys").heading("Keys");
        window.script("const fetched = window.fetch; window.fetch = async (path, ...rest) => !path.startsWith('/data/activity?') ? fetched(path, ...rest)"
                + " : window.isFailing ? Response.json({ error: 'Too busy' }, { status: 422 })"
                + " : Response.json({ ...await (await fetched(path, ...rest)).json(), before: 'more' })");
        window.follow("Activity").heading("Activity").find("button", "Show older");
        window.script("window.isFailing = true");
        window.pick("User", "No signed-in user").sees(".toast", "Too busy.");
        assertNull(window.look("button", "Show older"));
    }

    @Test
    void aButtonShowsThatTheBrowserDoesNotCopy(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.template(ada, "welcome", "<p>Hi</p>");
        window.signedIn(stet, ada, "/templates/welcome").heading("welcome");
        window.script("navigator.clipboard.writeText = async () => { throw new Error('no'); }; document.execCommand = () => false");
        window.click("Copy the template ID").find("button", "Cannot copy the template ID");
        window.find("button", "Copy the template ID");
    }

    @Test
    void deletingATemplateInUseNamesItsLastKeyAndRequiresItsName(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        String key = stet.key(ada);
        stet.draft(ada, "welcome", "Welcome mail", "Hi", "<p>Hi</p>");
        stet.publish(ada, "welcome");
        stet.get(WELCOME, key);
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome mail").choose("More template actions", "Delete…")
                .heading("Delete Welcome mail?");
        window.sees("with the key “test”").type("Type welcome or its name to confirm", "welcom").click("Delete")
                .sees("Enter the ID or name of the template.");
        assertEquals(200, stet.get(WELCOME, key).status());
        window.type("Type welcome or its name to confirm", "Welcome mail").click("Delete").closed().heading("No templates yet");
        assertEquals("404 {\"error\":\"Not found\"}", stet.get(WELCOME, key).status() + " " + stet.get(WELCOME, key).text());
    }

    @Test
    void anotherPasswordEndsTheUsersOtherSessionsAndLinks(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO, PASSWORD);
        Browser elsewhere = Browser.of(stet, ada);
        window.signIn(stet, ada.name(), PASSWORD).follow("Account " + ada.name()).heading("Account");
        window.type("Current password", "wrong").type("New password", "a longer password").click("Change password")
                .sees(".error", "The current password is wrong.");
        elsewhere.post("/data/invitations", "{\"role\":\"owner\",\"notes\":[\"by whoever else was signed in\"]}");
        assertEquals(List.of("by whoever else was signed in"), invitations(ada));
        window.type("Current password", PASSWORD).click("Change password").sees("The links you created were revoked.");
        assertEquals(401, elsewhere.get("/data/session").status());
        assertEquals(List.of(), invitations(ada));
        window.click("Sign out").heading("Sign in").type("Email", ada.name()).type("Password", PASSWORD).click("Sign in")
                .sees("The email or password is wrong.");
        window.type("Password", "a longer password").click("Sign in").heading("No templates yet");
    }

    @Test
    void signingOutEverywhereKeepsTheLinksIfThatIsUnticked(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        Browser elsewhere = Browser.of(stet, ada);
        Browser.of(stet, ada).post("/data/invitations", "{\"role\":\"writer\",\"notes\":[\"for Ben\"]}");
        window.signedIn(stet, ada, "/account").heading("Account").click("Sign out everywhere…");
        assertEquals(true, window.find("checkbox", LINKS_TOO).isSelected());
        window.tick(LINKS_TOO).click("Sign out everywhere").closed().heading("Sign in");
        assertEquals(401, elsewhere.get("/data/session").status());
        assertEquals(List.of("for Ben"), invitations(ada));
    }

    @Test
    void theAccountPageShowsTheLimitsAndTheCommandThatChangesThem(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.limit(ada, 10);
        window.signedIn(stet, ada, "/account").heading("Account").sees("main", ", 10 requests per month, 100 API keys.")
                .sees("java -jar stet.jar account plan ada@example.com pro");
    }

    private List<String> invitations(Account account) {
        return stet.db.read(dao -> dao.links().invitations(account.id(), stet.now())).stream().map(LinkDao.Link::note).toList();
    }

    @Test
    void theAccountPageShowsTheTimeOfTheLastBackup(Window window, @TempDir Path folder) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.stop();
        stet.backUpTo(folder);
        Backups backups = stet.upkeep.backups().orElseThrow();
        assertTrue(Running.comes(() -> backups.last().isPresent()));
        window.signedIn(stet, ada, "/account").heading("Account").sees(".hint", "Last server backup: ");
        assertEquals(backups.last().orElseThrow(), Instant.parse((String) window.script("return document.querySelector('.hint > time').dateTime")));
    }
}
