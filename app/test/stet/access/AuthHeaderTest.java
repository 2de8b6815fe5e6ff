package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Password;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Validation;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.server.Server;

/** Users signed in by a proxy: the header that names the user, trusted sources, and session lifetime. */
class AuthHeaderTest {
    private static final String EMAIL = "ada@example.com";
    private static final String PASSWORD = "correct horse";
    private static final String ADA = "Remote-User: " + EMAIL;
    private static final String EVE = "Remote-User: eve@example.com";
    private static final String SIGNED_OUT = "{\"error\":\"Signed out\",\"setup\":false}";
    private static final String BY_PROXY = "{\"error\":\"Signed out\",\"setup\":false,\"proxy\":true}";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account(EMAIL, Plan.FREE, PASSWORD);

    private void serve(String proxies, Role role, String account) {
        stet.server.close();
        AuthHeader header = new AuthHeader("Remote-User", TrustedProxies.of(proxies), role, account);
        stet.server = new Server(stet.db, stet.upkeep, stet.clock, new Server.Settings(new InetSocketAddress("127.0.0.1", 0), null,
                TrustedProxies.LOOPBACK, header, null, false, null, null), null, null);
    }

    private void serve() {
        serve("127.0.0.1", null, null);
    }

    private Browser byProxy(String... headers) {
        Browser browser = Browser.of(stet);
        Client.Reply reply = browser.post("/data/session/proxy", "{}", headers);
        assertEquals(200, reply.status(), reply.text());
        return browser;
    }

    private static String credentials(String email) {
        return "{\"email\":\"" + email + "\",\"password\":\"" + PASSWORD + "\"}";
    }

    @Test
    void theSessionHoldsWhileTheProxyNamesTheSameUser() {
        stet.account("eve@example.com", Plan.FREE, PASSWORD);
        serve();
        Browser browser = Browser.of(stet);
        answered(401, SIGNED_OUT, browser.get("/data/session"));
        answered(401, SIGNED_OUT, browser.post("/data/session/proxy", "{}"));
        answered(401, BY_PROXY, browser.get("/data/templates", ADA));
        Client.Reply begun = browser.post("/data/session/proxy", "{}", ADA);
        assertTrue(begun.text().startsWith("{\"email\":\"ada@example.com\""), begun.text());
        assertEquals(1, begun.cookies().size()); // no known-browser cookie, which only passwords set
        assertEquals(200, browser.get("/data/templates", ADA).status());
        assertEquals(200, browser.get("/data/templates", "remote-user: ADA@example.com").status());
        answered(401, SIGNED_OUT, browser.get("/data/templates"));
        answered(401, BY_PROXY, browser.get("/data/templates", EVE));
        answered(401, BY_PROXY, browser.get("/data/templates", "Remote-User: nobody@example.com"));
        assertTrue(browser.get("/data/sessions", ADA).text().contains("\"proxy\":true"));
        answered(204, "", browser.delete("/data/session", ADA));
        answered(401, BY_PROXY, browser.get("/data/templates", ADA));
    }

    @Test
    void aPasswordSessionEndsIfTheProxyNamesAnotherUser() {
        stet.account("eve@example.com", Plan.FREE, PASSWORD);
        serve();
        Browser browser = Browser.of(stet);
        assertEquals(200, browser.post("/data/session", credentials(EMAIL)).status());
        assertEquals(200, browser.get("/data/templates").status());
        assertEquals(200, browser.get("/data/templates", ADA).status());
        answered(401, BY_PROXY, browser.get("/data/templates", EVE));
    }

    @Test
    void theAddressIsChangedOnlyAtTheProxy() {
        serve();
        Browser browser = Browser.of(stet, ada);
        answered(422, "{\"error\":\"Your email address comes from the sign-in proxy; change it there\",\"field\":\"email\"}",
                browser.put("/data/user", "{\"name\":\"\",\"email\":\"eve@example.com\",\"current\":\"" + PASSWORD + "\"}"));
        assertEquals(200, browser.put("/data/user", "{\"name\":\"Ada\",\"email\":\"ada@example.com\"}").status());
    }

    @Test
    void theHeaderCountsOnlyFromATrustedProxy() {
        serve("192.0.2.0/24,::1", Role.OWNER, null);
        for (String forwarded : List.of("X-Other: 1", "X-Forwarded-For: 192.0.2.1")) {
            Browser browser = Browser.of(stet);
            answered(401, SIGNED_OUT, browser.get("/data/session", ADA, forwarded));
            answered(401, SIGNED_OUT, browser.post("/data/session/proxy", "{}", ADA, forwarded));
            answered(401, SIGNED_OUT, browser.post("/data/session/proxy", "{}", "Remote-User: new@example.com", forwarded));
        }
        Browser own = Browser.of(stet);
        assertEquals(200, own.post("/data/session", credentials(EMAIL), EVE).status());
        assertEquals(200, own.get("/data/templates", EVE).status()); // ignored rather than compared
    }

    @Test
    void withoutTheOptionTheHeaderIsIgnored() {
        answered(401, SIGNED_OUT, Browser.of(stet).get("/data/session", ADA));
        answered(401, SIGNED_OUT, Browser.of(stet).post("/data/session/proxy", "{}", ADA));
    }

    /** The proxy is responsible for authentication, so even administrators need no two-factor authentication. */
    @Test
    void anAdministratorOfASuspendedAccountIsSignedIn() {
        stet.db.change(dao -> {
            dao.accounts().setSuspended(ada, true, stet.now());
            dao.twoFactors().setRequired(ada.id(), true);
        });
        serve();
        answered(403, "{\"error\":\"This account is suspended; contact an administrator\"}", Browser.of(stet).post("/data/session/proxy", "{}", ADA));
        stet.db.changeUncached(dao -> dao.users().setAdministrator(stet.owner(ada).id(), true));
        assertEquals(200, byProxy(ADA).get("/data/installation", ADA).status());
    }

    @Test
    void aRepeatedHeaderIsRejected() {
        serve();
        String refusal = "{\"error\":\"The proxy sent a sign-in header more than once\"}";
        answered(400, refusal, Browser.of(stet).get("/data/session", ADA, EVE));
        answered(400, refusal, Browser.of(stet).post("/data/session/proxy", "{}", ADA, ADA));
        answered(400, refusal, Browser.of(stet).post("/data/session/proxy", "{}", "Remote-User: ada", "Remote-Email: " + EMAIL,
                "Remote-Email: eve@example.com"));
    }

    @Test
    void anotherSiteSignsNobodyIn() {
        serve();
        Client.Reply reply = Browser.of(stet).post("/data/session/proxy", "{}", ADA, "Sec-Fetch-Site: cross-site");
        answered(403, "{\"error\":\"Requests from another site are not allowed\"}", reply);
        assertNull(reply.header("Set-Cookie"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ada@example.com    |
            ada@example.com    | eve@example.com
            ada                | ada@example.com
            """)
    void theUserIsFoundByTheFirstEmailAddress(String user, String email) {
        serve();
        Client.Reply reply = proxied(user, email);
        assertTrue(reply.text().startsWith("{\"email\":\"ada@example.com\""), reply.text());
    }

    /** @param email null for no header */
    private Client.Reply proxied(String user, String email) {
        return Browser.of(stet).post("/data/session/proxy", "{}", "Remote-User: " + user, email == null ? "X-Other: 1" : "Remote-Email: " + email);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ada                |                 | The proxy signed you in as ada but sent no email address; configure the proxy to send Remote-Email
            ada@example.com,eve@example.com | | \\"ada@example.com,eve@example.com\\" is not a valid email address; enter an address such as ada@example.com
            ada                | nobody          | \\"nobody\\" is not a valid email address; enter an address such as ada@example.com
            nobody@example.com | ada@example.com | No user has the email address nobody@example.com; ask an owner for an invitation
            """)
    void aUserWithoutAKnownEmailAddressIsRejected(String user, String email, String error) {
        serve();
        Client.Reply reply = proxied(user, email);
        assertTrue((reply.status() + " " + reply.text()).startsWith("422 {\"error\":\"" + error + "\""), reply.text());
    }

    @Test
    void unknownUsersAreAddedWithTheRoleAndTheirName() {
        serve("127.0.0.1", Role.WRITER, null);
        String utf8 = "Zo\u00c3\u00ab  "; // UTF-8 bytes
        Browser browser = byProxy("Remote-User: zoe", "Remote-Email: zoe@example.com", "Remote-Name: " + utf8);
        assertEquals(200, browser.get("/data/templates", "Remote-User: zoe@example.com").status());
        assertEquals(403, browser.get("/data/keys", "Remote-User: zoe@example.com").status());
        User zoe = stet.db.read(dao -> dao.users().find("zoe@example.com")).orElseThrow();
        assertEquals("Zo\u00eb", zoe.name());
        assertEquals(List.of("Zo\u00eb user-added zoe@example.com 0writer 127.0.0.1", "Zo\u00eb sign-in zoe@example.com 1 127.0.0.1"),
                Rows.of(stet.folder, "select actor || ' ' || kind || ' ' || subject || ' ' || number || detail || ' ' || address from activity"
                        + " where user_id = " + zoe.id() + " order by id"));
    }

    /** The limit counts characters, also those of two UTF-16 code units, but not spaces around the name. */
    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\u00a0", "\u2007"})
    void aNameOfAsManyCharactersAsAllowedIsKept(String space) {
        serve("127.0.0.1", Role.WRITER, null);
        String name = "\ud83d\ude00".repeat(Validation.USER_NAME_CHARACTERS);
        String utf8 = new String((space + name + space).getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        assertEquals(200, byProxy("Remote-User: zoe@example.com", "Remote-Name: " + utf8).get("/data/templates", "Remote-User: zoe@example.com").status());
        assertEquals(name, stet.db.read(dao -> dao.users().find("zoe@example.com")).orElseThrow().name());
    }

    @Test
    void anInvalidOrTakenNameOfAnUnknownUserIsLeftOut() {
        stet.member(ada, "zoe@example.com", Role.WRITER, PASSWORD);
        stet.db.change(dao -> dao.users().changeName(dao.users().find("zoe@example.com").orElseThrow().id(), "Zo\u00eb"));
        serve("127.0.0.1", Role.WRITER, null);
        byProxy("Remote-User: long@example.com", "Remote-Name: " + "x".repeat(300));
        byProxy("Remote-User: fake@example.com", "Remote-Name: zo\u00c3\u00ab"); // Zoe's, in UTF-8 bytes
        for (String email : List.of("long@example.com", "fake@example.com")) {
            assertEquals("", stet.db.read(dao -> dao.users().find(email)).orElseThrow().name());
        }
    }

    @Test
    void aRemovedUserSignsInNeitherByPasswordNorToTheAccount() {
        serve("127.0.0.1", Role.WRITER, null);
        byProxy("Remote-User: zoe@example.com");
        User zoe = stet.db.read(dao -> dao.users().find("zoe@example.com")).orElseThrow();
        String hash = Password.hashCheaply(PASSWORD, new SecureRandom());
        stet.db.change(dao -> dao.users().changePassword(zoe.id(), hash));
        assertEquals(200, Browser.of(stet).post("/data/session", credentials("zoe@example.com")).status());
        answered(204, "", byProxy(ADA).delete("/data/members/" + zoe.id(), ADA));
        assertEquals(422, Browser.of(stet).post("/data/session", credentials("zoe@example.com")).status(), "the password is gone");
        Browser again = byProxy("Remote-User: zoe@example.com");
        answered(403, "{\"error\":\"You no longer belong to this account\"}", again.get("/data/templates", "Remote-User: zoe@example.com"));
    }

    /** A removed user who joined another account is not added again when that account is deleted. */
    @Test
    void aRemovedUserIsNotAddedAgain() {
        Account side = stet.account("side@example.com", Plan.FREE);
        serve("127.0.0.1", Role.EDITOR, EMAIL);
        byProxy(EVE);
        User eve = stet.db.read(dao -> dao.users().find("eve@example.com")).orElseThrow();
        answered(204, "", byProxy(ADA).delete("/data/members/" + eve.id(), ADA));
        stet.db.change(dao -> dao.members().setRole(side.id(), eve.id(), Role.WRITER, stet.now()));
        stet.db.change(dao -> dao.accounts().delete(side, stet.now()));
        Browser again = byProxy(EVE);
        answered(403, "{\"error\":\"You no longer belong to this account\"}", again.get("/data/templates", EVE));
        assertTrue(stet.db.read(dao -> dao.members().role(ada.id(), eve.id())).isEmpty());
    }

    @Test
    void amongSeveralAccountsUnknownUsersJoinTheNamedOne() {
        Account other = stet.account("shop@example.com", Plan.FREE);
        serve("127.0.0.1", Role.EDITOR, null);
        String several = "{\"error\":\"There are several accounts; an administrator must choose one with --auth-header-account\","
                + "\"field\":\"proxy\"}";
        answered(422, several, Browser.of(stet).post("/data/session/proxy", "{}", EVE));
        serve("127.0.0.1", Role.EDITOR, "shop");
        answered(422, "{\"error\":\"Account shop not found; check --auth-header-account\",\"field\":\"proxy\"}",
                Browser.of(stet).post("/data/session/proxy", "{}", EVE));
        assertTrue(stet.db.read(dao -> dao.users().find("eve@example.com")).isEmpty());
        serve("127.0.0.1", Role.EDITOR, "shop@example.com");
        byProxy(EVE);
        User eve = stet.db.read(dao -> dao.users().find("eve@example.com")).orElseThrow();
        assertEquals(Role.EDITOR, stet.db.read(dao -> dao.members().role(other.id(), eve.id())).orElseThrow());
        assertTrue(stet.db.read(dao -> dao.members().role(ada.id(), eve.id())).isEmpty());
    }

    @Test
    void aProxyReplacesTwoFactorAuthentication() {
        serve();
        stet.db.change(dao -> dao.twoFactors().setRequired(ada.id(), true));
        assertEquals(403, Browser.of(stet, ada).get("/data/templates").status());
        Browser browser = byProxy(ADA);
        assertEquals(200, browser.get("/data/templates", ADA).status());
    }

    @Test
    void signInsAndRejectionsAreLogged() {
        serve();
        String log = Running.logged(() -> {
            byProxy(ADA);
            Browser.of(stet).post("/data/session/proxy", "{}", EVE);
        });
        assertEquals("""
                INFO sign-in address=127.0.0.1 email=ada@example.com proxy=true
                WARN sign-in-rejected address=127.0.0.1 user=eve@example.com why="No user has the email address eve@example.com; ask an owner \
                for an invitation"
                """, String.join("", log.lines().map(line -> line.substring(25) + "\n").toList()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --auth-header Remote-User                                                                        | --auth-header requires --trusted-proxies LIST; list the proxies that set the header
            --auth-header-role writer                                                                        | --auth-header-role needs --auth-header NAME
            --auth-header Remote-User --trusted-proxies ::1 --auth-header-account shop                       | --auth-header-account needs --auth-header-role ROLE
            --auth-header Remote_User: --trusted-proxies ::1                                                 | --auth-header is "Remote_User:"; use a header name such as Remote-User
            --auth-header Remote-User --trusted-proxies ::1 --auth-header-role admin                         | "admin" is not a role; choose owner, editor or writer
            """)
    void inconsistentOrInvalidOptionsAreRejected(String options, String sentence, @TempDir Path folder) {
        Terminal.Result result = new Terminal(folder.resolve("data")).run(("serve --listen 127.0.0.1:0 " + options).split(" "));
        assertEquals("1 " + sentence, result.code() + " " + result.err().strip());
    }
}
