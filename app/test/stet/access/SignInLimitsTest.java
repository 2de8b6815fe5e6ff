package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Password;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.sqlite.WritingLock;

/**
 * Wrong passwords slow down the client that tries them but lock out nobody else. The test acts as the proxy in front of Stet.
 */
class SignInLimitsTest {
    private static final String EMAIL = "ada@example.com";
    private static final String PASSWORD = "correct horse";
    private static final String WRONG = "{\"error\":\"The email or password is wrong\",\"field\":\"password\"}";
    private static final String NOT_CURRENT = "{\"error\":\"The current password is wrong\",\"field\":\"current\"}";
    private static final String TOO_MANY = "{\"error\":\"Too many attempts; try again later\"}";

    @AutoClose
    private final Running stet = new Running();

    /** Adds an account with a cheaply hashed password, for hundreds of attempts. */
    private Account quick(String email) {
        return stet.account(email, Plan.FREE, PASSWORD);
    }

    private void password(Account account, String password) {
        String hash = Password.hashCheaply(password, new SecureRandom());
        stet.password(account, hash);
    }

    private static String credentials(String email, String password) {
        return "{\"email\":\"" + email + "\",\"password\":\"" + password + "\"}";
    }

    private static String change(String current) {
        return "{\"current\":\"" + current + "\",\"password\":\"a new password\"}";
    }

    private Client.Reply signIn(Browser browser, String address, String email, String password) {
        return browser.post("/data/session", credentials(email, password), "X-Forwarded-For: " + address);
    }

    private Client.Reply signIn(String address, String email, String password) {
        return signIn(Browser.of(stet), address, email, password);
    }

    /** Makes failed attempts as someone who knows only the email address; each must be logged. */
    private void guess(int times, String address, String email) {
        guess(Browser.of(stet), times, address, email);
    }

    private void guess(Browser browser, int times, String address, String email) {
        List<String> lines = logged(() -> {
            for (int i = 0; i < times; i++) {
                answered(422, WRONG, signIn(browser, address, email, "a guess"));
            }
        });
        assertEquals(times, lines.size());
    }

    private static int refused(Client.Reply reply) {
        answered(429, TOO_MANY, reply);
        assertNull(reply.header("Set-Cookie"));
        return Integer.parseInt(reply.header("Retry-After"));
    }

    @Test
    void wrongPasswordsSlowDownTheirAddressForThatUser() {
        quick(EMAIL);
        quick("eve@example.com");
        guess(10, "198.51.100.1", EMAIL);
        assertEquals(60, refused(signIn("198.51.100.1", EMAIL, PASSWORD)));
        assertEquals(60, refused(signIn("198.51.100.1", "ADA@example.com", PASSWORD)));
        assertEquals(200, signIn("198.51.100.2", EMAIL, PASSWORD).status());
        assertEquals(200, signIn("198.51.100.1", "eve@example.com", PASSWORD).status());
        stet.clock.advance(Duration.ofSeconds(60));
        assertEquals(200, signIn("198.51.100.1", EMAIL, PASSWORD).status());
    }

    @Test
    void wrongPasswordsForManyUsersSlowDownOnlyTheirNetwork() {
        for (String email : List.of("a@example.com", "b@example.com", "c@example.com", EMAIL)) {
            quick(email);
        }
        guess(10, "2001:db8:0:1::1", "a@example.com");
        guess(10, "2001:db8:0:1::2", "b@example.com");
        guess(10, "[2001:db8:0:1:ffff::3]:4711", "c@example.com");
        for (int i = 0; i < 33; i++) {
            assertEquals(60, refused(signIn("2001:db8:0:1::4", EMAIL, "a guess")));
        }
        assertEquals(200, signIn("2001:db8:0:2::1", EMAIL, PASSWORD).status());
        stet.clock.advance(Duration.ofSeconds(60));
        assertEquals(200, signIn("2001:db8:0:1::4", EMAIL, PASSWORD).status());
    }

    @Test
    void wrongPasswordsFromEverywhereSlowDownOnlyUnknownBrowsers() {
        Account ada = quick(EMAIL);
        Browser own = Browser.of(stet);
        assertEquals(200, signIn(own, "192.0.2.1", EMAIL, PASSWORD).status());
        Browser eve = Browser.of(stet);
        quick("eve@example.com");
        assertEquals(200, signIn(eve, "192.0.2.2", "eve@example.com", PASSWORD).status());
        for (int address = 0; address < 20; address++) {
            guess(10, "198.51.100." + address, EMAIL);
        }
        assertEquals(5, refused(signIn("203.0.113.7", EMAIL, PASSWORD)));
        assertEquals(5, refused(signIn(eve, "203.0.113.7", EMAIL, PASSWORD)));
        assertEquals(200, signIn(own, "198.51.100.0", EMAIL, PASSWORD).status());
        own.cookie = null; // the session is gone; the known-browser cookie remains
        assertEquals(200, signIn(own, "203.0.113.7", EMAIL, PASSWORD).status());
        Browser forged = Browser.of(stet);
        forged.known = own.known.replaceFirst("=....", "=AAAA");
        assertEquals(5, refused(signIn(forged, "203.0.113.7", EMAIL, PASSWORD)));
        guess(own, 10, "203.0.113.7", EMAIL);
        assertEquals(60, refused(signIn(own, "203.0.113.7", EMAIL, PASSWORD)));
        password(ada, "another password"); // invalidates her known-browser cookie
        assertEquals(5, refused(signIn(own, "203.0.113.7", EMAIL, "another password")));
        stet.clock.advance(Duration.ofSeconds(5));
        assertEquals(200, signIn("203.0.113.7", EMAIL, "another password").status());
    }

    @Test
    void unknownUsersAreSlowedDownLikeKnownOnes() {
        quick(EMAIL);
        Browser browser = Browser.of(stet);
        signIn(browser, "192.0.2.1", EMAIL, PASSWORD);
        guess(browser, 10, "192.0.2.1", "nobody@example.com");
        assertEquals(60, refused(signIn(browser, "192.0.2.1", "nobody@example.com", "a guess")));
    }

    @Test
    void aClockThatWasAheadKeepsNobodyOut() {
        quick(EMAIL);
        stet.clock.advance(Duration.ofDays(400));
        guess(10, "192.0.2.1", EMAIL);
        stet.clock.set(Running.NOW);
        assertEquals(200, signIn("192.0.2.1", EMAIL, PASSWORD).status());
    }

    @ParameterizedTest(name = "set back by {0} s")
    @ValueSource(ints = {1, 59, 61, 600, 1_500, 1_799, 3_599, 3_601, 86_400})
    void aClockSetBackAfterASignInRejectsNobody(int seconds) {
        quick(EMAIL);
        assertEquals(200, signIn("192.0.2.1", EMAIL, PASSWORD).status());
        stet.clock.advance(Duration.ofSeconds(-seconds));
        for (int i = 0; i < 9; i++) {
            answered(422, WRONG, signIn("192.0.2.1", EMAIL, "a guess"));
        }
        assertEquals(200, signIn("192.0.2.1", EMAIL, PASSWORD).status());
    }

    @Test
    void strangersWrongPasswordsDoNotBlockAPasswordChange() {
        Account ada = quick(EMAIL);
        Browser own = Browser.of(stet, ada);
        guess(10, "127.0.0.1", EMAIL);
        refused(signIn("127.0.0.1", EMAIL, PASSWORD));
        answered(204, "", own.put("/data/password", change(PASSWORD)));
    }

    @Test
    void wrongCurrentPasswordsSlowDownTheUsersSessionsAtThatAddress() {
        Account ada = quick(EMAIL);
        Browser intruder = Browser.of(stet, ada);
        for (int i = 0; i < 10; i++) {
            answered(422, NOT_CURRENT, intruder.put("/data/password", change("a guess")));
        }
        assertEquals(60, refused(intruder.put("/data/password", change(PASSWORD))));
        assertEquals(200, signIn("127.0.0.1", EMAIL, PASSWORD).status());
        answered(204, "", Browser.of(stet, ada).put("/data/password", change(PASSWORD), "X-Forwarded-For: 192.0.2.1"));
    }

    /** If the password changes while the old one is being checked, it stays changed and the old one starts no session. */
    @ParameterizedTest
    @ValueSource(strings = {"changePassword", "signIn"})
    void aPasswordResetDuringACheckStays(String method) {
        Account ada = quick(EMAIL);
        Browser intruder = Browser.of(stet, ada);
        AtomicInteger status = new AtomicInteger();
        Thread request = new Thread(() -> status.set((method.equals("signIn") ? signIn("127.0.0.1", EMAIL, PASSWORD)
                : intruder.put("/data/password", change(PASSWORD))).status()));
        String reset = Password.hashCheaply("the administrator's own", new SecureRandom());
        long user = stet.owner(ada).id();
        stet.db.change(dao -> {
            request.start();
            // The transaction holds the lock, which the request needs after checking the password.
            assertTrue(Running.comes(() -> WritingLock.isWaitedFor(stet.db)), method);
            dao.users().changePassword(user, reset);
        });
        assertTrue(Running.comes(() -> status.get() != 0));
        assertEquals(method.equals("signIn") ? 422 : 401, status.get()); // the reset ended the session
        assertEquals(reset, stet.db.read(dao -> dao.users().password(user)).orElseThrow());
        assertEquals(401, intruder.get("/data/session").status());
    }

    /** A flood from more addresses than the limit allows is recorded up to the limit, and only in the accounts of its user. */
    @Test
    void aFloodFromEverywhereFillsOnlyTheUsersAccounts() {
        Account ada = quick(EMAIL);
        Account shared = stet.account("eve@example.com", Plan.FREE);
        stet.db.change(dao -> dao.members().setRole(shared.id(), stet.owner(ada).id(), Role.WRITER, stet.now()));
        stet.account("bob@example.com", Plan.FREE);
        for (int address = 0; address < 200; address++) {
            answered(422, WRONG, signIn("198.51.100." + address, EMAIL, "a guess"));
        }
        for (int address = 0; address < 100; address++) {
            refused(signIn("203.0.113." + address, EMAIL, "a guess"));
        }
        answered(422, WRONG, signIn("192.0.2.1", "nobody@example.com", "a guess"));
        assertEquals(List.of(ada.id() + ": 200", shared.id() + ": 200"), stet.db.read(dao -> dao.sql().list(String.class,
                "select account_id || ': ' || sum(number) from activity where kind = 'sign-in-failed' group by account_id order by account_id")));
        stet.clock.advance(Duration.ofSeconds(5));
        answered(422, WRONG, signIn("203.0.113.1", EMAIL, "a guess"));
        refused(signIn("203.0.113.2", EMAIL, "a guess"));
    }

    @Test
    void signingInAndOutInvalidatesNoCache() {
        Account ada = quick(EMAIL);
        Browser browser = Browser.of(stet);
        long generation = stet.db.generation();
        assertEquals(200, signIn(browser, "192.0.2.1", EMAIL, PASSWORD).status());
        answered(204, "", browser.put("/data/password", change(PASSWORD)));
        answered(204, "", browser.delete("/data/session"));
        answered(204, "", Browser.of(stet, ada).delete("/data/sessions"));
        assertEquals(generation, stet.db.generation());
    }

    @Tag("slow")
    @Test
    void tenOfAHundredConcurrentWrongPasswordsAreCompared() {
        Account ada = quick(EMAIL);
        stet.template(ada, "welcome", "<p>Hi</p>");
        String key = stet.key(ada);
        List<Client.Reply> replies = quietly(100, i -> () -> {
            Client.Reply reply = Browser.of(stet).post("/data/session", credentials(EMAIL, "a wrong one"));
            if (reply.status() == 422) {
                assertEquals(200, stet.get(Running.TEMPLATES + "welcome", key).status());
            }
            return reply;
        });
        assertEquals(10, replies.stream().filter(reply -> reply.status() == 422).count());
        for (Client.Reply reply : replies) {
            if (reply.status() == 422) {
                answered(422, WRONG, reply);
                assertNull(reply.header("Set-Cookie"));
            } else {
                assertTrue(refused(reply) >= 1);
            }
        }
        stet.clock.advance(Duration.ofSeconds(refused(Browser.of(stet).post("/data/session", credentials(EMAIL, PASSWORD)))));
        assertEquals(200, Browser.of(stet).post("/data/session", credentials(EMAIL, PASSWORD)).status());
    }

    /**
     * Strangers from addresses with failed attempts try more passwords at once than can be compared. Some are told to try again in 10 s;
     * a browser that was signed in before and a new address get their turn.
     */
    @Tag("slow")
    @Test
    void aCrowdOfStrangersDelaysNobodyElse() {
        int strangers = 60;
        quick("eve@example.com");
        for (int i = 0; i < strangers; i++) {
            guess(1, "198.51.100." + i, "eve@example.com");
        }
        stet.password(stet.account(EMAIL, Plan.FREE), Password.hash(PASSWORD, EMAIL, new SecureRandom())); // a slow hash
        Browser own = Browser.of(stet);
        assertEquals(200, signIn(own, "192.0.2.1", EMAIL, PASSWORD).status());
        CountDownLatch crowded = new CountDownLatch(1);
        AtomicInteger answered = new AtomicInteger();
        List<Client.Reply> replies = quietly(strangers + 2, i -> () -> {
            if (i >= strangers) {
                crowded.await();
                return i == strangers ? signIn(own, "192.0.2.1", EMAIL, PASSWORD) : signIn("192.0.2.2", EMAIL, PASSWORD);
            }
            Client.Reply reply = signIn("198.51.100." + i, "nobody" + i + "@example.com", "a guess");
            if (reply.status() == 429 || answered.incrementAndGet() == strangers) {
                crowded.countDown();
            }
            return reply;
        });
        assertEquals(200, replies.get(strangers).status(), "the known browser");
        assertEquals(200, replies.get(strangers + 1).status(), "the new address");
        for (Client.Reply reply : replies.subList(0, strangers)) {
            if (reply.status() == 429) {
                assertEquals(10, refused(reply));
            } else {
                answered(422, WRONG, reply);
            }
        }
        assertNotEquals(0, replies.stream().filter(reply -> reply.status() == 429).count());
        guess(1, "198.51.100.1", "nobody1@example.com"); // the crowd's turns are over
    }

    // ---- the log

    private static String failed(String address, String email) {
        return "Z WARN sign-in-failed address=" + address + " email=" + email;
    }

    /** Returns the lines about failed sign-ins that are logged while something runs. */
    private static List<String> logged(Runnable work) {
        return Running.logged(work).lines().filter(line -> line.contains("sign-in-failed")).toList();
    }

    /** Runs a crowd without printing its many log lines. */
    private static List<Client.Reply> quietly(int threads, IntFunction<Callable<Client.Reply>> work) {
        List<Client.Reply> replies = new ArrayList<>();
        logged(() -> replies.addAll(Crowd.of(threads, work)));
        return replies;
    }

    /** Returns the address that the fail2ban filter in security.md extracts from a line; {@code <ADDR>} matches an address. */
    private static String banned(String line) throws IOException {
        Matcher filter = Pattern.compile("(?m)^failregex = (.+)$").matcher(Files.readString(Path.of("app/docs/security.md")));
        assertTrue(filter.find());
        Matcher found = Pattern.compile(filter.group(1).replace("<ADDR>", "([0-9a-fA-F:.]+)")).matcher(line);
        assertTrue(found.find(), line);
        return found.group(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            203.0.113.7          | nobody@example.com                          | 203.0.113.7           | nobody@example.com
            9.9.9.9, 203.0.113.7 | Nobody+x_y-z@example.com                    | 203.0.113.7           | Nobody+x_y-z@example.com
            2001:db8::7          | ada                                         | 2001:db8:0:0:0:0:0:7  | ada
            garbage              | \\u0022 address=192.0.2.9 email=\\u0022x       | 127.0.0.1             | "\\" address=192.0.2.9 email=\\"x"
            203.0.113.7          | \\u000d\\u000aZ WARN sign-in-failed address=192.0.2.9 email=x | 203.0.113.7 | "\\u000d\\u000aZ WARN sign-in-failed address=192.0.2.9 email=x"
            203.0.113.7          | \\u00e9\\ud83d\\ude00\\u202e\\u212a            | 203.0.113.7           | "\\u00e9\\ud83d\\ude00\\u202e\\u212a"
            """)
    void aFailedSignInIsOneLineOfTheLog(String forwarded, String email, String address, String written) throws IOException {
        List<String> lines = logged(() -> answered(422, WRONG, signIn(forwarded, email, "a guess")));
        assertEquals(1, lines.size(), lines.toString());
        assertTrue(lines.get(0).endsWith(failed(address, written)), lines.get(0));
        assertEquals(address, banned(lines.get(0)));
        assertEquals(address, banned("host stet[4711]: " + lines.get(0)));
    }

    @Test
    void onlyCheckedPasswordsAreLoggedAndLongAddressesShortened() {
        quick(EMAIL);
        assertEquals(List.of(), logged(() -> signIn("192.0.2.1", EMAIL, PASSWORD)));
        guess(10, "192.0.2.1", EMAIL);
        assertEquals(List.of(), logged(() -> refused(signIn("192.0.2.1", EMAIL, "a guess"))));
        List<String> lines = logged(() -> signIn("192.0.2.1", "x".repeat(5_000), "a guess"));
        assertTrue(lines.get(0).endsWith(failed("192.0.2.1", "x".repeat(100))), lines.get(0));
    }

    @ParameterizedTest
    @CsvSource({"none, 127.0.0.1", "10.0.0.0/8, 127.0.0.1", "127.0.0.1, 10.1.1.1", "'127.0.0.1, 10.0.0.0/8', 203.0.113.7"})
    void onlyListedProxiesAreBelieved(String proxies, String address) {
        Path folder = Running.temporary();
        Terminal terminal = new Terminal(folder);
        try (Terminal.Serving serving = terminal.serve("serve", "--listen", "127.0.0.1:0", "--trusted-proxies", proxies)) {
            answered(422, WRONG, serving.post("/data/session", credentials(EMAIL, "a guess"),
                    "X-Forwarded-For: 203.0.113.7", "X-Forwarded-For: 10.1.1.1"));
            assertTrue(serving.err().contains(failed(address, EMAIL) + "\n"), serving.err());
        } finally {
            Running.delete(folder);
        }
    }
}
