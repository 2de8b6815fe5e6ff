package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Running;

/** Several users on one draft or shared block: who has it open, who saved it, and who requests publication. */
class CollaborationTest {
    private static final String NOT_FOUND = "{\"error\":\"Not found\"}";
    private static final String AT = "2026-01-31T09:00:00.000Z";

    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("ada@example.com", Plan.PRO);
    private final Browser ada = Browser.of(stet, account);
    private final Browser ben = of("ben@example.com", Role.WRITER);

    private Browser of(String email, Role role) {
        return Browser.of(stet, account, stet.member(account, email, role, "correct horse"));
    }

    private static String saved(long revision, String by, String at, String... others) {
        return "{\"revision\":" + revision + ",\"savedBy\":" + (by == null ? "null" : "\"" + by + "\"") + ",\"savedAt\":\"" + at
                + "\",\"others\":[" + String.join(",", others) + "]}";
    }

    private static String other(String name, boolean dirty) {
        return "{\"name\":\"" + name + "\",\"dirty\":" + dirty + "}";
    }

    private static void present(Browser browser, String path, boolean dirty, String response) {
        answered(200, response, browser.post(path + "/presence", "{\"dirty\":" + dirty + "}"));
    }

    private static String draft(int revision) {
        return "{\"revision\":" + revision + ",\"subject\":\"Hi\",\"html\":\"\",\"samples\":{}}";
    }

    @Test
    void aPageLearnsOtherUsersAndTheLastSaveOfADraft() {
        stet.draft(account, "welcome", "Welcome", "", "");
        stet.draft(account, "other", "Other", "", "");
        String path = "/data/templates/welcome";
        present(ada, path, false, saved(1, null, AT));
        present(ada, path, false, saved(1, null, AT)); // users do not see themselves, in any window
        present(Browser.of(stet, account), path, false, saved(1, null, AT));
        present(ben, path, true, saved(1, null, AT, other("ada@example.com", false)));
        present(ada, path, false, saved(1, null, AT, other("ben@example.com", true)));
        present(ada, "/data/templates/other", false, saved(1, null, AT));
        stet.clock.advance(Duration.ofSeconds(10));
        assertEquals(200, ben.put(path, draft(1)).status());
        present(ben, path, false, saved(2, "ben@example.com", "2026-01-31T09:00:10.000Z", other("ada@example.com", false)));
    }

    @Test
    void presenceExpiresAfterThirtySeconds() {
        stet.draft(account, "welcome", "Welcome", "", "");
        String path = "/data/templates/welcome";
        present(ada, path, false, saved(1, null, AT));
        stet.clock.advance(Presence.LIFETIME.minusMillis(1));
        present(ben, path, false, saved(1, null, AT, other("ada@example.com", false)));
        stet.clock.advance(Duration.ofMillis(1));
        present(ben, path, false, saved(1, null, AT));
    }

    @Test
    void presenceFromTheFutureHasExpired() {
        stet.draft(account, "welcome", "Welcome", "", "");
        stet.clock.advance(Duration.ofSeconds(10));
        present(ben, "/data/templates/welcome", false, saved(1, null, AT));
        present(ada, "/data/templates/welcome", false, saved(1, null, AT, other("ben@example.com", false)));
        stet.clock.set(Running.NOW);
        present(ada, "/data/templates/welcome", false, saved(1, null, AT));
    }

    @Test
    void presenceIsReportedOnlyForATemplateThatExists() {
        stet.draft(account, "welcome", "Welcome", "", "");
        String path = "/data/templates/welcome";
        answered(404, NOT_FOUND, ada.post("/data/templates/no-such/presence", "{}"));
        assertEquals(204, ada.delete(path).status());
        answered(404, NOT_FOUND, ben.post(path + "/presence", "{\"dirty\":true}"));
    }

    @Test
    void aMalformedPresenceIsRejected() {
        stet.draft(account, "welcome", "Welcome", "", "");
        answered(422, "{\"error\":\"\\\"dirty\\\" must be true or false\",\"field\":\"dirty\"}",
                ada.post("/data/templates/welcome/presence", "{\"dirty\":1}"));
    }

    @Test
    void aBlockAndATemplateOfOneNameHaveSeparateUsers() {
        stet.block(account, "welcome", "<i>");
        stet.draft(account, "welcome", "Welcome", "", "");
        present(ada, "/data/blocks/welcome", false, saved(1, null, AT));
        present(ben, "/data/templates/welcome", false, saved(1, null, AT));
        present(ben, "/data/blocks/welcome", false, saved(1, null, AT, other("ada@example.com", false)));
        assertEquals(200, ben.put("/data/blocks/welcome", "{\"revision\":1,\"html\":\"<b>\"}").status());
        present(ada, "/data/blocks/welcome", false, saved(2, "ben@example.com", AT, other("ben@example.com", false)));
    }

    @Test
    void templatesOfOneIdInTwoAccountsHaveSeparateUsers() {
        stet.draft(account, "welcome", "Welcome", "", "");
        present(ada, "/data/templates/welcome", false, saved(1, null, AT));
        Account foreign = stet.account("eve@example.com", Plan.PRO);
        stet.draft(foreign, "welcome", "Welcome", "", "");
        present(Browser.of(stet, foreign), "/data/templates/welcome", false, saved(1, null, AT));
    }

    /** An open page polls all day, but polling does not count as user activity. */
    @Test
    void pollingForPresenceNeitherProlongsTheSessionNorWrites() {
        stet.draft(account, "welcome", "Welcome", "", "");
        long generation = stet.db.generation();
        for (int hour = 0; hour < 24; hour++) {
            assertEquals(200, ben.post("/data/templates/welcome/presence", "{\"dirty\":false}").status());
            stet.clock.advance(Duration.ofHours(1));
        }
        assertEquals(401, ben.post("/data/templates/welcome/presence", "{\"dirty\":false}").status());
        assertEquals(generation, stet.db.generation());
    }

    @Test
    void aReviewRequestEndsWhenPublishedOrWithdrawn() {
        stet.draft(account, "welcome", "Welcome", "", "<p>one</p>");
        String path = "/data/templates/welcome";
        requested("null");
        assertEquals(200, ben.post(path + "/request", "{\"note\":\"for Friday\"}").status());
        requested("{\"by\":\"ben@example.com\",\"at\":\"" + AT + "\",\"note\":\"for Friday\",\"savedSince\":false}");
        assertEquals(200, ben.delete(path + "/request").status());
        requested("null");
        assertEquals(200, ben.post(path + "/request", "{}").status());
        assertEquals(200, ada.post(path + "/publish", "{\"revision\":1}").status());
        requested("null");
    }

    @Test
    void aReviewRequestTellsWhetherTheDraftWasSavedSince() {
        stet.draft(account, "welcome", "Welcome", "", "<p>one</p>");
        String path = "/data/templates/welcome";
        assertEquals(200, ben.post(path + "/request", "{\"note\":\"for Friday\"}").status());
        stet.clock.advance(Duration.ofMinutes(1));
        assertEquals(200, ada.put(path, draft(1)).status());
        requested("{\"by\":\"ben@example.com\",\"at\":\"" + AT + "\",\"note\":\"for Friday\",\"savedSince\":true}");
    }

    @Test
    void aRequestWithdrawnTwiceIsOneRowOfActivity() {
        stet.draft(account, "welcome", "Welcome", "", "<p>one</p>");
        assertEquals(200, ben.post("/data/templates/welcome/request", "{}").status());
        assertEquals(200, ben.delete("/data/templates/welcome/request").status());
        assertEquals(200, ben.delete("/data/templates/welcome/request").status());
        JsonNode rows = Json.tree(ada.get("/data/activity?kind=review-request-withdrawn").text()).get("rows");
        assertEquals(1, rows.size(), rows.toString());
    }

    @Test
    void publishingAnotherVersionLeavesTheReviewRequest() {
        stet.draft(account, "welcome", "Welcome", "", "<p>one</p>");
        stet.clock.advance(Duration.ofMinutes(1));
        String path = "/data/templates/welcome";
        assertEquals(200, ada.put(path, draft(1)).status());
        assertEquals(200, ada.post(path + "/publish", "{\"revision\":2}").status());
        assertEquals(200, ada.put(path, draft(2).replace("Hi", "Hello")).status());
        assertEquals(200, ada.post(path + "/publish", "{\"revision\":3}").status());
        assertEquals(200, ada.put(path, draft(3).replace("Hi", "Good day")).status());
        assertEquals(200, ben.post(path + "/request", "{\"note\":\"again\"}").status());
        assertEquals(200, ada.post(path + "/versions/1/publish", "{}").status());
        requested("{\"by\":\"ben@example.com\",\"at\":\"2026-01-31T09:01:00.000Z\",\"note\":\"again\",\"savedSince\":false}");
    }

    @Test
    void aReviewRequestDoesNotChangeUpdatedAt() {
        stet.template(account, "welcome", "<p>one</p>");
        stet.draft(account, "welcome", "Welcome", "", "<p>two</p>");
        String key = stet.key(account);
        String served = stet.get(Running.TEMPLATES + "welcome", key).text();
        stet.clock.advance(Duration.ofMinutes(1));
        assertEquals(200, ben.post("/data/templates/welcome/request", "{}").status());
        assertEquals(served, stet.get(Running.TEMPLATES + "welcome", key).text());
        assertEquals(AT, Json.tree(served).get("updatedAt").asText());
    }

    @Test
    void anInvalidReviewRequestIsRejected() {
        stet.draft(account, "welcome", "Welcome", "", "<p>one</p>");
        String path = "/data/templates/welcome";
        answered(422, "{\"error\":\"The note is 201 characters; the limit is 200\",\"field\":\"note\"}",
                ben.post(path + "/request", "{\"note\":\"" + "n".repeat(201) + "\"}"));
        answered(404, NOT_FOUND, ben.post("/data/templates/no-such/request", "{}"));
        answered(404, NOT_FOUND, ben.delete("/data/templates/no-such/request"));
        requested("null");
    }

    @Test
    void aWriterRequestsAReviewButDoesNotPublish() {
        stet.draft(account, "welcome", "Welcome", "", "<p>one</p>");
        assertEquals(200, ben.post("/data/templates/welcome/request", "{}").status());
        answered(403, "{\"error\":\"Only editors and owners of the account can do this\"}",
                ben.post("/data/templates/welcome/publish", "{\"revision\":1}"));
    }

    /** Editor, list and publish dialog show the same request. */
    private void requested(String request) {
        for (String path : new String[] {"", "/welcome", "/welcome/publication"}) {
            String text = ada.get("/data/templates" + path).text();
            assertEquals("\"request\":" + request, text.replaceAll(".*(\"request\":(null|\\{[^}]*})).*", "$1"), path);
        }
    }
}
