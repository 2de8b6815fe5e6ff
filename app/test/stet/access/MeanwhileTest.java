package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import stet.core.Account;
import stet.core.Actor;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.core.SecretKind;
import stet.dao.Dao;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.sqlite.WritingLock;

/** Names, limits, roles and selected accounts that change while a request's body arrives or while it waits for the writing lock. */
class MeanwhileTest {
    private static final String PASSWORD = "correct horse";

    @AutoClose
    private final Running stet = new Running();
    private final Account shop = stet.account("ada@example.com", Plan.PRO);
    private final Account other = stet.account("bob@example.com", Plan.PRO);
    private User eve;
    private Browser browser;

    @TempDir
    Path folder;

    @BeforeEach
    void belongs() {
        eve = stet.member(shop, "eve@example.com", Role.OWNER, PASSWORD);
        browser = Browser.of(stet, shop, eve);
    }

    private String head(String method, String path, String body, Client client) {
        return client.request(method, path, null, "Cookie: " + browser.cookie, "Connection: close", "Content-Type: application/json",
                "Content-Length: " + body.length());
    }

    /** Sends a request, and its last byte only after a change. */
    private Client.Reply held(String method, String path, String body, Runnable change) {
        try (Client client = new Client(stet.server.address())) {
            client.write(head(method, path, body, client) + body.substring(0, body.length() - 1));
            assertTrue(Running.comes(RightsTest::isBodyWaitedFor), "no body is waited for");
            change.run();
            return client.write(body.substring(body.length() - 1)).read(false);
        }
    }

    /** Sends a request that waits for the writing lock during a change. */
    private Client.Reply waiting(String method, String path, String body, Runnable change) {
        try (Client client = new Client(stet.server.address())) {
            WritingLock.hold(stet.db);
            try {
                client.write(head(method, path, body, client) + body);
                assertTrue(Running.comes(RightsTest::isLockWaitedForByARoute), "nothing waits for the lock");
                change.run();
            } finally {
                WritingLock.release(stet.db);
            }
            return client.read(false);
        }
    }

    private void change(Consumer<Dao> work) {
        stet.db.change(work);
    }

    private List<String> rows(String query) {
        return Rows.of(stet.folder, query);
    }

    private void invite(String secret, Account... accounts) {
        change(dao -> List.of(accounts).forEach(account ->
                dao.as(new Actor(stet.owner(account).id(), "ada", "")).links().invite(account.id(), Role.WRITER, "", "notes", stet.now(), secret)));
    }

    @Test
    void aNameTakenWhileJoiningIsRejected() {
        change(dao -> dao.users().changeName(stet.owner(other).id(), "Bob Boss"));
        invite("secret-1", other);
        Client.Reply reply = held("POST", "/data/link/join", "{\"secret\":\"secret-1\"}", () ->
                change(dao -> dao.users().changeName(eve.id(), "Bob Boss")));
        assertEquals(422, reply.status(), reply.text());
        assertTrue(reply.text().contains("could be mistaken for someone else"), reply.text());
        assertEquals(List.of(), rows("select role from members where account_id = " + other.id() + " and user_id = " + eve.id()));
    }

    @Test
    void joiningKeepsAnAccountSelectedMeanwhile() {
        User fay = stet.db.write(dao -> dao.users().add("fay@example.com", null, stet.now()));
        browser = Browser.of(stet, null, fay);
        invite("secret-2", other);
        Client.Reply reply = waiting("POST", "/data/link/join", "{\"secret\":\"secret-2\"}", () -> change(dao -> {
            dao.members().setRole(shop.id(), fay.id(), Role.WRITER, stet.now());
            dao.sql().update("update sessions set account_id = ? where user_id = ?", shop.id(), fay.id());
        }));
        assertTrue(reply.text().contains("\"accountName\":\"" + shop.name() + '"'), reply.text());
        assertEquals(List.of("" + shop.id()), rows("select account_id from sessions where user_id = " + fay.id()));
    }

    /** The first of two accounts is suspended while the password is hashed. */
    @Test
    void registrationOmitsAnAccountSuspendedMeanwhile() {
        invite("secret-3", shop, other);
        browser = Browser.of(stet);
        String log = Running.logged(() -> {
            Client.Reply reply = waiting("POST", "/data/link/register", "{\"secret\":\"secret-3\",\"name\":\"Gus\",\"email\":\"gus@example.com\","
                    + "\"password\":\"horse correct\"}", () -> change(dao -> dao.accounts().setSuspended(shop, true, stet.now())));
            assertTrue(reply.text().contains("\"accountName\":\"" + other.name() + '"'), reply.status() + " " + reply.text());
        });
        assertTrue(log.contains("user-added account=" + other.name()), log);
        assertFalse(log.contains("user-added account=" + shop.name()), log);
    }

    @Test
    void aLimitLoweredWhileAKeyIsAddedApplies() {
        stet.key(shop);
        Client.Reply reply = held("POST", "/data/keys", "{\"name\":\"second\"}", () ->
                change(dao -> dao.accounts().changeLimits(shop, null, 1L, stet.now())));
        assertEquals("422 {\"error\":\"ada@example.com has reached its key limit (1); delete a key or raise the limit\",\"field\":\"key\"}",
                reply.status() + " " + reply.text());
    }

    /** The request waits to record the session's use. */
    @Test
    void aPageShowsAFormerOwnerNoOwnersData() {
        invite("secret-4", shop);
        for (String page : List.of("/data/members", "/data/activity")) {
            change(dao -> dao.members().setRole(shop.id(), eve.id(), Role.OWNER, stet.now()));
            String owners = browser.get(page).text();
            assertTrue(owners.contains("\"user-invited\"") || owners.contains("\"invitations\":[{"), owners);
            stet.clock.advance(Duration.ofMinutes(2));
            Client.Reply reply = waiting("GET", page, "", () ->
                    change(dao -> dao.members().setRole(shop.id(), eve.id(), Role.EDITOR, stet.now())));
            assertEquals(200, reply.status(), reply.text());
            assertFalse(reply.text().contains("\"user-invited\"") || reply.text().contains("\"invitations\":["), reply.text());
        }
    }

    @Test
    void aPasswordChangeKeepsAnAccountSelectedMeanwhile() {
        change(dao -> dao.members().setRole(other.id(), eve.id(), Role.WRITER, stet.now()));
        Client.Reply reply = held("PUT", "/data/password", "{\"current\":\"" + PASSWORD + "\",\"password\":\"another password\"}", () ->
                change(dao -> dao.sql().update("update sessions set account_id = ? where user_id = ?", other.id(), eve.id())));
        assertEquals(204, reply.status(), reply.text());
        assertEquals(List.of("" + other.id()), rows("select account_id from sessions where user_id = " + eve.id()));
    }

    @Test
    void aChangeIsRecordedUnderTheNewName() {
        Client.Reply reply = held("POST", "/data/templates", "{\"id\":\"new\",\"name\":\"New\"}", () ->
                change(dao -> dao.users().changeName(eve.id(), "Eve New")));
        assertEquals(201, reply.status(), reply.text());
        assertEquals(List.of("Eve New"), rows("select actor from activity where kind = 'template-created'"));
        reply = held("POST", "/data/templates/new/comments", "{\"text\":\"hi\"}", () -> change(dao -> dao.users().changeName(eve.id(), "Eve Newer")));
        assertEquals(200, reply.status(), reply.text());
        assertEquals(List.of("Eve Newer"), rows("select written_by from comments"));
    }

    /** The same link also invites to an account that the user may not use now. */
    @Test
    void revokingKeepsTheInvitationToASuspendedAccount() {
        change(dao -> dao.members().setRole(other.id(), eve.id(), Role.OWNER, stet.now()));
        invite("secret-5", shop, other);
        change(dao -> dao.accounts().setSuspended(other, true, stet.now()));
        long id = stet.db.read(dao -> dao.links().invitations(shop.id(), stet.now()).get(0).id());
        assertEquals(204, browser.delete("/data/invitations/" + id).status());
        assertEquals(List.of("" + other.id()), rows("select account_id from links"));
    }

    /** Invitations of a former administrator, who could use them to become an owner; not those of accounts that the user owns. */
    @Test
    void aFormerAdministratorsInvitationsEnd() {
        change(dao -> {
            dao.users().setAdministrator(eve.id(), true);
            Dao own = dao.as(new Actor(eve.id(), "eve", ""));
            own.links().invite(other.id(), Role.OWNER, "", "notes", stet.now(), "secret-6");
            own.links().invite(shop.id(), Role.WRITER, "", "notes", stet.now(), "secret-7");
        });
        Terminal terminal = new Terminal(stet.folder);
        terminal.done("user", "administrator", "eve@example.com", "--off");
        assertEquals(List.of("" + shop.id()), rows("select account_id from links"));
        assertEquals(List.of("" + other.id()), rows("select account_id from activity where kind = 'invitation-revoked'"));
        Client.Reply reply = browser.post("/data/link/join", "{\"secret\":\"secret-6\"}");
        assertEquals(422, reply.status(), reply.text());
    }

    /** The trigger deletes the account while the import stores its texts. */
    @Test
    void anImportIntoADeletedAccountChangesNothing() throws IOException {
        Files.createDirectories(folder.resolve("templates"));
        Files.writeString(folder.resolve("templates/a.html"), "<p>EVIL</p>");
        stet.db.changeUncached(dao -> dao.sql().execute("create trigger ends after insert on texts when cast(new.html as text) like '%EVIL%'"
                + " begin update accounts set deleted_at = 1 where id = " + shop.id() + "; end"));
        Terminal.Result result = new Terminal(stet.folder).run("import", folder.toString(), "--account", "ada@example.com");
        stet.db.changeUncached(dao -> dao.sql().execute("drop trigger ends"));
        assertEquals("1 Account ada@example.com was deleted in the meantime. Nothing was changed. Choose another account.",
                result.code() + " " + result.err().strip());
        assertEquals(List.of(), rows("select id from templates"));
    }

    /** The new secret cannot be printed, and meanwhile an owner ends the old one. */
    @ParameterizedTest
    @EnumSource(SecretKind.class)
    void aFailedRotationDoesNotProlongAnEndedSecret(SecretKind kind) {
        long id = stet.db.write(dao -> kind == SecretKind.TOKEN ? dao.tokens().add(shop, "ci", Role.WRITER, "token-1", null, stet.now()).id()
                : dao.keys().add(shop, "app", "a-key-of-length", stet.now()).id());
        Terminal terminal = new Terminal(stet.folder);
        terminal.room = 0;
        terminal.whenFull = () -> change(dao -> dao.sql().update("update secrets set expires_at = ? where id = ?", stet.now(), id));
        assertEquals("The new " + kind.word() + " could not be printed, so it was deleted",
                terminal.run(kind.word(), "rotate", "ada@example.com", "" + id).err().lines().findFirst().orElseThrow());
        assertEquals(List.of("" + stet.now().toEpochMilli()), rows("select expires_at from secrets where id = " + id));
    }
}
