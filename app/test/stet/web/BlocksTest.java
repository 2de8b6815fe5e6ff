package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Running;

/** Shared blocks in the web application's data routes: their uses, and live versions with an outdated block. */
class BlocksTest {
    private static final String NOT_FOUND = "{\"error\":\"Not found\"}";
    private static final String AT = "2026-01-31T09:00:00.000Z";
    private static final String LATER = "2026-01-31T10:00:00.000Z";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);

    private static String block(String name, String html, int revision, String updated, String templates, String blocks, String stale) {
        return "{\"name\":\"" + name + "\",\"html\":\"" + html + "\",\"revision\":" + revision + ",\"updatedAt\":\"" + updated
                + "\",\"savedBy\":\"ada@example.com\",\"templates\":[" + templates + "],\"blocks\":[" + blocks + "],\"stale\":[" + stale + "]}";
    }

    @Test
    void aSavedBlockMakesTemplatesStaleUntilTheyArePublished() {
        stet.block(ada, "footer", "");
        addFrame();
        stet.template(ada, "welcome", "<p>{{> frame}}</p>");
        answered(200, "{\"templates\":[]}", browser.get("/data/stale"));
        stet.clock.advance(Duration.ofHours(1));
        answered(200, block("footer", "<i>{{company}}</i>", 2, LATER, "", "\"frame\"", "\"welcome\""),
                browser.put("/data/blocks/footer", "{\"revision\":1,\"html\":\"<i>{{company}}</i>\"}"));
        answered(200, "{\"templates\":[{\"id\":\"welcome\",\"name\":\"welcome\",\"draftChanged\":false,\"blocks\":[\"footer\"]}]}",
                browser.get("/data/stale"));

        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"note\":\"Shared footer\"}").status());
        answered(200, "{\"templates\":[]}", browser.get("/data/stale"));
        answered(200, block("footer", "<i>{{company}}</i>", 2, LATER, "", "\"frame\"", ""), browser.get("/data/blocks/footer"));
    }

    private void addFrame() {
        answered(201, block("frame", "<div>{{> footer}}</div>", 1, AT, "", "", ""),
                browser.post("/data/blocks", "{\"name\":\"frame\",\"html\":\"<div>{{> footer}}</div>\"}"));
    }

    @Test
    void blocksAreListedWithTheirSizesAndUses() {
        answered(200, "{\"blocks\":[]}", browser.get("/data/blocks"));
        answered(201, block("footer", "", 1, AT, "", "", ""), browser.post("/data/blocks", "{\"name\":\"footer\"}"));
        addFrame();
        stet.template(ada, "welcome", "<p>{{> frame}}</p>");
        answered(200, "{\"blocks\":[{\"name\":\"footer\",\"updatedAt\":\"" + AT + "\",\"bytes\":0,\"users\":1,\"stale\":0},"
                + "{\"name\":\"frame\",\"updatedAt\":\"" + AT + "\",\"bytes\":23,\"users\":1,\"stale\":0}]}", browser.get("/data/blocks"));
        answered(200, block("frame", "<div>{{> footer}}</div>", 1, AT, "\"welcome\"", "", ""), browser.get("/data/blocks/frame"));
    }

    @Test
    void aSecondBlockOfANameIsRejected() {
        stet.block(ada, "footer", "one");
        answered(422, "{\"error\":\"A shared block named footer already exists; choose another name\",\"field\":\"name\"}",
                browser.post("/data/blocks", "{\"name\":\"footer\",\"html\":\"other\"}"));
        assertEquals("one", Json.tree(browser.get("/data/blocks/footer").text()).get("html").asText());
    }

    @Test
    void aSaveOfAnEarlierRevisionReturnsTheCurrentBlock() {
        stet.block(ada, "footer", "");
        String theirs = block("footer", "<i>{{company}}</i>", 2, AT, "", "", "");
        answered(200, theirs, browser.put("/data/blocks/footer", "{\"revision\":1,\"html\":\"<i>{{company}}</i>\"}"));
        answered(409, "{\"error\":\"This shared block has changed since you opened it\",\"theirs\":" + theirs + "}",
                browser.put("/data/blocks/footer", "{\"revision\":1,\"html\":\"mine\"}"));
        answered(200, theirs, browser.get("/data/blocks/footer"));
    }

    @Test
    void aBlockIsDeletedOnceUnused() {
        stet.block(ada, "footer", "<i>{{company}}</i>");
        stet.block(ada, "frame", "<div>{{> footer}}</div>");
        stet.template(ada, "welcome", "<p>{{> frame}}</p>");
        answered(422, "{\"error\":\"The shared block \\\"footer\\\" is still used by frame; remove it there first\",\"field\":null}", browser.delete("/data/blocks/footer"));
        answered(422, "{\"error\":\"The shared block \\\"frame\\\" is still used by welcome; remove it there first\",\"field\":null}", browser.delete("/data/blocks/frame"));
        answered(204, "", browser.delete("/data/templates/welcome"));
        answered(204, "", browser.delete("/data/blocks/frame"));
        answered(204, "", browser.delete("/data/blocks/footer"));
        answered(404, NOT_FOUND, browser.delete("/data/blocks/footer"));
        answered(404, NOT_FOUND, browser.get("/data/blocks/footer"));
        answered(404, NOT_FOUND, browser.put("/data/blocks/footer", "{\"revision\":2,\"html\":\"\"}"));
        answered(200, "{\"blocks\":[]}", browser.get("/data/blocks"));
    }

    @Test
    void aBlockCreatedAgainRejectsSavesOfTheDeletedOne() {
        stet.block(ada, "footer", "old");
        stet.block(ada, "footer", "older");
        answered(204, "", browser.delete("/data/blocks/footer"));
        answered(201, block("footer", "new", 3, AT, "", "", ""), browser.post("/data/blocks", "{\"name\":\"footer\",\"html\":\"new\"}"));
        for (int revision : new int[] {1, 2}) {
            assertEquals(409, browser.put("/data/blocks/footer", "{\"revision\":" + revision + ",\"html\":\"mine\"}").status());
        }
        answered(200, block("footer", "new", 3, AT, "", "", ""), browser.get("/data/blocks/footer"));
    }

    @Test
    void aTemplateOfTheSameNameUsesABlockLikeAnyOther() {
        stet.block(ada, "footer", "<i>F</i>");
        stet.draft(ada, "footer", "Footer", "", "{{> footer}}");
        answered(422, "{\"error\":\"The shared block \\\"footer\\\" is still used by footer; remove it there first\",\"field\":null}", browser.delete("/data/blocks/footer"));
        assertEquals(200, browser.get("/data/blocks/footer").status());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a {{> frame}}          | shared block \\"frame\\", line 1: shared block \\"footer\\" includes itself: footer > frame > footer
            a\\n{{> footer}}       | shared block \\"footer\\", line 2: shared block \\"footer\\" includes itself: footer > footer
            a\\n\\n{{> no-such}}   | shared block \\"footer\\", line 3: shared block \\"no-such\\" not found
            {{> not an id}}        | shared block \\"footer\\", line 1: \\"{{> not an id}}\\" passes more than one value, which Handlebars rejects
            a\\n{{name             | shared block \\"footer\\", line 2: \\"{{\\" is not closed
            """)
    void aBlockThatWouldBreakTemplatesIsNotSaved(String html, String sentence) {
        stet.block(ada, "footer", "<i>F</i>");
        stet.block(ada, "frame", "<div>{{> footer}}</div>");
        String refused = "{\"error\":\"" + sentence + "\",\"field\":\"html\"}";
        answered(422, refused, browser.put("/data/blocks/footer", "{\"revision\":1,\"html\":\"" + html + "\"}"));
        answered(200, block("footer", "<i>F</i>", 1, AT, "", "\"frame\"", "").replace("\"ada@example.com\"", "null"), browser.get("/data/blocks/footer"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            {"html":"x"}                     | \\"name\\" is missing | name
            {"name":"a b"}                   | \\"a b\\" is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit | name
            {"name":"a","html":7}            | \\"html\\" must be a string | html
            {"name":"a","html":"{{"}         | shared block \\"a\\", line 1: \\"{{\\" is not closed | html
            {"name":"a","html":"{{> a}}"}    | shared block \\"a\\", line 1: shared block \\"a\\" includes itself: a > a | html
            {"name":"a","html":"","text":""} | \\"text\\" is not a known field | text
            """)
    void anInvalidBlockIsNotCreated(String json, String sentence, String field) {
        answered(422, "{\"error\":\"" + sentence + "\",\"field\":\"" + field + "\"}", browser.post("/data/blocks", json));
        answered(200, "{\"blocks\":[]}", browser.get("/data/blocks"));
    }

    @Test
    void anEditedBlockChangesUpdatedAtButNotTheLiveVersion() {
        stet.block(ada, "footer", "one");
        stet.template(ada, "welcome", "{{> footer}}");
        stet.template(ada, "other", "text");
        String key = stet.key(ada);
        stet.clock.advance(Duration.ofHours(1));
        assertEquals(200, browser.put("/data/blocks/footer", "{\"revision\":1,\"html\":\"two\"}").status());
        answered(200, "{\"id\":\"welcome\",\"name\":\"welcome\",\"subject\":\"\",\"html\":\"one\",\"variables\":[],\"updatedAt\":\"" + LATER + "\"}",
                stet.get(Running.TEMPLATES + "welcome", key));
        answered(200, "{\"id\":\"other\",\"name\":\"other\",\"subject\":\"\",\"html\":\"text\",\"variables\":[],\"updatedAt\":\"" + AT + "\"}",
                stet.get(Running.TEMPLATES + "other", key));
    }

    @Test
    void staleTemplatesAreListedWithoutTheirTexts() {
        stet.block(ada, "footer", "one");
        stet.block(ada, "logo", "<img>");
        for (int i = 0; i < 1_000; i++) {
            stet.draft(ada, "mail-" + i, "Mail", "", "x".repeat(2_000) + "{{> logo}}{{> footer}}");
        }
        stet.db.change(dao -> {
            for (int i = 0; i < 1_000; i++) {
                dao.versions().publish(ada.id(), "mail-" + i, "", stet.now());
            }
        });
        stet.draft(ada, "mail-1", "Mail", "", "{{> footer}} {{> none}}");
        stet.block(ada, "footer", "two");
        stet.block(ada, "logo", "<b>");
        String text = browser.get("/data/stale").text();
        assertTrue(text.startsWith("{\"templates\":[{\"id\":\"mail-0\",\"name\":\"Mail\",\"draftChanged\":false,\"blocks\":[\"footer\",\"logo\"]},"
                + "{\"id\":\"mail-1\",\"name\":\"Mail\",\"draftChanged\":true,\"blocks\":[\"footer\",\"logo\"]},"), text.substring(0, 300));
        assertTrue(text.length() < 100_000, () -> text.length() + " bytes");
    }
}
