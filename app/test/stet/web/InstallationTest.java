package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;
import stet.harness.Terminal;

/** The administration page over HTTP, and the equivalent commands. */
class InstallationTest {
    private static final String ADMINISTRATORS_ONLY = "{\"error\":\"Only administrators of this server can do this\"}";
    private static final String WELCOME = Running.TEMPLATES + "welcome?format=html";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO, "correct horse");
    private final Account bob = stet.account("bob@example.com", Plan.FREE, "battery staple");
    private final Browser administrator = Browser.of(stet, ada);
    private final Browser owner = Browser.of(stet, bob);
    private String key;

    @BeforeEach
    void fill() {
        stet.db.changeUncached(dao -> dao.users().setAdministrator(stet.owner(ada).id(), true));
        stet.template(bob, "welcome", "<p>Hi</p>");
        key = stet.key(bob);
    }

    private JsonNode list(String query) {
        Client.Reply reply = administrator.get("/data/installation" + query);
        assertEquals(200, reply.status(), reply.text());
        return Json.readObject(reply.body());
    }

    private static List<String> names(JsonNode list) {
        return StreamSupport.stream(list.get("accounts").spliterator(), false).map(row -> row.get("name").asText()).toList();
    }

    @Test
    void accountsAreListedWithSizesAndWithoutTexts() {
        assertEquals(200, stet.get(WELCOME, key).status());
        assertTrue(Running.comes(() -> list("?q=bob").get("accounts").get(0).get("lastRequestAt").isTextual()));
        JsonNode all = list("");
        assertEquals(List.of("ada@example.com", "bob@example.com"), names(all));
        assertEquals("{\"id\":2,\"name\":\"bob@example.com\",\"plan\":\"free\",\"suspended\":false,\"used\":1,\"requests\":100,"
                + "\"ownRequests\":null,\"keys\":1,\"ownKeys\":null,\"users\":1,\"templates\":1,\"bytes\":9,\"storage\":1073741824,\"ownStorage\":null,\"imageBytes\":0,\"images\":209715200,\"ownImages\":null,"
                + "\"createdAt\":\"2026-01-31T09:00:00.000Z\",\"lastRequestAt\":\"2026-01-31T09:00:00.000Z\"}",
                all.get("accounts").get(1).toString());
        assertTrue(all.get("failing").isNull() && all.get("backups").isNull());
        assertTrue(all.get("sizes").get("database").asLong() > 0 && all.get("sizes").get("free").asLong() > 0);
        assertFalse(all.toString().contains("<p>"), all.toString());
    }

    @Test
    void accountsAreFoundByAPartOfTheirName() {
        assertEquals(List.of("bob@example.com"), names(list("?q=BOB@")));
        assertEquals(List.of(), names(list("?q=%25")));
        assertEquals(2, names(list("?q=%ff")).size(), "what is not UTF-8 finds all");
    }

    @Test
    void aListShowsAtMostTwoHundredAccounts() {
        stet.db.change(dao -> {
            for (int i = 100; i < 320; i++) {
                dao.accounts().addEmpty("account " + i, Plan.FREE, stet.now());
            }
        });
        JsonNode first = list("?q=account");
        assertEquals(200, names(first).size());
        assertTrue(first.get("moreAccounts").asBoolean());
        assertEquals(List.of("account 319"), names(list("?q=account%20319")));
    }

    /** An administrator cannot read accounts without being a member. */
    @ParameterizedTest
    @ValueSource(strings = {"/data/templates/welcome", "/data/templates/welcome/versions/1", "/data/templates/welcome/versions"})
    void anAdministratorCannotReadOtherAccountsTemplates(String path) {
        answered(404, "{\"error\":\"Not found\"}", administrator.get(path));
        answered(403, "{\"error\":\"You no longer belong to this account\"}", administrator.put("/data/session", "{\"account\":2}"));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
            GET    | /data/installation                     |
            POST   | /data/accounts                         | {"name":"Acme","plan":"pro"}
            POST   | /data/accounts/2/invitation            | {}
            PUT    | /data/accounts/2/plan                  | {"plan":"pro"}
            PUT    | /data/accounts/2/name                  | {"name":"Acme"}
            POST   | /data/accounts/1/suspend               | {}
            POST   | /data/accounts/1/resume                | {}
            DELETE | /data/accounts/1?name=ada@example.com  |
            """)
    void onlyAdministratorsUseTheAdministration(String method, String path, String body) {
        answered(403, ADMINISTRATORS_ONLY, owner.send(method, path, body));
        answered(401, "{\"error\":\"Signed out\",\"setup\":false}", Browser.of(stet).send(method, path, body));
        assertEquals(List.of("ada@example.com", "bob@example.com"), names(list("")));
        assertEquals("pro free", stet.account("ada@example.com").plan().word() + " " + stet.account("bob@example.com").plan().word());
    }

    @Test
    void aFormerAdministratorIsRejectedAtTheNextRequest() {
        list("");
        stet.db.changeUncached(dao -> dao.users().setAdministrator(stet.owner(ada).id(), false));
        answered(403, ADMINISTRATORS_ONLY, administrator.get("/data/installation"));
    }

    @Test
    void aNewAccountComesWithAnInvitationOfItsOwner() {
        Client.Reply reply = administrator.post("/data/accounts", "{\"name\":\"Acme\",\"plan\":\"pro\"}");
        assertTrue(reply.text().matches("\\{\"id\":3,\"name\":\"Acme\",\"link\":\"/join#[0-9A-Za-z]{32}\"}"), reply.text());
        assertEquals(201, reply.status());
        String secret = reply.text().replaceAll(".*#|\".*", "");
        assertEquals(Role.OWNER, stet.db.read(dao -> dao.links().find(secret, stet.now())).orElseThrow().role());
        JsonNode row = list("?q=Acme").get("accounts").get(0);
        assertEquals("pro 0", row.get("plan").asText() + " " + row.get("users").asInt());
    }

    @Test
    void anAccountWithATakenNameAnAddressOrAWrongPlanIsNotCreated() {
        stet.db.change(dao -> dao.accounts().addEmpty("Acme", Plan.PRO, stet.now()));
        answered(422, "{\"error\":\"An account named ACME already exists; choose another name\",\"field\":\"name\"}",
                administrator.post("/data/accounts", "{\"name\":\"ACME\",\"plan\":\"pro\"}"));
        answered(422, "{\"error\":\"A name with @ must be the owner's email address; choose another name\",\"field\":\"name\"}",
                administrator.post("/data/accounts", "{\"name\":\"bob@example.org\",\"plan\":\"pro\"}"));
        answered(422, "{\"error\":\"\\\"gold\\\" is not a plan; choose free, pro or none\",\"field\":\"plan\"}",
                administrator.post("/data/accounts", "{\"name\":\"Gold\",\"plan\":\"gold\"}"));
        assertEquals(3, list("").get("accounts").size());
    }

    @Test
    void spacesAroundANewAccountsNameDoNotCountTowardItsLength() {
        String name = "x".repeat(200);
        assertEquals(201, administrator.post("/data/accounts", "{\"name\":\" " + name + " \",\"plan\":\"pro\"}").status());
        assertEquals(3, stet.account(name).id());
    }

    /** Invitations expire. Until the account has an owner, a new invitation replaces the previous one. */
    @Test
    void anAccountThatNobodyHasJoinedIsNotLost() {
        String first = secret(administrator.post("/data/accounts", "{\"name\":\"Acme\",\"plan\":\"pro\"}"));
        stet.clock.advance(Duration.ofHours(73));
        assertEquals(200, administrator.post("/data/session", "{\"email\":\"ada@example.com\",\"password\":\"correct horse\"}").status());
        assertEquals(Optional.empty(), stet.db.read(dao -> dao.links().find(first, stet.now())));
        String second = secret(administrator.post("/data/accounts/3/invitation", "{}"));
        String third = secret(administrator.post("/data/accounts/3/invitation", "{}"));
        assertEquals(Optional.empty(), stet.db.read(dao -> dao.links().find(second, stet.now())));
        assertEquals(Long.valueOf(1), stet.db.read(dao -> dao.sql().number("select count(*) from activity where account_id = 3 and kind = 'invitation-revoked'")));
        assertEquals(200, Browser.of(stet).post("/data/link/register", "{\"secret\":\"" + third
                + "\",\"name\":\"\",\"email\":\"eve@example.com\",\"password\":\"correct horse\"}").status());
        assertEquals("owner", stet.db.read(dao -> dao.members().list(3)).get(0).role().word());
        answered(422, "{\"error\":\"Account Acme already has an owner; ask the owner for an invitation\",\"field\":null}",
                administrator.post("/data/accounts/3/invitation", "{}"));
        answered(404, "{\"error\":\"Not found\"}", administrator.post("/data/accounts/99/invitation", "{}"));
    }

    private static String secret(Client.Reply reply) {
        assertEquals(201, reply.status(), reply.text());
        return reply.text().replaceAll(".*/join#|\".*", "");
    }

    @Test
    void anAdministratorChangesPlanAndLimits() {
        answered(204, "", administrator.put("/data/accounts/2/plan", "{\"plan\":\"pro\",\"requests\":7,\"keys\":2}"));
        JsonNode row = list("?q=bob").get("accounts").get(0);
        assertEquals("pro 7 7 2", row.get("plan").asText() + " " + row.get("requests") + " " + row.get("ownRequests") + " " + row.get("keys"));
        answered(204, "", administrator.put("/data/accounts/2/plan", "{\"plan\":\"none\"}"));
        answered(403, "No active subscription found", stet.get(WELCOME, key));
        assertEquals("0", list("?q=bob").get("accounts").get(0).get("requests").toString());
    }

    @Test
    void anInvalidChangeOfAPlanIsRejected() {
        answered(422, "{\"error\":\"A billing anchor requires the Pro plan\",\"field\":\"billingAnchor\"}",
                administrator.put("/data/accounts/2/plan", "{\"plan\":\"free\",\"billingAnchor\":\"2026-01-01T00:00:00Z\"}"));
        answered(422, "{\"error\":\"\\\"requests\\\" must be a whole number from 0 to 9223372036854775807\",\"field\":\"requests\"}", administrator.put("/data/accounts/2/plan", "{\"plan\":\"free\",\"requests\":-1}"));
        answered(404, "{\"error\":\"Not found\"}", administrator.put("/data/accounts/99/plan", "{\"plan\":\"free\"}"));
    }

    /** The API responds with 403 and users are locked out, but no data is lost. */
    @Test
    void aSuspendedAccountIsClosedUntilItIsResumed() {
        assertEquals(200, stet.get(WELCOME, key).status());
        answered(204, "", administrator.post("/data/accounts/2/suspend", "{}"));
        answered(403, "No active subscription found", stet.get(WELCOME, key));
        String suspended = "{\"error\":\"This account is suspended; contact an administrator\"}";
        answered(403, suspended, owner.get("/data/templates"));
        answered(403, suspended, Browser.of(stet).post("/data/session", "{\"email\":\"bob@example.com\",\"password\":\"battery staple\"}"));
        assertEquals(422, Browser.of(stet).post("/data/session", "{\"email\":\"bob@example.com\",\"password\":\"a wrong one\"}").status());
        answered(204, "", administrator.post("/data/accounts/2/suspend", "{}"));
        answered(204, "", administrator.post("/data/accounts/2/resume", "{}"));
        answered(200, "<p>Hi</p>", stet.get(WELCOME, key));
        assertEquals(200, owner.get("/data/templates").status());
    }

    /** A user with two accounts continues in the other account. */
    @Test
    void aUserOfASuspendedAccountWorksInTheOther() {
        User user = stet.owner(bob);
        stet.db.change(dao -> dao.members().setRole(ada.id(), user.id(), Role.WRITER, stet.now()));
        answered(204, "", administrator.post("/data/accounts/2/suspend", "{}"));
        Browser browser = Browser.of(stet);
        Client.Reply session = browser.post("/data/session", "{\"email\":\"bob@example.com\",\"password\":\"battery staple\"}");
        assertTrue(session.text().contains("\"accountName\":\"ada@example.com\",\"label\":\"\",\"colour\":null,\"plan\":\"pro\",\"role\":\"writer\""), session.text());
    }

    /** An administrator whose only account is suspended can still sign in and resume the account. */
    @Test
    void anAdministratorOfASuspendedAccountSignsIn() {
        answered(204, "", administrator.post("/data/accounts/1/suspend", "{}"));
        Browser again = Browser.of(stet);
        Client.Reply session = again.post("/data/session", "{\"email\":\"ada@example.com\",\"password\":\"correct horse\"}");
        assertTrue(session.text().contains("\"administrator\":true,\"id\":null,\"accountName\":null"), session.text());
        answered(403, "{\"error\":\"You no longer belong to this account\"}", again.get("/data/templates"));
        answered(204, "", again.post("/data/accounts/1/resume", "{}"));
        assertEquals(200, again.put("/data/session", "{\"account\":1}").status());
        assertEquals(200, again.get("/data/templates").status());
    }

    @Test
    void anAdministratorRenamesAnAccount() {
        String log = Running.logged(() -> answered(204, "", administrator.put("/data/accounts/2/name", "{\"name\":\"Bob's Books\"}")));
        assertTrue(log.contains("account-renamed account=\"Bob's Books\" subject=\"Bob's Books\" detail=bob@example.com actor=ada@example.com"), log);
        assertEquals(2, stet.account("Bob's Books").id());
        assertEquals(2, stet.account("bob@example.com").id(), "the first owner");
    }

    @Test
    void theNameThatAnAccountHasIsNoChange() {
        String log = Running.logged(() -> answered(204, "", administrator.put("/data/accounts/2/name", "{\"name\":\"bob@example.com\"}")));
        assertFalse(log.contains("account-renamed"), log);
    }

    @Test
    void anAccountMayBeNamedByItsOwnersAddressOnly() {
        answered(204, "", administrator.put("/data/accounts/2/name", "{\"name\":\"Books\"}"));
        answered(204, "", administrator.put("/data/accounts/2/name", "{\"name\":\"bob@example.com\"}"));
        answered(422, "{\"error\":\"A name with @ must be the owner's email address; choose another name\",\"field\":\"name\"}",
                administrator.put("/data/accounts/2/name", "{\"name\":\"ada@example.com\"}"));
    }

    @Test
    void anAccountIsDeletedOnlyIfItsNameIsTyped() {
        answered(422, "{\"error\":\"The name does not match the account; enter the account's exact name\",\"field\":\"name\"}", administrator.delete("/data/accounts/2?name=bob"));
        answered(422, "{\"error\":\"The name does not match the account; enter the account's exact name\",\"field\":\"name\"}", administrator.delete("/data/accounts/2"));
        assertEquals(200, stet.get(WELCOME, key).status());
        answered(204, "", administrator.delete("/data/accounts/2?name=bob@example.com"));
        answered(401, "Invalid API key", stet.get(WELCOME, key));
        answered(401, "{\"error\":\"Signed out\",\"setup\":false}", owner.get("/data/session"));
        answered(404, "{\"error\":\"Not found\"}", administrator.delete("/data/accounts/2?name=bob@example.com"));
    }

    @Test
    void theIdOfADeletedAccountIsNotUsedAgain() {
        answered(204, "", administrator.delete("/data/accounts/2?name=bob@example.com"));
        assertEquals(3, stet.account("bob@example.net", Plan.FREE).id());
    }

    @Test
    void theAdministrationShowsTheLastBackup(@TempDir Path backups) {
        stet.stop();
        stet.backUpTo(backups);
        assertTrue(Running.comes(() -> list("").get("backups").get("last").isTextual()));
        assertEquals("{\"every\":86400,\"last\":\"2026-01-31T09:00:00.000Z\",\"late\":false}", list("").get("backups").toString());
    }

    // ---- the commands

    @TempDir
    private Path folder;

    @Test
    void aCommandInvitesAnOwner() {
        Terminal terminal = new Terminal(stet.folder);
        stet.db.change(dao -> dao.accounts().addEmpty("Acme", Plan.PRO, stet.now()));
        Terminal.Result made = terminal.run("account", "invite", "Acme", "--base-url", "https://mail.example.com/");
        assertEquals("The link works once, expires after 72 hours and is shown only once:\n", made.err());
        assertTrue(made.out().matches("https://mail\\.example\\.com/join#[0-9A-Za-z]{32}\n"), made.out());
        assertEquals(Role.OWNER, stet.db.read(dao -> dao.links().find(made.out().strip().replaceAll(".*#", ""), stet.now())).orElseThrow().role());
    }

    @Test
    void anInvitationThatCannotBePrintedIsRevoked() {
        Terminal terminal = new Terminal(stet.folder);
        stet.db.change(dao -> dao.accounts().addEmpty("Acme", Plan.PRO, stet.now()));
        terminal.room = 0;
        assertTrue(terminal.run("account", "invite", "Acme").err().contains("The link could not be printed, so it was revoked"));
        assertEquals(List.of(), stet.db.read(dao -> dao.links().invitations(3, stet.now())));
    }

    @Test
    void aCommandInvitesNobodyToAnAccountWithAnOwnerOrAnUnknownOne() {
        Terminal terminal = new Terminal(stet.folder);
        stet.db.change(dao -> dao.accounts().addEmpty("Acme", Plan.PRO, stet.now()));
        assertEquals("Account bob@example.com already has an owner; ask the owner for an invitation\n", terminal.run("account", "invite", "bob@example.com").err());
        assertEquals("Account Acne not found; did you mean Acme?\n", terminal.run("account", "invite", "Acne").err());
    }

    @Test
    void anAccountWithoutAnOwnerIsExportedAndHasNoPassword() {
        Terminal terminal = new Terminal(stet.folder);
        stet.db.change(dao -> dao.accounts().addEmpty("Acme", Plan.PRO, stet.now()));
        Path export = folder.resolve("export");
        terminal.done("export", export.toString(), "--account", "Acme", "--with-account");
        assertEquals(0, terminal.run("fixture", export.toString(), "--exec", "true").code());
        Terminal.Result password = terminal.run("account", "password", "Acme");
        assertEquals("1 Account Acme has no owner; use \"account invite\" to invite one\n", password.code() + " " + password.err());
    }

    @Test
    void aCommandAddsAnAccountToAUser() {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.account("ada@example.com", "pro");
        assertEquals("Account Acme added on plan free: 100 requests per 30 days, 1 key. Change the limits with \"account plan\". ada@example.com signs in as before\n",
                terminal.run("account", "add", "ada@example.com", "--name", "Acme", "--plan", "free").err());
        assertEquals("The user ada@example.com already exists and keeps their password. Omit --password-file.\n",
                terminal.run("account", "add", "ada@example.com", "--name", "Other", "--password-file", "-").err());
        assertEquals("An account named acme already exists; choose another name\n", terminal.run("account", "add", "ada@example.com", "--name", "acme").err());
    }

    @Test
    void aCommandRenamesAnAccount() {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.account("ada@example.com", "pro");
        terminal.done("account", "add", "ada@example.com", "--name", "Acme", "--plan", "free");
        assertEquals("Account ada@example.com renamed to Books\n", terminal.run("account", "rename", "ada@example.com", "Books").err());
        assertEquals("ada@example.com owns several accounts; use one of their names: Acme, Books\n",
                terminal.run("key", "list", "ada@example.com").err());
        assertEquals("A name with @ must be the owner's email address; choose another name\n",
                terminal.run("account", "rename", "Books", "eve@example.com").err());
        assertEquals(1, terminal.done("key", "list", "Acme").lines().count());
        assertEquals(2, terminal.done("key", "list", "Books").lines().count());
    }

    @Test
    void commandsSuspendAndResumeAnAccount() {
        Terminal terminal = new Terminal(folder.resolve("data"));
        String adasKey = terminal.account("ada@example.com", "pro");
        terminal.done("account", "rename", "ada@example.com", "Books");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertEquals("404", status(serving, adasKey));
            assertEquals("Account Books suspended; its API requests now get 403\n", terminal.run("account", "suspend", "Books").err());
            assertTrue(Running.comes(() -> status(serving, adasKey).equals("403")));
            assertTrue(terminal.done("account", "list", "--json").contains("\"name\":\"Books\",\"owner\":\"ada@example.com\",\"plan\":\"pro\""));
            assertTrue(terminal.done("account", "list").lines().anyMatch(line -> line.startsWith("Books") && line.contains("  suspended  ")));
            assertEquals("Account Books resumed\n", terminal.run("account", "resume", "Books").err());
            assertTrue(Running.comes(() -> status(serving, adasKey).equals("404")));
        }
    }

    @Test
    void aCommandMakesAUserAnAdministrator() {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.account("ada@example.com", "pro");
        terminal.done("account", "add", "ada@example.com", "--name", "Acme", "--plan", "free");
        String ada = "ada@example.com, since 2026-01-31T09:00:00.000Z, in Acme (owner), ada@example.com (owner)";
        assertEquals("This makes this user an administrator: " + ada + ". Confirm with --yes.\n", terminal.run("user", "administrator", "ada@example.com").err());
        assertTrue(terminal.done("user", "list", "--json").contains("\"administrator\":false"));
        assertEquals(ada + ": now an administrator\n",
                terminal.run("user", "administrator", "ada@example.com", "--yes").err());
        assertTrue(terminal.done("user", "list", "--json").contains("\"administrator\":true"));
        assertEquals(ada + ": no longer an administrator\n", terminal.run("user", "administrator", "ada@example.com", "--off").err());
        assertEquals("User ava@example.com not found; did you mean ada@example.com?\n",
                terminal.run("user", "administrator", "ava@example.com").err());
    }

    private static String status(Terminal.Serving serving, String key) {
        return Integer.toString(serving.get(Running.TEMPLATES + "none", key).status());
    }
}
