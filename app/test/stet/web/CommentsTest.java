package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Plan;
import stet.dao.CommentDao;
import stet.dao.CommentDao.NewComment;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Rows;
import stet.harness.Running;

/** Comments by guests and members: limits and lifecycle. */
class CommentsTest {
    private static final String COMMENTS = "/data/templates/welcome/comments";

    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("ada@example.com", Plan.PRO);
    private final Browser ada = Browser.of(stet, account);
    private final Browser guest = Browser.of(stet);
    private final String secret;

    CommentsTest() {
        stet.template(account, "welcome", "<p>Hello</p>");
        secret = link("/data/templates/welcome/reviews");
    }

    private String link(String path) {
        return Json.tree(ada.post(path, "").text()).get("url").asText().replaceFirst(".*#", "");
    }

    private Client.Reply say(String secret, String more) {
        return guest.post("/data/review/comments", "{\"secret\":\"" + secret + "\"" + more + "}");
    }

    private Client.Reply say(String more) {
        return say(secret, ",\"name\":\"Kim\"" + more);
    }

    private long stored() throws SQLException {
        return Long.parseLong(Rows.of(stet.folder, "select bytes from storage").get(0));
    }

    @Test
    void aGuestsCommentIsAnsweredResolvedReopenedAndDeleted() {
        assertEquals(201, say(",\"text\":\"Too formal\",\"quote\":\"Hello\",\"place\":3,\"placeEnd\":8,\"revision\":1").status());
        JsonNode comment = Json.tree(ada.get(COMMENTS).text()).get("comments").get(0);
        assertEquals("Kim true Hello 3 Too formal null null", String.join(" ", comment.get("by").asText(), comment.get("guest").asText(),
                comment.get("quote").asText(), comment.get("place").asText(), comment.get("text").asText(), comment.get("number").asText(),
                comment.get("resolvedAt").asText()));
        String id = comment.get("id").asText();
        assertEquals(200, ada.post(COMMENTS, "{\"text\":\"Changed\",\"replyTo\":" + id + "}").status());
        assertEquals(200, ada.put(COMMENTS + "/" + id, "{}").status());
        JsonNode seen = Json.tree(guest.post("/data/review", "{\"secret\":\"" + secret + "\"}").text()).get("comments");
        assertEquals("Changed ada@example.com false " + id, String.join(" ", seen.get(1).get("text").asText(), seen.get(1).get("by").asText(),
                seen.get(1).get("guest").asText(), seen.get(1).get("replyTo").asText()));
        assertEquals("ada@example.com", seen.get(0).get("resolvedBy").asText());
        assertTrue(ada.put(COMMENTS + "/" + id, "{\"resolved\":false}").text().contains("\"resolvedAt\":null"));
        assertEquals("{\"revision\":1,\"comments\":[]}", ada.delete(COMMENTS + "/" + id).text(), "with its answers");
        assertEquals(404, ada.delete(COMMENTS + "/" + id).status());
        assertEquals(404, ada.put(COMMENTS + "/" + id, "{}").status());
    }

    private String place() {
        JsonNode comment = Json.tree(ada.get(COMMENTS).text()).get("comments").get(0);
        return comment.get("place") + " " + comment.get("placeEnd") + " " + comment.get("lost");
    }

    private long shownRevision() {
        return Json.tree(guest.post("/data/review", "{\"secret\":\"" + secret + "\"}").text()).get("revision").asLong();
    }

    /** A comment's place moves with each save, whoever saves, and is lost once its text has changed. */
    @Test
    void aPlaceMovesWithItsTextUntilTheTextChanges() throws IOException {
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>Fish</p>\n<p>Fish &amp; <b>Chips</b></p>\n<p>Fish</p>");
        assertEquals(201, say(",\"text\":\"a\",\"quote\":\"Fish &\",\"place\":15,\"placeEnd\":26,\"revision\":" + shownRevision()).status());
        assertEquals("15 26 false", place());
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>Fish</p>\n<p>New</p>\n<p>Fish &amp; <b>Chips</b></p>\n<p>Fish</p>");
        assertEquals("26 37 false", place());
        stet.draft(account, "welcome", "Welcome", "Another subject", "<p>Fish</p>\n<p>New</p>\n<p>Fish &amp; <b>Chips</b></p>\n<p>Fish</p>");
        assertEquals("26 37 false", place());
        RawZip zip = new RawZip().file("templates/welcome.html", "<p>New</p>\n<p>Fish &amp; <b>Chips</b></p>\n<p>Fish</p>");
        assertEquals(200, ada.postZip("/data/import?overwrite=true", zip.bytes()).status());
        assertEquals("14 25 false", place());
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>New</p>\n<p>Fish and <b>Chips</b></p>\n<p>Fish</p>");
        assertEquals("null null true", place());
        assertTrue(guest.post("/data/review", "{\"secret\":\"" + secret + "\"}").text().contains("\"lost\":true"));
    }

    @Test
    void aPlaceInAnEarlierRevisionIsLost() {
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>Fish</p>");
        long revision = shownRevision();
        stet.draft(account, "welcome", "Welcome", "Hi", "<p>Fish</p> and chips");
        assertEquals(201, say(",\"text\":\"late\",\"quote\":\"Fish\",\"place\":3,\"placeEnd\":7,\"revision\":" + revision).status());
        assertEquals("null null true", place());
    }

    @Test
    void aCommentWithoutAPlaceHasLostNone() {
        assertEquals(201, say(",\"text\":\"a picture of a block\",\"quote\":\"Logo\"").status());
        assertEquals("null null false", place());
    }

    @Test
    void guestsOfTheDraftAndOfAVersionSeeAndAnswerOnlyTheirOwn() {
        String ofVersion = link("/data/templates/welcome/versions/1/reviews");
        assertEquals(201, say(",\"text\":\"of the draft\"").status());
        String id = Json.tree(ada.get(COMMENTS).text()).get("comments").get(0).get("id").asText();
        assertEquals("422 This comment does not exist or cannot be replied to; reload the page",
                error(say(ofVersion, ",\"name\":\"Lee\",\"text\":\"hi\",\"replyTo\":" + id)));
        Client.Reply reply = say(ofVersion, ",\"name\":\"Lee\",\"text\":\"of the version\"");
        assertFalse(reply.text().contains("of the draft"));
        assertTrue(reply.text().contains("\"number\":1"), reply.text());
        Client.Reply draft = say(",\"text\":\"once more\"");
        assertEquals(201, draft.status(), draft.text());
        assertFalse(draft.text().contains("of the version"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        ",`text`:`hi`                                | `name` is missing",
        ",`name`:` `,`text`:`hi`                     | Enter your name",
        ",`name`:`a\\u202eb`,`text`:`hi`             | The name must not contain the invisible character U+202E",
        ",`name`:`LONG`,`text`:`hi`                  | The name is 2049 characters; the limit is 100",
        ",`name`:`Kim`,`text`:` `                    | Enter a comment",
        ",`name`:`Kim`,`text`:`LONG`                 | The comment is 2049 bytes; the limit is 2048 (2 KiB)",
        ",`name`:`Kim`,`text`:`hi`,`quote`:`LONG`    | The quote is 2049 characters; the limit is 200",
        ",`name`:`Kim`,`text`:`hi`,`place`:-1        | `place` must be a whole number from 0 to 2097152",
        ",`name`:`Kim`,`text`:`hi`,`placeEnd`:-1     | `placeEnd` must be a whole number from 0 to 2097152",
        ",`name`:`Kim`,`text`:`hi`,`place`:2,`placeEnd`:2,`revision`:1 | The place must end after its start",
        ",`name`:`Kim`,`text`:`hi`,`replyTo`:99     | This comment does not exist or cannot be replied to; reload the page",
    })
    void anInvalidCommentIsRejected(String more, String error) throws SQLException {
        Client.Reply reply = say(secret, more.replace('`', '"').replace("LONG", "x".repeat(CommentDao.BYTES + 1)));
        assertEquals("422 " + error.replace('`', '"'), reply.status() + " " + Json.tree(reply.text()).get("error").asText());
        assertEquals("0", Rows.of(stet.folder, "select count(*) from comments").get(0));
    }

    /** Guests count as writers, who leave a tenth of a template's comments to editors and owners. */
    @Test
    void guestsStopAtTheLimitForWritersAndOwnersAtThatOfTheTemplate() {
        stet.db.change(dao -> {
            for (int i = 1; i < 450; i++) {
                dao.as(new Actor(1L, "ada@example.com", "")).comments().add(account.id(), "welcome", NewComment.byMember(null, "hi"), stet.now());
            }
        });
        assertEquals(201, say(",\"text\":\"the last\"").status());
        assertEquals("422 Comment limit for writers reached (450 of 500); delete comments first", error(say(",\"text\":\"one more\"")));
        for (int i = 450; i < CommentDao.MAX; i++) {
            assertEquals(200, ada.post(COMMENTS, "{\"text\":\"a member's\"}").status());
        }
        assertEquals("422 Comment limit reached (500); delete comments first", error(ada.post(COMMENTS, "{\"text\":\"a member's\"}")));
    }

    private void fill(long link, int comments) {
        stet.db.change(dao -> {
            for (int i = 0; i < comments; i++) {
                dao.comments().add(account.id(), "welcome", NewComment.byGuest("Kim", null, "", null, "hi").through(link, null), stet.now());
            }
        });
    }

    /** The guests of one link fill neither the share of other links nor that of the members. */
    @Test
    void guestsCannotUseUpTheCommentsOfMembers() {
        fill(1, CommentDao.MAX_OF_LINK - 1);
        assertEquals(201, say(",\"text\":\"the last\"").status());
        assertEquals("422 This link has reached its limit of 100 comments; ask for a new link", error(say(",\"text\":\"one more\"")));
        String second = link("/data/templates/welcome/reviews");
        link("/data/templates/welcome/reviews");
        assertEquals(201, say(second, ",\"name\":\"Kim\",\"text\":\"first\"").status());
        fill(2, CommentDao.MAX_OF_LINK - 1);
        fill(3, CommentDao.MAX_OF_LINK);
        String fourth = link("/data/templates/welcome/reviews");
        assertEquals("422 Reviewers' comment limit reached (300); ask whoever sent you this link to delete comments",
                error(say(fourth, ",\"name\":\"Kim\",\"text\":\"hi\"")));
        for (int i = CommentDao.MAX_OF_GUESTS; i < CommentDao.MAX; i++) {
            assertEquals(200, ada.post(COMMENTS, "{\"text\":\"a member's\"}").status());
        }
        assertEquals("422 Comment limit reached (500); delete comments first", error(ada.post(COMMENTS, "{\"text\":\"a member's\"}")));
    }

    private static String error(Client.Reply reply) {
        return reply.status() + " " + Json.tree(reply.text()).path("error").asText();
    }

    /** An expired link stays listed, although nobody can open it, until its comments are deleted. */
    @Test
    void commentsOfAnExpiredLinkCanBeDeletedAtOnce() {
        assertEquals(201, say(",\"text\":\"a\"").status());
        stet.clock.advance(Duration.ofDays(8));
        Browser later = Browser.of(stet, account);
        stet.sweep();
        assertEquals("[1]", Json.tree(later.get("/data/templates/welcome/reviews").text()).get("links").findValues("comments").toString());
        assertEquals(204, later.delete("/data/templates/welcome/reviews/1?comments=true").status());
        assertEquals("{\"links\":[]}", later.get("/data/templates/welcome/reviews").text());
        assertEquals(0, Json.tree(later.get(COMMENTS).text()).get("comments").size());
    }

    /** Revoking a link deletes the comments that came with it only on request, with their replies, and leaves all others. */
    @ParameterizedTest
    @CsvSource({"'', a b c d", "?comments=false, a b c d", "?comments=true, c d"})
    void revokingALinkMayDeleteItsComments(String query, String left) {
        assertEquals(201, say(",\"text\":\"a\"").status());
        assertEquals(200, ada.post(COMMENTS, "{\"text\":\"b\",\"replyTo\":1}").status());
        assertEquals(201, say(link("/data/templates/welcome/reviews"), ",\"name\":\"Kim\",\"text\":\"c\"").status());
        assertEquals(200, ada.post(COMMENTS, "{\"text\":\"d\"}").status());
        assertEquals("[1,1]", Json.tree(ada.get("/data/templates/welcome/reviews").text()).get("links").findValues("comments").toString().replace(" ", ""));
        assertEquals(204, ada.delete("/data/templates/welcome/reviews/1" + query).status());
        assertEquals(left, String.join(" ", Json.tree(ada.get(COMMENTS).text()).get("comments").findValuesAsText("text")));
        assertEquals(query.endsWith("true") ? 1 : 0, stet.db.read(dao -> dao.activity().since(account.id(), Instant.EPOCH, 20)).stream()
                .filter(row -> row.kind().word().equals("comment-deleted") && row.detail().equals("1 comment by guests of a review link")).count());
    }

    /** A loop of changes that a user may undo and repeat leaves a few rows in the activity log. */
    @Test
    void changesRepeatedWithinTenMinutesAreAFewRowsOfActivity() {
        stet.draft(account, "welcome", "Welcome", "", "<p>changed</p>");
        long before = stet.db.read(dao -> dao.sql().number("select count(*) from activity"));
        for (int i = 0; i < 40; i++) {
            assertEquals(200, ada.post("/data/templates/welcome/request", "{\"note\":\"" + i + "\"}").status());
            assertEquals(200, ada.delete("/data/templates/welcome/request").status());
            String id = Json.tree(ada.post("/data/templates/welcome/reviews", "").text()).get("id").asText();
            assertEquals(204, ada.delete("/data/templates/welcome/reviews/" + id).status());
            JsonNode comments = Json.tree(ada.post(COMMENTS, "{\"text\":\"hi\"}").text()).get("comments");
            assertEquals(200, ada.delete(COMMENTS + "/" + comments.get(0).get("id").asText()).status());
            assertEquals(200, ada.put("/data/user", "{\"name\":\"Ada " + i + "\",\"email\":\"ada@example.com\"}").status());
            assertEquals(200, ada.put("/data/user", "{\"name\":\"\",\"email\":\"ada@example.com\"}").status());
        }
        long rows = stet.db.read(dao -> dao.sql().number("select count(*) from activity")) - before;
        assertTrue(rows <= 8, rows + " rows");
        stet.clock.advance(Duration.ofMinutes(11));
        assertEquals(200, ada.post("/data/templates/welcome/request", "{\"note\":\"later\"}").status());
        long later = stet.db.read(dao -> dao.sql().number("select count(*) from activity"));
        assertEquals(before + rows + 1, later);
    }

    @Test
    void aGuestWaitsThirtySecondsAfterTenComments() {
        int sent = 0;
        while (sent < 20 && say(",\"text\":\"hi\"").status() == 201) {
            sent++;
        }
        assertEquals(10, sent);
        assertEquals("30", say(",\"text\":\"hi\"").header("Retry-After"));
        assertEquals(200, ada.post(COMMENTS, "{\"text\":\"a member's\"}").status());
        stet.clock.advance(Duration.ofSeconds(30));
        assertEquals(201, say(",\"text\":\"hi\"").status());
        assertEquals(429, say(",\"text\":\"hi\"").status());
    }

    @Test
    void guestsCommentsCountAsStorage() throws SQLException {
        long before = stored();
        assertEquals(201, say(",\"text\":\"1234567\",\"quote\":\"ü\"").status());
        assertEquals(before + "Kim".length() + 7 + 2, stored());
    }

    @Test
    void commentsAreDeletedAndRestoredWithTheirTemplate() {
        assertEquals(201, say(",\"text\":\"1234567\"").status());
        assertEquals(204, ada.delete("/data/templates/welcome").status());
        assertEquals(404, ada.get(COMMENTS).status());
        assertEquals("422 This link has expired or is no longer valid; ask for a new link", error(say(",\"text\":\"hi\"")));
        assertEquals(200, ada.post("/data/deletions/welcome/restore", "{}").status());
        assertTrue(ada.get(COMMENTS).text().contains("1234567"));
        assertEquals(204, ada.delete("/data/templates/welcome").status());
        assertEquals(204, ada.delete("/data/deletions/welcome").status());
        stet.sweep();
        assertEquals(0L, (long) stet.db.read(dao -> dao.sql().number("select count(*) from comments")));
    }

    @Test
    void nobodyCommentsByARevokedLink() {
        assertEquals(204, ada.delete("/data/templates/welcome/reviews/1").status());
        assertEquals("422 secret", say(",\"text\":\"hi\"").status() + " " + Json.tree(say(",\"text\":\"hi\"").text()).get("field").asText());
        assertEquals("{\"revision\":1,\"comments\":[]}", ada.get(COMMENTS).text());
    }
}
