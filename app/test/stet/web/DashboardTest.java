package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.access.SessionsTest;
import stet.base.Json;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/** Keys and usage over the web application's data routes. */
class DashboardTest {
    private static final String NOT_FOUND = "{\"error\":\"Not found\"}";
    private static final String AT = "2026-01-31T09:00:00.000Z";
    private static final String WELCOME = Running.TEMPLATES + "welcome?format=html";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.FREE);
    private final Browser browser = Browser.of(stet, ada);

    @BeforeEach
    void open() {
        stet.template(ada, "welcome", "<p>Hi</p>");
    }

    private static JsonNode json(int status, Client.Reply reply) {
        assertEquals(status, reply.status(), reply.text());
        return Json.readObject(reply.body());
    }

    private String made(String name) {
        return json(201, browser.post("/data/keys", "{\"name\":\"" + name + "\"}")).get("secret").asText();
    }

    private void pro() {
        stet.db.change(dao -> dao.accounts().changePlan(ada, Plan.PRO, stet.now(), stet.now()));
    }

    private static String row(long id, String name, String start, String used, long requests, String expires) {
        return "{\"id\":" + id + ",\"name\":\"" + name + "\",\"role\":null,\"start\":\"" + start + "\",\"createdAt\":\"" + AT + "\",\"createdBy\":\"ada@example.com\",\"lastUsedAt\":" + used
                + ",\"requests\":" + requests + ",\"expiresAt\":" + expires + "}";
    }

    @Test
    void aKeyIsCreatedUsedListedAndDeleted() {
        answered(200, "{\"secrets\":[],\"counted\":0,\"limit\":1}", browser.get("/data/keys"));
        Client.Reply reply = browser.post("/data/keys", "{\"name\":\"production <b>\"}");
        assertTrue(reply.text().matches("\\{\"id\":1,\"name\":\"production <b>\",\"role\":null,\"secret\":\"stet_[0-9A-Za-z]{38}\"}"), reply.text());
        assertEquals("no-store", reply.header("Cache-Control"));
        String key = json(201, reply).get("secret").asText();
        String unused = "{\"secrets\":[" + row(1, "production <b>", key.substring(0, 9), "null", 0, "null") + "],\"counted\":1,\"limit\":1}";
        answered(200, unused, browser.get("/data/keys"));
        answered(200, "<p>Hi</p>", stet.get(WELCOME, key));
        assertTrue(Running.comes(() -> browser.get("/data/keys").text().equals("{\"secrets\":["
                + row(1, "production <b>", key.substring(0, 9), "\"" + AT + "\"", 1, "null") + "],\"counted\":1,\"limit\":1}")));
        answered(204, "", browser.delete("/data/keys/1"));
        answered(401, "Invalid API key", stet.get(WELCOME, key));
        answered(404, NOT_FOUND, browser.delete("/data/keys/1"));
        answered(200, "{\"secrets\":[],\"counted\":0,\"limit\":1}", browser.get("/data/keys"));
    }

    @Test
    void aKeyBeyondTheLimitIsNotCreated() {
        made("ci");
        answered(422, "{\"error\":\"ada@example.com has reached its key limit (1); delete a key or raise the limit\",\"field\":\"key\"}",
                browser.post("/data/keys", "{\"name\":\"second\"}"));
        assertEquals(1, json(200, browser.get("/data/keys")).get("secrets").size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "x", "-1", "99999999999999999999", "1.0", "%201"})
    void anInvalidKeyIdIsNotFound(String id) {
        made("ci");
        answered(404, NOT_FOUND, browser.delete("/data/keys/" + id));
        answered(404, NOT_FOUND, browser.post("/data/keys/" + id + "/rotate", "{}"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            {}                        | \\"name\\" is missing | name
            {"name":""}               | The name must not be empty     | name
            {"name":1}                | \\"name\\" must be a string | name
            {"name":"a","key":"mine"} | \\"key\\" is not a known field | key
            """)
    void anInvalidKeyIsNotCreated(String json, String sentence, String field) {
        answered(422, "{\"error\":\"" + sentence + "\",\"field\":\"" + field + "\"}", browser.post("/data/keys", json));
        answered(200, "{\"secrets\":[],\"counted\":0,\"limit\":1}", browser.get("/data/keys"));
    }

    @Test
    void aKeyRotatedWithoutOverlapStopsWorkingAtOnce() {
        String old = made("ci");
        String fresh = json(201, browser.post("/data/keys/1/rotate", "{\"hours\":0}")).get("secret").asText();
        answered(401, "Invalid API key", stet.get(WELCOME, old));
        answered(200, "<p>Hi</p>", stet.get(WELCOME, fresh));
    }

    @Test
    void bothKeysOfARotationCountAsOne() {
        String old = made("ci");
        JsonNode rotated = json(201, browser.post("/data/keys/1/rotate", "{}"));
        String fresh = rotated.get("secret").asText();
        assertEquals("ci", rotated.get("name").asText());
        assertEquals(2, rotated.get("id").asInt());
        answered(200, "{\"secrets\":[" + row(1, "ci", old.substring(0, 9), "null", 0, "\"2026-02-01T09:00:00.000Z\"") + ","
                + row(2, "ci", fresh.substring(0, 9), "null", 0, "null") + "],\"counted\":1,\"limit\":1}", browser.get("/data/keys"));
        answered(422, "{\"error\":\"ada@example.com has reached its key limit (1); delete a key or raise the limit\",\"field\":\"key\"}",
                browser.post("/data/keys", "{\"name\":\"second\"}"));
    }

    @Test
    void atMostTwoKeysOfARotationWorkAtOnce() {
        made("ci");
        json(201, browser.post("/data/keys/1/rotate", "{}"));
        answered(422, "{\"error\":\"This key has already been rotated; delete it or rotate the new key\",\"field\":null}",
                browser.post("/data/keys/1/rotate", "{}"));
        answered(422, "{\"error\":\"A key from an earlier rotation still works; delete it first, or let the key being replaced expire immediately\",\"field\":\"hours\"}",
                browser.post("/data/keys/2/rotate", "{\"hours\":72}"));
    }

    @Test
    void theOldKeyOfARotationExpiresAfterADay() {
        String old = made("ci");
        String fresh = json(201, browser.post("/data/keys/1/rotate", "{}")).get("secret").asText();
        stet.clock.advance(Duration.ofHours(24).minusMillis(1));
        assertEquals(200, stet.get(WELCOME, old).status());
        assertEquals(200, stet.get(WELCOME, fresh).status());
        stet.clock.advance(Duration.ofMillis(1));
        answered(401, "Invalid API key", stet.get(WELCOME, old));
        assertEquals(200, stet.get(WELCOME, fresh).status());
        assertEquals(1, json(200, Browser.of(stet, ada).get("/data/keys")).get("secrets").size());
        stet.restart();
        answered(401, "Invalid API key", stet.get(WELCOME, old));
        assertEquals(201, Browser.of(stet, ada).post("/data/keys/2/rotate", "{\"hours\":72}").status());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            {"hours":-1}   | The old key can keep working for 0 to 72 hours | hours
            {"hours":73}   | The old key can keep working for 0 to 72 hours | hours
            {"hours":"24"} | \\"hours\\" must be a whole number | hours
            {"hours":0.5}  | \\"hours\\" must be a whole number | hours
            {"days":1}     | \\"days\\" is not a known field | days
            """)
    void aRotationWithAnInvalidOverlapIsRejected(String json, String sentence, String field) {
        String key = made("ci");
        answered(422, "{\"error\":\"" + sentence + "\",\"field\":\"" + field + "\"}", browser.post("/data/keys/1/rotate", json));
        assertEquals(200, stet.get(WELCOME, key).status());
        assertEquals(1, stet.db.read(dao -> dao.keys().list(ada.id())).size());
    }

    @ParameterizedTest(name = "20 at once on {0} give {1}")
    @CsvSource({"FREE, 1", "PRO, 5"})
    void concurrentRequestsCreateNoMoreKeysThanThePlanHas(Plan plan, int keys) throws Exception {
        if (plan == Plan.PRO) {
            pro();
        }
        ExecutorService threads = Executors.newFixedThreadPool(20);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<Integer>> statuses = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                statuses.add(threads.submit(() -> {
                    start.await();
                    return browser.post("/data/keys", "{\"name\":\"parallel\"}").status();
                }));
            }
            start.countDown();
            int made = 0;
            for (Future<Integer> status : statuses) {
                assertTrue(status.get() == 201 || status.get() == 422);
                made += status.get() == 201 ? 1 : 0;
            }
            assertEquals(keys, made);
            assertEquals(keys, stet.db.read(dao -> dao.keys().list(ada.id())).size());
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aKeyDeletedDuringUseIsRejectedFromThenOn() throws Exception {
        pro();
        String key = made("busy");
        AtomicBoolean deleted = new AtomicBoolean();
        AtomicInteger answered = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> users = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                users.add(threads.submit(() -> {
                    try (Client client = new Client(stet.server.address())) {
                        for (int late = 0; late < 50; ) {
                            boolean gone = deleted.get();
                            int status = client.get(WELCOME, key).status();
                            assertTrue(status == 401 || !gone && status == 200, "answered with " + status + ", deleted before: " + gone);
                            answered.incrementAndGet();
                            late += gone ? 1 : 0;
                        }
                    }
                }));
            }
            assertTrue(Running.comes(() -> answered.get() > 100));
            answered(204, "", browser.delete("/data/keys/1"));
            deleted.set(true);
            for (Future<?> user : users) {
                user.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void noKeyIsLoggedOrStoredInPlainText() throws IOException {
        List<String> keys = new ArrayList<>();
        String log = Running.logged(() -> {
            keys.add(made("one"));
            keys.add(json(201, browser.post("/data/keys/1/rotate", "{\"hours\":1}")).get("secret").asText());
            keys.forEach(key -> assertEquals(200, stet.get(WELCOME, key).status()));
            stet.get(Running.TEMPLATES + "no-such?api_key=" + keys.get(0), keys.get(0));
            browser.get("/data/keys");
            browser.get("/data/usage");
        });
        for (String key : keys) {
            assertFalse(log.contains(key));
            assertFalse(SessionsTest.holds(stet.folder, key.substring(10)));
        }
        stet.stop();
        for (String key : keys) {
            assertFalse(SessionsTest.holds(stet.folder, key.substring(10)));
        }
        stet.start();
    }

    private static final String PERIOD = "\"start\":\"" + AT + "\",\"end\":\"2026-03-02T09:00:00.000Z\"";

    @Test
    void usageStartsAtZero() {
        answered(200, "{\"plan\":\"free\",\"used\":0,\"limit\":100," + PERIOD + ",\"now\":\"" + AT + "\",\"days\":[{\"day\":\"2026-01-31\",\"ok\":0,"
                + "\"missed\":0}],\"keys\":[],\"templates\":[],\"misses\":[]}", browser.get("/data/usage"));
    }

    @Test
    void usageHasDaysKeysTemplatesAndFailedRequestsOfThePeriod() {
        stet.draft(ada, "draft", "Draft", "", "");
        String key = made("ci");
        assertEquals(200, stet.get(WELCOME, key).status());
        assertEquals(304, stet.get(WELCOME, key, "If-None-Match: *").status());
        assertEquals(404, stet.get(Running.TEMPLATES + "draft", key).status());
        assertEquals(400, stet.get(Running.TEMPLATES + "welcome?format=x", key).status());
        stet.clock.advance(Duration.ofDays(2));
        assertEquals(404, stet.get(Running.TEMPLATES + "welcom", key).status());
        assertEquals(404, stet.get(Running.TEMPLATES + "quite-another", key).status());
        stet.limit(ada, 4);
        assertEquals(429, stet.get(WELCOME, key).status());
        String expected = "{\"plan\":\"free\",\"used\":5,\"limit\":4," + PERIOD + ",\"now\":\"2026-02-02T09:00:00.000Z\","
                + "\"days\":[{\"day\":\"2026-01-31\",\"ok\":2,\"missed\":1},{\"day\":\"2026-02-01\",\"ok\":0,\"missed\":0},"
                + "{\"day\":\"2026-02-02\",\"ok\":0,\"missed\":2}],\"keys\":[{\"id\":1,\"name\":\"ci\",\"ok\":2,\"missed\":3}],"
                + "\"templates\":[{\"id\":\"\",\"ok\":0,\"missed\":2},{\"id\":\"draft\",\"ok\":0,\"missed\":1},{\"id\":\"welcome\",\"ok\":2,\"missed\":0}],"
                + "\"misses\":[{\"at\":\"2026-02-02T09:00:00.000Z\",\"key\":\"ci\",\"template\":\"quite-another\",\"status\":404,\"times\":1,\"hint\":null},"
                + "{\"at\":\"2026-02-02T09:00:00.000Z\",\"key\":\"ci\",\"template\":\"welcom\",\"status\":404,\"times\":1,"
                + "\"hint\":\"\\\"welcom\\\" is unknown; did you mean \\\"welcome\\\"?\"},"
                + "{\"at\":\"2026-02-02T09:00:00.000Z\",\"key\":\"ci\",\"template\":\"welcome\",\"status\":429,\"times\":1,\"hint\":null},"
                + "{\"at\":\"" + AT + "\",\"key\":\"ci\",\"template\":\"draft\",\"status\":404,\"times\":1,\"hint\":\"never published; publish it first\"}]}";
        Browser later = Browser.of(stet, ada);
        assertTrue(Running.comes(() -> later.get("/data/usage").text().equals(expected)), () -> later.get("/data/usage").text());
        stet.restart();
        answered(200, expected, Browser.of(stet, ada).get("/data/usage"));
    }

    @Test
    void aNewPeriodStartsAtZeroAndStillListsEarlierFailedRequests() {
        String key = made("ci");
        assertEquals(200, stet.get(WELCOME, key).status());
        assertEquals(404, stet.get(Running.TEMPLATES + "no-such", key).status());
        assertTrue(Running.comes(() -> json(200, browser.get("/data/usage")).get("misses").size() == 1));
        stet.clock.set("2026-03-02T09:00:00Z");
        JsonNode next = json(200, Browser.of(stet, ada).get("/data/usage"));
        assertEquals("0 [{\"day\":\"2026-03-02\",\"ok\":0,\"missed\":0}] [] [] 1", next.get("used") + " " + next.get("days") + " " + next.get("keys")
                + " " + next.get("templates") + " " + next.get("misses").size());
    }

    @Test
    void keysOfOneNameAndDeletedOnesAreARowEach() {
        pro();
        List<String> keys = List.of(made("ci"), made("ci"), made("gone"), made("gone"));
        for (int i = 0; i < keys.size(); i++) {
            for (int times = 0; times <= i; times++) {
                assertEquals(200, stet.get(WELCOME, keys.get(i)).status());
            }
        }
        answered(204, "", browser.delete("/data/keys/3"));
        answered(204, "", browser.delete("/data/keys/4"));
        String expected = "[{\"id\":1,\"name\":\"ci\",\"ok\":1,\"missed\":0},{\"id\":2,\"name\":\"ci\",\"ok\":2,\"missed\":0},"
                + "{\"id\":3,\"name\":null,\"ok\":3,\"missed\":0},{\"id\":4,\"name\":null,\"ok\":4,\"missed\":0}]";
        assertTrue(Running.comes(() -> json(200, browser.get("/data/usage")).get("keys").toString().equals(expected)));
    }

    @Test
    void aClockSetBackShowsThePeriodThatIsCounted() {
        String key = made("ci");
        stet.clock.set("2026-03-02T09:00:00Z");
        assertEquals(200, stet.get(WELCOME, key).status());
        stet.stop();
        stet.clock.set("2026-03-02T08:00:00Z");
        stet.start();
        Client.Reply reply = stet.get(WELCOME, key);
        assertEquals(200, reply.status());
        JsonNode usage = json(200, Browser.of(stet, ada).get("/data/usage"));
        assertEquals("1 2026-01-31T09:00:00.000Z 2026-03-02T09:00:00.000Z", usage.get("used").asText() + " " + usage.get("start").asText()
                + " " + usage.get("end").asText());
    }

    @Test
    void theFiftyNewestFailedRequestsAreListed() {
        stet.limit(ada, 1_000);
        String key = stet.key(ada);
        for (int i = 0; i < 60; i++) {
            stet.get(Running.TEMPLATES + "none-" + i, key);
            stet.clock.advance(Duration.ofSeconds(1));
        }
        assertTrue(Running.comes(() -> browser.get("/data/usage").text().contains("none-59")));
        JsonNode misses = json(200, browser.get("/data/usage")).get("misses");
        assertEquals(50, misses.size());
        assertEquals("none-59", misses.get(0).get("template").asText());
        assertEquals("none-10", misses.get(49).get("template").asText());
    }

    /** Repeated failures share a row with a count, so that they hide nothing else. */
    @Test
    void equalFailedRequestsAreOneRow() {
        stet.limit(ada, 3);
        String key = stet.key(ada);
        for (int i = 0; i < 90; i++) {
            stet.clock.advance(Duration.ofSeconds(1));
            stet.get(Running.TEMPLATES + (i < 3 ? "none" : "welcome"), key);
        }
        stet.db.change(dao -> dao.accounts().changePlan(ada, Plan.NONE, null, stet.now()));
        assertEquals(403, stet.get(WELCOME, key).status());
        assertEquals(403, stet.get(WELCOME, key).status());
        assertTrue(Running.comes(() -> rows().equals("welcome 403 2 09:01:30|welcome 429 87 09:01:30|none 404 3 09:00:03")), this::rows);
    }

    private String rows() {
        return StreamSupport.stream(json(200, browser.get("/data/usage")).get("misses").spliterator(), false).map(row ->
                row.get("template").asText() + " " + row.get("status") + " " + row.get("times") + " " + row.get("at").asText().substring(11, 19))
                .collect(Collectors.joining("|"));
    }

    /** Comparing every unknown id with every template would take seconds in a large account. */
    @Test
    void inALargeAccountTheNewestTwentyFiveFailedRequestsHaveHints() {
        stet.db.change(dao -> {
            for (int i = 1_000; i < 5_000; i++) {
                dao.templates().save(ada.id(), new Draft("mail-" + i, "Mail", "", new byte[0], Map.of()), stet.now());
            }
        });
        stet.limit(ada, 1_000);
        String key = stet.key(ada);
        for (int i = 0; i < 40; i++) {
            stet.get(Running.TEMPLATES + "mail-" + (1_000 + i) + "x", key);
            stet.clock.advance(Duration.ofSeconds(1));
        }
        assertTrue(Running.comes(() -> browser.get("/data/usage").text().contains("mail-1039x")));
        JsonNode misses = json(200, browser.get("/data/usage")).get("misses");
        for (int i = 0; i < 40; i++) {
            int newest = 1_039 - i;
            assertEquals(i < 25 ? "\"mail-" + newest + "x\" is unknown; did you mean \"mail-" + newest + "\"?" : "null", misses.get(i).get("hint").asText());
        }
    }
}
