package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.harness.Browser;
import stet.harness.MailSink;
import stet.harness.Running;

/** <i>Forgot password?</i>: who gets an email, how many, and what a stranger learns. */
class ForgotPasswordTest {
    private static final String PASSWORD = "correct horse";
    private static final String ENDED = "{\"error\":\"This link has been used or revoked, or has expired; ask for a new link\",\"field\":\"secret\"}";

    private final Running stet = new Running();
    private MailSink sink;
    private final Account ada = stet.account("ada@example.com", Plan.PRO, PASSWORD);
    private Browser stranger;

    @BeforeEach
    void start() throws IOException {
        sink = new MailSink();
        stet.restartWithMail(sink.url());
        stet.confirm("ada@example.com");
        stranger = Browser.of(stet);
    }

    @AfterEach
    void close() {
        stet.close();
        sink.close();
    }

    private void ask(String email) {
        answered(204, "", stranger.post("/data/link/request", "{\"email\":\"" + email + "\"}"));
    }

    /** Asks, and waits until all requests have been looked up and all emails sent. */
    private void settled(String email) {
        ask(email);
        settle();
    }

    private void settle() {
        assertTrue(Running.comes(() -> stet.db.read(dao -> dao.mailQueue().waiting()) == 0));
    }

    private static String secret(MailSink.Mail mail) {
        Matcher link = Pattern.compile("http://\\S+/reset#([\\w-]+)").matcher(mail.text());
        assertTrue(link.find(), mail.text());
        return link.group(1);
    }

    private int signIn(String password) {
        return stranger.post("/data/session", "{\"email\":\"ada@example.com\",\"password\":\"" + password + "\"}").status();
    }

    // ---- who gets an email

    @Test
    void aUserChoosesANewPassword() {
        settled("ADA@example.com");
        MailSink.Mail mail = sink.mails.get(0);
        assertEquals("ada@example.com", mail.to());
        assertEquals("Choose a new password", mail.header("Subject"));
        assertEquals("auto-generated", mail.header("Auto-Submitted"));
        assertTrue(mail.text().contains("Somebody asked to reset the password of ada@example.com on Stet."), mail.text());
        assertTrue(mail.html().contains("href=\"" + stet.server.url() + "/reset#"), mail.html());
        String secret = secret(mail);
        answered(200, "{\"accounts\":[],\"email\":\"ada@example.com\",\"madeBy\":\"ada@example.com\",\"expiresAt\":\"2026-01-31T10:00:00.000Z\"}",
                stranger.post("/data/link", "{\"secret\":\"" + secret + "\"}"));
        answered(204, "", stranger.post("/data/link/reset", "{\"secret\":\"" + secret + "\",\"password\":\"another password\"}"));
        assertEquals("422 200", signIn(PASSWORD) + " " + signIn("another password"));
        answered(422, ENDED, stranger.post("/data/link/reset", "{\"secret\":\"" + secret + "\",\"password\":\"a third password\"}"));
        String activity = Browser.of(stet, ada).get("/data/activity").text();
        assertTrue(activity.contains("\"kind\":\"reset-requested\",\"subject\":\"ada@example.com\",\"detail\":\"1 time\""), activity);
        assertTrue(activity.contains("\"kind\":\"password-changed\",\"subject\":\"ada@example.com\",\"detail\":\"by a link in an email\""), activity);
    }

    /** No secret is stored, so a stolen database or backup opens no link. */
    @Test
    void noSecretIsStored() throws IOException {
        settled("ada@example.com");
        String secret = secret(sink.mails.get(0));
        assertFalse(SessionsTest.holds(stet.folder, secret));
        assertEquals(1, number("select count(*) from mails where kind = 'reset' and state = 'sent' and secret_hash is not null and html is null"));
    }

    private long number(String sql) {
        return stet.db.read(dao -> dao.sql().number(sql));
    }

    @Test
    void aResetKeepsTwoFactorAuthentication() {
        stet.db.change(dao -> dao.sql().update("update users set totp_secret = x'00', totp_step = 1"));
        settled("ada@example.com");
        assertTrue(sink.mails.get(0).text().contains("To sign in, you still need a code from your authenticator app or a recovery code."), sink.mails.get(0).text());
        answered(204, "", stranger.post("/data/link/reset", "{\"secret\":\"" + secret(sink.mails.get(0)) + "\",\"password\":\"another password\"}"));
        assertTrue(stranger.post("/data/session", "{\"email\":\"ada@example.com\",\"password\":\"another password\"}").text().contains("\"field\":\"code\""));
    }

    /** The response is the same for all. A user with a password can sign in beside the proxy, as on the sign-in page. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({"nobody, nobody@example.com, 0", "unconfirmed, will2@example.com, 0", "without password, will@example.com, 0",
        "suspended, will@example.com, 0", "deleted, will@example.com, 0", "behind a proxy, will@example.com, 1",
        "behind a proxy without password, will@example.com, 0"})
    void onlyUsersWithAPasswordAndAConfirmedAddressGetALink(String kind, String email, int emails) {
        User will = stet.member(ada, "will@example.com", Role.OWNER, PASSWORD);
        stet.db.change(dao -> {
            dao.users().confirm(will.id());
            switch (kind) {
                case "unconfirmed" -> dao.users().changeEmail(will.id(), "will2@example.com");
                case "without password", "behind a proxy without password" -> dao.users().changePassword(will.id(), null);
                case "suspended" -> dao.accounts().setSuspended(ada, true, stet.now());
                case "deleted" -> {
                    dao.members().remove(ada.id(), will.id());
                    dao.users().deleteWithoutAccount(will.id(), false, stet.now());
                }
                default -> { }
            }
        });
        if (kind.contains("proxy")) {
            stet.restartWithProxy();
            stranger = Browser.of(stet);
        }
        settled(email);
        assertEquals(emails, sink.mails.size());
        assertEquals(emails, number("select count(*) from mails"));
    }

    /** An administrator of suspended accounts can still sign in. */
    @Test
    void anAdministratorGetsALinkDespiteASuspension() {
        stet.db.change(dao -> {
            dao.users().setAdministrator(stet.owner(ada).id(), true);
            dao.accounts().setSuspended(ada, true, stet.now());
        });
        settled("ada@example.com");
        assertEquals(1, sink.mails.size());
    }

    @Test
    void aSecondRequestReplacesTheFirstOnesLink() {
        settled("ada@example.com");
        settled("ada@example.com");
        assertEquals("422 200", stranger.post("/data/link", "{\"secret\":\"" + secret(sink.mails.get(0)) + "\"}").status() + " "
                + stranger.post("/data/link", "{\"secret\":\"" + secret(sink.mails.get(1)) + "\"}").status());
    }

    @Test
    void theLogHasOneLineForARequestOfAUserWithTwoAccounts() {
        Account shop = stet.account("shop@example.com", Plan.PRO);
        stet.db.change(dao -> dao.members().setRole(shop.id(), stet.owner(ada).id(), Role.EDITOR, stet.now()));
        String log = Running.logged(() -> settled("ada@example.com"));
        assertEquals(List.of("INFO reset-requested subject=ada@example.com actor=unknown"),
                log.lines().filter(line -> line.contains(" reset-requested ")).map(line -> line.substring(25)).toList());
    }

    /** A request does not revoke the link that an owner has made. A changed address ends only the requested link. */
    @Test
    void requestedLinksAndThoseOfOwnersEndSeparately() {
        User will = stet.member(ada, "will@example.com", Role.WRITER, PASSWORD);
        stet.confirm("will@example.com");
        Browser owner = Browser.of(stet, ada);
        String own = owner.post("/data/members/" + will.id() + "/reset", "{}").text();
        settle();
        sink.mails.clear(); // the owner's link is emailed, too
        settled("will@example.com");
        String made = own.replaceAll(".*#([\\w-]+).*", "$1");
        String mailed = secret(sink.mails.get(0));
        assertEquals("200 200", stranger.post("/data/link", "{\"secret\":\"" + made + "\"}").status() + " "
                + stranger.post("/data/link", "{\"secret\":\"" + mailed + "\"}").status());
        stet.db.change(dao -> dao.users().changeEmail(will.id(), "new@example.com"));
        assertEquals("200 422", stranger.post("/data/link", "{\"secret\":\"" + made + "\"}").status() + " "
                + stranger.post("/data/link", "{\"secret\":\"" + mailed + "\"}").status());
    }

    @Test
    void theLinkIsValidForAnHour() {
        settled("ada@example.com");
        stet.clock.advance(Duration.ofHours(1).minusMillis(1));
        assertEquals(200, stranger.post("/data/link", "{\"secret\":\"" + secret(sink.mails.get(0)) + "\"}").status());
        stet.clock.advance(Duration.ofMillis(1));
        answered(422, ENDED, stranger.post("/data/link/reset", "{\"secret\":\"" + secret(sink.mails.get(0)) + "\",\"password\":\"another password\"}"));
    }

    /** The password may change while the email waits. */
    @Test
    void aLinkThatWasRevokedMeanwhileIsNotSent() {
        sink.reply("MAIL", "450 later");
        ask("ada@example.com");
        assertTrue(Running.comes(() -> number("select count(*) from mails where tries = 1 and state = 'waiting'") == 1));
        sink.obey();
        stet.db.change(dao -> dao.users().changePassword(stet.owner(ada).id(), null));
        stet.clock.advance(Duration.ofMinutes(1));
        settle();
        assertEquals(List.of(), sink.mails);
        assertEquals(1, number("select count(*) from mails where state = 'dropped' and outcome = 'its link was used or revoked, or has expired'"));
    }

    /** Each attempt of a process sends the same link, so a first email whose reply was lost works, too. */
    @Test
    void aSecondAttemptSendsTheSameLink() {
        sink.reply("message", "lost");
        ask("ada@example.com");
        assertTrue(Running.comes(() -> number("select count(*) from mails where doubtful = 1 and state = 'waiting'") == 1));
        sink.obey();
        stet.clock.advance(Duration.ofMinutes(1));
        settle();
        assertEquals(2, sink.mails.size());
        assertEquals(sink.mails.get(0).message(), sink.mails.get(1).message());
        assertEquals(200, stranger.post("/data/link", "{\"secret\":\"" + secret(sink.mails.get(0)) + "\"}").status());
    }

    // ---- how many

    /** Each of the 200 client addresses may send ten requests, and then one a minute; a user gets at most three emails an hour and ten a day. */
    @Test
    void resetRequestsAreLimitedByAddressAndUser() {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            statuses.add(stranger.post("/data/link/request", "{\"email\":\"" + (i % 2 == 0 ? "ada@example.com" : "nobody" + i + "@example.com") + "\"}",
                    "X-Forwarded-For: 192.0.2." + i % 200).status());
        }
        settle();
        assertEquals(3, number("select count(*) from mails"));
        assertTrue(sink.mails.size() <= 3);
        assertTrue(statuses.subList(0, 2_000).stream().allMatch(status -> status == 204));
        assertTrue(statuses.subList(2_000, 10_000).stream().allMatch(status -> status == 429));
        for (int hour = 1; hour < 6; hour++) {
            stet.clock.advance(Duration.ofMinutes(61));
            for (int i = 0; i < 5; i++) {
                settled("ada@example.com");
            }
        }
        assertEquals(10, number("select count(*) from mails"));
        stet.restart(); // the limits per client address are in memory, those per user in the database
        stranger = Browser.of(stet);
        settled("ada@example.com");
        assertEquals(10, number("select count(*) from mails"));
        assertTrue(sink.mails.size() <= 10);
    }

    /** While the worker is busy with a hanging server, requests wait in the database, and no more than so many. */
    @Test
    void atMostAThousandResetRequestsWait() {
        sink.reply("greeting", "hang");
        ask("ada@example.com");
        assertTrue(Running.comes(() -> number("select count(*) from mails where state = 'sending'") == 1));
        stet.db.change(dao -> {
            for (int i = 0; i < 2_000; i++) {
                dao.mails().requestReset("nobody" + i + "@example.com", stet.now());
            }
        });
        assertEquals(1_000, number("select count(*) from mails where state = 'waiting'"));
        answered(204, "", stranger.post("/data/link/request", "{\"email\":\"ada@example.com\"}"));
        assertEquals(1_000, number("select count(*) from mails where state = 'waiting'"));
        sink.obey();
        stet.restartWithMail(sink.url()); // ends the attempt that hangs, and the requests for nobody
        settle();
        sink.mails.clear();
        stranger = Browser.of(stet);
        settled("ada@example.com");
        assertEquals("ada@example.com", sink.mails.get(0).to());
    }

    // ---- what a stranger learns

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"email":"ada"}                                        | \\"ada\\" is not a valid email address; enter an address such as ada@example.com
            {"email":"ada@example.com\\r\\nBcc: eve@example.com"}  | The email address must not contain the invisible character U+000D
            {"email":"a b@example.com"}                            | \\"a b@example.com\\" is not a valid email address; enter an address such as ada@example.com
            """)
    void anInvalidAddressIsRejected(String json, String error) {
        answered(422, "{\"error\":\"" + error + "\",\"field\":\"email\"}", stranger.post("/data/link/request", json));
    }

    /**
     * The response neither waits for the mail server nor depends on the address. The times of known and unknown addresses, taken in turn, are
     * compared by their medians.
     */
    @Test
    void knownAndUnknownAddressesTakeEquallyLong() {
        sink.reply("greeting", "hang");
        for (int i = 0; i < 150; i++) {
            stet.member(ada, "user" + i + "@example.com", Role.WRITER, PASSWORD);
            stet.confirm("user" + i + "@example.com");
        }
        List<Long> known = new ArrayList<>();
        List<Long> unknown = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            boolean isKnown = i % 2 == 0;
            String email = (isKnown ? "user" : "none") + i / 2 + "@example.com";
            long begin = System.nanoTime();
            answered(204, "", stranger.post("/data/link/request", "{\"email\":\"" + email + "\"}", "X-Forwarded-For: 192.0.2." + i % 250));
            (isKnown ? known : unknown).add(System.nanoTime() - begin);
        }
        double ratio = (double) median(known) / median(unknown);
        assertTrue(ratio > 0.5 && ratio < 2, "known " + median(known) + ", unknown " + median(unknown));
    }

    private static long median(List<Long> times) {
        return times.stream().sorted().skip(times.size() / 2).findFirst().orElseThrow();
    }

    @Test
    void requestsFromAnotherSiteAreRejected() {
        assertEquals(403, stranger.post("/data/link/request", "{\"email\":\"ada@example.com\"}", "Origin: https://evil.example").status());
        assertEquals(403, stranger.post("/data/link/request", "{\"email\":\"ada@example.com\"}", "Host: evil.example").status());
        settle();
        assertEquals(List.of(), sink.mails);
    }
}
