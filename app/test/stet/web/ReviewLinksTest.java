package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.access.TenancyTest;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.dao.ReviewDao;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/** Review links: what guests see, the limits, and how links end. */
class ReviewLinksTest {
    private static final String PASSWORD = "correct horse";
    private static final String LINKS = "/data/templates/welcome/reviews";
    private static final String FULL = "{\"error\":\"Review link limit reached (50); revoke a link first\",\"field\":null}";

    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("ada@example.com", Plan.PRO, PASSWORD);
    private final User ben = stet.member(account, "ben@example.com", Role.WRITER, PASSWORD);
    private final Browser ada = Browser.of(stet, account);
    private final Browser writer = Browser.of(stet, account, ben);
    private final Browser guest = Browser.of(stet);

    ReviewLinksTest() {
        stet.block(account, "footer", "<i>foot</i>");
        stet.block(account, "unused", "elsewhere");
        stet.template(account, "other", "<p>elsewhere");
        stet.template(account, "welcome", "<p>Hello {{name}}{{> footer}}");
        JsonNode template = Json.tree(ada.get("/data/templates/welcome").text());
        assertEquals(200, ada.put("/data/templates/welcome", "{\"revision\":" + template.get("revision") + ",\"subject\":\"Hi {{name}}\",\"html\":"
                + "\"<p>Dear {{name}}{{> footer}}\",\"samples\":{\"ann\":\"{\\\"name\\\":\\\"Ann\\\"}\",\"bob\":\"{\\\"name\\\":\\\"Bob\\\"}\"}}").status());
    }

    private static String secret(Client.Reply made) {
        assertEquals(201, made.status(), made.text());
        return Json.tree(made.text()).get("url").asText().replaceFirst(".*/review#", "");
    }

    private Client.Reply open(String secret) {
        return guest.post("/data/review", "{\"secret\":\"" + secret + "\"}");
    }

    private JsonNode opened(String secret, String more) {
        Client.Reply reply = guest.post("/data/review", "{\"secret\":\"" + secret + "\"" + more + "}");
        assertEquals(200, reply.status(), reply.text());
        assertFalse(reply.text().contains("elsewhere"));
        return Json.tree(reply.text());
    }

    private void assertEnded(String secret) {
        assertEquals("422 {\"error\":\"This link has expired or is no longer valid; ask for a new link\","
                + "\"field\":\"secret\"}", open(secret).status() + " " + open(secret).text());
    }

    @Test
    void guestsSeeEachSetOfTestDataAndTheDifference() {
        String secret = secret(writer.post(LINKS, "{}"));
        JsonNode review = opened(secret, "");
        assertEquals("welcome null ben@example.com Hi Ann [\"ann\",\"bob\"] ann", String.join(" ", review.get("name").asText(),
                review.get("number").asText(), review.get("madeBy").asText(), review.get("subject").asText(),
                review.get("samples").toString(), review.get("chosen").asText()));
        Client.Reply preview = guest.get(review.get("preview").asText());
        assertTrue(Browser.unmarked(preview).text().startsWith("<p>Dear Ann<i>foot</i>"), preview.text());
        assertEquals("Hi Bob", opened(secret, ",\"chosen\":\"bob\"").get("subject").asText());
        assertFalse(review.has("shown") || review.has("live"));
        JsonNode compared = opened(secret, ",\"compare\":true");
        assertEquals("<p>Dear {{name}}<i>foot</i>", compared.get("shown").get("html").asText());
        assertEquals("<p>Hello {{name}}<i>foot</i>", compared.get("live").get("html").asText());
    }

    @Test
    void aGuestSeesASandboxedPreviewAndNothingElse() {
        JsonNode review = opened(secret(writer.post(LINKS, "{}")), "");
        String policy = guest.get(review.get("preview").asText()).header("Content-Security-Policy");
        assertTrue(policy.startsWith("sandbox allow-scripts; script-src 'nonce-"), policy);
        assertEquals(401, guest.get("/data/templates/welcome").status());
    }

    @Test
    void onlyATemplateWithALiveVersionCanBeComparedWithIt() {
        assertEquals(201, ada.post("/data/templates", "{\"id\":\"new\",\"name\":\"New\"}").status());
        assertFalse(opened(secret(writer.post("/data/templates/new/reviews", "{}")), "").get("hasLive").asBoolean());
        assertTrue(opened(secret(writer.post(LINKS, "{}")), "").get("hasLive").asBoolean());
    }

    @Test
    void aVersionStaysAsItWasPublished() {
        String secret = secret(writer.post("/data/templates/welcome/versions/1/reviews", "{}"));
        stet.publish(account, "welcome");
        JsonNode review = opened(secret, "");
        assertEquals(1, review.get("number").asInt());
        assertTrue(Browser.unmarked(guest.get(review.get("preview").asText())).text().startsWith("<p>Hello Ann<i>foot</i>"));
    }

    @Test
    void aVersionThatDoesNotExistGetsNoLink() {
        assertEquals(404, writer.post("/data/templates/welcome/versions/3/reviews", "{}").status());
    }

    @Test
    void aLinkEndsAfterSevenDaysAndIsDeleted() throws SQLException {
        String secret = secret(writer.post(LINKS, "{}"));
        assertTrue(String.join("\n", TenancyTest.rows(stet.folder, account)).contains("review_links|"));
        stet.clock.advance(ReviewDao.LIFETIME.minusMillis(1));
        assertEquals(200, open(secret).status());
        stet.clock.advance(Duration.ofMillis(1));
        assertEnded(secret);
        assertEquals("{\"links\":[]}", Browser.of(stet, account).get(LINKS).text());
        for (int day = 0; day < 30; day++) {
            stet.clock.advance(Duration.ofDays(1));
            stet.sweep();
        }
        assertFalse(String.join("\n", TenancyTest.rows(stet.folder, account)).contains("review_links|"));
    }

    @Test
    void anAccountHasAtMostFiftyLinks() {
        String first = secret(writer.post(LINKS, "{}"));
        for (int i = 1; i < ReviewDao.MAX_LINKS; i++) {
            secret((i < 45 ? writer : ada).post(i % 2 == 0 ? LINKS : "/data/templates/other/reviews", "{}"));
        }
        answered(422, FULL, ada.post(LINKS, "{}"));
        JsonNode links = Json.tree(ada.get(LINKS).text()).get("links");
        assertEquals(204, ada.delete(LINKS + "/" + links.get(links.size() - 1).get("id")).status());
        assertEnded(first);
        secret(ada.post(LINKS, "{}"));
    }

    /** Even before they are deleted. */
    @Test
    void expiredLinksDoNotCount() {
        for (int i = 0; i < ReviewDao.MAX_LINKS; i++) {
            secret(ada.post(LINKS, "{}"));
        }
        stet.clock.advance(ReviewDao.LIFETIME.minusMillis(1));
        Browser later = Browser.of(stet, account);
        answered(422, FULL, later.post(LINKS, "{}"));
        stet.clock.advance(Duration.ofMillis(1));
        for (int i = 0; i < ReviewDao.MAX_LINKS; i++) {
            secret(later.post(LINKS, "{}"));
        }
        answered(422, FULL, later.post(LINKS, "{}"));
    }

    @Test
    void onlyTheHashOfASecretIsStored() throws SQLException {
        String secret = secret(writer.post(LINKS, "{}"));
        assertFalse(ada.get(LINKS).text().contains(secret));
        assertFalse(String.join("", TenancyTest.rows(stet.folder, account)).contains(secret));
    }

    /** Ben's and Ada's links to one template, and Ada's to another. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({"deleted template, ended, ended, open", "restored template, ended, ended, open", "suspended account, ended, ended, ended",
        "deleted account, ended, ended, ended", "Ben is removed, ended, open, open", "Ben leaves, ended, open, open", "Ben ends his sessions, open, open, open",
        "Ben ends his sessions and links, ended, open, open", "Ada changes her password and ends her links, open, ended, ended"})
    void aLinkEndsWithItsTemplateAccountOrAuthor(String event, String bens, String adas, String other) {
        String secret = secret(writer.post(LINKS, "{}"));
        String hers = secret(ada.post(LINKS, "{}"));
        String toOther = secret(ada.post("/data/templates/other/reviews", "{}"));
        switch (event) {
            case "deleted template" -> assertEquals(204, ada.delete("/data/templates/welcome").status());
            case "restored template" -> {
                assertEquals(204, ada.delete("/data/templates/welcome").status());
                assertEquals(200, ada.post("/data/deletions/welcome/restore", "{}").status());
            }
            case "suspended account" -> stet.db.change(dao -> dao.accounts().setSuspended(account, true, stet.now()));
            case "deleted account" -> stet.db.change(dao -> dao.accounts().delete(account.id(), stet.now()));
            case "Ben is removed" -> assertEquals(204, ada.delete("/data/members/" + ben.id()).status());
            case "Ben leaves" -> assertEquals(204, writer.delete("/data/membership").status());
            case "Ben ends his sessions" -> assertEquals(204, writer.delete("/data/sessions").status());
            case "Ben ends his sessions and links" -> assertEquals(204, writer.delete("/data/sessions?revoke=true").status());
            default -> assertEquals(204, ada.put("/data/password", "{\"current\":\"" + PASSWORD + "\",\"password\":\"a new password\",\"revoke\":true}").status());
        }
        assertState(bens, secret);
        assertState(adas, hers);
        assertState(other, toOther);
    }

    private void assertState(String state, String secret) {
        if (state.equals("open")) {
            assertEquals(200, open(secret).status());
        } else {
            assertEnded(secret);
        }
    }

    @Test
    void guestsAndWrongSecretsAreThrottledAndMembersAreNot() {
        String secret = secret(writer.post(LINKS, "{}"));
        int shown = 0;
        while (shown < 70 && open(secret).status() == 200) {
            shown++;
        }
        assertEquals(60, shown);
        assertEquals("1", open(secret).header("Retry-After"));
        stet.clock.advance(Duration.ofSeconds(1));
        assertEquals(200, open(secret).status());
        int guessed = 0;
        while (guessed < 40 && open("guess").status() == 422) {
            guessed++;
        }
        assertEquals(30, guessed);
        assertEquals(200, writer.get(LINKS).status());
    }
}
