package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;

/** An account's members: invitations, roles, and password-reset links. */
class UsersTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PASSWORD = "correct horse";
    private static final String ENDED = refused("secret",
            "This link has been used or revoked, or has expired; ask for a new link");
    private static final String NO_MEMBER = "{\"error\":\"You no longer belong to this account\"}";
    private static final String OWNERS_ONLY = "{\"error\":\"Only owners of the account can do this\"}";
    private static final String LAST_OWNER = refused("role",
            "This is the account's last owner; make someone else an owner first");

    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("ada@example.com", Plan.PRO, PASSWORD);
    private final Browser ada = Browser.of(stet, account);

    private static String refused(String field, String sentence) {
        return "{\"error\":\"" + sentence + "\",\"field\":" + (field == null ? "null" : "\"" + field + "\"") + "}";
    }

    private static JsonNode json(Client.Reply reply) {
        try {
            return JSON.readTree(reply.body());
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private Browser signedIn(User user) {
        return Browser.of(stet, account, user);
    }

    /** Creates an invitation. @return its secret */
    private static String invite(Browser owner, String role) {
        Client.Reply reply = owner.post("/data/invitations", "{\"role\":\"" + role + "\",\"notes\":[\"for Ben\"]}");
        assertEquals(201, reply.status(), reply.text());
        return secret(reply);
    }

    private static String secret(Client.Reply reply) {
        String link = json(reply).path("link").asText(json(reply).at("/links/0/link").asText());
        assertTrue(link.matches("http://127\\.0\\.0\\.1:\\d+/(join|reset)#[0-9A-Za-z]{32}"), link);
        return link.substring(link.indexOf('#') + 1);
    }

    private static String of(String secret) {
        return "{\"secret\":\"" + secret + "\"}";
    }

    private static String registration(String secret, String email) {
        return "{\"secret\":\"" + secret + "\",\"name\":\"Ben\",\"email\":\"" + email + "\",\"password\":\"" + PASSWORD + "\"}";
    }

    private static String credentials(String email, String password) {
        return "{\"email\":\"" + email + "\",\"password\":\"" + password + "\"}";
    }

    private long invitation(Browser owner) {
        return json(owner.get("/data/members")).get("invitations").get(0).get("id").asLong();
    }

    private List<String> rows(String sql) {
        return Rows.of(stet.folder, sql);
    }

    // ---- keys and tokens of a user

    /** Keys and tokens that keep working after the user is removed: also those whose author is no member, as names and addresses change. */
    @Test
    void secretsOfAUserAreThoseNoOtherMemberCreated() {
        User eve = stet.member(account, "eve@example.com", Role.OWNER, PASSWORD);
        User will = stet.member(account, "will@example.com", Role.WRITER, PASSWORD);
        for (Browser each : List.of(ada, signedIn(eve))) {
            String by = each == ada ? "ada" : "eve";
            assertEquals(201, each.post("/data/keys", "{\"name\":\"key of " + by + "\"}").status());
            assertEquals(201, each.post("/data/tokens", "{\"name\":\"token of " + by + "\"}").status());
        }
        String path = "/data/members/" + eve.id() + "/secrets";
        String expected = "{\"keys\":[{\"id\":3,\"name\":\"key of eve\",\"createdBy\":\"eve@example.com\",\"createdAt\":\"2026-01-31T09:00:00.000Z\"}],"
                + "\"tokens\":[{\"id\":4,\"name\":\"token of eve\",\"createdBy\":\"eve@example.com\",\"createdAt\":\"2026-01-31T09:00:00.000Z\"}]}";
        answered(200, expected, ada.get(path));
        answered(200, "{\"keys\":[],\"tokens\":[]}", ada.get("/data/members/" + will.id() + "/secrets"));
        answered(404, "{\"error\":\"Not found\"}", ada.get("/data/members/99/secrets"));
        answered(403, OWNERS_ONLY, signedIn(will).get(path));
        stet.db.change(dao -> dao.users().changeName(eve.id(), "Eve"));
        answered(200, expected, ada.get(path));
        stet.db.change(dao -> dao.users().changeEmail(eve.id(), "eve@new.example"));
        answered(200, expected, ada.get(path));
        assertEquals(201, ada.post("/data/tokens/4/rotate", "{\"hours\":0}").status());
        answered(200, expected.replaceAll("\"tokens\":.*", "\"tokens\":[]}"), ada.get(path));
    }

    @Test
    void aKeyWithoutAuthorMayBeAnyonesWhateverOthersAreCalled() {
        stet.db.change(dao -> {
            dao.keys().add(account, "seeded", "stet_key_seeded", stet.now());
            dao.users().changeName(dao.users().find("ada@example.com").orElseThrow().id(), "-");
        });
        User eve = stet.member(account, "eve@example.com", Role.WRITER, PASSWORD);
        answered(200, "{\"keys\":[{\"id\":1,\"name\":\"seeded\",\"createdBy\":null,\"createdAt\":\"2026-01-31T09:00:00.000Z\"}],\"tokens\":[]}",
                ada.get("/data/members/" + eve.id() + "/secrets"));
    }

    // ---- invitations

    @Test
    void joiningWithoutASessionIsRejected() {
        String secret = invite(ada, "editor");
        answered(401, "{\"error\":\"Signed out\",\"setup\":false}", Browser.of(stet).post("/data/link/join", of(secret)));
        assertEquals(200, Browser.of(stet).post("/data/link", of(secret)).status(), "the invitation is still open");
    }

    @Test
    void anInvalidRegistrationIsRejected() {
        String secret = invite(ada, "editor");
        Browser ben = Browser.of(stet);
        answered(422, refused("email", "\\\"ben\\\" is not a valid email address; enter an address such as ada@example.com"),
                ben.post("/data/link/register", registration(secret, "ben")));
        answered(422, refused("email", "Another user already has this email address; use another address"),
                ben.post("/data/link/register", registration(secret, "ADA@example.com")));
        answered(422, refused("password", "The password must have at least 8 characters"),
                ben.post("/data/link/register", registration(secret, "ben@example.com").replace(PASSWORD, "short")));
        answered(422, refused("name", "The name is 101 characters; the limit is 100"),
                ben.post("/data/link/register", registration(secret, "ben@example.com").replace("Ben", "B".repeat(101))));
        answered(422, refused("name", "The name must not contain the invisible character U+001B"),
                ben.post("/data/link/register", registration(secret, "ben@example.com").replace("Ben", "B\\u001bn")));
        assertEquals(200, ben.post("/data/link", of(secret)).status(), "the invitation is still open");
    }

    @Test
    void aNewUserAcceptsAnInvitation() throws IOException {
        String secret = invite(ada, "editor");
        Browser ben = Browser.of(stet);
        answered(200, "{\"accounts\":[{\"name\":\"ada@example.com\",\"role\":\"editor\"}],\"email\":null,\"madeBy\":\"ada@example.com\","
                + "\"expiresAt\":\"2026-02-03T09:00:00.000Z\"}", ben.post("/data/link", of(secret)));
        answered(200, ("{'email':'ben@example.com','userName':'Ben','administrator':false,'id':1,'accountName':'ada@example.com','label':'','colour':null,'plan':'pro',"
                + "'role':'editor','accounts':[{'id':1,'name':'ada@example.com','label':'','colour':null,'role':'editor','suspended':false}],'baseUrl':'"
                + stet.server.url() + "'}").replace('\'', '"'),
                ben.post("/data/link/register", registration(secret, "ben@example.com")));
        assertEquals(200, ben.get("/data/templates").status());
        assertEquals(200, Browser.of(stet).post("/data/session", credentials("ben@example.com", PASSWORD)).status());
        answered(422, ENDED, Browser.of(stet).post("/data/link/register", registration(secret, "eve@example.com")));
        answered(422, ENDED, Browser.of(stet).post("/data/link", of(secret)));
        assertFalse(SessionsTest.holds(stet.folder, secret));
        assertEquals(List.of("ada@example.com|user-invited|for Ben|editor",
                "Ben|user-added|ben@example.com|editor, invited by ada@example.com"), activity());
    }

    private List<String> activity() {
        return rows("select actor || '|' || kind || '|' || subject || '|' || detail from activity where kind not like 'sign-in%' order by id");
    }

    @Test
    void aSignedInUserJoinsWithoutSwitching() {
        Account other = stet.account("ben@example.com", Plan.FREE, PASSWORD);
        Browser ben = Browser.of(stet, other);
        String secret = invite(ada, "writer");
        JsonNode joined = json(ben.post("/data/link/join", of(secret)));
        assertEquals("ben@example.com owner 2", joined.get("accountName").asText() + " " + joined.get("role").asText() + " "
                + joined.get("accounts").size(), "joining does not switch");
        assertEquals(200, ben.put("/data/session", "{\"account\":" + account.id() + "}").status());
        assertEquals("[]", json(ben.get("/data/templates")).get("templates").toString());
        answered(403, "{\"error\":\"Only editors and owners of the account can do this\"}",
                ben.post("/data/templates/x/publish", "{}"));
    }

    @Test
    void aMemberCannotJoinAgainAndTheLinkStaysOpen() {
        Browser ben = signedIn(stet.member(account, "ben@example.com", Role.WRITER, PASSWORD));
        String again = invite(ada, "owner");
        answered(422, refused("secret", "You already belong to ada@example.com"), ben.post("/data/link/join", of(again)));
        assertEquals(200, ben.post("/data/link", of(again)).status());
        answered(422, refused("email", "Another user already has this email address; use another address"),
                Browser.of(stet).post("/data/link/register", registration(again, "ben@example.com")));
    }

    @ParameterizedTest
    @CsvSource({"used", "withdrawn", "expired", "guessed", "its owner is none any more", "its owner is removed",
            "the account is deleted"})
    void anInvitationThatHasEndedIsRejectedEverywhere(String how) {
        User eve = stet.member(account, "eve@example.com", Role.OWNER, PASSWORD);
        String secret = invite(signedIn(eve), "editor");
        Browser ben = Browser.of(stet);
        stet.clock.advance(Duration.ofHours(72).minusMillis(1));
        Browser owner = Browser.of(stet, account);
        assertEquals(200, ben.post("/data/link", of(secret)).status());
        switch (how) {
            case "used" -> assertEquals(200, Browser.of(stet, stet.account("ben@example.com", Plan.FREE))
                    .post("/data/link/join", of(secret)).status());
            case "withdrawn" -> answered(204, "", owner.delete("/data/invitations/" + invitation(owner)));
            case "expired" -> stet.clock.advance(Duration.ofMillis(1));
            case "guessed" -> secret = secret.substring(1) + (secret.startsWith("A") ? "B" : "A");
            case "its owner is none any more" -> answered(204, "", owner.put("/data/members/" + eve.id(), "{\"role\":\"editor\"}"));
            case "its owner is removed" -> answered(204, "", owner.delete("/data/members/" + eve.id()));
            default -> stet.db.change(dao -> dao.accounts().delete(account.id(), stet.now()));
        }
        answered(422, ENDED, Browser.of(stet).post("/data/link", of(secret)));
        answered(422, ENDED, Browser.of(stet).post("/data/link/register", registration(secret, "late@example.com")));
        answered(422, ENDED, Browser.of(stet, stet.account("zoe@example.com", Plan.FREE)).post("/data/link/join", of(secret)));
        answered(422, ENDED, Browser.of(stet).post("/data/link/reset", "{\"secret\":\"" + secret + "\",\"password\":\"" + PASSWORD
                + "\"}"));
        assertEquals(List.of(), rows("select email from users where email like 'late%'"));
    }

    @Test
    void ofSeveralUsersWhoOpenALinkAtOnceOneJoins() {
        String secret = invite(ada, "editor");
        List<Client.Reply> replies = Crowd.of(4, i -> () -> i == 0
                ? Browser.of(stet).post("/data/link/register", registration(secret, i + "@example.com"))
                : Browser.of(stet, stet.account(i + "@example.com", Plan.FREE)).post("/data/link/join", of(secret)));
        assertEquals(List.of(200, 422, 422, 422), replies.stream().map(Client.Reply::status).sorted().toList());
        replies.stream().filter(reply -> reply.status() == 422).forEach(reply -> answered(422, ENDED, reply));
        assertEquals(2, rows("select user_id from members where account_id = " + account.id()).size());
    }

    @Test
    void aSuspendedAccountTakesNobodyIn() {
        String secret = invite(ada, "editor");
        stet.db.change(dao -> dao.accounts().setSuspended(account, true, stet.now()));
        String suspended = "{\"error\":\"This account is suspended; contact an administrator\"}";
        Browser zoe = Browser.of(stet, stet.account("zoe@example.com", Plan.FREE));
        answered(403, suspended, Browser.of(stet).post("/data/link/register", registration(secret, "ben@example.com")));
        answered(403, suspended, zoe.post("/data/link/join", of(secret)));
        stet.db.change(dao -> dao.accounts().setSuspended(stet.account("ada@example.com"), false, stet.now()));
        assertEquals(200, zoe.post("/data/link/join", of(secret)).status());
    }

    @Test
    void invitationsAreListedOnlyForOwners() {
        Browser writer = signedIn(stet.member(account, "ben@example.com", Role.WRITER, PASSWORD));
        stet.clock.advance(Duration.ofMinutes(1));
        invite(ada, "owner");
        answered(200, ("{'users':[{'id':1,'email':'ada@example.com','name':'','role':'owner','since':'2026-01-31T09:00:00.000Z',"
                + "'self':true,'resettable':false},{'id':2,'email':'ben@example.com','name':'','role':'writer',"
                + "'since':'2026-01-31T09:00:00.000Z','self':false,'resettable':true}],'invitations':[{'id':1,'role':'owner','note':'for Ben',"
                + "'madeBy':'ada@example.com','createdAt':'2026-01-31T09:01:00.000Z','expiresAt':'2026-02-03T09:01:00.000Z'}]}")
                .replace('\'', '"'), ada.get("/data/members"));
        JsonNode seen = json(writer.get("/data/members"));
        assertEquals("null false", seen.get("invitations") + " " + seen.get("users").get(0).get("resettable"));
    }

    @Test
    void anInvalidInvitationIsRejected() {
        answered(422, refused("role", "\\\"chief\\\" is not a role; choose owner, editor or writer"),
                ada.post("/data/invitations", "{\"role\":\"chief\"}"));
        answered(422, refused("note", "The note is 201 characters; the limit is 200"),
                ada.post("/data/invitations", "{\"role\":\"editor\",\"notes\":[\"" + "n".repeat(201) + "\"]}"));
    }

    @Test
    void anAccountHasAtMostFiftyOpenInvitations() {
        for (int i = 0; i < 50; i++) {
            invite(ada, "writer");
        }
        answered(422, refused(null, "Invitation limit reached (50); revoke an invitation first"),
                ada.post("/data/invitations", "{\"role\":\"editor\"}"));
        answered(204, "", ada.delete("/data/invitations/1"));
        answered(404, "{\"error\":\"Not found\"}", ada.delete("/data/invitations/1"));
        invite(ada, "editor");
        stet.clock.advance(Duration.ofHours(72));
        invite(Browser.of(stet, account), "editor");
    }

    /** There are more links than one transaction removes. */
    @Test
    void expiredLinksAreRemoved() {
        for (int i = 0; i < 5; i++) {
            Account other = stet.account(i + "@example.com", Plan.FREE);
            String each = i + "-";
            stet.db.change(dao -> IntStream.range(0, 50).forEach(n ->
                    dao.links().invite(other.id(), Role.EDITOR, "", "notes", stet.now(), each + n)));
        }
        stet.clock.advance(Duration.ofHours(71));
        stet.db.change(dao -> dao.links().invite(account.id(), Role.EDITOR, "", "notes", stet.now(), "later"));
        stet.sweep();
        assertEquals(List.of("251"), rows("select count(*) from links"));
        for (int day = 0; day < 3; day++) {
            stet.clock.advance(Duration.ofDays(1));
            stet.sweep();
        }
        assertEquals(List.of("1"), rows("select count(*) from links"));
    }

    @Test
    void guessingLinksIsSlowedDownAndRightOnesAreNot() {
        String secret = invite(ada, "editor");
        Browser visitor = Browser.of(stet);
        for (int i = 0; i < 40; i++) {
            assertEquals(200, visitor.post("/data/link", of(secret)).status());
        }
        for (int i = 0; i < 30; i++) {
            answered(422, ENDED, visitor.post("/data/link", of("guess" + i)));
        }
        for (String path : List.of("/data/link", "/data/link/register", "/data/link/reset")) {
            Client.Reply slowed = visitor.post(path, of(secret));
            answered(429, "{\"error\":\"Too many attempts; try again later\"}", slowed);
            assertEquals("60", slowed.header("Retry-After"));
        }
        assertEquals(429, ada.post("/data/link/join", of(secret)).status());
        stet.clock.advance(Duration.ofMinutes(1));
        assertEquals(200, visitor.post("/data/link", of(secret)).status());
    }

    /** Each way to lose the right to invite, with the one who uses it. The invitation is then revoked, which the activity log names. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ada | PUT    | /data/members/2                  | {"role":"editor"}
            ada | DELETE | /data/members/2                  |
            ben | DELETE | /data/membership                 |
            ben | DELETE | /data/sessions?revoke=true       |
            """)
    void theInvitationsOfAFormerOwnerAreRevoked(String who, String method, String path, String body) {
        Browser ben = Browser.of(stet, account, stet.member(account, "ben@example.com", Role.OWNER, PASSWORD));
        String secret = invite(ben, "editor");
        Browser browser = who.equals("ada") ? ada : ben;
        answered(204, "", body == null ? browser.delete(path) : browser.put(path, body));
        answered(422, ENDED, Browser.of(stet).post("/data/link", of(secret)));
        assertEquals(List.of("for Ben editor"), stet.db.read(dao -> dao.sql().list(
                "select subject || ' ' || detail as each from activity where kind = 'invitation-revoked'", row -> row.text("each"))));
    }

    @Test
    void eachChangeIsALineWithoutSecrets() {
        stet.account("ben@example.com", Plan.FREE, PASSWORD);
        List<String> secrets = new ArrayList<>();
        String log = Running.logged(() -> {
            secrets.add(invite(ada, "editor"));
            answered(204, "", ada.delete("/data/invitations/1"));
            secrets.add(invite(ada, "writer"));
            Browser ben = Browser.of(stet, stet.account("ben@example.com"));
            assertEquals(200, ben.post("/data/link/join", of(secrets.get(1))).status());
            answered(204, "", ada.put("/data/members/2", "{\"role\":\"editor\"}"));
            answered(204, "", ada.delete("/data/members/2"));
            User eve = stet.member(account, "eve@example.com", Role.WRITER, PASSWORD);
            secrets.add(secret(ada.post("/data/members/" + eve.id() + "/reset", "{}")));
            assertEquals(200, ada.put("/data/account", "{\"name\":\"Harbour Books\"}").status());
            assertEquals(200, ada.put("/data/user",
                    "{\"name\":\"\",\"email\":\"ada@example.org\",\"current\":\"" + PASSWORD + "\"}").status());
        });
        String by = " actor=ada@example.com address=127.0.0.1\n";
        assertEquals("INFO user-invited account=ada@example.com subject=\"for Ben\" detail=editor" + by
                + "INFO invitation-revoked account=ada@example.com subject=\"for Ben\" detail=editor" + by
                + "INFO user-invited account=ada@example.com subject=\"for Ben\" detail=writer" + by
                + "INFO user-added account=ada@example.com subject=ben@example.com detail=\"writer, invited by ada@example.com\""
                + " actor=ben@example.com address=127.0.0.1\n"
                + "INFO role-changed account=ada@example.com subject=ben@example.com detail=editor" + by
                + "INFO user-removed account=ada@example.com subject=ben@example.com" + by
                + "INFO reset-link-created account=ada@example.com subject=eve@example.com" + by
                + "INFO account-renamed account=\"Harbour Books\" subject=\"Harbour Books\" detail=ada@example.com" + by
                + "INFO email-changed subject=ada@example.org detail=ada@example.com actor=ada@example.org address=127.0.0.1\n",
                log.lines().map(line -> line.substring(25) + "\n").collect(Collectors.joining()));
        secrets.add(PASSWORD);
        secrets.forEach(secret -> assertFalse(log.contains(secret), secret));
    }

    // ---- roles

    @Test
    void aChangedRoleTakesEffectAtTheNextRequest() {
        stet.template(account, "welcome", "<p>hi</p>");
        User ben = stet.member(account, "ben@example.com", Role.WRITER, PASSWORD);
        Browser open = signedIn(ben);
        String revision = "{\"revision\":" + json(open.get("/data/templates/welcome")).get("revision") + "}";
        assertEquals(403, open.post("/data/templates/welcome/publish", revision).status());
        answered(204, "", ada.put("/data/members/" + ben.id(), "{\"role\":\"editor\"}"));
        assertEquals(200, open.post("/data/templates/welcome/publish", revision).status());
        answered(403, OWNERS_ONLY, open.post("/data/invitations", "{\"role\":\"owner\"}"));
        answered(204, "", ada.put("/data/members/" + ben.id(), "{\"role\":\"owner\"}"));
        assertEquals(201, open.post("/data/invitations", "{\"role\":\"owner\"}").status());
        assertEquals(List.of("role-changed|ben@example.com|editor", "role-changed|ben@example.com|owner"), changesOfMembers());
    }

    private List<String> changesOfMembers() {
        return activity().stream().filter(row -> row.matches(".*\\|(role-changed|user-removed)\\|.*")).map(row -> row.replaceFirst("[^|]*\\|", "")).toList();
    }

    /** An administrator, who stays a user without an account. */
    @Test
    void aRemovalTakesEffectAtTheNextRequest() {
        User ben = stet.member(account, "ben@example.com", Role.WRITER, PASSWORD);
        stet.db.change(dao -> dao.users().setAdministrator(ben.id(), true));
        Browser open = signedIn(ben);
        answered(204, "", ada.delete("/data/members/" + ben.id()));
        answered(403, NO_MEMBER, open.get("/data/templates"));
        answered(200, ("{'email':'ben@example.com','userName':'','administrator':true,'id':null,'accountName':null,'label':null,'colour':null,'plan':null,'role':null,"
                + "'accounts':[],'baseUrl':'" + stet.server.url() + "'}").replace('\'', '"'), open.get("/data/session"));
        answered(403, NO_MEMBER, open.put("/data/session", "{\"account\":1}"));
        assertEquals(200, Browser.of(stet).post("/data/session", credentials("ben@example.com", PASSWORD)).status());
        answered(404, "{\"error\":\"Not found\"}", ada.delete("/data/members/" + ben.id()));
        answered(404, "{\"error\":\"Not found\"}", ada.put("/data/members/" + ben.id(), "{\"role\":\"editor\"}"));
        assertEquals(List.of("user-removed|ben@example.com|"), changesOfMembers());
    }

    private List<String> present(String email) {
        return rows("select email from users where deleted_at is null and email = '" + email + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"has another account", "is an administrator"})
    void aRemovedUserWithAnotherRightStays(String reason) {
        User boss = stet.member(account, "boss@example.com", Role.EDITOR, PASSWORD);
        if (reason.equals("is an administrator")) {
            stet.db.change(dao -> dao.users().setAdministrator(boss.id(), true));
        } else {
            stet.member(stet.account("zoe@example.com", Plan.FREE), "boss@example.com", Role.WRITER, PASSWORD);
        }
        answered(204, "", ada.delete("/data/members/" + boss.id()));
        assertEquals(List.of("boss@example.com"), present("boss@example.com"));
    }

    /** Otherwise, former users would block addresses and fill the table. */
    @Test
    void aUserRemovedFromTheLastAccountIsDeleted() {
        String secret = invite(ada, "editor");
        Browser open = Browser.of(stet);
        assertEquals(200, open.post("/data/link/register", registration(secret, "boss@example.com")).status());
        User boss = stet.db.read(dao -> dao.users().find("boss@example.com")).orElseThrow();
        assertEquals(201, ada.post("/data/members/" + boss.id() + "/reset", "{}").status());
        answered(204, "", ada.delete("/data/members/" + boss.id()));
        assertEquals(List.of(), present("boss@example.com"));
        answered(403, NO_MEMBER, open.get("/data/templates"));
        answered(401, "{\"error\":\"Signed out\",\"setup\":false}",
                open.put("/data/user", "{\"name\":\"\",\"email\":\"boss@example.com\"}"));
        answered(401, "{\"error\":\"Signed out\",\"setup\":false}",
                open.post("/data/link/join", "{\"secret\":\"" + invite(ada, "owner") + "\"}"));
        assertFalse(new Terminal(stet.folder).done("user", "list").contains("boss@example.com"));
        assertEquals(List.of("0"), rows("select count(*) from links where user_id is not null"));
        assertEquals("User boss@example.com not found", new Terminal(stet.folder).run("user", "administrator", "boss@example.com", "--yes").err().strip());
        assertEquals(200, Browser.of(stet).post("/data/link/register", registration(invite(ada, "writer"), "boss@example.com")).status(),
                "invited again");
    }

    @Test
    void aSignInRemovesTheRowsOfDeletedUsersWithoutSessions() {
        Browser open = Browser.of(stet);
        assertEquals(200, open.post("/data/link/register", registration(invite(ada, "editor"), "boss@example.com")).status());
        answered(204, "", ada.delete("/data/members/" + stet.db.read(dao -> dao.users().find("boss@example.com")).orElseThrow().id()));
        assertEquals(List.of("1"), rows("select count(*) from users where deleted_at is not null"));
        answered(204, "", open.delete("/data/session"));
        assertEquals(200, Browser.of(stet).post("/data/session", credentials("ada@example.com", PASSWORD)).status());
        assertEquals(List.of("0"), rows("select count(*) from users where deleted_at is not null"));
    }

    /** Also an address that looks like a placeholder for a removed user's. */
    @Test
    void theAddressOfARemovedUserIsFree() {
        List<User> users = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            users.add(stet.member(account, "removed-" + (i + 1) + "@invalid", Role.WRITER, PASSWORD));
        }
        for (User user : users) {
            Browser open = Browser.of(stet, account, user);
            assertEquals(200, open.get("/data/templates").status());
            answered(204, "", ada.delete("/data/members/" + user.id()));
            answered(403, NO_MEMBER, open.get("/data/templates"));
        }
        assertEquals(List.of("12"), rows("select count(*) from users where deleted_at is not null"));
        assertEquals(200, Browser.of(stet).post("/data/link/register", registration(invite(ada, "writer"), "removed-3@invalid")).status());
    }

    @Test
    void theLastOwnerCannotLeaveOrBeDemoted() {
        answered(422, LAST_OWNER, ada.put("/data/members/1", "{\"role\":\"editor\"}"));
        answered(422, LAST_OWNER, ada.delete("/data/members/1"));
        answered(422, LAST_OWNER, ada.delete("/data/membership"));
        User ben = stet.member(account, "ben@example.com", Role.EDITOR, PASSWORD);
        answered(422, LAST_OWNER, ada.delete("/data/membership"));
        answered(204, "", signedIn(ben).delete("/data/membership"));
        User eve = stet.member(account, "eve@example.com", Role.OWNER, PASSWORD);
        answered(204, "", ada.delete("/data/membership"));
        answered(403, NO_MEMBER, ada.get("/data/templates"));
        answered(422, LAST_OWNER, signedIn(eve).delete("/data/membership"));
        assertEquals(List.of("ben@example.com|user-removed|ben@example.com|left",
                "ada@example.com|user-removed|ada@example.com|left"), activity());
    }

    // ---- lost passwords

    @Test
    void aResetLinkReplacesTheEarlierOneAndIsNoInvitation() {
        User ben = stet.member(account, "ben@example.com", Role.EDITOR, PASSWORD);
        String replaced = secret(ada.post("/data/members/" + ben.id() + "/reset", "{}"));
        String secret = secret(ada.post("/data/members/" + ben.id() + "/reset", "{}"));
        answered(422, ENDED, Browser.of(stet).post("/data/link", of(replaced)));
        answered(422, ENDED, Browser.of(stet).post("/data/link/register", registration(secret, "new@example.com")));
        answered(422, ENDED, ada.post("/data/link/join", of(secret)));
    }

    @Test
    void aLinkToANewPasswordEndsTheSessionsAndItself() throws IOException {
        User ben = stet.member(account, "ben@example.com", Role.EDITOR, PASSWORD);
        Browser open = signedIn(ben);
        String secret = secret(ada.post("/data/members/" + ben.id() + "/reset", "{}"));
        answered(200, "{\"accounts\":[],\"email\":\"ben@example.com\",\"madeBy\":\"ada@example.com\","
                + "\"expiresAt\":\"2026-02-01T09:00:00.000Z\"}", Browser.of(stet).post("/data/link", of(secret)));
        String body = "{\"secret\":\"" + secret + "\",\"password\":\"battery staple\"}";
        answered(422, refused("password", "The password must have at least 8 characters"),
                Browser.of(stet).post("/data/link/reset", body.replace("battery staple", "short")));
        assertEquals(200, open.get("/data/session").status());

        List<Client.Reply> replies = Crowd.of(2, i -> () -> Browser.of(stet).post("/data/link/reset", body));
        assertEquals(List.of(204, 422), replies.stream().map(Client.Reply::status).sorted().toList());
        assertEquals(401, open.get("/data/session").status());
        assertEquals(422, Browser.of(stet).post("/data/session", credentials("ben@example.com", PASSWORD)).status());
        assertEquals(200, Browser.of(stet).post("/data/session", credentials("ben@example.com", "battery staple")).status());
        assertFalse(SessionsTest.holds(stet.folder, secret));
        assertEquals(List.of("ada@example.com|reset-link-created|ben@example.com|",
                "ben@example.com|password-changed|ben@example.com|by a link of ada@example.com"), activity());
    }

    @ParameterizedTest
    @CsvSource({"a day", "another password", "a second account", "an administrator"})
    void aResetLinkThatHasEndedIsRejected(String what) {
        User ben = stet.member(account, "ben@example.com", Role.EDITOR, PASSWORD);
        String secret = secret(ada.post("/data/members/" + ben.id() + "/reset", "{}"));
        assertEquals(200, Browser.of(stet).post("/data/link", of(secret)).status());
        switch (what) {
            case "a day" -> stet.clock.advance(Duration.ofHours(24));
            case "another password" -> stet.db.change(dao -> dao.users().changePassword(ben.id(), "another hash"));
            case "a second account" -> stet.member(stet.account("zoe@example.com", Plan.FREE), "ben@example.com", Role.WRITER,
                    PASSWORD);
            default -> stet.db.change(dao -> dao.users().setAdministrator(ben.id(), true));
        }
        answered(422, ENDED, Browser.of(stet).post("/data/link", of(secret)));
        answered(422, ENDED, Browser.of(stet).post("/data/link/reset", "{\"secret\":\"" + secret
                + "\",\"password\":\"of an attacker\"}"));
    }

    @Test
    void ownersResetOnlyUsersOfTheirAccountAlone() {
        Account other = stet.account("zoe@example.com", Plan.FREE, PASSWORD);
        User zoe = stet.member(account, "zoe@example.com", Role.EDITOR, PASSWORD);
        User root = stet.member(account, "root@example.com", Role.EDITOR, PASSWORD);
        stet.db.change(dao -> dao.users().setAdministrator(root.id(), true));
        String only = " also belongs to other accounts or administers this server; ask an administrator to create a password-reset link with \\\"user reset\\\" on the server";
        answered(422, refused(null, "zoe@example.com" + only), ada.post("/data/members/" + zoe.id() + "/reset", "{}"));
        answered(422, refused(null, "root@example.com" + only), ada.post("/data/members/" + root.id() + "/reset", "{}"));
        answered(422, refused(null, "Change your own password on your account page"), ada.post("/data/members/1/reset", "{}"));
        answered(404, "{\"error\":\"Not found\"}", Browser.of(stet, other).post("/data/members/1/reset", "{}"));
        answered(404, "{\"error\":\"Not found\"}", ada.post("/data/members/x/reset", "{}"));
        assertEquals(List.of("0"), rows("select count(*) from links"));
    }

    @Test
    void ownersRenameTheAccount() {
        stet.db.change(dao -> dao.accounts().addEmpty("Zoe's", Plan.FREE, stet.now()));
        answered(422, refused("name", "An account named ZOE's already exists; choose another name"), ada.put("/data/account", "{\"name\":\"ZOE's\"}"));
        String withAt = refused("name", "A new name must not contain @; choose another name");
        answered(422, withAt, ada.put("/data/account", "{\"name\":\"eve@example.com\"}"));
        assertEquals(200, ada.put("/data/account", "{\"name\":\"ada@example.com\"}").status(), "the name that it has");
        assertEquals("Harbour Books", json(ada.put("/data/account", "{\"name\":\" Harbour Books \"}")).get("accountName").asText());
        assertEquals(account.id(), stet.account("Harbour Books").id());
        assertEquals(account.id(), stet.account("ada@example.com").id(), "and by its first owner's address");
        answered(422, withAt, ada.put("/data/account", "{\"name\":\"ada@example.com\"}"));
        stet.db.change(dao -> dao.accounts().rename(account, "ada@example.com", stet.now()));
        assertEquals("ada@example.com", stet.account("ada@example.com").name(), "administrators may use @");
        assertEquals(List.of("ada@example.com|account-renamed|Harbour Books|ada@example.com"),
                activity().stream().filter(row -> row.contains("Harbour")).toList());
    }

    /** The account is named after an address that its owner has given up and another user now has. */
    @Test
    void anAddressThatMeansTwoAccountsIsRejected() {
        stet.db.change(dao -> dao.users().changeEmail(1, "eve@example.com"));
        assertEquals(account.id(), stet.account("ADA@example.com").id(), "one account, by its name");
        Account shop = stet.db.write(dao -> dao.accounts()
                .addWithOwner("Shop", "ada@example.com", null, Plan.FREE, stet.now()));
        Terminal terminal = new Terminal(stet.folder);
        assertEquals("ada@example.com is both the name of an account and the email address of the owner of Shop; for the account with that name, use eve@example.com;"
                + " for the owner's account, use Shop\n", terminal.run("account", "plan", "ADA@example.com", "none").err()
                .replace("ADA", "ada"));
        assertEquals(account.id(), stet.account("eve@example.com").id());
        assertEquals(shop.id(), stet.account("Shop").id());
        stet.db.change(dao -> dao.members().setRole(account.id(), stet.owner(shop).id(), Role.EDITOR, stet.now()));
        String refused = terminal.run("usage", "ada@example.com").err();
        assertTrue(refused.startsWith("ada@example.com is both the name of an account"), "an editor is no owner: " + refused);
        stet.db.change(dao -> dao.members().setRole(account.id(), stet.owner(shop).id(), Role.OWNER, stet.now()));
        assertEquals(account.id(), stet.account("ada@example.com").id(), "theirs, too");
    }

    // ---- the user's own settings

    @Test
    void aNewAddressNeedsThePasswordAndMustBeFree() {
        stet.account("taken@example.com", Plan.FREE);
        String moved = "{\"name\":\"Ada\",\"email\":\"%s\",\"current\":\"%s\"}";
        answered(422, refused("current", "The current password is wrong"),
                ada.put("/data/user", moved.formatted("new@example.com", "wrong")));
        answered(422, refused("email", "\\\"new\\\" is not a valid email address; enter an address such as ada@example.com"),
                ada.put("/data/user", moved.formatted("new", PASSWORD)));
        answered(422, refused("email", "Another user already has this email address; use another address"),
                ada.put("/data/user", moved.formatted("Taken@example.com", PASSWORD)));
        answered(422, refused("current", "The current password is wrong"),
                ada.put("/data/user", "{\"name\":\"\",\"email\":\"taken@example.com\"}"));
        assertEquals(List.of(), activity());
    }

    @Test
    void aUserChangesTheirNameAndAddress() {
        assertEquals(200, ada.put("/data/user", "{\"name\":\" Ada \",\"email\":\"ada@example.com\"}").status());
        assertEquals("Ada", json(ada.get("/data/session")).get("userName").asText());
        String moved = "{\"name\":\"Ada\",\"email\":\"%s\",\"current\":\"%s\"}";
        Browser known = Browser.of(stet);
        assertEquals(200, known.post("/data/session", credentials("ada@example.com", PASSWORD)).status());
        assertEquals("new@example.com", json(ada.put("/data/user", moved.formatted("new@example.com", PASSWORD))).get("email")
                .asText());
        assertEquals(200, known.get("/data/session").status(), "sessions continue");
        assertEquals(422, Browser.of(stet).post("/data/session", credentials("ada@example.com", PASSWORD)).status());
        for (int i = 0; i < 10; i++) {
            Browser.of(stet).post("/data/session", credentials("new@example.com", "a guess"));
        }
        assertEquals(429, Browser.of(stet).post("/data/session", credentials("new@example.com", PASSWORD)).status());
        assertEquals(200, known.post("/data/session", credentials("new@example.com", PASSWORD)).status(), "the browser is still known");
        assertEquals(List.of("Ada|name-changed|ada@example.com|", "Ada|email-changed|new@example.com|ada@example.com"), activity());
        assertEquals(200, ada.put("/data/user", moved.formatted("NEW@example.com", PASSWORD)).status(), "only the case changes");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ' Command LINE '  | "Command LINE" could be mistaken for someone else in the activity log and history; choose another name
            stet              | "stet" could be mistaken for someone else in the activity log and history; choose another name
            Unknown           | "Unknown" could be mistaken for someone else in the activity log and history; choose another name
            ben@Example.com   | "ben@Example.com" could be mistaken for someone else in the activity log and history; choose another name
            BEN BAKER         | "BEN BAKER" could be mistaken for someone else in the activity log and history; choose another name
            Ben\\u200b Baker   | The name must not contain the invisible character U+200B
            \\u202eBen         | The name must not contain the invisible character U+202E
            B\\u0007en         | The name must not contain the invisible character U+0007
            """)
    void aNameThatCouldBeMistakenForSomebodyElseIsRejected(String name, String refusal) {
        User ben = stet.member(account, "ben@example.com", Role.WRITER, PASSWORD);
        stet.db.change(dao -> dao.users().changeName(ben.id(), "Ben Baker"));
        String rejected = refused("name", refusal.replace("\"", "\\\""));
        answered(422, rejected, ada.put("/data/user", "{\"name\":\"" + name + "\",\"email\":\"ada@example.com\"}"));
        answered(422, rejected, registeredAs(name));
        assertEquals(List.of("0"), rows("select count(*) from users where email = 'eve@example.com'"));
    }

    private Client.Reply registeredAs(String name) {
        return Browser.of(stet).post("/data/link/register",
                registration(invite(ada, "writer"), "eve@example.com").replace("\"Ben\"", "\"" + name + "\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Zoe", "ADA@example.com"})
    void aNameOfAnotherAccountOrOnesOwnAddressIsAccepted(String name) {
        User zoe = stet.member(stet.account("zoe@example.com", Plan.FREE), "zoe@example.com", Role.OWNER, PASSWORD);
        stet.db.change(dao -> dao.users().changeName(zoe.id(), "Zoe"));
        assertEquals(200, ada.put("/data/user", "{\"name\":\"" + name + "\",\"email\":\"ada@example.com\"}").status());
        assertEquals(List.of(name + "|name-changed|ada@example.com|"), activity());
        assertEquals(422, registeredAs(name).status(), "it is Ada's now");
    }

    @Test
    void askingForTakenAddressesIsSlowedDown() {
        stet.account("taken@example.com", Plan.FREE);
        String body = "{\"name\":\"\",\"email\":\"taken@example.com\",\"current\":\"" + PASSWORD + "\"}";
        for (int i = 0; i < 10; i++) {
            answered(422, refused("email", "Another user already has this email address; use another address"), ada.put("/data/user", body));
        }
        assertEquals(429, ada.put("/data/user", body).status());
    }

    @Test
    void aUserWithoutAPasswordCannotChangeTheAddress() {
        Account other = stet.account("sso@example.com", Plan.FREE);
        answered(422, refused("email", "You sign in without a password, so Stet cannot change your email address; ask an administrator for help"),
                Browser.of(stet, other).put("/data/user", "{\"name\":\"\",\"email\":\"new@example.com\",\"current\":\"\"}"));
        assertEquals(200, Browser.of(stet, other).put("/data/user", "{\"name\":\"Sso\",\"email\":\"sso@example.com\"}").status());
    }
}
