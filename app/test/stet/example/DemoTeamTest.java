package stet.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stet.base.Json;
import stet.base.Utf8;
import stet.core.Account;
import stet.harness.Browser;
import stet.harness.Running;
import stet.markup.Pieces;
import stet.markup.Pieces.PieceKind;

/** The demo's account shows the product: a team at work for 30 days. */
class DemoTeamTest {
    @AutoClose
    private final Running stet = new Running();
    private Account demo;
    private Browser browser;

    @BeforeEach
    void add() throws IOException {
        demo = new DemoTeam(stet.db, stet.now(), new SecureRandom()).add();
        browser = Browser.of(stet, demo, stet.db.read(dao -> dao.users().find("demo@example.com")).orElseThrow());
    }

    private JsonNode get(String path) {
        return Json.tree(browser.get("/data/" + path).text());
    }

    private static List<String> texts(JsonNode rows, String field) {
        return rows.findValuesAsText(field);
    }

    @Test
    void theAccountHasEightEmailsWithTestDataTwoOfThemWithUnpublishedChanges() {
        JsonNode templates = get("templates").get("templates");
        assertEquals(8, templates.size());
        assertEquals("[receipt, trial-ending]", new TreeSet<>(stet.db.read(dao -> dao.templates().list(demo.id())).stream()
                .filter(each -> each.state().words().contains("unpublished")).map(each -> each.id()).toList()).toString());
        templates.forEach(each -> assertTrue(stet.db.read(dao -> dao.templates().samples(demo.id(), each.get("id").asText())).documents().size() > 0));
    }

    /** Warnings include those of mail clients. */
    @Test
    void emailsHaveNoWarningsAndCompleteTestData() {
        for (JsonNode each : get("templates").get("templates")) {
            String id = each.get("id").asText();
            ObjectNode draft = ((ObjectNode) get("templates/" + id)).retain("subject", "html", "samples", "defaultSamples");
            JsonNode found = Json.tree(browser.post("/data/check", draft.toString()).text());
            assertEquals(id.equals("weekly-digest") ? "[recipients cannot load images from http://127.0.0.1:8080/images; ask the administrator to set --images-url to an address with https]" : "[]",
                    texts(found.get("problems"), "sentence").toString(), id);
            assertEquals("[]", found.get("sets").toString(), id);
        }
    }

    /** With its blocks expanded. */
    @Test
    void eachPublishedEmailCanBeEditedInWriteAsAWhole() {
        for (String id : texts(get("templates").get("templates"), "id")) {
            String html = stet.db.read(dao -> Utf8.text(dao.versions().find(demo.id(), id, dao.versions().live(demo.id(), id).orElseThrow().number()).orElseThrow().html()));
            Pieces pieces = Pieces.of(html);
            assertEquals(List.of(), pieces.fixed(), id);
            assertEquals(List.of(), pieces.piece().stream().filter(piece -> piece.kind() == PieceKind.CODE).toList(), id);
        }
    }

    /** The list is in the order of the changes, so a change made out of order would look like a wrong time. */
    @Test
    void theActivityIsInTheOrderOfItsTimes() {
        List<String> times = texts(get("activity").get("rows"), "at");
        assertEquals(times.stream().sorted(Comparator.reverseOrder()).toList(), times);
        assertTrue(times.size() > 20, times::toString);
    }

    @Test
    void aPublishedEmailShowsTheAccountsImage() {
        JsonNode image = get("images").get("images").get(0);
        assertEquals("books.png 988 280 1 1", image.get("name").asText() + " " + image.get("width") + " " + image.get("height") + " " + image.get("drafts") + " " + image.get("live"));
        assertEquals(200, stet.get(image.get("path").asText(), null).status());
    }

    @Test
    void versionsAreByThreeUsersAndAToken() {
        TreeSet<String> authors = new TreeSet<>();
        for (String id : List.of("welcome", "receipt", "order-shipped", "payment-failed", "trial-ending")) {
            authors.addAll(texts(get("templates/" + id + "/versions"), "publishedBy"));
        }
        assertTrue(authors.containsAll(List.of("Ada Lovelace", "Ben Okafor", "Grace Hopper", "token GitHub")), authors.toString());
    }

    @Test
    void theAccountHasAReviewRequestAGuestsCommentAnOlderBlockAndAPush() {
        assertEquals("For the sale on Friday", get("templates/receipt").at("/request/note").asText());
        assertTrue(get("templates/receipt/comments").toString().contains("Sam from Support"));
        assertTrue(texts(get("stale"), "id").contains("order-shipped"), get("stale").toString());
        assertTrue(get("activity").toString().contains("4f1c9a2"), "the note of the push");
    }

    @Test
    void usageHasHundredsOfRequestsAndAMistypedId() {
        JsonNode usage = get("usage");
        assertTrue(usage.get("used").asLong() > 500, usage.toString());
        assertTrue(usage.toString().contains("reciept"), usage.toString());
    }

    /** Nothing lies in the future, and the database is sound. */
    @Test
    void theDataIsSound() {
        List<String> times = get("activity").findValuesAsText("at");
        assertTrue(times.size() > 8, times.toString());
        times.forEach(at -> assertTrue(at.compareTo(stet.now().toString()) <= 0, at));
        assertEquals(List.of(), stet.problems());
    }
}
