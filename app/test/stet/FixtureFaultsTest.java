package stet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.base.Refusal;
import stet.fixture.Fault;
import stet.harness.Client;
import stet.harness.Doubled;
import stet.harness.Running;
import stet.testing.StetExtension;
import stet.testing.StetFixture;

/** The test double's faults from the client's point of view. */
class FixtureFaultsTest {
    private static final String PRO = "stet-pro-key";
    private static final String FREE = "stet-free-key";
    private static final String WELCOME = Running.TEMPLATES + "welcome?format=html";

    @RegisterExtension
    static final StetExtension DOUBLE = StetExtension.of(Doubled.DATA);
    private static final StetFixture fixture = DOUBLE.fixture();
    private static final Doubled stet = new Doubled(fixture.url());

    private static JsonNode journal() {
        return Json.readObject(stet.done("GET", "/requests", "").getBytes(StandardCharsets.UTF_8)).get("requests");
    }

    private static String statuses(String... keys) {
        List<Integer> statuses = new ArrayList<>();
        for (String key : keys) {
            statuses.add(stet.get("welcome", key).status());
        }
        return statuses.toString();
    }

    @Test
    void someRequestsPassBeforeItAndItIsForOneAccount() {
        stet.done("POST", "/faults", "{\"account\": \"pro@example.com\", \"status\": 500, \"after\": 2, \"times\": 1}");
        assertEquals("[200, 200, 200, 500, 200]", statuses(FREE, PRO, PRO, PRO, PRO));
        stet.done("POST", "/faults", "{\"account\": \"pro@example.com\", \"status\": 500, \"after\": 3}");
        statuses(PRO, FREE);
        assertTrue(stet.done("GET", "/faults", "").contains("\"after\":2,\"times\":null"));
        stet.done("DELETE", "/faults?account=PRO@example.com", "");
        assertEquals("{\"faults\":[]}", stet.done("GET", "/faults", ""));
    }

    @Test
    void eachHasAnIdByWhichItIsDeleted() {
        assertTrue(stet.done("POST", "/faults", "{\"status\": 500}").startsWith("{\"id\":1,\"faults\":[{\"id\":1,\"kind\":\"status\","));
        assertTrue(stet.done("POST", "/faults", "{\"status\": 403}").startsWith("{\"id\":2,"));
        stet.done("DELETE", "/faults/1", "");
        assertEquals("[403]", statuses(PRO));
        assertEquals("{\"id\":2,\"kind\":\"status\"}", journal().get(0).get("fault").toString());
        assertEquals(404, stet.control("DELETE", "/faults/1", "").status());
        stet.done("POST", "/reset", "");
        assertTrue(stet.done("POST", "/faults", "{\"status\": 500}").startsWith("{\"id\":1,"));
    }

    @Test
    void a404IsOfEitherKindAndTellsTheQuota() {
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00Z\"}");
        stet.done("PATCH", "/accounts/pro@example.com", "{\"used\": 7}");
        stet.done("POST", "/faults", "{\"status\": 404, \"times\": 1}");
        stet.done("POST", "/faults", "{\"status\": 404, \"error\": \"template_not_published\", \"times\": 2}");
        Client.Reply unknown = stet.get("welcome", PRO);
        assertEquals("404 {\"error\":\"Not found\"} \"monthly\";r=4993;t=2332800",
                unknown.status() + " " + unknown.text() + " " + unknown.header("RateLimit"));
        Client.Reply unpublished = stet.get("welcome", PRO);
        assertEquals("404 {\"error\":\"template_not_published\"} \"monthly\";r=4993;t=2332800",
                unpublished.status() + " " + unpublished.text() + " " + unpublished.header("RateLimit"));
        assertEquals(null, stet.get("welcome", null).header("RateLimit"));
    }

    @Test
    void retryAfterIsOnesOwn() {
        stet.done("POST", "/faults", "{\"status\": 503, \"retryAfter\": 0, \"times\": 1}");
        stet.done("POST", "/faults", "{\"status\": 429, \"retryAfter\": 7, \"times\": 1}");
        assertEquals("0", stet.get("welcome", PRO).header("Retry-After"));
        assertEquals("7", stet.get("welcome", PRO).header("Retry-After"));
    }

    @Test
    void theQuotaOfA429IsUsedUpUntilItsRetryAfter() {
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00Z\"}");
        stet.done("POST", "/faults", "{\"status\": 429, \"times\": 1}");
        stet.done("POST", "/faults", "{\"status\": 429, \"retryAfter\": 7}");
        assertEquals("2332800 \"monthly\";r=0;t=2332800", quota(stet.get("welcome", PRO)));
        assertEquals("7 \"monthly\";r=0;t=7", quota(stet.get("welcome", PRO)));
        assertEquals("7 null", quota(stet.get("welcome", null)));
        stet.done("PATCH", "/accounts/pro@example.com", "{\"plan\": \"none\"}");
        assertEquals("7 null", quota(stet.get("welcome", PRO)));
    }

    private static String quota(Client.Reply reply) {
        return reply.header("Retry-After") + " " + reply.header("RateLimit");
    }

    @Test
    void anyErrorStatusHasTheHeadersAndTheBodyOfAProxy() {
        stet.done("POST", "/faults", """
                {"status": 502, "type": "text/html", "body": "<h1>Bad gateway \u00fc</h1>", "times": 1,
                 "headers": {"Server": "nginx", "Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}}""");
        Client.Reply page = stet.get("welcome", PRO);
        assertEquals("502 text/html <h1>Bad gateway \u00fc</h1>", page.status() + " " + page.header("Content-Type") + " " + page.text());
        assertEquals("nginx, Wed, 21 Oct 2026 07:28:00 GMT", page.header("Server") + ", " + page.header("Retry-After"));
        assertEquals(Set.of("content-type", "content-length", "server", "retry-after", "date"), page.headers().keySet());
        assertEquals("{\"answer\":\"whole\",\"bytes\":23,\"of\":23,\"delayMs\":0}", journal().get(0).get("received").toString());
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            400 | application/json          | {"error":"invalid_format"}
            405 | application/json          | {"error":"Method not allowed"}
            418 | -                         | -
            504 | -                         | -""", delimiter = '|')
    void aStatusHasTheServicesAnswerWhereThereIsOne(int status, String type, String body) {
        fixture.faults().add(Fault.status(status).header("X-Request-Id", "7"));
        Client.Reply reply = stet.get("welcome", PRO);
        assertEquals(status + " " + type + " " + body + " 7", reply.status() + " " + reply.header("Content-Type") + " "
                + (reply.body().length == 0 ? null : reply.text()) + " " + reply.header("X-Request-Id"));
        fixture.faults().clear();
        fixture.faults().add(Fault.status(status).body("text/plain", "busy"));
        assertEquals(status + " text/plain busy null", stet.get("welcome", PRO).status() + " "
                + stet.get("welcome", PRO).header("Content-Type") + " " + stet.get("welcome", PRO).text() + " "
                + stet.get("welcome", PRO).header("X-Content-Type-Options"));
    }

    @Test
    void aBodyOf64KiBFits() {
        fixture.faults().add(Fault.status(500).body("text/plain", "\u00fc".repeat(32 << 10)));
        assertEquals(64 << 10, stet.get("welcome", PRO).body().length);
        assertThrows(Refusal.class, () -> Fault.status(500).body("text/plain", "\u00fc".repeat(32 << 10) + "x"));
    }

    @Test
    void neverIsNoAnswerUntilAReset() {
        stet.done("POST", "/faults", "{\"never\": true, \"times\": 1}");
        try (Client client = stet.client()) {
            client.write(client.request("GET", WELCOME, PRO));
            stet.done("GET", "/requests?wait=1", "");
            assertEquals("{\"answer\":\"never\",\"bytes\":0,\"of\":42,\"delayMs\":0}", journal().get(0).get("received").toString());
            assertTrue(!client.isClosedByServer(50));
            stet.done("POST", "/reset", "");
            assertTrue(client.isClosedByServer());
        }
    }

    @Test
    void aSlowBodyComesBitByBitAndWholeAtAReset() {
        stet.done("PUT", "/accounts/pro@example.com/templates/long", "{\"html\": \"" + "x".repeat(20_000) + "\"}");
        byte[] whole = stet.get("long?format=html", PRO).body();
        stet.done("POST", "/faults", "{\"bytesPerSecond\": 100000, \"times\": 1}");
        long begin = System.nanoTime();
        assertArrayEquals(whole, stet.get("long?format=html", PRO).body());
        assertTrue(System.nanoTime() - begin > 150_000_000L);
        stet.done("POST", "/faults", "{\"bytesPerSecond\": 50, \"times\": 1}");
        try (Client client = stet.client()) {
            client.write(client.request("GET", Running.TEMPLATES + "long?format=html", PRO));
            assertTrue(Running.comes(() -> client.available() > 0));
            assertTrue(client.available() < 2_000);
            assertEquals("[{\"answer\":\"whole\",\"bytes\":20000,\"of\":20000,\"delayMs\":0}, "
                    + "{\"answer\":\"truncated\",\"bytes\":3000,\"of\":20000,\"delayMs\":0}]",
                    journal().findValues("received").subList(1, 3).toString());
            stet.done("POST", "/reset", "");
            assertArrayEquals(whole, client.read(false).body());
        }
    }

    @Test
    void delaysFollowTheirSeed() {
        List<String> delays = new ArrayList<>();
        for (int seed : new int[] {1, 1, 2}) {
            stet.done("POST", "/faults", "{\"delayMs\": 0, \"maxDelayMs\": 20, \"seed\": " + seed + ", \"times\": 5}");
            statuses(PRO, PRO, PRO, PRO, PRO);
            delays.add(journal().findValues("delayMs").toString());
            stet.done("POST", "/reset", "");
        }
        assertEquals(delays.get(0), delays.get(1));
        assertNotEquals(delays.get(0), delays.get(2));
    }

    /** A response without a body cannot be truncated. */
    @Test
    void headAnd304AreNotTruncated() {
        String etag = stet.get("welcome?format=html", PRO).header("ETag");
        stet.done("POST", "/faults", "{\"truncate\": true}");
        try (Client client = stet.client()) {
            assertEquals(200, client.send("HEAD", WELCOME, PRO).status());
            assertEquals(304, client.get(WELCOME, PRO, "If-None-Match: " + etag).status());
        }
        assertEquals("whole whole", journal().get(1).get("received").get("answer").textValue() + " "
                + journal().get(2).get("received").get("answer").textValue());
    }

    @Test
    void theirNumberIsBounded() {
        for (int i = 0; i < 1_000; i++) {
            fixture.faults().add(Fault.status(500).after(1_000));
        }
        assertEquals("Fault limit reached (1000); delete faults first", assertThrows(Refusal.class, () -> fixture.faults().add(Fault.dropped())).getMessage());
        assertEquals("[200]", statuses(PRO));
    }

    @Test
    void inJavaTheyAreTheSame() {
        assertEquals("Account no@x.y not found", assertThrows(Refusal.class,
                () -> fixture.faults().add(Fault.dropped().account("no@x.y"))).getMessage());
        long id = fixture.faults().add(Fault.notPublished().bearer(PRO).after(1).times(2));
        fixture.faults().add(Fault.status(429).retryAfter(3).account("free@example.com"));
        assertEquals("[200, 404, 429]", statuses(PRO, PRO, FREE));
        assertEquals("1 0 1", id + " " + fixture.faults().list().get(0).fault().after() + " " + fixture.faults().list().get(0).fault().times());
        assertTrue(fixture.faults().delete(id));
        fixture.faults().clear(PRO);
        assertEquals(1, fixture.faults().list().size());
        assertThrows(Refusal.class, () -> Fault.dropped().retryAfter(1));
        assertThrows(Refusal.class, () -> Fault.status(600));
    }
}
