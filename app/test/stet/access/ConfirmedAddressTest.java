package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.MailSink;
import stet.harness.Running;

/** Ways to confirm an email address: by a link in an email, by an invitation in an email, or by a proxy; and invitations by email. */
class ConfirmedAddressTest {
    private static final String PASSWORD = "correct horse";
    private static final String ENDED = "{\"error\":\"This link has been used or revoked, or has expired; ask for a new link\",\"field\":\"secret\"}";

    private final Running stet = new Running();
    private MailSink sink;
    private final Account ada = stet.account("ada@example.com", Plan.PRO, PASSWORD);
    private Browser owner;
    private Browser stranger;

    @BeforeEach
    void start() throws IOException {
        sink = new MailSink();
        stet.restartWithMail(sink.url());
        owner = Browser.of(stet, ada);
        stranger = Browser.of(stet);
    }

    @AfterEach
    void close() {
        stet.close();
        sink.close();
    }

    private void settle() {
        assertTrue(Running.comes(() -> stet.db.read(dao -> dao.mailQueue().waiting()) == 0));
    }

    private MailSink.Mail mail() {
        settle();
        assertFalse(sink.mails.isEmpty());
        return sink.mails.remove(0);
    }

    private static String secret(MailSink.Mail mail, String path) {
        Matcher link = Pattern.compile("http://\\S+" + path + "#([\\w-]+)").matcher(mail.text());
        assertTrue(link.find(), mail.text());
        return link.group(1);
    }

    private boolean isConfirmed(String email) {
        return stet.db.read(dao -> dao.users().isConfirmed(dao.users().find(email).orElseThrow().id()));
    }

    private static String secretJson(String secret) {
        return "{\"secret\":\"" + secret + "\"}";
    }

    // ---- one's own address

    @Test
    void theOwnAddressIsConfirmedByALink() {
        assertTrue(owner.get("/data/session").text().endsWith(",\"mail\":true,\"unconfirmed\":true}"), owner.get("/data/session").text());
        answered(200, "{\"on\":true,\"confirmed\":false,\"choices\":{\"tests\":false,\"reviews\":true}}", owner.get("/data/mail/own"));
        answered(204, "", owner.post("/data/mail/confirmation", "{}"));
        MailSink.Mail mail = mail();
        assertEquals("ada@example.com Confirm your email address", mail.to() + " " + mail.header("Subject"));
        assertTrue(mail.text().contains("Confirm that ada@example.com is your address.\n"), mail.text());
        String secret = secret(mail, "/confirm");
        answered(200, "{\"accounts\":[],\"email\":\"ada@example.com\",\"madeBy\":\"ada@example.com\",\"expiresAt\":\"2026-02-01T09:00:00.000Z\","
                + "\"confirms\":\"ada@example.com\"}", stranger.post("/data/link", secretJson(secret)));
        assertFalse(isConfirmed("ada@example.com"));
        answered(204, "", stranger.post("/data/link/confirm", secretJson(secret)));
        assertTrue(isConfirmed("ada@example.com"));
        answered(422, ENDED, stranger.post("/data/link/confirm", secretJson(secret)));
        assertTrue(owner.get("/data/session").text().endsWith(",\"mail\":true}"), owner.get("/data/session").text());
    }

    @Test
    void aConfirmationLinkIsNoOtherKindOfLink() {
        answered(204, "", owner.post("/data/mail/confirmation", "{}"));
        String secret = secret(mail(), "/confirm");
        answered(422, ENDED, stranger.post("/data/link/reset", "{\"secret\":\"" + secret + "\",\"password\":\"another password\"}"));
        answered(422, ENDED, stranger.post("/data/link/register", "{\"secret\":\"" + secret + "\",\"name\":\"\",\"email\":\"x@example.com\",\"password\":\"another password\"}"));
        answered(204, "", stranger.post("/data/link/confirm", secretJson(secret)));
    }

    @Test
    void aConfirmedAddressGetsNoFurtherLink() {
        stet.confirm("ada@example.com");
        answered(204, "", owner.post("/data/mail/confirmation", "{}"));
        settle();
        assertEquals(List.of(), sink.mails);
    }

    @Test
    void otherLinksConfirmNothing() {
        User will = stet.member(ada, "will@example.com", Role.WRITER, PASSWORD);
        String reset = owner.post("/data/members/" + will.id() + "/reset", "{}").text().replaceAll(".*#([\\w-]+).*", "$1");
        String invitation = owner.post("/data/invitations", "{\"role\":\"writer\",\"notes\":[],\"others\":[]}").text().replaceAll(".*#([\\w-]+).*", "$1");
        for (String secret : List.of(reset, invitation, "guessed")) {
            answered(422, ENDED, stranger.post("/data/link/confirm", secretJson(secret)));
        }
        assertFalse(isConfirmed("will@example.com"));
    }

    private static final String ENOUGH = "{\"error\":\"Enough emails to confirm this address have been sent today; try again tomorrow, or look for them among spam\",\"field\":\"email\"}";

    @Test
    void aUsersAddressGetsThreeConfirmationsADay() {
        for (int i = 0; i < 3; i++) {
            answered(204, "", owner.post("/data/mail/confirmation", "{}"));
        }
        answered(422, ENOUGH, owner.post("/data/mail/confirmation", "{}"));
        stet.clock.advance(Duration.ofDays(1));
        answered(204, "", Browser.of(stet, ada).post("/data/mail/confirmation", "{}"));
    }

    @Test
    void aUserCausesFiveConfirmationsADay() {
        for (int i = 0; i < 5; i++) {
            assertEquals(200, change("new" + i + "@example.com").status());
        }
        answered(422, ENOUGH, change("third-party@example.com"));
        assertEquals(5, number("select count(*) from mails where kind = 'address'"));
        stet.clock.advance(Duration.ofDays(1));
        owner = Browser.of(stet, ada);
        assertEquals(200, change("third-party@example.com").status());
    }

    /** By whichever users; requests by others do not count against the user who has the address. */
    @Test
    void aNewAddressGetsThreeConfirmationsADay() {
        assertEquals(200, change("new1@example.com").status());
        User will = stet.member(ada, "will@example.com", Role.WRITER, PASSWORD);
        Browser writer = Browser.of(stet, ada, will);
        assertEquals(200, put(writer, "new1@example.com").status());
        assertEquals(200, put(writer, "new1@example.com").status());
        answered(422, ENOUGH, put(writer, "new1@example.com"));
        User joined = stet.member(ada, "new1@example.com", Role.WRITER, PASSWORD);
        for (int i = 0; i < 3; i++) {
            answered(204, "", Browser.of(stet, ada, joined).post("/data/mail/confirmation", "{}"));
        }
        answered(422, ENOUGH, Browser.of(stet, ada, joined).post("/data/mail/confirmation", "{}"));
    }

    /** Whoever invites one user after another with somebody else's address does not make Stet send to it without end. */
    @Test
    void usersWhoAreDeletedLeaveTheAddressItsLimit() {
        for (int i = 0; i < 5; i++) {
            User claimed = stet.member(ada, "victim@example.com", Role.WRITER, PASSWORD);
            for (int j = 0; j < 3; j++) {
                Browser.of(stet, ada, claimed).post("/data/mail/confirmation", "{}");
            }
            answered(204, "", owner.delete("/data/members/" + claimed.id()));
        }
        settle();
        assertTrue(sink.mails.size() <= 6, "waiting emails end with their user");
        User claimed = stet.member(ada, "victim@example.com", Role.WRITER, PASSWORD);
        answered(422, ENOUGH, Browser.of(stet, ada, claimed).post("/data/mail/confirmation", "{}"));
        stet.clock.advance(Duration.ofHours(4));
        answered(204, "", Browser.of(stet, ada, claimed).post("/data/mail/confirmation", "{}"));
    }

    // ---- another address

    private Client.Reply change(String email) {
        return put(owner, email);
    }

    private static Client.Reply put(Browser browser, String email) {
        return browser.put("/data/user", "{\"name\":\"\",\"email\":\"" + email + "\",\"current\":\"" + PASSWORD + "\"}");
    }

    @Test
    void aNewAddressIsUsedOnceItIsConfirmed() {
        stet.confirm("ada@example.com");
        assertEquals("ada@example.com", Json.tree(change("Ada@B\u00fccher.example").text()).get("email").asText());
        answered(200, "{\"on\":true,\"confirmed\":true,\"pending\":\"Ada@B\u00fccher.example\",\"choices\":{\"tests\":false,\"reviews\":true}}", owner.get("/data/mail/own"));
        assertTrue(stet.db.read(dao -> dao.users().find("Ada@B\u00fccher.example")).isEmpty());
        MailSink.Mail mail = mail();
        assertEquals("Ada@xn--bcher-kva.example", mail.to());
        assertTrue(mail.text().contains("You then sign in to Stet with this address instead of ada@example.com."), mail.text());
        answered(204, "", stranger.post("/data/link/confirm", secretJson(secret(mail, "/confirm"))));
        assertTrue(isConfirmed("Ada@B\u00fccher.example"));
        assertTrue(stet.db.read(dao -> dao.users().find("ada@example.com")).isEmpty());
        MailSink.Mail notice = mail();
        assertEquals("ada@example.com Your email address was changed", notice.to() + " " + notice.header("Subject"));
        assertTrue(notice.text().contains("You now sign in to Stet as Ada@B\u00fccher.example. Stet sends nothing more to ada@example.com."), notice.text());
        String activity = Browser.of(stet, ada, stet.owner(ada)).get("/data/activity").text();
        assertTrue(activity.contains("\"kind\":\"email-changed\",\"subject\":\"Ada@B\u00fccher.example\",\"detail\":\"ada@example.com\""), activity);
    }

    @Test
    void aFormerAddressThatWasNotConfirmedGetsNoNotice() {
        change("new@example.com");
        answered(204, "", stranger.post("/data/link/confirm", secretJson(secret(mail(), "/confirm"))));
        settle();
        assertEquals(List.of(), sink.mails);
    }

    /** Changes between the request and the click decide. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            another request            | {"error":"This link has been used or revoked, or has expired; ask for a new link","field":"secret"}
            a new password             | {"error":"This link has been used or revoked, or has expired; ask for a new link","field":"secret"}
            a day                      | {"error":"This link has been used or revoked, or has expired; ask for a new link","field":"secret"}
            another user's new address | {"error":"Another user already has this email address; use another address","field":"email"}
            """)
    void aPendingChangeThatHasEndedIsNotConfirmed(String event, String refused) {
        change("new@example.com");
        String secret = secret(mail(), "/confirm");
        switch (event) {
            case "another request" -> change("newer@example.com");
            case "a new password" -> stet.db.change(dao -> dao.users().changePassword(stet.owner(ada).id(), null));
            case "a day" -> stet.clock.advance(Duration.ofDays(1));
            default -> stet.user("new@example.com");
        }
        answered(422, refused, stranger.post("/data/link/confirm", secretJson(secret)));
        assertTrue(stet.db.read(dao -> dao.users().find("ada@example.com")).isPresent());
    }

    @Test
    void anUnusableAddressOrAWrongPasswordSendsNoEmail() {
        for (String unusable : List.of("\u00e4da@example.com", "ada@localhost@example.com")) {
            assertEquals("email", Json.tree(change(unusable).text()).path("field").asText(), unusable);
        }
        answered(422, "{\"error\":\"The current password is wrong\",\"field\":\"current\"}",
                owner.put("/data/user", "{\"name\":\"\",\"email\":\"new@example.com\",\"current\":\"wrong\"}"));
        settle();
        assertEquals(List.of(), sink.mails);
    }

    @Test
    void withoutAMailServerTheAddressChangesAtOnce() {
        stet.confirm("ada@example.com");
        stet.restartWithMail(null);
        owner = Browser.of(stet, ada);
        assertEquals("new@example.com", Json.tree(change("new@example.com").text()).get("email").asText());
        assertFalse(isConfirmed("new@example.com"));
        assertFalse(owner.get("/data/session").text().contains("\"mail\""));
    }

    @Test
    void aProxyConfirmsAddresses() {
        stet.restartWithProxy();
        assertEquals(200, Browser.of(stet).post("/data/session/proxy", "{}", "Remote-User: ada@example.com").status());
        assertTrue(isConfirmed("ada@example.com"));
    }

    // ---- invitations

    private Client.Reply invite(String notes) {
        return owner.post("/data/invitations", "{\"role\":\"editor\",\"notes\":[" + notes + "],\"others\":[],\"mail\":true}");
    }

    private Client.Reply inviteWithoutEmail(String notes) {
        return owner.post("/data/invitations", "{\"role\":\"editor\",\"notes\":[" + notes + "],\"others\":[]}");
    }

    @Test
    void anInvitationByEmailConfirmsItsAddress() {
        Client.Reply made = invite("\"ben@example.com\",\"Carl\"");
        assertEquals("true false", Json.tree(made.text()).get("links").get(0).path("mailed").asBoolean() + " "
                + Json.tree(made.text()).get("links").get(1).path("mailed").asBoolean());
        MailSink.Mail mail = mail();
        assertEquals(List.of(), sink.mails);
        assertEquals("ben@example.com ada@example.com invites you to ada@example.com", mail.to() + " " + mail.header("Subject"));
        assertTrue(mail.text().contains("ada@example.com invites you to join ada@example.com on Stet as an editor."), mail.text());
        String secret = secret(mail, "/join");
        String copied = Json.tree(made.text()).get("links").get(0).get("link").asText().replaceAll(".*#", "");
        assertEquals(stranger.post("/data/link", secretJson(copied)).text(), stranger.post("/data/link", secretJson(secret)).text());
        assertEquals(200, stranger.post("/data/link/register", "{\"secret\":\"" + secret + "\",\"name\":\"Ben\",\"email\":\"Ben@example.com\",\"password\":\"another password\"}").status());
        assertTrue(isConfirmed("ben@example.com"));
        // both forms of the link are used
        assertEquals("422 422", stranger.post("/data/link", secretJson(copied)).status() + " " + stranger.post("/data/link", secretJson(secret)).status());
    }

    @Test
    void theCopiedLinkOrAnotherAddressConfirmsNothing() {
        String copied = Json.tree(invite("\"ben@example.com\"").text()).get("links").get(0).get("link").asText().replaceAll(".*#", "");
        String mailed = secret(mail(), "/join");
        assertEquals(200, stranger.post("/data/link/register", "{\"secret\":\"" + copied + "\",\"name\":\"\",\"email\":\"ben@example.com\",\"password\":\"another password\"}").status());
        assertFalse(isConfirmed("ben@example.com"));
        answered(422, ENDED, stranger.post("/data/link", secretJson(mailed)));
        invite("\"carl@example.com\"");
        assertEquals(200, stranger.post("/data/link/register", "{\"secret\":\"" + secret(mail(), "/join") + "\",\"name\":\"\",\"email\":\"eve@example.com\",\"password\":\"another password\"}").status());
        assertFalse(isConfirmed("eve@example.com"));
    }

    @Test
    void aRevokedInvitationIsNotSent() {
        sink.reply("greeting", "421 later");
        invite("\"ben@example.com\"");
        assertTrue(Running.comes(() -> number("select count(*) from mails where tries = 1 and state = 'waiting'") == 1));
        long id = Json.tree(owner.get("/data/members").text()).get("invitations").get(0).get("id").asLong();
        answered(204, "", owner.delete("/data/invitations/" + id));
        sink.obey();
        stet.clock.advance(Duration.ofMinutes(1));
        settle();
        assertEquals(List.of(), sink.mails);
        assertEquals(1, number("select count(*) from mails where state = 'dropped'"));
    }

    private long number(String sql) {
        return stet.db.read(dao -> dao.sql().number(sql));
    }

    @Test
    void anAccountEmailsAHundredInvitationsADay() {
        for (int i = 0; i < 5; i++) {
            StringBuilder notes = new StringBuilder();
            for (int j = 0; j < 20; j++) {
                notes.append(j == 0 ? "" : ",").append("\"u").append(i * 20 + j).append("@example.com\"");
            }
            assertEquals(201, invite(notes.toString()).status());
            stet.db.change(dao -> dao.links().invitations(ada.id(), stet.now()).forEach(link -> dao.links().revoke(link, stet.now())));
        }
        answered(422, "{\"error\":\"This account has emailed 100 invitations within a day; create links without emails\",\"field\":\"notes\"}", invite("\"ben@example.com\""));
        assertEquals(201, inviteWithoutEmail("\"ben@example.com\"").status());
        stet.clock.advance(Duration.ofDays(1));
        owner = Browser.of(stet, ada);
        assertEquals(201, invite("\"ben@example.com\"").status());
    }

    @Test
    void anAddressGetsThreeInvitationsADay() {
        Account bob = stet.account("bob@example.com", Plan.PRO);
        owner = Browser.of(stet, bob);
        for (int i = 0; i < 3; i++) {
            assertEquals(201, invite("\"victim@example.com\"").status());
        }
        answered(422, "{\"error\":\"Victim@example.com has had 3 invitations by email within a day; create a link without an email\",\"field\":\"notes\"}",
                invite("\"Victim@example.com\""));
        assertEquals(3, number("select count(*) from links where account_id = " + bob.id()));
        stet.clock.advance(Duration.ofDays(1));
        owner = Browser.of(stet, bob);
        assertEquals(201, invite("\"Victim@example.com\"").status());
    }

    @Test
    void anInvitationByEmailNeedsAUsableAddress() {
        for (String unusable : List.of("\u00e4da@example.com", "ben@example.com>")) {
            assertEquals("email", Json.tree(invite("\"" + unusable + "\"").text()).path("field").asText(), unusable);
        }
    }

    /** Names in an email are text: no markup, no further header, and of a bounded length. */
    @Test
    void namesInEmailsAreOnlyText() {
        stet.db.change(dao -> {
            dao.users().changeName(stet.owner(ada).id(), "<b>Ada</b> & \"Co\"");
            dao.accounts().rename(ada, "{{evil}} <img src=x> " + "x".repeat(150), stet.now());
        });
        owner = Browser.of(stet, stet.db.read(dao -> dao.accounts().find(ada.id())).orElseThrow(), stet.owner(ada));
        invite("\"ben@example.com\"");
        MailSink.Mail mail = mail();
        assertTrue(mail.html().contains("&lt;b&gt;Ada&lt;/b&gt; &amp; &quot;Co&quot; invites you to join <b>{{evil}} &lt;img src&#x3D;x&gt; xxxx")
                && !mail.html().contains("<img"), mail.html());
        assertTrue(mail.text().contains("x\u2026 on Stet") && !mail.text().contains("x".repeat(81)), mail.text());
    }
}
