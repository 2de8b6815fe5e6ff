package stet.mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.dao.MailChoiceDao.MailChoices;
import stet.dao.MailDao.QueuedMail;
import stet.harness.Browser;
import stet.harness.MailSink;
import stet.harness.Running;

/** The queue: order, attempts, restarts, and what administrators see. */
class MailerTest {
    private static final String PASSWORD = "correct horse";

    private final Running stet = new Running();
    private MailSink sink;
    private final Account ada = stet.account("ada@example.com", Plan.PRO, PASSWORD);
    private final User owner = stet.owner(ada);

    @BeforeEach
    void start() throws IOException {
        sink = new MailSink();
        stet.confirm("ada@example.com");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hi</p>");
    }

    @AfterEach
    void close() {
        stet.close();
        sink.close();
    }

    /** Adds a test by the owner to the owner. */
    private long add(String subject) {
        return stet.db.write(dao -> dao.as(new Actor(owner.id(), "ada", "")).mails().addTest(ada.id(), owner, "welcome", subject, new byte[] {'x'}, stet.now()));
    }

    private QueuedMail mail(long id) {
        return stet.db.read(dao -> dao.mailQueue().find(id)).orElseThrow();
    }

    private String state(long id) {
        QueuedMail mail = mail(id);
        return mail.state().word() + " " + mail.tries() + (mail.isDoubtful() ? " doubtful" : "") + " " + mail.outcome();
    }

    private void becomes(long id, String expected) {
        assertTrue(Running.comes(() -> state(id).equals(expected)), state(id) + " instead of " + expected);
    }

    private void settle() {
        assertTrue(Running.comes(() -> stet.db.read(dao -> dao.mailQueue().waiting()) == 0));
    }

    private long number(String sql) {
        return stet.db.read(dao -> dao.sql().number(sql));
    }

    // ---- order and attempts

    @Test
    void emailsThatASignInNeedsComeFirstAndTheOthersInOrder() {
        add("one");
        add("two");
        stet.db.change(dao -> dao.mails().requestReset("ada@example.com", stet.now()));
        stet.restartWithMail(sink.url());
        settle();
        assertEquals(List.of("Choose a new password", "[Test] one", "[Test] two"), sink.mails.stream().map(mail -> mail.header("Subject")).toList());
    }

    /** A reset that is requested while others are being sent does not wait for all of them. */
    @Test
    void aRequestedResetOvertakesWaitingEmails() {
        add("one");
        add("two");
        AtomicInteger lookups = new AtomicInteger();
        stet.restartWithMail("smtp://localhost:" + sink.port(), () -> new SmtpClient(host -> {
            if (lookups.getAndIncrement() == 0) {
                stet.db.change(dao -> dao.mails().requestReset("ada@example.com", stet.now()));
            }
            return new InetAddress[] {InetAddress.getLoopbackAddress()};
        }, () -> (SSLSocketFactory) SSLSocketFactory.getDefault(), SmtpClient.CONNECT_TIMEOUT, SmtpClient.TIMEOUT));
        settle();
        assertEquals(List.of("[Test] one", "Choose a new password", "[Test] two"), sink.mails.stream().map(mail -> mail.header("Subject")).toList());
    }

    /** The time until which an email waits may be years away then. */
    @Test
    void aClockSetBackDelaysNoEmail() {
        sink.reply("RCPT", "450 later");
        stet.restartWithMail(sink.url());
        long id = add("one");
        becomes(id, "waiting 1 The mail server rejected the recipient ada@example.com: 450 later");
        sink.obey();
        stet.clock.advance(Duration.ofDays(-365));
        becomes(id, "sent 2 250 queued as 4711");
        becomes(add("two"), "sent 1 250 queued as 4711");
    }

    @Test
    void aClockSetForwardEndsOldEmails() {
        sink.reply("RCPT", "450 later");
        stet.restartWithMail(sink.url());
        long id = add("one");
        becomes(id, "waiting 1 The mail server rejected the recipient ada@example.com: 450 later");
        sink.obey();
        stet.clock.advance(Duration.ofDays(365));
        becomes(id, "dropped 1 it could not be sent in time");
        becomes(add("two"), "sent 1 250 queued as 4711");
    }

    @Test
    void aTemporaryFailureIsTriedThreeTimes() {
        sink.reply("RCPT", "450 greylisted");
        stet.restartWithMail(sink.url());
        long id = add("one");
        String why = "The mail server rejected the recipient ada@example.com: 450 greylisted";
        becomes(id, "waiting 1 " + why);
        stet.clock.advance(Duration.ofSeconds(59));
        long other = add("two");
        becomes(other, "waiting 1 " + why); // the queue has been read
        becomes(id, "waiting 1 " + why);
        stet.clock.advance(Duration.ofSeconds(1));
        becomes(id, "waiting 2 " + why);
        stet.clock.advance(Duration.ofMinutes(10));
        becomes(id, "failed 3 " + why);
        assertEquals(List.of(), sink.mails);
    }

    @Test
    void aRejectionIsNotTriedAgain() {
        sink.reply("RCPT", "550 5.1.1 unknown");
        stet.restartWithMail(sink.url());
        String log = Running.logged(() -> becomes(add("one"), "failed 1 The mail server rejected the recipient ada@example.com: 550 5.1.1 unknown"), "mail-failed");
        assertTrue(log.contains("WARN mail-failed id=1 kind=test to=ada@example.com try=1 reason=\"The mail server rejected the recipient"
                + " ada@example.com: 550 5.1.1 unknown\""), log);
    }

    /** The connection is lost between the email and the reply: it is sent once more, and no oftener. */
    @Test
    void anUnknownOutcomeIsTriedOnceMore() {
        sink.reply("message", "close");
        stet.restartWithMail(sink.url());
        long id = add("one");
        String why = "The mail server " + sink.url() + " closed the connection (waiting for its reply to the email)";
        becomes(id, "waiting 1 doubtful " + why + "; the email may arrive twice");
        stet.clock.advance(Duration.ofMinutes(1));
        becomes(id, "failed 2 doubtful " + why + "; the email may have arrived");
        sink.obey();
        long second = add("two");
        becomes(second, "sent 1 250 queued as 4711");
    }

    /** A kill leaves the state that was committed before the attempt. */
    @ParameterizedTest
    @CsvSource({"0, 1, sent 2 doubtful 250 queued as 4711", "1, 1, failed 1 doubtful Stet was stopped while sending; the email may have arrived",
        "0, 3, failed 3 Stet was stopped while sending; the email may have arrived"})
    void afterAKillAnEmailIsSentAtMostOnceMore(int doubtful, int tries, String expected) {
        long id = add("one");
        stet.db.change(dao -> dao.sql().update("update mails set state = 'sending', tries = ?, doubtful = ?", tries, doubtful));
        stet.restartWithMail(sink.url());
        becomes(id, expected);
        assertEquals(expected.startsWith("sent") ? 1 : 0, sink.mails.size());
    }

    @Test
    void aShutdownIsNoFailedAttempt() {
        sink.reply("RCPT", "hang");
        stet.restartWithMail(sink.url());
        long id = add("one");
        assertTrue(Running.comes(() -> sink.commands.contains("RCPT TO:<ada@example.com>")));
        stet.stop();
        sink.obey();
        stet.start();
        becomes(id, "sent 1 250 queued as 4711");
    }

    /** Nothing interrupts the JDK's lookup. */
    @Test
    void aShutdownDoesNotWaitForALookup() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        stet.restartWithMail("smtp://mail.example", () -> new SmtpClient(host -> {
            asked.countDown();
            try {
                held.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
            throw new UnknownHostException(host);
        }, () -> (SSLSocketFactory) SSLSocketFactory.getDefault(), SmtpClient.CONNECT_TIMEOUT, Duration.ofDays(1)));
        long id = add("one");
        assertTrue(asked.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        stet.stop();
        held.countDown();
        stet.restartWithMail(sink.url());
        becomes(id, "sent 1 250 queued as 4711");
    }

    /** As on a full disk, where it would otherwise be sent twice a second. */
    @Test
    void anEmailWhoseEndCannotBeRecordedIsNotSentAgain() throws Exception {
        stet.restartWithMail(sink.url());
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + stet.folder.resolve("stet.db")); Statement statement = other.createStatement()) {
            statement.execute("create trigger full before update on mails when new.state = 'sent' begin select raise(abort, 'full'); end");
            Running.logged(() -> add("one"), "work-failed task=mail");
            assertEquals(1, sink.mails.size());
            statement.execute("drop trigger full");
        }
        settle();
        assertEquals(1, sink.mails.size());
    }

    /** Requests are answered and data is written while a mail server hangs. */
    @Test
    void aHangingServerHoldsUpNothing() {
        sink.reply("greeting", "hang");
        stet.restartWithMail(sink.url());
        add("one");
        assertTrue(Running.comes(() -> number("select count(*) from mails where state = 'sending'") == 1));
        Browser browser = Browser.of(stet, ada);
        for (int i = 0; i < 20; i++) {
            assertEquals(201, browser.post("/data/templates", "{\"id\":\"t" + i + "\",\"name\":\"T\"}").status());
        }
        assertTrue(stet.isHealthy());
        assertEquals(1, number("select count(*) from mails where state = 'sending'"));
    }

    @Test
    void aServerThatDripsIsGivenUp() {
        sink.reply("greeting", "drip");
        stet.restartWithMail(sink.url(), () -> new SmtpClient(InetAddress::getAllByName, () -> (SSLSocketFactory) SSLSocketFactory.getDefault(),
                SmtpClient.CONNECT_TIMEOUT, Duration.ofMillis(700)));
        becomes(add("one"), "waiting 1 The mail server " + sink.url() + " did not finish within 0 s (waiting for its greeting)");
    }

    // ---- what administrators see, and what remains

    @Test
    void administratorsSeeTheQueue() {
        stet.db.change(dao -> dao.users().setAdministrator(owner.id(), true));
        sink.reply("RCPT", "550 no");
        stet.restartWithMail(sink.url());
        becomes(add("secret subject"), "failed 1 The mail server rejected the recipient ada@example.com: 550 no");
        Browser browser = Browser.of(stet, ada);
        answered(200, "{\"server\":\"" + sink.url() + ", from stet@example.com\",\"waiting\":0,\"lastSentAt\":null,\"mails\":[{\"id\":1,\"kind\":\"test\","
                + "\"account\":\"ada@example.com\",\"email\":\"ada@example.com\",\"state\":\"failed\",\"tries\":1,\"createdAt\":\"2026-01-31T09:00:00.000Z\","
                + "\"dueAt\":null,\"outcome\":\"The mail server rejected the recipient ada@example.com: 550 no\"}]}", browser.get("/data/mail/queue"));
        User will = stet.member(ada, "will@example.com", Role.OWNER, PASSWORD);
        assertEquals(403, Browser.of(stet, ada, will).get("/data/mail/queue").status());
        stet.restartWithMail(null);
        assertTrue(Browser.of(stet, ada).get("/data/mail/queue").text().startsWith("{\"server\":null,"));
    }

    @Test
    void emailsAreRemovedAfterAWeek() {
        stet.restartWithMail(sink.url());
        add("one");
        settle();
        sweepDaily(6);
        assertEquals(1, number("select count(*) from mails"));
        sweepDaily(5); // the horizon of retention lags behind the clock
        assertEquals(0, number("select count(*) from mails"));
    }

    private void sweepDaily(int days) {
        for (int day = 0; day < days; day++) {
            stet.clock.advance(Duration.ofDays(1));
            stet.sweep();
        }
    }

    /** Its rows, with addresses, go with an account and with a user. */
    @Test
    void emailsGoWithTheirAccountAndUser() {
        add("one");
        User will = stet.member(ada, "will@example.com", Role.WRITER, PASSWORD);
        stet.db.change(dao -> dao.mails().addAddressNotice(will.id(), "old@example.com", stet.now()));
        stet.db.change(dao -> {
            dao.members().remove(ada.id(), will.id());
            dao.users().deleteWithoutAccount(will.id(), false, stet.now());
            dao.users().removeDeleted();
        });
        assertEquals(1, number("select count(*) from mails"));
        stet.db.change(dao -> dao.accounts().delete(stet.account("ada@example.com"), stet.now()));
        stet.sweep();
        assertEquals(0, number("select count(*) from mails"));
    }

    // ---- review requests

    @Test
    void aReviewRequestGoesToThoseWhoMayPublish() {
        User will = stet.member(ada, "will@example.com", Role.WRITER, PASSWORD);
        User ed = stet.member(ada, "ed@example.com", Role.EDITOR, PASSWORD);
        User eve = stet.member(ada, "eve@example.com", Role.EDITOR, PASSWORD);
        stet.member(ada, "unconfirmed@example.com", Role.OWNER, PASSWORD);
        List.of("will", "ed", "eve").forEach(name -> stet.confirm(name + "@example.com"));
        stet.restartWithMail(sink.url());
        answered(204, "", Browser.of(stet, ada, eve).put("/data/mail/choices", "{\"tests\":false,\"reviews\":false}"));
        Browser writer = Browser.of(stet, ada, will);
        assertEquals(200, writer.post("/data/templates/welcome/request", "{\"note\":\"<b>Autumn</b>\"}").status());
        settle();
        assertEquals(List.of("ada@example.com", "ed@example.com"), sink.mails.stream().map(MailSink.Mail::to).sorted().toList());
        MailSink.Mail mail = sink.mails.get(0);
        assertEquals("Review requested: Welcome", mail.header("Subject"));
        assertTrue(mail.text().contains("will@example.com asks for a review of Welcome in ada@example.com before it is published.\n\n\u201c<b>Autumn</b>\u201d"), mail.text());
        assertTrue(mail.html().contains("&lt;b&gt;Autumn&lt;/b&gt;") && mail.html().contains("href=\"" + stet.server.url() + "/templates/welcome\""), mail.html());
    }

    /** A request may be withdrawn and repeated. After an hour, it is sent again, but not to the editor who makes it. */
    @Test
    void aRequestRepeatedWithinAnHourIsSentOnce() {
        User will = stet.member(ada, "will@example.com", Role.WRITER, PASSWORD);
        User ed = stet.member(ada, "ed@example.com", Role.EDITOR, PASSWORD);
        stet.confirm("ed@example.com");
        stet.restartWithMail(sink.url());
        Browser writer = Browser.of(stet, ada, will);
        for (int i = 0; i < 3; i++) {
            assertEquals(200, writer.post("/data/templates/welcome/request", "{\"note\":\"Autumn\"}").status());
            assertEquals(200, writer.delete("/data/templates/welcome/request").status());
            assertEquals(200, writer.post("/data/templates/welcome/request", "{\"note\":\"Autumn\"}").status());
            settle();
        }
        assertEquals(List.of("ada@example.com", "ed@example.com"), sink.mails.stream().map(MailSink.Mail::to).sorted().toList());
        stet.clock.advance(Duration.ofHours(1));
        assertEquals(200, Browser.of(stet, ada, ed).post("/data/templates/welcome/request", "{\"note\":\"again\",\"seen\":{\"note\":\"Autumn\"}}").status());
        settle();
        assertEquals("ada@example.com", sink.mails.get(2).to());
        assertEquals(3, sink.mails.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"withdrawn role", "removed", "turned off", "address changed", "account deleted", "user deleted"})
    void aReviewRequestIsNotSentToFormerReviewers(String event) {
        User will = stet.member(ada, "will@example.com", Role.WRITER, PASSWORD);
        User ed = stet.member(ada, "ed@example.com", Role.EDITOR, PASSWORD);
        stet.db.change(dao -> {
            dao.sql().update("update users set confirmed = 0");
            dao.users().confirm(ed.id());
        });
        sink.reply("greeting", "421 later");
        stet.restartWithMail(sink.url());
        assertEquals(200, Browser.of(stet, ada, will).post("/data/templates/welcome/request", "{\"note\":\"\"}").status());
        becomes(1, "waiting 1 The mail server is not ready: 421 later");
        sink.obey();
        stet.db.change(dao -> {
            switch (event) {
                case "withdrawn role" -> dao.members().setRole(ada.id(), ed.id(), Role.WRITER, stet.now());
                case "removed" -> dao.members().remove(ada.id(), ed.id());
                case "turned off" -> dao.mailChoices().choose(ada.id(), ed.id(), new MailChoices(false, false));
                case "address changed" -> dao.users().changeEmail(ed.id(), "new@example.com");
                case "account deleted" -> dao.accounts().delete(ada.id(), stet.now());
                default -> {
                    dao.members().remove(ada.id(), ed.id());
                    dao.users().deleteWithoutAccount(ed.id(), false, stet.now());
                }
            }
        });
        stet.clock.advance(Duration.ofMinutes(1));
        assertTrue(Running.comes(() -> number("select count(*) from mails where state = 'waiting'") == 0));
        assertEquals(List.of(), sink.mails);
    }

    /** 100 emails by one user and 200 of one account: one writer does not use up what the account may send. */
    @Test
    void reviewEmailsAreLimitedByUserAndAccount() {
        User will = stet.member(ada, "will@example.com", Role.WRITER, PASSWORD);
        stet.db.change(dao -> {
            for (int i = 0; i < 102; i++) {
                dao.as(new Actor(will.id(), "will", "")).mails().addReviews(ada.id(), "t" + i, stet.now());
            }
        });
        assertEquals(100, number("select count(*) from mails where kind = 'review'"));
        Account bob = stet.account("bob@example.com", Plan.PRO);
        stet.confirm("bob@example.com");
        stet.db.change(dao -> {
            for (int i = 0; i < 102; i++) {
                dao.as(new Actor(4711L, "eve", "")).mails().addReviews(ada.id(), "x" + i, stet.now());
            }
            dao.as(new Actor(4712L, "mallory", "")).mails().addReviews(ada.id(), "last", stet.now());
            dao.as(new Actor(4712L, "mallory", "")).mails().addReviews(bob.id(), "first", stet.now());
        });
        assertEquals(200, number("select count(*) from mails where account_id = " + ada.id()));
        assertEquals(1, number("select count(*) from mails where account_id = " + bob.id()));
    }

    @Test
    void anEndedReviewRequestIsNotSent() {
        User will = stet.member(ada, "will@example.com", Role.WRITER, PASSWORD);
        sink.reply("greeting", "421 later");
        stet.restartWithMail(sink.url());
        Browser writer = Browser.of(stet, ada, will);
        assertEquals(200, writer.post("/data/templates/welcome/request", "{\"note\":\"\"}").status());
        becomes(1, "waiting 1 The mail server is not ready: 421 later");
        assertEquals(200, writer.delete("/data/templates/welcome/request").status());
        sink.obey();
        stet.clock.advance(Duration.ofMinutes(1));
        becomes(1, "dropped 1 the review request has ended, or the user does not receive these emails");
        assertEquals(List.of(), sink.mails);
    }
}
