package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;
import static stet.harness.Browser.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Totp;
import stet.core.Account;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;

/** Two-factor authentication: set-up, sign-in, single use of codes, recovery, and accounts that require it. */
public class TwoFactorTest {
    private static final String EMAIL = "ada@example.com";
    private static final String PASSWORD = "correct horse";
    private static final String NEEDED = "{\"error\":\"Enter the code from your authenticator app or a recovery code\",\"field\":\"code\"}";
    private static final String WRONG = "{\"error\":\"The code is wrong or has already been used; enter the next code\",\"field\":\"code\"}";
    private static final String NOT_CURRENT = "{\"error\":\"The current password is wrong\",\"field\":\"password\"}";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account(EMAIL, Plan.FREE, PASSWORD);

    /** Decodes a secret as typed into an authenticator app. */
    public static byte[] secret(String base32) {
        BigInteger bits = BigInteger.ZERO;
        for (char each : base32.replace("-", "").toCharArray()) {
            bits = bits.shiftLeft(5).or(BigInteger.valueOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(each)));
        }
        byte[] secret = new byte[Totp.SECRET_BYTES];
        for (int i = secret.length - 1; i >= 0; i--, bits = bits.shiftRight(8)) {
            secret[i] = bits.byteValue();
        }
        return secret;
    }

    /** Returns the code from an app whose clock is off by some seconds. */
    private String code(byte[] secret, int off) {
        return Totp.code(secret, stet.now().plusSeconds(off));
    }

    private static String confirmation(String password, String code) {
        return "{\"password\":\"" + password + "\",\"code\":\"" + code + "\"}";
    }

    private static byte[] begin(Browser browser) {
        return secret(json(browser.post("/data/two-factor", "{\"password\":\"" + PASSWORD + "\"}")).get("secret").asText());
    }

    /** Turns on two-factor authentication, then lets time pass so that a new code is valid. @return the secret */
    private byte[] on(Browser browser, List<String> recoveryCodes) {
        byte[] secret = begin(browser);
        json(browser.put("/data/two-factor", "{\"code\":\"" + code(secret, 0) + "\"}")).get("recoveryCodes")
                .forEach(each -> recoveryCodes.add(each.asText()));
        stet.clock.advance(Duration.ofMinutes(10));
        return secret;
    }

    private byte[] on() {
        return on(Browser.of(stet, ada), new ArrayList<>());
    }

    private Client.Reply signIn(Browser browser, String password, String code) {
        return browser.post("/data/session", "{\"email\":\"" + EMAIL + "\",\"password\":\"" + password + "\""
                + (code == null ? "" : ",\"code\":\"" + code + "\"") + "}");
    }

    private Client.Reply signIn(String code) {
        return signIn(Browser.of(stet), PASSWORD, code);
    }

    @Test
    void anInvalidSetUpLeavesItOff() {
        Browser browser = Browser.of(stet, ada);
        answered(422, NOT_CURRENT, browser.post("/data/two-factor", "{\"password\":\"a guess\"}"));
        answered(422, WRONG, browser.put("/data/two-factor", "{\"code\":\"123456\"}")); // set-up was not started
        byte[] abandoned = begin(browser);
        begin(browser);
        answered(422, WRONG, browser.put("/data/two-factor", "{\"code\":\"" + code(abandoned, 0) + "\"}"));
        assertEquals(200, signIn(null).status());
    }

    @Test
    void itIsSetUpOnlyOnce() {
        Browser browser = Browser.of(stet, ada);
        byte[] secret = on(browser, new ArrayList<>());
        answered(422, "{\"error\":\"Two-factor authentication is already on; turn it off first\",\"field\":null}",
                browser.post("/data/two-factor", "{\"password\":\"" + PASSWORD + "\"}"));
        answered(422, WRONG, browser.put("/data/two-factor", "{\"code\":\"" + code(secret, 0) + "\"}"));
    }

    @Test
    void twoFactorAuthenticationIsSetUpByPasswordAndCode() {
        Browser browser = Browser.of(stet, ada);
        answered(200, "{\"on\":false,\"recoveryCodes\":0,\"password\":true,\"required\":false}", browser.get("/data/two-factor"));
        JsonNode begun = json(browser.post("/data/two-factor", "{\"password\":\"" + PASSWORD + "\"}"));
        String text = begun.get("secret").asText();
        assertTrue(text.matches("([A-Z2-7]{4}-){7}[A-Z2-7]{4}"), text);
        assertEquals("otpauth://totp/Stet:ada%40example.com?secret=" + text.replace("-", "") + "&issuer=Stet", begun.get("uri").asText());
        assertEquals(200, signIn(null).status()); // not yet turned on

        String code = code(secret(text), 0);
        JsonNode codes = json(browser.put("/data/two-factor", "{\"code\":\"" + code.substring(0, 3) + " " + code.substring(3) + "\"}"));
        Set<String> different = new HashSet<>();
        codes.get("recoveryCodes").forEach(each -> different.add(each.asText()));
        assertEquals(10, different.size());
        answered(200, "{\"on\":true,\"recoveryCodes\":10,\"password\":true,\"required\":false}", browser.get("/data/two-factor"));
        answered(422, NEEDED, signIn(null));
        answered(422, WRONG, signIn(code)); // the code used to turn it on
        assertEquals(200, signIn(code(secret(text), 30)).status());
    }

    /** Turning it on ends this user's sessions that were started without a code; other users' sessions continue. */
    @Test
    void turningItOnEndsTheOtherSessions() {
        Browser stolen = Browser.of(stet, ada);
        Browser other = Browser.of(stet, stet.account("eve@example.com", Plan.FREE, PASSWORD));
        Browser browser = Browser.of(stet, ada);
        answered(422, WRONG, browser.put("/data/two-factor", "{\"code\":\"123456\"}"));
        assertEquals(200, stolen.get("/data/session").status());
        on(browser, new ArrayList<>());
        answered(401, "{\"error\":\"Signed out\",\"setup\":false}", stolen.get("/data/session"));
        assertEquals(200, browser.get("/data/session").status());
        assertEquals(200, other.get("/data/session").status());
    }

    @Test
    void aCodeIsAskedForOnlyAfterTheRightPassword() {
        byte[] secret = on();
        String wrong = "{\"error\":\"The email or password is wrong\",\"field\":\"password\"}";
        answered(422, wrong, signIn(Browser.of(stet), "a guess", null));
        answered(422, wrong, signIn(Browser.of(stet), "a guess", code(secret, 0)));
        Client.Reply needed = signIn(null);
        answered(422, NEEDED, needed);
        assertNull(needed.header("Set-Cookie"));
        assertEquals(200, signIn(code(secret, 0)).status()); // neither attempt used up the code
    }

    @ParameterizedTest
    @CsvSource({"-60, 422", "-30, 200", "0, 200", "30, 200", "60, 422"})
    void theClockOfAnAppMayBeOffByOneStep(int seconds, int status) {
        assertEquals(status, signIn(code(on(), seconds)).status());
    }

    @Test
    void noCodeIsAcceptedTwiceNorAnOlderOne() {
        byte[] secret = on();
        String before = code(secret, -30);
        String present = code(secret, 0);
        List<Client.Reply> replies = Crowd.of(2, i -> () -> signIn(present));
        assertEquals(List.of(200, 422), replies.stream().map(Client.Reply::status).sorted().toList());
        answered(422, WRONG, signIn(present));
        answered(422, WRONG, signIn(before));
        stet.clock.advance(Duration.ofSeconds(30));
        answered(422, WRONG, signIn(present));
        assertEquals(200, signIn(code(secret, 0)).status());
    }

    @Test
    void wrongCodesSlowDownOnlyUnknownBrowsers() {
        byte[] secret = on();
        Browser known = Browser.of(stet);
        assertEquals(200, signIn(known, PASSWORD, code(secret, 0)).status());
        stet.clock.advance(Duration.ofMinutes(1));
        for (int i = 0; i < 10; i++) {
            answered(422, WRONG, signIn(i % 2 == 0 ? "000000" : "not-a-code"));
        }
        Client.Reply refused = signIn(code(secret, 0));
        answered(429, "{\"error\":\"Too many attempts; try again later\"}", refused);
        assertEquals("300", refused.header("Retry-After"));
        answered(422, NEEDED, signIn(null));
        known.cookie = null;
        assertEquals(200, signIn(known, PASSWORD, code(secret, 0)).status());
        stet.clock.advance(Duration.ofMinutes(5));
        assertEquals(200, signIn(code(secret, 0)).status());
    }

    @Test
    void aRecoveryCodeReplacesOneCode() {
        List<String> codes = new ArrayList<>();
        Browser browser = Browser.of(stet, ada);
        on(browser, codes);
        assertTrue(codes.stream().allMatch(code -> code.matches("([A-Z2-7]{4}-){3}[A-Z2-7]{4}")), codes.toString());
        List<Client.Reply> replies = Crowd.of(2, i -> () -> signIn(codes.get(0)));
        assertEquals(List.of(200, 422), replies.stream().map(Client.Reply::status).sorted().toList());
        assertEquals(200, signIn(" " + codes.get(1).toLowerCase(Locale.ROOT).replace("-", "")).status());
        answered(422, WRONG, signIn(codes.get(1)));
        assertTrue(browser.get("/data/two-factor").text().contains("\"recoveryCodes\":8"));
    }

    @Test
    void recoveryCodesAreNotStoredAsTheyAreTyped() throws IOException {
        List<String> codes = new ArrayList<>();
        on(Browser.of(stet, ada), codes);
        assertFalse(SessionsTest.holds(stet.folder, codes.get(2)));
        assertFalse(SessionsTest.holds(stet.folder, codes.get(2).replace("-", "")));
    }

    @Test
    void newRecoveryCodesReplaceTheOldOnes() {
        List<String> codes = new ArrayList<>();
        Browser browser = Browser.of(stet, ada);
        byte[] secret = on(browser, codes);
        String renewed = json(browser.post("/data/two-factor/codes", confirmation(PASSWORD, code(secret, 0)))).get("recoveryCodes").get(0).asText();
        answered(422, WRONG, signIn(codes.get(2)));
        assertEquals(200, signIn(renewed).status());
    }

    @Test
    void turningItOffRequiresPasswordAndCode() {
        List<String> codes = new ArrayList<>();
        Browser browser = Browser.of(stet, ada);
        byte[] secret = on(browser, codes);
        answered(422, NOT_CURRENT, browser.post("/data/two-factor/off", confirmation("a guess", code(secret, 0))));
        answered(422, WRONG, browser.post("/data/two-factor/off", confirmation(PASSWORD, "000000")));
        answered(422, NEEDED, signIn(null));
        answered(204, "", browser.post("/data/two-factor/off", confirmation(PASSWORD, codes.get(0))));
        answered(200, "{\"on\":false,\"recoveryCodes\":0,\"password\":true,\"required\":false}", browser.get("/data/two-factor"));
        assertEquals(200, signIn(null).status());
        answered(422, WRONG, browser.post("/data/two-factor/off", confirmation(PASSWORD, codes.get(1))));
    }

    @Test
    void aPasswordChangeLeavesItOn() {
        byte[] secret = on();
        stet.db.change(dao -> dao.users().changePassword(stet.owner(ada).id(), dao.users().password(stet.owner(ada).id()).orElseThrow()));
        answered(422, NEEDED, signIn(null));
        assertEquals(200, signIn(code(secret, 0)).status());
    }

    @Test
    void aCommandTurnsTwoFactorAuthenticationOff() {
        on();
        Terminal terminal = new Terminal(stet.folder);
        assertEquals("This turns off two-factor authentication for ada@example.com. Confirm with --off.", terminal.run("user", "two-factor", EMAIL).err().strip());
        answered(422, NEEDED, signIn(null));
        Terminal.Result done = terminal.run("user", "two-factor", EMAIL, "--off");
        assertEquals("0 ada@example.com now needs only a password to sign in", done.code() + " " + done.err().strip());
        assertEquals(200, signIn(null).status());
        Terminal.Result again = terminal.run("user", "two-factor", EMAIL, "--off");
        assertEquals("1 ada@example.com does not use two-factor authentication", again.code() + " " + again.err().strip());
        assertEquals("User eve@example.com not found", terminal.run("user", "two-factor", "eve@example.com", "--off").err().strip());
    }

    /** An owner requires it, each user can do nothing in the account before setting it up, and the owner requires it no longer. */
    @Test
    void anAccountCanRequireTwoFactorAuthenticationOfAllItsUsers() {
        Account other = stet.account("eve@example.com", Plan.FREE, PASSWORD);
        User writer = stet.owner(other);
        stet.db.change(dao -> dao.members().setRole(ada.id(), writer.id(), Role.WRITER, stet.now()));
        Browser owner = Browser.of(stet, ada);
        Browser browser = Browser.of(stet, ada, writer);
        String refusal = "{\"error\":\"Only owners of the account can do this\"}";
        answered(403, refusal, browser.put("/data/two-factor/required", "{\"required\":true}"));
        assertEquals(200, browser.get("/data/templates").status());
        answered(204, "", owner.put("/data/two-factor/required", "{\"required\":true}"));

        String needed = "{\"error\":\"This account requires two-factor authentication; set it up on the Security page\",\"twoFactor\":true}";
        for (Browser each : List.of(owner, browser)) {
            answered(403, needed, each.get("/data/templates"));
            answered(403, needed, each.post("/data/templates", "{\"name\":\"Welcome\"}"));
            answered(403, needed, each.get("/data/export"));
        }
        assertEquals(200, browser.get("/data/session").status());
        assertEquals(200, browser.get("/data/sessions").status());
        assertEquals(200, Browser.of(stet, other, writer).get("/data/templates").status()); // in another of the user's accounts
        assertTrue(browser.get("/data/two-factor").text().contains("\"required\":true"));
        on(browser, new ArrayList<>());
        assertEquals(200, browser.get("/data/templates").status());
        answered(403, needed, owner.get("/data/templates"));
        on(owner, new ArrayList<>());
        answered(204, "", owner.put("/data/two-factor/required", "{\"required\":false}"));
        assertEquals(200, Browser.of(stet, ada).get("/data/templates").status());
    }

    /** All of the administrator's accounts count, not only the selected one. */
    @Test
    void anAdministratorWhoseAccountRequiresTwoFactorAuthenticationNeedsIt() {
        User administrator = stet.owner(ada);
        Account other = stet.account("eve@example.com", Plan.FREE, PASSWORD);
        stet.db.change(dao -> {
            dao.users().setAdministrator(administrator.id(), true);
            dao.members().setRole(other.id(), administrator.id(), Role.WRITER, stet.now());
            dao.twoFactors().setRequired(ada.id(), true);
        });
        for (Account working : new Account[] {ada, other, null}) {
            Browser browser = Browser.of(stet, working, administrator);
            String needed = "{\"error\":\"This account requires two-factor authentication; set it up on the Security page\",\"twoFactor\":true}";
            answered(403, needed, browser.get("/data/installation"));
            answered(403, needed, browser.post("/data/accounts/2/suspend", "{}"));
        }
        Browser browser = Browser.of(stet, other, administrator);
        on(browser, new ArrayList<>());
        assertEquals(200, browser.get("/data/installation").status());
    }

    @Test
    void activityAndLogHaveEachChangeWithoutItsSecrets() {
        List<String> codes = new ArrayList<>();
        Browser browser = Browser.of(stet, ada);
        byte[][] secret = new byte[1][];
        String log = Running.logged(() -> {
            secret[0] = on(browser, codes);
            answered(422, WRONG, signIn("000000"));
            browser.post("/data/two-factor/codes", confirmation(PASSWORD, codes.get(0)));
            browser.put("/data/two-factor/required", "{\"required\":true}");
            browser.post("/data/two-factor/off", confirmation(PASSWORD, code(secret[0], 0)));
        });
        assertEquals("""
                INFO two-factor-changed subject=ada@example.com detail=on actor=ada@example.com address=127.0.0.1
                WARN sign-in-failed address=127.0.0.1 email=ada@example.com wrong=code
                INFO two-factor-changed subject=ada@example.com detail="new recovery codes" actor=ada@example.com address=127.0.0.1
                INFO two-factor-changed account=ada@example.com detail="required for everyone" actor=ada@example.com address=127.0.0.1
                INFO two-factor-changed subject=ada@example.com detail=off actor=ada@example.com address=127.0.0.1
                """, String.join("", log.lines().filter(line -> !line.contains("clock-set")).map(line -> line.substring(25) + "\n").toList()));
        assertEquals(List.of("ada@example.com on", "ada@example.com new recovery codes", " required for everyone", "ada@example.com off"),
                Rows.of(stet.folder, "select subject || ' ' || detail from activity where kind = 'two-factor-changed' order by id"));
    }
}
