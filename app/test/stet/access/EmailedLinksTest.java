package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
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
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.base.Totp;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.MailSink;
import stet.harness.Running;

/** Links by owners and administrators that Stet also emails, and notices about a new password. */
class EmailedLinksTest {
    private static final String PASSWORD = "correct horse";

    private final Running stet = new Running();
    private MailSink sink;
    private final Account ada = stet.account("ada@example.com", Plan.PRO, PASSWORD);
    private final User will = stet.member(ada, "will@example.com", Role.WRITER, PASSWORD);
    private Browser owner;
    private Browser stranger;

    @BeforeEach
    void start() throws IOException {
        sink = new MailSink();
        stet.restartWithMail(sink.url());
        stet.db.change(dao -> dao.users().setAdministrator(stet.owner(ada).id(), true));
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

    private void nothingIsSent() {
        settle();
        assertEquals(List.of(), sink.mails);
    }

    private static String secret(String text, String path) {
        Matcher link = Pattern.compile(path + "#([\\w-]+)").matcher(text);
        assertTrue(link.find(), text);
        return link.group(1);
    }

    private long number(String sql) {
        return stet.db.read(dao -> dao.sql().number(sql));
    }

    private String shown(String secret) {
        return stranger.post("/data/link", "{\"secret\":\"" + secret + "\"}").text();
    }

    // ---- an administrator's new account

    @Test
    void aNewAccountsOwnerIsInvitedByEmail() {
        JsonNode made = Json.tree(owner.post("/data/accounts", "{\"name\":\"Acme\",\"plan\":\"pro\",\"email\":\" olga@example.com \"}").text());
        assertTrue(made.path("mailed").asBoolean(), () -> made.toString());
        MailSink.Mail mail = mail();
        assertEquals("olga@example.com ada@example.com invites you to Acme", mail.to() + " " + mail.header("Subject"));
        assertTrue(mail.text().contains("to join Acme on Stet as an owner.") && mail.text().contains("sent it because ada@example.com entered your address."), mail.text());
        String mailed = secret(mail.text(), "/join");
        assertEquals(shown(secret(made.get("link").asText(), "/join")), shown(mailed));
        assertEquals(200, stranger.post("/data/link/register", "{\"secret\":\"" + mailed + "\",\"name\":\"\",\"email\":\"olga@example.com\",\"password\":\"another password\"}").status());
        assertEquals(1, number("select count(*) from users where email = 'olga@example.com' and confirmed = 1"));
    }

    @Test
    void anAccountWithoutAnOwnerIsInvitedAgainByEmail() {
        String id = Json.tree(owner.post("/data/accounts", "{\"name\":\"Acme\",\"plan\":\"pro\"}").text()).get("id").asText();
        nothingIsSent();
        JsonNode again = Json.tree(owner.post("/data/accounts/" + id + "/invitation", "{\"email\":\"olga@example.com\"}").text());
        assertTrue(again.path("mailed").asBoolean(), () -> again.toString());
        assertEquals("olga@example.com", mail().to());
    }

    @Test
    void anOwnersAddressGetsThreeInvitationsADay() {
        String id = Json.tree(owner.post("/data/accounts", "{\"name\":\"Acme\",\"plan\":\"pro\"}").text()).get("id").asText();
        for (int i = 0; i < 3; i++) {
            assertEquals(201, owner.post("/data/accounts/" + id + "/invitation", "{\"email\":\"olga@example.com\"}").status());
        }
        answered(422, "{\"error\":\"olga@example.com has had 3 invitations by email within a day; create a link without an email\",\"field\":\"email\"}",
                owner.post("/data/accounts/" + id + "/invitation", "{\"email\":\"olga@example.com\"}"));
        // another address, and a link without an email
        assertEquals(201, owner.post("/data/accounts/" + id + "/invitation", "{\"email\":\"paul@example.com\"}").status());
        assertEquals(201, owner.post("/data/accounts/" + id + "/invitation", "{}").status());
        stet.clock.advance(Duration.ofDays(1));
        owner = Browser.of(stet, ada);
        assertEquals(201, owner.post("/data/accounts/" + id + "/invitation", "{\"email\":\"olga@example.com\"}").status());
    }

    @ParameterizedTest
    @ValueSource(strings = {"olga", "\u00e4da@example.com", "olga@example.com>", "olga@example.com\\r\\nBcc: eve@example.com"})
    void anUnusableAddressMakesNoAccount(String email) {
        Client.Reply refused = owner.post("/data/accounts", "{\"name\":\"Acme\",\"plan\":\"pro\",\"email\":\"" + email + "\"}");
        assertEquals("422 email", refused.status() + " " + Json.tree(refused.text()).path("field").asText());
        assertEquals(1, number("select count(*) from accounts"));
        nothingIsSent();
    }

    @Test
    void withoutAMailServerTheAddressIsANote() {
        stet.restartWithMail(null);
        owner = Browser.of(stet, ada);
        JsonNode made = Json.tree(owner.post("/data/accounts", "{\"name\":\"Acme\",\"plan\":\"pro\",\"email\":\"olga@example.com\"}").text());
        assertEquals(null, made.get("mailed"));
        assertEquals(1, number("select count(*) from links where note = 'olga@example.com'"));
        assertEquals(0, number("select count(*) from mails"));
    }

    /** Changes while an invitation waits decide whether it is sent. */
    @ParameterizedTest
    @ValueSource(strings = {"the inviter loses the role", "the inviter is removed", "the account is deleted", "the account is suspended", "72 hours pass", "the link is used"})
    void anInvitationThatEndsWhileItWaitsIsNotSent(String event) {
        User olga = stet.member(ada, "olga@example.com", Role.OWNER, PASSWORD);
        sink.reply("greeting", "421 later");
        JsonNode made = Json.tree(Browser.of(stet, ada, olga).post("/data/invitations",
                "{\"role\":\"writer\",\"notes\":[\"ben@example.com\"],\"others\":[],\"mail\":true}").text()).get("links").get(0);
        assertTrue(Running.comes(() -> number("select count(*) from mails where tries = 1 and state = 'waiting'") == 1));
        switch (event) {
            case "the inviter loses the role" -> answered(204, "", owner.put("/data/members/" + olga.id(), "{\"role\":\"editor\"}"));
            case "the inviter is removed" -> answered(204, "", owner.delete("/data/members/" + olga.id()));
            case "the account is deleted" -> stet.db.change(dao -> dao.accounts().delete(ada.id(), stet.now()));
            case "the account is suspended" -> stet.db.change(dao -> dao.accounts().setSuspended(ada, true, stet.now()));
            case "72 hours pass" -> stet.clock.advance(Duration.ofHours(72));
            default -> assertEquals(200, stranger.post("/data/link/register", "{\"secret\":\"" + secret(made.get("link").asText(), "/join")
                    + "\",\"name\":\"\",\"email\":\"eve@example.com\",\"password\":\"another password\"}").status());
        }
        sink.obey();
        stet.clock.advance(Duration.ofMinutes(1));
        nothingIsSent();
        assertEquals(1, number("select count(*) from mails where state = 'dropped'"));
    }

    // ---- an owner's password-reset link

    private JsonNode makeResetLink() {
        return Json.tree(owner.post("/data/members/" + will.id() + "/reset", "{}").text());
    }

    @Test
    void anOwnersResetLinkIsEmailedToAConfirmedAddress() {
        assertEquals(null, makeResetLink().get("mailed"));
        nothingIsSent();
        stet.confirm("will@example.com");
        JsonNode made = makeResetLink();
        assertTrue(made.path("mailed").asBoolean(), () -> made.toString());
        MailSink.Mail mail = mail();
        assertEquals("will@example.com Choose a new password", mail.to() + " " + mail.header("Subject"));
        assertTrue(mail.text().contains("ada@example.com made this link with which you can choose a new password for will@example.com on Stet:")
                && mail.text().contains("expires in 24 hours."), mail.text());
        String mailed = secret(mail.text(), "/reset");
        assertEquals(shown(secret(made.get("link").asText(), "/reset")), shown(mailed));
        answered(204, "", stranger.post("/data/link/reset", "{\"secret\":\"" + mailed + "\",\"password\":\"another password\"}"));
        assertTrue(shown(secret(made.get("link").asText(), "/reset")).contains("has been used"));
    }

    /** An owner can use up neither what the user may request nor what another user may get. */
    @Test
    void anOwnersLinksAreLimited() {
        User ben = stet.member(ada, "ben@example.com", Role.WRITER, PASSWORD);
        List.of("will", "ben").forEach(name -> stet.confirm(name + "@example.com"));
        for (int i = 0; i < 5; i++) {
            assertTrue(makeResetLink().has("mailed"), "link " + i);
        }
        assertFalse(makeResetLink().has("mailed"));
        settle();
        sink.mails.clear();
        answered(204, "", stranger.post("/data/link/request", "{\"email\":\"will@example.com\"}"));
        assertTrue(mail().text().contains("Somebody asked to reset the password of will@example.com"));
        assertTrue(Json.tree(owner.post("/data/members/" + ben.id() + "/reset", "{}").text()).has("mailed"));
        stet.clock.advance(Duration.ofDays(1));
        owner = Browser.of(stet, ada);
        assertTrue(makeResetLink().has("mailed"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"removed", "another address", "suspended", "another link"})
    void anOwnersLinkThatEndsWhileItWaitsIsNotSent(String event) {
        stet.confirm("will@example.com");
        sink.reply("greeting", "421 later");
        makeResetLink();
        assertTrue(Running.comes(() -> number("select count(*) from mails where tries = 1 and state = 'waiting'") == 1));
        switch (event) {
            case "removed" -> answered(204, "", owner.delete("/data/members/" + will.id()));
            case "another address" -> stet.db.change(dao -> dao.users().changeEmail(will.id(), "new@example.com"));
            case "suspended" -> stet.db.change(dao -> dao.accounts().setSuspended(ada, true, stet.now()));
            default -> stet.db.change(dao -> dao.links().addReset(null, will.id(), stet.now(), "command"));
        }
        sink.obey();
        stet.clock.advance(Duration.ofMinutes(1));
        nothingIsSent();
    }

    // ---- notices of a new password

    private static final String NEW_PASSWORD = "{\"current\":\"" + PASSWORD + "\",\"password\":\"another password\"}";

    @Test
    void aUserIsNotifiedOfANewPassword() {
        stet.confirm("ada@example.com");
        answered(204, "", owner.put("/data/password", NEW_PASSWORD));
        MailSink.Mail mail = mail();
        assertEquals("ada@example.com Your password was changed", mail.to() + " " + mail.header("Subject"));
        assertTrue(mail.text().contains("The password of ada@example.com on Stet was changed."), mail.text());
        assertFalse(mail.message().contains("another password"));
    }

    @Test
    void anUnconfirmedAddressOrAWrongPasswordGetsNoNotice() {
        answered(204, "", Browser.of(stet, ada, will).put("/data/password", NEW_PASSWORD));
        stet.confirm("ada@example.com");
        answered(422, "{\"error\":\"The current password is wrong\",\"field\":\"current\"}",
                owner.put("/data/password", NEW_PASSWORD.replace(PASSWORD, "a wrong one")));
        nothingIsSent();
    }

    @Test
    void aUserIsNotifiedOfAPasswordChosenByALink() {
        stet.confirm("will@example.com");
        answered(204, "", stranger.post("/data/link/reset", "{\"secret\":\"" + secret(makeResetLink().get("link").asText(), "/reset")
                + "\",\"password\":\"a third password\"}"));
        settle();
        assertEquals(List.of("Your password was changed"), sink.mails.stream().map(each -> each.header("Subject"))
                .filter(subject -> !subject.equals("Choose a new password")).toList());
    }

    @Test
    void aUserIsNotifiedOfTwoFactorChanges() {
        byte[] secret = TwoFactorTest.secret(Json.tree(owner.post("/data/two-factor", "{\"password\":\"" + PASSWORD + "\"}").text()).get("secret").asText());
        answered(422, "{\"error\":\"The code is wrong or has already been used; enter the next code\",\"field\":\"code\"}", owner.put("/data/two-factor", "{\"code\":\"000000\"}"));
        nothingIsSent();
        stet.confirm("ada@example.com");
        List<String> codes = new ArrayList<>();
        Json.tree(owner.put("/data/two-factor", "{\"code\":\"" + Totp.code(secret, stet.now()) + "\"}").text()).get("recoveryCodes")
                .forEach(each -> codes.add(each.asText()));
        MailSink.Mail mail = mail();
        assertEquals("ada@example.com Two-factor authentication was changed", mail.to() + " " + mail.header("Subject"));
        assertTrue(mail.text().contains("It is now on, with new recovery codes.") && !mail.text().contains("now off"), mail.text());
        String proof = "{\"password\":\"" + PASSWORD + "\",\"code\":\"%s\"}";
        assertEquals(200, owner.post("/data/two-factor/codes", proof.formatted(codes.get(0))).status());
        mail = mail();
        assertTrue(codes.stream().noneMatch(mail.message()::contains));
        answered(422, "{\"error\":\"The code is wrong or has already been used; enter the next code\",\"field\":\"code\"}", owner.post("/data/two-factor/off", proof.formatted(codes.get(1))));
        nothingIsSent(); // a replaced code
        stet.clock.advance(Duration.ofMinutes(1));
        answered(204, "", owner.post("/data/two-factor/off", proof.formatted(Totp.code(secret, stet.now()))));
        mail = mail();
        assertTrue(mail.text().contains("It is now off, so the password is enough to sign in."), mail.text());
    }

    @Test
    void anAddressGetsTenTwoFactorNoticesADay() {
        stet.confirm("ada@example.com");
        stet.db.change(dao -> {
            for (int i = 0; i < 11; i++) {
                dao.mails().addTwoFactorNotice(stet.owner(ada), stet.now());
            }
        });
        settle();
        assertEquals(10, sink.mails.size());
    }

    /** Whoever has taken over an account could otherwise change the address before the notice is sent. */
    @Test
    void aNoticeGoesToTheAddressOfThatTime() {
        sink.reply("greeting", "421 later");
        stet.db.change(dao -> {
            dao.users().confirm(will.id());
            dao.mails().addPasswordNotice(will, stet.now());
        });
        assertTrue(Running.comes(() -> number("select count(*) from mails where tries = 1 and state = 'waiting'") == 1));
        stet.db.change(dao -> dao.users().changeEmail(will.id(), "eve@example.com"));
        sink.obey();
        stet.clock.advance(Duration.ofMinutes(1));
        assertEquals("will@example.com", mail().to());
    }

    @Test
    void anAddressGetsTenPasswordNoticesADay() {
        stet.db.change(dao -> {
            dao.users().confirm(will.id());
            dao.users().confirm(stet.owner(ada).id());
            for (int i = 0; i < 11; i++) {
                dao.mails().addPasswordNotice(will, stet.now());
            }
            dao.mails().addPasswordNotice(stet.owner(ada), stet.now());
        });
        assertEquals("10 1", number("select count(*) from mails where address = 'will@example.com'") + " "
                + number("select count(*) from mails where address = 'ada@example.com'"));
    }
}
