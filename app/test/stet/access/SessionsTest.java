package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.dao.SessionDao;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Rows;
import stet.harness.Running;

/** Sessions: the first account, sign-in and sign-out, and expiry. */
public class SessionsTest {
    private static final String EMAIL = "ada@example.com";
    private static final String PASSWORD = "correct horse";
    /** Passwords as JSON, each with the error for it. */
    private static final String[][] GUESSED_FIRST = {
        {"Password1234", "This is one of the most common passwords; choose another"},
        {"\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000", "The password must contain visible characters"},
        {EMAIL, "The password must not be the email address"}};
    private static final String SET_UP = "{\"token\":\"once-only\",\"name\":\"Harbour Books\",\"email\":\"%s\",\"password\":\"" + PASSWORD + "\",\"plan\":\"free\"}";
    private static final String SIGNED_OUT = "{\"error\":\"Signed out\",\"setup\":false}";
    private static final String WRONG = "{\"error\":\"The email or password is wrong\",\"field\":\"password\"}";

    @AutoClose
    private Running stet = new Running();

    private void restart(String baseUrl, String setUp) {
        stet.close();
        stet = new Running(baseUrl, setUp);
    }

    private Account ada() {
        return stet.account(EMAIL, Plan.FREE, PASSWORD);
    }

    private static String credentials(String email, String password) {
        return "{\"email\":\"" + email + "\",\"password\":\"" + password + "\"}";
    }

    private int accounts() {
        return stet.db.read(dao -> dao.accounts().list()).size();
    }

    private String about() {
        return session(stet.server.url().toString());
    }

    private static String session(String baseUrl) {
        return ("{'email':'ada@example.com','userName':'','administrator':false,'id':1,'accountName':'ada@example.com','label':'','colour':null,"
                + "'plan':'free','role':'owner','accounts':[{'id':1,'name':'ada@example.com','label':'','colour':null,'role':'owner','suspended':false}],'baseUrl':'" + baseUrl + "'}")
                .replace('\'', '"');
    }

    private Browser signedIn() {
        Browser browser = Browser.of(stet);
        answered(200, about(), browser.post("/data/session", credentials(EMAIL, PASSWORD)));
        return browser;
    }

    @Test
    void anInvalidSetUpCreatesNoAccount() {
        restart(null, "once-only");
        Browser browser = Browser.of(stet);
        answered(422, "{\"error\":\"This set-up link is no longer valid; restart serve to get a new link\",\"field\":\"token\"}",
                browser.post("/data/setup", SET_UP.formatted(EMAIL).replace("once-only", "guessed")));
        answered(422, "{\"error\":\"The password must have at least 8 characters\",\"field\":\"password\"}",
                browser.post("/data/setup", SET_UP.formatted(EMAIL).replace(PASSWORD, "short")));
        for (String[] refused : GUESSED_FIRST) {
            answered(422, "{\"error\":\"" + refused[1] + "\",\"field\":\"password\"}",
                    browser.post("/data/setup", SET_UP.formatted(EMAIL).replace(PASSWORD, refused[0])));
        }
        answered(422, "{\"error\":\"\\\"nobody\\\" is not a valid email address; enter an address such as ada@example.com\",\"field\":\"email\"}",
                browser.post("/data/setup", SET_UP.formatted("nobody")));
        answered(422, "{\"error\":\"\\\"gold\\\" is not a plan; choose free, pro or none\",\"field\":\"plan\"}",
                browser.post("/data/setup", SET_UP.formatted(EMAIL).replace("\"free\"", "\"gold\"")));
        answered(422, "{\"error\":\"A name with @ must be the owner's email address; choose another name\",\"field\":\"name\"}",
                browser.post("/data/setup", SET_UP.formatted(EMAIL).replace("Harbour Books", EMAIL)));
        answered(422, "{\"error\":\"\\\"name\\\" is missing\",\"field\":\"name\"}",
                browser.post("/data/setup", SET_UP.formatted(EMAIL).replace("\"name\":\"Harbour Books\",", "")));
        assertEquals(0, accounts());
    }

    @Test
    void theSetUpLinkCreatesOneAccountOnce() {
        restart(null, "once-only");
        Browser browser = Browser.of(stet);
        answered(401, "{\"error\":\"Signed out\",\"setup\":true}", browser.get("/data/session"));
        List<Client.Reply> replies = Crowd.of(2, i -> () -> Browser.of(stet).post("/data/setup", SET_UP.formatted(i + "@example.com")));
        assertEquals(List.of(200, 422), replies.stream().map(Client.Reply::status).sorted().toList());
        assertEquals(1, accounts());
        Client.Reply begun = replies.stream().filter(reply -> reply.status() == 200).findFirst().orElseThrow();
        assertTrue(begun.text().contains("\"accountName\":\"Harbour Books\""), begun.text());
        assertEquals(200, browser.get("/data/session", "Cookie: " + begun.header("Set-Cookie").split(";")[0]).status());
        answered(422, "{\"error\":\"This set-up link is no longer valid; restart serve to get a new link\",\"field\":\"token\"}",
                browser.post("/data/setup", SET_UP.formatted(EMAIL)));
        answered(401, SIGNED_OUT, browser.get("/data/session"));
    }

    @Test
    void theSetUpLinkEndsWithTheFirstAccount() {
        restart(null, "once-only");
        ada();
        answered(401, SIGNED_OUT, Browser.of(stet).get("/data/session"));
        answered(422, "{\"error\":\"An account already exists; sign in\",\"field\":\"token\"}", Browser.of(stet).post("/data/setup",
                "{\"token\":\"once-only\",\"name\":\"Eve\",\"email\":\"eve@example.com\",\"password\":\"" + PASSWORD + "\",\"plan\":\"free\"}"));
        assertEquals(1, accounts());
    }

    /** Any sign-in removes expired sessions. */
    @Test
    void endedSessionsAreRemoved() {
        ada();
        for (int day = 0; day < 3; day++) {
            signedIn();
            signedIn();
            stet.clock.advance(Duration.ofHours(25));
        }
        assertEquals(List.of("2"), Rows.of(stet.folder, "select count(*) from sessions"));
    }

    @Test
    void aSessionLastsFromSignInToSignOut() {
        ada();
        Browser browser = signedIn();
        String cookie = browser.cookie;
        answered(200, about(), browser.get("/data/session"));
        Client.Reply out = browser.delete("/data/session");
        answered(204, "", out);
        assertEquals("stet=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax", out.header("Set-Cookie"));
        answered(401, SIGNED_OUT, browser.get("/data/session"));
        answered(401, SIGNED_OUT, browser.get("/data/session", "Cookie: " + cookie));
        answered(204, "", browser.delete("/data/session"));
    }

    @Test
    void theEmailIgnoresCaseAndThePasswordDoesNot() {
        ada();
        answered(200, about(), Browser.of(stet).post("/data/session", credentials("ADA@Example.com", PASSWORD)));
        for (String password : List.of("Correct horse", " " + PASSWORD, PASSWORD + " ", "")) {
            answered(422, WRONG, Browser.of(stet).post("/data/session", credentials(EMAIL, password)));
        }
    }

    @Test
    void eachSignInBeginsANewSession() {
        ada();
        Browser browser = Browser.of(stet);
        browser.cookie = "stet=chosen-by-somebody-else";
        browser.post("/data/session", credentials(EMAIL, PASSWORD));
        assertNotEquals("stet=chosen-by-somebody-else", browser.cookie);
        answered(401, SIGNED_OUT, browser.get("/data/session", "Cookie: stet=chosen-by-somebody-else"));

        String first = browser.cookie;
        browser.post("/data/session", credentials(EMAIL, PASSWORD));
        assertNotEquals(first, browser.cookie);
        answered(200, about(), browser.get("/data/session"));
        answered(401, SIGNED_OUT, browser.get("/data/session", "Cookie: " + first));
    }

    @Test
    void signingOutEverywhereEndsOnlyTheUsersSessions() {
        Account ada = ada();
        Browser one = Browser.of(stet, ada);
        Browser two = Browser.of(stet, ada);
        Browser other = Browser.of(stet, stet.account("eve@example.com", Plan.FREE));
        Client.Reply out = one.delete("/data/sessions");
        answered(204, "", out);
        assertEquals("stet=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax", out.header("Set-Cookie"));
        assertEquals(401, one.get("/data/templates").status());
        assertEquals(401, two.get("/data/templates").status());
        assertEquals(200, other.get("/data/templates").status());
    }

    /** Links outlive the session that created them. Ending a stolen session can also revoke its user's links in all accounts. */
    @ParameterizedTest(name = "{0}, revoke: {1}")
    @CsvSource({"PUT, true", "PUT, false", "DELETE, true", "DELETE, false"})
    void linksThatAStolenSessionMadeCanBeRevoked(String method, boolean revokes) {
        Account account = stet.account(EMAIL, Plan.PRO, PASSWORD);
        Account other = stet.account("other@example.com", Plan.PRO);
        User ada = stet.owner(account);
        User carl = stet.owner(other);
        User bob = stet.member(account, "bob@example.com", Role.WRITER, PASSWORD);
        stet.db.change(dao -> dao.members().setRole(other.id(), ada.id(), Role.OWNER, stet.now()));
        Browser thief = Browser.of(stet, account);
        Browser elsewhere = Browser.of(stet, other, ada);
        List<String> made = List.of(secret(thief.post("/data/invitations", "{\"role\":\"owner\",\"notes\":[\"for me\"]}")),
                secret(thief.post("/data/members/" + bob.id() + "/reset", "")),
                secret(elsewhere.post("/data/invitations", "{\"role\":\"owner\"}")));
        String bobs = secret(Browser.of(stet, other, carl).post("/data/invitations", "{\"role\":\"writer\"}"));
        Browser own = Browser.of(stet, account);
        answered(204, "", method.equals("DELETE") ? own.delete("/data/sessions" + (revokes ? "?revoke=true" : ""))
                : own.put("/data/password", "{\"current\":\"" + PASSWORD + "\",\"password\":\"a new password\",\"revoke\":" + revokes + "}"));
        assertEquals(401, thief.get("/data/session").status());
        for (String secret : made) {
            assertEquals(revokes ? 422 : 200, Browser.of(stet).post("/data/link", "{\"secret\":\"" + secret + "\"}").status());
        }
        assertEquals(200, Browser.of(stet).post("/data/link", "{\"secret\":\"" + bobs + "\"}").status());
        for (Account each : List.of(account, other)) {
            assertEquals(revokes, Browser.of(stet, each).get("/data/activity").text().contains("\"kind\":\"invitation-revoked\""));
        }
    }

    private static String secret(Client.Reply made) {
        assertEquals(201, made.status(), made.text());
        return made.text().replaceAll("(?s).*#(\\w+)\".*", "$1");
    }

    @Test
    void anInvalidNewPasswordEndsNoSession() {
        Account ada = ada();
        Browser one = Browser.of(stet, ada);
        Browser two = Browser.of(stet, ada);
        answered(422, "{\"error\":\"The current password is wrong\",\"field\":\"current\"}",
                one.put("/data/password", "{\"current\":\"guess\",\"password\":\"a new password\"}"));
        answered(422, "{\"error\":\"The password must have at least 8 characters\",\"field\":\"password\"}",
                one.put("/data/password", "{\"current\":\"" + PASSWORD + "\",\"password\":\"short\"}"));
        for (String[] refused : GUESSED_FIRST) {
            answered(422, "{\"error\":\"" + refused[1] + "\",\"field\":\"password\"}", one.put("/data/password",
                    "{\"current\":\"" + PASSWORD + "\",\"password\":\"" + refused[0] + "\"}"));
        }
        assertEquals("200 200", one.get("/data/session").status() + " " + two.get("/data/session").status());
    }

    @Test
    void aNewPasswordEndsTheOtherSessionsAndRenewsThisOne() {
        Account ada = ada();
        Browser one = Browser.of(stet, ada);
        Browser two = Browser.of(stet, ada);
        String before = one.cookie;
        answered(204, "", one.put("/data/password", "{\"current\":\"" + PASSWORD + "\",\"password\":\"a new password\"}"));
        assertNotEquals(before, one.cookie);
        answered(200, about(), one.get("/data/session"));
        answered(401, SIGNED_OUT, one.get("/data/session", "Cookie: " + before));
        answered(401, SIGNED_OUT, two.get("/data/session"));
        answered(422, WRONG, Browser.of(stet).post("/data/session", credentials(EMAIL, PASSWORD)));
        answered(200, about(), Browser.of(stet).post("/data/session", credentials(EMAIL, "a new password")));
    }

    @Test
    void theCookieOverHttpIsNotSecure() {
        ada();
        List<String> cookies = Browser.of(stet).post("/data/session", credentials(EMAIL, PASSWORD)).cookies();
        assertTrue(cookies.get(0).matches("stet=[A-Za-z0-9_-]{43}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax"), cookies.get(0));
        assertTrue(cookies.get(1).matches("stet-known=[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax"),
                cookies.get(1));
    }

    @Test
    void theCookieOverHttpsIsSecure() {
        restart("https://mail.example.com", null);
        ada();
        Browser browser = Browser.of(stet);
        List<String> cookies = browser.post("/data/session", credentials(EMAIL, PASSWORD), "Host: mail.example.com").cookies();
        assertTrue(cookies.get(0).matches("__Host-stet=[A-Za-z0-9_-]{43}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure"), cookies.get(0));
        assertTrue(cookies.get(1).matches("__Host-stet-known=\\S{66}; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure"), cookies.get(1));
        answered(200, session("https://mail.example.com"),
                browser.get("/data/session", "Host: mail.example.com"));
        answered(401, SIGNED_OUT, browser.get("/data/session", "Cookie: " + browser.cookie.replace("__Host-", "")));
    }

    @Test
    void aSessionEndsAfterADayOfIdling() {
        Browser browser = Browser.of(stet, ada());
        stet.clock.advance(Duration.ofHours(24).minusMillis(1));
        answered(200, about(), browser.get("/data/session"));
        stet.clock.advance(Duration.ofHours(24).minusMillis(1));
        answered(200, about(), browser.get("/data/session"));
        stet.clock.advance(Duration.ofHours(24));
        answered(401, SIGNED_OUT, browser.get("/data/session"));
    }

    @Test
    void aSessionEndsAfterThirtyDaysHoweverItIsUsed() {
        Browser browser = Browser.of(stet, ada());
        for (int day = 1; day < 30; day++) {
            stet.clock.advance(Duration.ofHours(23).plusMinutes(59));
            assertEquals(200, browser.get("/data/session").status());
        }
        stet.clock.advance(Duration.ofHours(23));
        assertEquals(200, browser.get("/data/session").status());
        stet.clock.set(Running.NOW);
        stet.clock.advance(Duration.ofDays(30));
        answered(401, SIGNED_OUT, browser.get("/data/session"));
    }

    @Test
    void aSessionOutlivesARestart() {
        Browser browser = Browser.of(stet, ada());
        stet.restart();
        answered(200, about(), browser.get("/data/session"));
    }

    private static final String FIREFOX = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

    @Test
    void aUserSeesTheirSessions() {
        ada();
        Browser one = signedIn();
        stet.clock.advance(Duration.ofHours(1));
        Browser two = Browser.of(stet);
        two.post("/data/session", credentials(EMAIL, PASSWORD), FIREFOX, "X-Forwarded-For: 198.51.100.7");
        String begun = "\"createdAt\":\"2026-01-31T10:00:00.000Z\",\"seenAt\":\"2026-01-31T10:00:00.000Z\",\"proxy\":false,";
        answered(200, "{\"sessions\":[{\"id\":2,\"browser\":\"Firefox on Linux\",\"address\":\"198.51.100.7\"," + begun
                + "\"current\":true},{\"id\":1,\"browser\":\"Unknown\",\"address\":\"127.0.0.1\","
                + begun.replace("T10", "T09") + "\"current\":false}]}", two.get("/data/sessions"));

        stet.clock.advance(Duration.ofMinutes(2));
        one.get("/data/session", FIREFOX.replace("Linux", "Windows"), "X-Forwarded-For: 198.51.100.8"); // records its use and its address
        String sessions = one.get("/data/sessions").text();
        assertTrue(sessions.startsWith("{\"sessions\":[{\"id\":1,\"browser\":\"Firefox on Windows\",\"address\":\"198.51.100.8\","
                + "\"createdAt\":\"2026-01-31T09:00:00.000Z\",\"seenAt\":\"2026-01-31T10:02:00.000Z\","), sessions);
    }

    @Test
    void aUserEndsTheirSessions() {
        ada();
        Browser one = signedIn();
        Browser two = signedIn();

        answered(204, "", one.delete("/data/sessions/2"));
        answered(401, SIGNED_OUT, two.get("/data/session"));
        for (String gone : List.of("2", "99", "0", "-1", "x", "99999999999999999999")) {
            answered(404, "{\"error\":\"Not found\"}", one.delete("/data/sessions/" + gone));
        }
        Client.Reply own = one.delete("/data/sessions/1");
        answered(204, "", own);
        assertEquals("stet=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax", own.header("Set-Cookie"));
        answered(401, SIGNED_OUT, one.get("/data/session"));
    }

    @Test
    void theFiftyFirstSessionEndsTheLeastRecentlyUsed() {
        Account ada = ada();
        Browser first = Browser.of(stet, ada);
        Browser second = Browser.of(stet, ada);
        Browser other = Browser.of(stet, stet.account("eve@example.com", Plan.FREE));
        stet.clock.advance(Duration.ofMinutes(2));
        assertEquals(200, first.get("/data/session").status());
        for (int i = 0; i < 49; i++) {
            Browser.of(stet, ada);
        }
        assertEquals(200, first.get("/data/session").status());
        answered(401, SIGNED_OUT, second.get("/data/session"));
        assertEquals(200, other.get("/data/session").status());
    }

    @Test
    void neitherTheCookieNorThePasswordIsStored() throws IOException {
        ada();
        Browser browser = signedIn();
        String id = browser.cookie.substring("stet=".length());
        assertFalse(holds(stet.folder, id));
        stet.stop();
        assertFalse(holds(stet.folder, id));
        assertFalse(holds(stet.folder, PASSWORD));
        stet.start();
    }

    /** Whether any file in a folder contains a text verbatim. */
    public static boolean holds(Path folder, String text) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                try {
                    if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text)) {
                        return true;
                    }
                } catch (NoSuchFileException removed) {
                    // A temporary file of the running server.
                }
            }
        }
        return false;
    }

    @ParameterizedTest
    @ValueSource(strings = {"nobody@example.com", "no address", "", "ada@example.com"})
    void anUnknownUserGetsTheResponseToAWrongPassword(String email) {
        ada();
        stet.account("silent@example.com", Plan.FREE);
        answered(422, WRONG, Browser.of(stet).post("/data/session", credentials(email, "a wrong one")));
        answered(422, WRONG, Browser.of(stet).post("/data/session", credentials("silent@example.com", "")));
    }

    /** The clock may have been set back since the other sessions were used. */
    @Test
    void aNewSessionLastsEvenIfAsManyAsAllowedWereUsedLater() {
        Account ada = ada();
        long user = stet.owner(ada).id();
        stet.db.change(dao -> {
            for (int i = 0; i < SessionDao.MAX_SESSIONS; i++) {
                Browser.addSession(dao, "session " + i, user, ada.id(), stet.now().plusSeconds(60));
            }
        });
        Browser browser = Browser.of(stet);
        assertEquals(200, browser.post("/data/session", credentials(EMAIL, PASSWORD)).status());
        assertEquals(200, browser.get("/data/templates").status());
    }
}
