package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Rows;
import stet.harness.Running;

/** Comparing and publishing many drafts in one request: each template succeeds or fails independently. */
class PublicationsTest {
    private static final String COMPARE = "/data/comparisons";
    private static final String PUBLISH = "/data/publications";
    /** Makes each new version take longer than a transaction's 20 ms on any machine. */
    private static final String SLOW = """
            create trigger slow after insert on versions begin
              select count(*) from (with recursive n (i) as (select 1 union all select i + 1 from n where i < 1500000) select i from n);
              %s
            end""";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);

    private List<String> drafts(int number) {
        List<String> ids = IntStream.range(0, number).mapToObj(i -> "mail-" + i).toList();
        ids.forEach(id -> stet.draft(ada, id, "Mail", "Hi", "<p>" + id + " {{name}}</p>"));
        return ids;
    }

    private static String list(List<String> ids) {
        ArrayNode templates = Json.object().putArray("templates");
        ids.forEach(templates::add);
        return "{\"templates\":" + templates + "}";
    }

    private static JsonNode results(Client.Reply reply) {
        assertEquals(200, reply.status(), reply.text());
        return Json.tree(reply.text()).get("results");
    }

    private JsonNode compared(List<String> ids) {
        return results(browser.post(COMPARE, list(ids)));
    }

    /** The revisions of these drafts that the user has seen. */
    private ArrayNode seen(List<String> ids) {
        ArrayNode seen = Json.object().putArray("templates");
        for (JsonNode each : compared(ids)) {
            seen.add(Json.object().put("id", each.get("id").textValue()).put("revision", each.get("revision").longValue())
                    .put("sha256", each.get("sha256").textValue()));
        }
        return seen;
    }

    private static String body(JsonNode templates) {
        return "{\"note\":\"all at once\",\"templates\":" + templates + "}";
    }

    private Client.Reply publish(JsonNode templates) {
        return browser.post(PUBLISH, body(templates));
    }

    private static String published(List<String> ids, int number) {
        ArrayNode results = Json.object().putArray("results");
        ids.forEach(id -> results.add(Json.object().put("id", id).put("number", number)));
        return "{\"results\":" + results + "}";
    }

    private List<String> rows(String query) {
        return Rows.of(stet.folder, query);
    }

    /** Number of templates with a complete version: live, and with a row in the activity log. */
    private long whole() {
        long whole = rows("""
                select t.id from templates t
                join versions v on v.template = t.row and v.number = t.published
                join activity a on a.account_id = t.account_id and a.subject = t.id and a.kind = 'template-published' and a.number = v.number
                """).size();
        assertEquals(whole, rows("select template from versions").size());
        assertEquals(whole, rows("select id from activity where kind = 'template-published'").size());
        return whole;
    }

    @Test
    void aComparisonIsTheSameAsOnTheTemplatesOwnPage() {
        String key = stet.key(ada);
        stet.block(ada, "footer", "<i>{{company}}</i>");
        stet.template(ada, "live", "<p>{{old}}</p>{{> footer}}");
        stet.get(Running.TEMPLATES + "live", key);
        stet.draft(ada, "live", "Live", "", "<p>{{new}}</p>{{> footer}}");
        stet.template(ada, "same", "<p>same</p>");
        stet.draft(ada, "broken", "Broken", "Hi", "<p>{{open</p>{{> none}}");
        List<String> ids = List.of("same", "broken", "live", "live");
        browser.get("/data/usage"); // writes the statistics
        JsonNode results = compared(ids);
        assertEquals(1, results.get(2).get("keys").size());
        assertEquals(ids.size(), results.size());
        for (int i = 0; i < ids.size(); i++) {
            ObjectNode alone = Json.readObject(browser.get("/data/templates/" + ids.get(i) + "/publication").body());
            JsonNode live = alone.get("live");
            ObjectNode expected = Json.object().put("id", ids.get(i));
            for (String field : List.of("revision", "problems", "moreProblems", "sha256", "added", "moreAdded", "removed", "moreRemoved",
                    "unchanged", "keys")) {
                expected.set(field, alone.get(field));
            }
            expected.set("number", live.isNull() ? live : live.get("number"));
            assertEquals(expected, Json.tree(results.get(i).toString()), ids.get(i));
        }
        assertEquals("true true false", results.get(0).get("unchanged") + " " + results.get(1).get("sha256").isNull() + " " + results.get(2).get("unchanged"));
    }

    @Test
    void anUnknownTemplateIsComparedAs404AndNoTemplateNotAtAll() {
        answered(200, "{\"results\":[{\"id\":\"no-such\",\"status\":404,\"error\":\"Not found\"}]}", browser.post(COMPARE, list(List.of("no-such"))));
        answered(200, "{\"results\":[]}", browser.post(COMPARE, "{}"));
    }

    @Test
    void upToAHundredAreServedByTheNextRequest() {
        String key = stet.key(ada);
        List<String> ids = drafts(100);
        ArrayNode all = seen(ids);
        assertEquals(404, stet.get(Running.TEMPLATES + "mail-99", key).status());
        answered(200, published(ids, 1), publish(all));
        for (int i = 0; i < 100; i += 33) {
            assertEquals("<p>mail-" + i + " {{name}}</p>", stet.get(Running.TEMPLATES + "mail-" + i + "?format=html", key).text());
        }
        assertEquals(100, whole());
        assertEquals(List.of("100"), rows("select count(*) from versions where note = 'all at once' and published_by = 'ada@example.com'"));
    }

    @Test
    void moreThanAHundredAreRejected() {
        List<String> ids = drafts(101);
        ArrayNode all = seen(ids.subList(0, 100));
        all.addAll(seen(ids.subList(100, 101)));
        String tooMany = "{\"error\":\"A request can include at most 100 templates\"}";
        answered(400, tooMany, publish(all));
        answered(400, tooMany, browser.post(COMPARE, list(ids)));
        assertEquals(0, whole());
    }

    @Test
    void eachIsLoggedOnce() {
        ArrayNode seen = seen(drafts(2));
        String log = Running.logged(() -> publish(seen), "subject=mail-1");
        assertEquals(2, log.lines().filter(line -> line.contains("template-published")).count(), log);
        assertTrue(log.contains("template-published account=ada@example.com subject=mail-0 detail=\"version 1: all at once\" actor=ada@example.com"), log);
        assertEquals("", Running.logged(() -> publish(seen)));
    }

    /** Each failure is the one that publishing the template alone returns. */
    @Test
    void aFailedPublicationDoesNotUndoTheOthers() {
        stet.block(ada, "footer", "<i>old</i>");
        stet.draft(ada, "block", "Block", "", "{{> footer}}");
        List<String> good = drafts(2);
        Map<String, Integer> bad = Map.of("newer", 409, "deleted", 404, "errors", 422, "refused", 422, "block", 409);
        for (String id : List.of("newer", "deleted", "errors", "refused")) {
            stet.draft(ada, id, "Mail", "Hi", "<p>" + id + "</p>");
        }
        ArrayNode seen = seen(List.of("mail-0", "newer", "deleted", "errors", "refused", "block", "mail-1"));
        stet.draft(ada, "newer", "Mail", "Hi", "<p>newer still</p>");
        stet.db.change(dao -> dao.trash().delete(ada.id(), "deleted", stet.now()));
        stet.block(ada, "footer", "<i>new</i>");
        stet.draft(ada, "errors", "Mail", "Hi", "<p>\n{{name</p>");
        stet.draft(ada, "refused", "Mail", "Hi", "{{> none}}");
        ArrayNode expected = Json.object().putArray("results");
        for (JsonNode given : seen) {
            String id = given.get("id").textValue();
            ObjectNode result = expected.addObject().put("id", id);
            if (good.contains(id)) {
                result.put("number", 1);
                continue;
            }
            if (bad.get(id) == 422) {
                ((ObjectNode) given).put("revision", 2); // otherwise, the newer draft would be a 409
            }
            Client.Reply alone = browser.post("/data/templates/" + id + "/publish",
                    "{\"revision\":" + given.get("revision") + ",\"sha256\":" + given.get("sha256") + "}");
            assertEquals(bad.get(id), alone.status(), id);
            result.put("status", alone.status()).put("error", Json.tree(alone.text()).get("error").textValue());
        }
        answered(200, "{\"results\":" + expected + "}", publish(seen));
        assertEquals(2, whole());
        assertEquals(good, rows("select id from templates where published = 1 order by id"));
    }

    /** The storage limit stops only the template that exceeds it. */
    @Test
    void aTemplateBeyondTheStorageLimitDoesNotUndoTheOthers() {
        stet.block(ada, "large", "x".repeat(60 << 10));
        stet.draft(ada, "large", "Large", "", "{{> large}}");
        stet.block(ada, "small", "<i>small</i>");
        for (String id : List.of("first", "last")) {
            stet.draft(ada, id, "Small", "", "<p>" + id + "</p>{{> small}}");
        }
        stet.db.change(dao -> dao.storage().changeLimit(ada, 100L << 10, stet.now()));
        ArrayNode seen = seen(List.of("first", "large", "last"));
        String full = "The account would store %s; its limit is 100 KiB. Delete templates and empty the trash, or ask an administrator for more storage";
        answered(422, "{\"error\":\"" + full.formatted("120.1 KiB") + "\",\"field\":null}",
                browser.post("/data/templates/large/publish", "{\"revision\":1}"));
        answered(200, "{\"results\":[{\"id\":\"first\",\"number\":1},{\"id\":\"large\",\"status\":422,\"error\":\""
                + full.formatted("120.18 KiB") + "\"},{\"id\":\"last\",\"number\":1}]}", publish(seen));
        assertEquals(2, whole());
        assertEquals(List.of("7"), rows("select count(*) from texts"), "two blocks, three drafts and two versions");
        assertEquals(List.of("2"), rows("select count(*) from version_blocks"));
    }

    @Test
    void nothingIsPublishedTwice() {
        List<String> ids = drafts(2);
        ArrayNode seen = seen(ids);
        answered(200, published(List.of("mail-0", "mail-0", "mail-1"), 1), publish(Json.object().putArray("templates")
                .add(seen.get(0)).add(seen.get(0)).add(seen.get(1))));
        answered(200, published(ids, 1), publish(seen));
        assertEquals(2, whole());
        stet.draft(ada, "mail-0", "Mail", "Hi", "<p>newer</p>");
        answered(200, "{\"results\":[{\"id\":\"mail-0\",\"status\":409,\"error\":\"This draft has changed since you opened it\"},{\"id\":\"mail-1\",\"number\":1}]}",
                publish(seen));
        answered(200, "{\"results\":[{\"id\":\"mail-0\",\"number\":2}]}", publish(seen(ids.subList(0, 1))));
    }

    /** As on the template's own page: the version records the block's use. */
    @Test
    void theSameTextFromABlockIsPublishedAgain() {
        List<String> ids = drafts(1);
        answered(200, published(ids, 1), publish(seen(ids)));
        stet.block(ada, "part", "<p>mail-0 {{name}}</p>");
        stet.draft(ada, "mail-0", "Mail", "Hi", "{{> part}}");
        answered(200, published(ids, 2), publish(seen(ids)));
    }

    @Test
    void aMalformedOrTooLargeListIsRejected() {
        ArrayNode seen = seen(drafts(1));
        answered(422, "{\"error\":\"The note is 201 characters; the limit is 200\",\"field\":\"note\"}",
                browser.post(PUBLISH, "{\"note\":\"" + "n".repeat(201) + "\",\"templates\":" + seen + "}"));
        answered(422, "{\"error\":\"\\\"templates[0].sha256\\\" is missing\",\"field\":\"templates[0].sha256\"}",
                browser.post(PUBLISH, "{\"templates\":[{\"id\":\"mail-0\",\"revision\":1}]}"));
        answered(422, "{\"error\":\"\\\"templates[0].force\\\" is not a known field\",\"field\":\"templates[0].force\"}",
                browser.post(PUBLISH, "{\"templates\":[{\"id\":\"mail-0\",\"revision\":1,\"sha256\":\"\",\"force\":true}]}"));
        answered(422, "{\"error\":\"\\\"templates[0]\\\" must be a string\",\"field\":\"templates[0]\"}", browser.post(COMPARE, "{\"templates\":[1]}"));
        for (String path : List.of(COMPARE, PUBLISH)) {
            String fits = path.equals(COMPARE) ? list(List.of("mail-0")) : body(seen);
            assertEquals(1, results(browser.post(path, fits + " ".repeat((64 << 10) - fits.length()))).size());
            answered(413, "{\"error\":\"The request is too large\"}", browser.post(path, fits + " ".repeat((64 << 10) - fits.length() + 1)));
        }
    }

    /** A request processes 2 MiB; the templates after that have no result. */
    @Test
    void aRequestEndsAfterTwoMebibytes() {
        List<String> ids = List.of("one", "two", "three");
        ids.forEach(id -> stet.draft(ada, id, "Mail", "Hi", "<p>" + id + " " + "x ".repeat(600 << 10) + "</p>"));
        ArrayNode seen = Json.object().putArray("templates");
        for (int i = 0; i < ids.size(); i++) {
            ArrayNode part = seen(ids.subList(i, ids.size()));
            assertEquals(1, part.size(), "the draft and what is published of it");
            seen.addAll(part);
        }
        answered(200, published(List.of("one", "two"), 1), publish(seen));
        assertEquals(2, whole());
        answered(200, published(List.of("three"), 1), publish(Json.object().putArray("templates").add(seen.get(2))));
        assertEquals(3, whole());
    }

    /** An unreadable draft ends the results before it; if it is the first, the request fails. */
    @Test
    void aCorruptedDraftEndsTheResultsBeforeIt() {
        List<String> ids = drafts(3);
        ArrayNode seen = seen(ids);
        stet.db.change(dao -> dao.sql().update("update texts set html = ? where id = (select text from templates where id = 'mail-1')", new byte[] {'x'}));
        Running.logged(() -> {
            assertEquals(1, compared(ids).size());
            answered(200, published(ids.subList(0, 1), 1), publish(seen));
            assertEquals(500, browser.post(COMPARE, list(ids.subList(1, 3))).status());
            assertEquals(500, publish(Json.object().putArray("templates").add(seen.get(1)).add(seen.get(2))).status());
        });
        answered(200, published(ids.subList(2, 3), 1), publish(Json.object().putArray("templates").add(seen.get(2))));
        assertEquals(2, whole());
    }

    private void trigger(String script) {
        stet.db.changeUncached(dao -> dao.sql().execute(script));
    }

    @Test
    void othersCanWriteBetweenTwoPublications() throws InterruptedException {
        ArrayNode seen = seen(drafts(5));
        trigger(SLOW.formatted(""));
        Set<Long> versions = new ConcurrentSkipListSet<>();
        Thread other = new Thread(() -> {
            while (!versions.contains(5L)) {
                stet.db.changeUncached(dao -> versions.add(dao.sql().number("select count(*) from versions")));
            }
        });
        other.start();
        assertEquals(5, results(publish(seen)).size());
        other.join(Running.PATIENCE.toMillis());
        assertTrue(versions.size() >= 5, "others wrote after " + versions + " of 5 publications");
    }

    @Test
    void aRightLostBetweenTwoTransactionsEndsTheList() {
        stet.member(ada, "ben@example.com", Role.OWNER, "correct horse");
        ArrayNode seen = seen(drafts(3));
        trigger(SLOW.formatted("update members set role = 'writer' where user_id = " + stet.owner(ada).id() + ";"));
        Client.Reply first = publish(seen);
        trigger("drop trigger slow");
        answered(200, published(List.of("mail-0"), 1), first);
        answered(403, "{\"error\":\"Only editors and owners of the account can do this\"}", publish(seen));
        assertEquals(1, whole());
        assertEquals(3, compared(List.of("mail-0", "mail-1", "mail-2")).size());
    }

    /** If the third version cannot be written, its transaction leaves no trace and the earlier ones stay. */
    @Test
    void aFailedPublicationLeavesNoTraceAndTheEarlierOnesStay() {
        List<String> ids = drafts(4);
        ArrayNode seen = seen(ids);
        trigger(SLOW.formatted("""
                select raise(abort, 'no') where new.template = (select row from templates where id = 'mail-2');
                """));
        List<Client.Reply> replies = new ArrayList<>();
        Running.logged(() -> {
            replies.add(publish(seen));
            replies.add(publish(Json.object().putArray("templates").add(seen.get(2)).add(seen.get(3))));
        });
        trigger("drop trigger slow");
        answered(200, published(ids.subList(0, 2), 1), replies.get(0));
        assertEquals(500, replies.get(1).status());
        assertEquals(2, whole());
        answered(200, published(ids, 1), publish(seen));
        assertEquals(4, whole());
    }
}
