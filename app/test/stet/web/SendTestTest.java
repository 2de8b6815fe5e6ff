package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.dao.MailChoiceDao.MailChoices;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.MailSink;
import stet.harness.Running;

/** Test emails: who may send which text to whom, how many, and what arrives. */
class SendTestTest {
    private static final String PASSWORD = "correct horse";

    private final Running stet = new Running();
    private MailSink sink;
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final User will = stet.member(ada, "will@example.com", Role.WRITER, PASSWORD);
    private Browser owner;
    private Browser writer;

    @BeforeEach
    void start() throws IOException {
        sink = new MailSink();
        stet.restartWithMail(sink.url());
        stet.draft(ada, "welcome", "Welcome", "Hello {{name}}", "<p>Hello {{name}}, {{> foot}}</p>");
        stet.block(ada, "foot", "bye from <b>{{company}}</b>");
        stet.confirm("ada@example.com");
        stet.confirm("will@example.com");
        owner = Browser.of(stet, ada);
        writer = Browser.of(stet, ada, will);
    }

    @AfterEach
    void close() {
        stet.close();
        sink.close();
    }

    private static String draft(String html, long to, String... more) {
        Map<String, Object> json = new LinkedHashMap<>(Map.of("template", "welcome", "subject", "Hi {{name}}", "html", html, "to", to,
                "samples", Map.of("default", "{\"name\":\"Ada & Bob\",\"company\":\"Northlight\"}", "long", "{\"name\":\"Zo\u00eb\"}"), "defaultSamples", "default"));
        for (int i = 0; i < more.length; i += 2) {
            json.put(more[i], more[i + 1]);
        }
        return Utf8.text(Json.write(json));
    }

    private long self(Browser browser) {
        return Json.tree(browser.get("/data/tests").text()).get("recipients").get(0).get("id").asLong();
    }

    /** Sends a test and waits until it has ended. */
    private JsonNode ended(Browser browser, Client.Reply reply) {
        assertEquals(201, reply.status(), reply.text());
        long id = Json.tree(reply.text()).get("id").asLong();
        assertTrue(Running.comes(() -> browser.get("/data/tests/" + id).text().matches(".*\"state\":\"(sent|failed|dropped)\".*")));
        return Json.tree(browser.get("/data/tests/" + id).text());
    }

    private long number(String sql) {
        return stet.db.read(dao -> dao.sql().number(sql));
    }

    private MailSink.Mail mail() {
        assertTrue(Running.comes(() -> !sink.mails.isEmpty()));
        return sink.mails.remove(0);
    }

    // ---- what arrives

    /** The subject and both parts are those of the .eml file. */
    @Test
    void aDraftArrivesLikeItsFile() {
        String html = "<p>Hello {{name}}, {{> foot}}</p>";
        JsonNode state = ended(writer, writer.post("/data/tests", draft(html, will.id())));
        assertEquals("{\"id\":1,\"email\":\"will@example.com\",\"state\":\"sent\",\"tries\":1,\"dueAt\":null,\"outcome\":\"250 queued as 4711\"}", state.toString());
        MailSink.Mail mail = mail();
        assertEquals("stet@example.com will@example.com", mail.from() + " " + mail.to());
        assertEquals("[Test] Hi Ada & Bob", mail.header("Subject"));
        assertEquals("\"Stet\" <stet@example.com>", mail.header("From"));
        assertEquals("<will@example.com>", mail.header("To"));
        assertEquals("auto-generated", mail.header("Auto-Submitted"));
        assertTrue(mail.header("Message-ID").matches("<stet\\.[0-9]+\\.1@example\\.com>"), mail.header("Message-ID"));
        assertEquals("Sat, 31 Jan 2026 09:00:00 +0000", mail.header("Date"));
        assertEquals("<p>Hello Ada &amp; Bob, bye from <b>Northlight</b></p>", mail.html());
        assertEquals("Hello Ada & Bob, bye from Northlight\n", mail.text());
        String file = writer.post("/data/eml", draft(html, 0).replaceFirst(",?\"template\":\"welcome\"", "").replaceFirst(",?\"to\":0", "").replace("{,", "{")).text();
        assertEquals(file.substring(file.indexOf("MIME-Version")), mail.message().substring(mail.message().indexOf("MIME-Version")));
    }

    @Test
    void aDraftIsSentWithTheChosenTestData() {
        ended(writer, writer.post("/data/tests", draft("<p>{{name}}</p>", will.id(), "chosen", "long")));
        MailSink.Mail mail = mail();
        assertEquals("=?utf-8?B?W1Rlc3RdIEhpIFpvw6s=?=", mail.header("Subject"));
        assertEquals("<p>Zo\u00eb</p>", mail.html());
    }

    @Test
    void aVersionIsSentAsItWasPublishedWithTheDraftsTestData() {
        stet.publish(ada, "welcome");
        stet.block(ada, "foot", "changed");
        assertEquals(200, owner.put("/data/templates/welcome", "{\"revision\":1,\"subject\":\"changed\",\"html\":\"changed\",\"samples\":"
                + "{\"a\":\"{\\\"name\\\":\\\"Ada\\\",\\\"company\\\":\\\"Northlight\\\"}\"}}").status());
        String path = "/data/templates/welcome/versions/";
        ended(writer, writer.post(path + "1/tests", "{\"to\":" + will.id() + "}"));
        MailSink.Mail mail = mail();
        assertEquals("[Test] Hello Ada", mail.header("Subject"));
        assertEquals("<p>Hello Ada, bye from <b>Northlight</b></p>", mail.html());
        assertEquals(404, writer.post(path + "2/tests", "{\"to\":" + will.id() + "}").status());
    }

    @Test
    void onlyMembersSendWhatAReviewLinkShows() {
        String url = Json.tree(writer.post("/data/templates/welcome/reviews", "{}").text()).get("url").asText();
        String secret = url.substring(url.indexOf('#') + 1);
        ended(owner, owner.post("/data/review/tests", "{\"secret\":\"" + secret + "\",\"to\":" + self(owner) + "}"));
        assertEquals("ada@example.com", mail().to());
        Account other = stet.account("bob@example.com", Plan.PRO);
        stet.confirm("bob@example.com");
        Browser stranger = Browser.of(stet, other);
        answered(422, "{\"error\":\"Only members of the email's account can send it; switch to that account\",\"field\":null}",
                stranger.post("/data/review/tests", "{\"secret\":\"" + secret + "\",\"to\":" + self(stranger) + "}"));
        assertEquals(401, Browser.of(stet).post("/data/review/tests", "{\"secret\":\"" + secret + "\",\"to\":1}").status());
        answered(422, "{\"error\":\"This link has expired or is no longer valid; ask for a new link\",\"field\":\"secret\"}",
                owner.post("/data/review/tests", "{\"secret\":\"guessed\",\"to\":1}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\\r\\nBcc: eve@example.com", "a\\nb", "\\u2028Bcc: eve@example.com", "\\u0085x"})
    void aSubjectWithALineBreakIsRejected(String subject) {
        Client.Reply rejected = writer.post("/data/tests", draft("<p>x</p>", will.id()).replace("Hi {{name}}", subject));
        assertEquals("422 subject", rejected.status() + " " + Json.tree(rejected.text()).get("field").asText());
    }

    @Test
    void testDataInTheSubjectAddsNoHeader() {
        String json = draft("<p>x</p>", will.id()).replace("Hi {{name}}", "{{inject}}").replace("{\\\"name\\\":", "{\\\"inject\\\":\\\"a\\\\r\\\\nBcc: eve@example.com\\\",\\\"name\\\":");
        ended(writer, writer.post("/data/tests", json));
        MailSink.Mail mail = mail();
        assertEquals("[Test] a Bcc: eve@example.com", mail.header("Subject"));
        String head = mail.message().split("\r\n\r\n")[0];
        assertTrue(head.lines().noneMatch(line -> line.startsWith("Bcc")), head);
    }

    // ---- who receives

    @Test
    void testsGoToOneselfOrToMembersWhoChoseThem() {
        long adaId = self(owner);
        assertEquals("{\"email\":\"will@example.com\",\"confirmed\":true,\"recipients\":[{\"id\":" + will.id()
                + ",\"name\":\"\",\"email\":\"will@example.com\",\"self\":true}]}", writer.get("/data/tests").text());
        String refused = "{\"error\":\"This user does not receive tests; choose another recipient\",\"field\":\"to\"}";
        answered(422, refused, writer.post("/data/tests", draft("x", adaId)));
        answered(422, refused, writer.post("/data/tests", draft("x", 4711)));
        answered(422, "{\"error\":\"\\\"to\\\" must be a whole number\",\"field\":\"to\"}", writer.post("/data/tests", draft("x", 1, "to", "eve@example.com")));
        answered(204, "", owner.put("/data/mail/choices", "{\"tests\":true,\"reviews\":true}"));
        ended(writer, writer.post("/data/tests", draft("x", adaId)));
        assertEquals("ada@example.com", mail().to());
    }

    @Test
    void noTestGoesToAMemberOfAnotherAccount() {
        Account other = stet.account("bob@example.com", Plan.PRO);
        stet.confirm("bob@example.com");
        Browser bob = Browser.of(stet, other);
        answered(204, "", bob.put("/data/mail/choices", "{\"tests\":true,\"reviews\":true}"));
        answered(422, "{\"error\":\"This user does not receive tests; choose another recipient\",\"field\":\"to\"}",
                writer.post("/data/tests", draft("x", self(bob))));
    }

    @Test
    void nothingGoesToAnUnconfirmedAddress() {
        User eve = stet.member(ada, "eve@example.com", Role.OWNER, PASSWORD);
        Browser unconfirmed = Browser.of(stet, ada, eve);
        assertEquals("{\"email\":\"eve@example.com\",\"confirmed\":false,\"recipients\":[]}", unconfirmed.get("/data/tests").text());
        answered(422, "{\"error\":\"Confirm your email address first; open your account page\",\"field\":\"to\"}",
                unconfirmed.post("/data/tests", draft("x", eve.id())));
        answered(204, "", unconfirmed.put("/data/mail/choices", "{\"tests\":true,\"reviews\":true}"));
        answered(422, "{\"error\":\"This user does not receive tests; choose another recipient\",\"field\":\"to\"}", writer.post("/data/tests", draft("x", eve.id())));
        assertEquals(List.of(), sink.mails);
    }

    /** Changes while an email waits decide whether it is sent. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            recipient chooses none     | the sender has left, or the recipient does not receive tests
            sender leaves              | the sender has left, or the recipient does not receive tests
            recipient changes address  | the user has another address now
            account is suspended       | the account is suspended or deleted
            an hour passes             | it could not be sent in time
            """)
    void aTestWhoseConditionsEndWhileItWaitsIsDropped(String change, String reason) {
        answered(204, "", owner.put("/data/mail/choices", "{\"tests\":true,\"reviews\":true}"));
        sink.reply("RCPT", "450 later");
        long id = Json.tree(writer.post("/data/tests", draft("x", self(owner))).text()).get("id").asLong();
        assertTrue(Running.comes(() -> outcome(id).equals("waiting 1 The mail server rejected the recipient ada@example.com: 450 later")), outcome(id));
        sink.obey();
        stet.db.change(dao -> {
            switch (change) {
                case "recipient chooses none" -> dao.mailChoices().choose(ada.id(), stet.owner(ada).id(), new MailChoices(false, true));
                case "sender leaves" -> dao.members().remove(ada.id(), will.id());
                case "recipient changes address" -> dao.users().changeEmail(stet.owner(ada).id(), "new@example.com");
                case "account is suspended" -> dao.accounts().setSuspended(ada, true, stet.now());
                default -> stet.clock.advance(Duration.ofHours(1));
            }
        });
        stet.clock.advance(Duration.ofMinutes(1));
        assertTrue(Running.comes(() -> outcome(id).equals("dropped 1 " + reason)), outcome(id));
        assertEquals(List.of(), sink.mails);
        assertEquals(0, number("select count(*) from mails where html is not null"));
    }

    private String outcome(long id) {
        return stet.db.read(dao -> dao.mailQueue().find(id).map(mail -> mail.state().word() + " " + mail.tries() + " " + mail.outcome())).orElse("");
    }

    // ---- how many

    @Test
    void aUserSendsTenTestsAnHourAndAnAccountFifty() {
        send(writer, will.id(), 10);
        answered(422, "{\"error\":\"You have sent 10 tests within an hour; try again later\",\"field\":null}", writer.post("/data/tests", draft("x", will.id())));
        for (int i = 0; i < 4; i++) {
            User more = stet.member(ada, "m" + i + "@example.com", Role.WRITER, PASSWORD);
            stet.confirm("m" + i + "@example.com");
            send(Browser.of(stet, ada, more), more.id(), 10);
        }
        answered(422, "{\"error\":\"This account has sent 50 tests within an hour; try again later\",\"field\":null}", owner.post("/data/tests", draft("x", self(owner))));
        assertEquals(50, sink.mails.size());
        anotherAccountSends();
        stet.clock.advance(Duration.ofMinutes(61));
        send(owner, self(owner), 1);
        send(writer, will.id(), 10);
        stet.restart(); // forgets nothing
        assertEquals(422, Browser.of(stet, ada, will).post("/data/tests", draft("x", will.id())).status());
    }

    private void anotherAccountSends() {
        Account other = stet.account("bob@example.com", Plan.PRO);
        stet.confirm("bob@example.com");
        stet.draft(other, "welcome", "Welcome", "Hello", "<p>Hello</p>");
        Browser bob = Browser.of(stet, other);
        assertEquals(201, bob.post("/data/tests", draft("x", self(bob))).status());
    }

    private void send(Browser browser, long to, int number) {
        for (int i = 0; i < number; i++) {
            assertEquals(201, browser.post("/data/tests", draft("x", to)).status());
            assertTrue(i % 5 < 4 && i < number - 1 || Running.comes(() -> number("select count(*) from mails where state in ('waiting', 'sending')") == 0));
        }
    }

    @Test
    void aUserHasAtMostFiveWaitingTestsAndAnAccountTen() {
        sink.reply("RCPT", "450 later");
        User eve = stet.member(ada, "eve@example.com", Role.WRITER, PASSWORD);
        stet.confirm("eve@example.com");
        Browser editor = Browser.of(stet, ada, eve);
        for (int i = 0; i < 5; i++) {
            assertEquals(201, writer.post("/data/tests", draft("x", will.id())).status());
        }
        answered(422, "{\"error\":\"The mail server has not yet taken your last 5 tests; try again later\",\"field\":null}",
                writer.post("/data/tests", draft("x", will.id())));
        for (int i = 0; i < 5; i++) { // whom the first user does not hold up
            assertEquals(201, editor.post("/data/tests", draft("x", eve.id())).status());
        }
        answered(422, "{\"error\":\"The mail server has not yet taken the last 10 tests; try again later\",\"field\":null}",
                owner.post("/data/tests", draft("x", self(owner))));
        anotherAccountSends();
    }

    @Test
    void aTestHasAtMostOneMebibyte() {
        assertEquals(201, writer.post("/data/tests", draft("x".repeat(1 << 20), will.id())).status());
        answered(422, "{\"error\":\"The email is 1048577 bytes with this test data; a test must have at most 1048576 (1 MiB)\",\"field\":null}",
                writer.post("/data/tests", draft("x".repeat((1 << 20) + 1), will.id())));
        String large = "<p>{{#each rows}}" + "x".repeat(1_000) + "{{/each}}</p>";
        String rows = "{\\\"rows\\\":[" + "1,".repeat(1_100) + "1],\\\"name\\\":";
        answered(422, "{\"error\":\"The email is 1101007 bytes with this test data; a test must have at most 1048576 (1 MiB)\",\"field\":null}",
                writer.post("/data/tests", draft(large, will.id()).replace("{\\\"name\\\":", rows)));
    }

    // ---- what remains, and without a mail server

    @Test
    void testsAreRecordedWithoutTheirTexts() {
        ended(writer, writer.post("/data/tests", draft("x", will.id())));
        String activity = owner.get("/data/activity").text();
        assertTrue(activity.contains("\"kind\":\"test-sent\",\"subject\":\"welcome\",\"detail\":\"will@example.com\""), activity);
        assertEquals(0, number("select count(*) from mails where html is not null or subject is not null"));
    }

    @Test
    void aUserSeesOnlyTheirOwnTests() {
        JsonNode state = ended(writer, writer.post("/data/tests", draft("x", will.id())));
        assertEquals(404, owner.get("/data/tests/" + state.get("id")).status());
        assertEquals(404, Browser.of(stet, stet.account("bob@example.com", Plan.PRO)).get("/data/tests/" + state.get("id")).status());
    }

    @Test
    void aTestOfAnUnknownTemplateIsNotFound() {
        assertEquals(404, writer.post("/data/tests", draft("x", will.id()).replace("\"welcome\"", "\"other\"")).status());
    }

    @Test
    void withoutAMailServerNothingIsSent() {
        stet.restartWithMail(null);
        Browser browser = Browser.of(stet, ada, will);
        String refused = "{\"error\":\"This server sends no emails; ask an administrator to set --smtp\",\"field\":null}";
        answered(422, refused, browser.get("/data/tests"));
        answered(422, refused, browser.post("/data/tests", draft("x", will.id())));
        answered(422, refused, browser.put("/data/mail/choices", "{\"tests\":true}"));
        answered(422, refused, browser.post("/data/mail/confirmation", "{}"));
        answered(422, refused, Browser.of(stet).post("/data/link/request", "{\"email\":\"will@example.com\"}"));
        answered(200, "{\"on\":false}", browser.get("/data/mail"));
        answered(200, "{\"on\":false}", browser.get("/data/mail/own"));
        assertEquals(0, number("select count(*) from mails"));
    }
}
