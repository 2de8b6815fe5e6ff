package stet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.EOFException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.harness.Client;
import stet.harness.Doubled;
import stet.harness.Running;
import stet.testing.StetExtension;
import stet.testing.StetFixture;

/** The test double and its controls over HTTP. */
class FixtureTest {
    private static final String PRO = "stet-pro-key";
    private static final String FREE = "stet-free-key";

    @RegisterExtension
    static final StetExtension DOUBLE = StetExtension.of(Doubled.DATA);
    private static final StetFixture fixture = DOUBLE.fixture();
    private static final Doubled stet = new Doubled(fixture.url());

    @Test
    void aJourneyThroughAQuota() {
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00.000Z\"}");
        stet.done("PATCH", "/accounts/free@example.com", "{\"used\": 99}");
        assertEquals(200, stet.get("welcome", FREE).status());

        Client.Reply refused = stet.get("welcome", FREE);
        assertEquals("429 Plan limit exceeded", refused.status() + " " + refused.text());
        assertEquals(Integer.toString(29 * 86_400), refused.header("Retry-After"));

        stet.done("POST", "/clock/advance", "{\"by\": \"P30D\"}");
        assertEquals(200, stet.get("welcome", FREE).status());
        assertTrue(stet.done("GET", "/accounts/free%40example.com", "").contains("\"used\":1,"));

        stet.done("PATCH", "/accounts/free@example.com", "{\"plan\": \"none\"}");
        assertEquals("No active subscription found", stet.get("welcome", FREE).text());
        assertEquals(403, stet.get("welcome", FREE).status());
        stet.done("PATCH", "/accounts/free@example.com", "{\"plan\": \"pro\", \"limits\": {\"requests\": 1}}");
        assertEquals(200, stet.get("welcome", FREE).status());
        assertEquals(429, stet.get("welcome", FREE).status());
        stet.done("PATCH", "/accounts/free@example.com", "{\"limits\": {\"requests\": null}}");
        assertEquals("\"monthly\";q=5000;w=2592000", stet.get("welcome", FREE).header("RateLimit-Policy").replace("2678400", "2592000"));
    }

    @Test
    void aJourneyThroughFaults() {
        stet.done("POST", "/faults", "{\"status\": 500, \"times\": 2}");
        for (int status : new int[] {500, 500, 200}) {
            assertEquals(status, stet.get("welcome", PRO).status());
        }
        byte[] whole = stet.get("welcome?format=html", PRO).body();

        stet.done("POST", "/faults", "{\"drop\": true, \"times\": 1}");
        stet.done("POST", "/faults", "{\"truncate\": true, \"times\": 1}");
        try (Client client = stet.client()) {
            client.write(client.request("GET", Running.TEMPLATES + "welcome?format=html", PRO));
            assertEquals("no answer", assertThrows(EOFException.class, () -> client.receive(false)).getMessage());
        }
        try (Client client = stet.client()) {
            String raw = client.write(client.request("GET", Running.TEMPLATES + "welcome?format=html", PRO)).rest();
            assertTrue(raw.contains("Content-length: " + whole.length + "\r\n"), raw);
            assertEquals(new String(whole, 0, whole.length / 2, StandardCharsets.ISO_8859_1), raw.substring(raw.indexOf("\r\n\r\n") + 4));
        }
        assertArrayEquals(whole, stet.get("welcome?format=html", PRO).body());

        JsonNode requests = requests("");
        assertEquals(7, requests.size());
        assertEquals("[false, false, true, true, true, true, true]", requests.findValues("counted").toString());
        assertEquals("[status, status, null, null, drop, truncate, null]", StreamSupport.stream(requests.spliterator(), false)
                .map(each -> each.get("fault").path("kind").asText(null)).toList().toString());
        assertEquals("{\"answer\":\"dropped\",\"bytes\":0,\"of\":" + whole.length + ",\"delayMs\":0}", requests.get(4).get("received").toString());
        assertEquals("{\"answer\":\"truncated\",\"bytes\":" + whole.length / 2 + ",\"of\":" + whole.length + ",\"delayMs\":0}",
                requests.get(5).get("received").toString());
    }

    /** Another site could make its visitor's browser post a form to this machine. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # status | Host           | Origin                 | Sec-Fetch-Site
            204      |                |                        |
            204      | localhost:8080 |                        |
            204      | 127.0.0.1:80   | http://127.0.0.1:80    |
            204      | 127.0.0.1:80   | http://127.0.0.1:80    | same-origin
            403      |                | https://evil.example   |
            403      |                | https://evil.example   | cross-site
            403      |                | http://localhost:3000  | same-site
            403      |                | null                   |
            403      |                |                        | cross-site
            403      |                | http://127.0.0.1:80    | cross-site
            403      | 127.0.0.1:80   | http://127.0.0.1:80    | cross-site
            403      | evil.example   |                        |
            403      | 10.0.0.1:80    |                        |
            403      | evil.example   | http://evil.example    | same-origin
            """)
    void noOtherSiteHasAControl(int status, String host, String origin, String site) {
        stet.done("POST", "/faults", "{\"status\": 500}");
        String lines = "Connection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n"
                + (origin == null ? "" : "Origin: " + origin + "\r\n") + (site == null ? "" : "Sec-Fetch-Site: " + site + "\r\n");
        String own = stet.url().getAuthority();
        try (Client client = stet.client()) {
            Client.Reply reply = client.write("POST /_fixture/reset HTTP/1.1\r\nHost: " + (host == null ? own : host) + "\r\n" + lines + "\r\n")
                    .read(false);
            assertEquals(status, reply.status(), reply.text());
            assertEquals(status == 204 ? 200 : 500, stet.get("welcome", PRO).status());
        }
    }

    @ParameterizedTest
    @CsvSource({"/_fixture/requests, cross-site, 403", "/_fixture/clock, cross-site, 403", "/_fixture, cross-site, 403",
        "/_fixture/requests, same-origin, 200", "/_fixture/requests, same-site, 200", "/_fixture/requests, none, 200"})
    void noOtherSiteReadsAControl(String path, String site, int status) {
        try (Client client = stet.client()) {
            assertEquals(status, client.get(path, null, "Sec-Fetch-Site: " + site).status());
        }
    }

    @Test
    void aJourneyToTheFirstPublishing() {
        Client.Reply never = stet.get("unborn", PRO);
        assertEquals("404 {\"error\":\"template_not_published\"}", never.status() + " " + never.text());
        stet.done("PUT", "/accounts/pro@example.com/templates/unborn", "{\"publish\": true}");
        assertEquals("<p>later</p>", stet.get("unborn?format=html", PRO).text());
        stet.done("PUT", "/accounts/pro@example.com/templates/unborn", "{\"html\": \"<p>{{x}}</p>\", \"publish\": false}");
        assertEquals("<p>later</p>", stet.get("unborn?format=html", PRO).text());
        assertEquals("{\"name\":\"footer\"}", stet.done("PUT", "/accounts/pro@example.com/blocks/footer", "{\"html\": \"<b>\u00e9</b>\"}"));
        assertTrue(stet.get("welcome?format=html", PRO).text().contains("company"));
        stet.done("PUT", "/accounts/pro@example.com/templates/welcome", "{}");
        assertEquals("<p>Hello {{name}} <b>\u00e9</b></p>\r\n", stet.get("welcome?format=html", PRO).text());
        assertEquals("{\"variables\":[\"name\"]}", stet.get("welcome?format=variables", PRO).text());
        stet.done("DELETE", "/accounts/pro@example.com/templates/welcome", "");
        assertEquals("{\"error\":\"Not found\"}", stet.get("welcome", PRO).text());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # status | key          | body                             | asked
            401      | stet-pro-key | Invalid API key                  | welcome
            401      |              | Missing API key                  | welcome
            403      | stet-pro-key | No active subscription found     | welcome
            404      | stet-pro-key | {"error":"Not found"}            | welcome
            429      | stet-pro-key | Plan limit exceeded              | welcome
            500      | unknown-key  | {"error":"Internal server error"} | no-such
            503      | stet-pro-key | {"error":"The server is busy; try again in a few seconds"} | welcome?format=html
            """)
    void aFaultAnswersAsTheServiceWouldAndIsNotCounted(int status, String key, String body, String asked) {
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00.000Z\"}");
        stet.done("POST", "/faults", "{\"status\": " + status + "}");
        Client.Reply reply = stet.get(asked, key);
        assertEquals(status + " " + body, reply.status() + " " + reply.text());
        assertEquals(status != 401 ? null : "Bearer realm=\"stet\"" + (reply.text().startsWith("Missing") ? "" : ", error=\"invalid_token\""),
                reply.header("WWW-Authenticate"));
        assertEquals(status == 429 ? Integer.toString(27 * 86_400) : status == 503 ? "2" : null, reply.header("Retry-After"));
        assertEquals(status == 429 ? "\"monthly\";r=0;t=" + 27 * 86_400 : status == 404 ? "\"monthly\";r=5000;t=" + 27 * 86_400 : null,
                reply.header("RateLimit"));
        assertTrue(stet.done("GET", "/accounts/pro@example.com", "").contains("\"used\":0,"));
        stet.done("DELETE", "/faults", "");
        assertNotEquals(503, stet.get(asked, key).status());
    }

    @Test
    void faultsAreForTheirKeyAndTemplateInOrder() {
        stet.done("POST", "/faults", "{\"bearer\": \"stet-pro-key\", \"template\": \"welcome\", \"status\": 503, \"times\": 1}");
        stet.done("POST", "/faults", "{\"template\": \"welcome\", \"status\": 500, \"times\": 2}");
        stet.done("POST", "/faults", "{\"bearer\": \"stet-free-key\", \"status\": 403}");
        List<Integer> answers = new ArrayList<>();
        for (String each : new String[] {FREE, PRO, PRO, PRO, FREE}) {
            answers.add(stet.get("welcome", each).status());
        }
        assertEquals(List.of(500, 503, 500, 200, 403), answers);
        assertEquals("{\"faults\":[{\"id\":3,\"kind\":\"status\",\"bearer\":\"stet-free-key\",\"account\":null,\"template\":null,\"status\":403,"
                + "\"error\":null,\"retryAfter\":null,\"headers\":{},\"type\":null,\"body\":null,\"delayMs\":0,\"maxDelayMs\":0,\"seed\":0,\"truncate\":false,\"drop\":false,"
                + "\"never\":false,\"bytesPerSecond\":null,\"after\":0,\"times\":null}]}", stet.done("GET", "/faults", ""));
        stet.done("DELETE", "/faults?bearer=stet-pro-key", "");
        assertEquals(403, stet.get("welcome", FREE).status());
        stet.done("DELETE", "/faults?bearer=stet-free-key", "");
        assertEquals(200, stet.get("welcome", FREE).status());
    }

    @Test
    void aHeldBackAnswerHoldsUpNoOther() throws Exception {
        stet.done("POST", "/faults", "{\"bearer\": \"stet-pro-key\", \"delayMs\": 25000}");
        List<Client> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Client client = stet.client();
            client.write(client.request("GET", Running.TEMPLATES + "welcome", PRO));
            waiting.add(client);
        }
        assertEquals(20, Json.readObject(stet.done("GET", "/requests?wait=20&bearer=" + PRO, "").getBytes(StandardCharsets.UTF_8))
                .get("requests").size());
        assertEquals(200, stet.get("welcome", FREE).status());
        assertEquals(0, waiting.get(0).available());
        stet.done("POST", "/reset", "{}");
        for (Client client : waiting) {
            assertEquals(200, client.read(false).status());
            client.close();
        }
    }

    /** Some requests are counted in the delayed request's transaction but answered before it. */
    @Test
    void aHeldBackAnswerHoldsUpNoConnectionThatWasAnsweredBefore() {
        stet.done("POST", "/faults", "{\"bearer\": \"stet-pro-key\", \"delayMs\": 25000}");
        List<Client> others = Stream.generate(stet::client).limit(4).toList();
        List<Client> waiting = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            others.forEach(client -> client.write(client.request("GET", Running.TEMPLATES + "welcome", FREE)));
            Client held = stet.client();
            held.write(held.request("GET", Running.TEMPLATES + "welcome", PRO));
            waiting.add(held);
            others.forEach(client -> assertEquals(200, client.read(false).status()));
        }
        stet.done("POST", "/reset", "{}");
        waiting.forEach(Client::close);
        others.forEach(Client::close);
    }

    @Test
    void clocksGoWhereTheyArePut() {
        String updated = "/accounts/pro@example.com/templates/welcome";
        stet.done("PUT", "/clock", "{\"now\": \"2026-03-01T00:00:00Z\"}");
        assertEquals("{\"now\":\"2026-03-01T00:00:00.000Z\"}", stet.done("GET", "/clock", ""));
        assertEquals("\"monthly\";r=4999;t=" + (30 * 86_400 + 9 * 3_600), stet.get("welcome", PRO).header("RateLimit"));
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T00:00:00Z\"}");
        assertEquals("\"monthly\";r=4999;t=" + (27 * 86_400 + 9 * 3_600), stet.get("welcome", PRO).header("RateLimit"));
        stet.done("POST", "/clock/advance", "{\"by\": \"P1M\"}");
        assertEquals("\"monthly\";r=4998;t=" + (30 * 86_400 + 9 * 3_600), stet.get("welcome", PRO).header("RateLimit"));

        stet.done("PUT", "/clock", "{\"now\": \"2027-01-01T00:00:00Z\", \"account\": \"PRO@example.com\"}");
        stet.done("POST", "/clock/advance", "{\"by\": \"PT1.5S\", \"account\": \"pro@example.com\"}");
        assertTrue(stet.done("PUT", updated, "{}").contains("\"updatedAt\":\"2027-01-01T00:00:01.500Z\""));
        assertTrue(stet.get("welcome", PRO).text().contains("\"updatedAt\":\"2027-01-01T00:00:01.500Z\""));
        assertEquals("{\"now\":\"2026-03-01T00:00:00.000Z\"}", stet.done("GET", "/clock?account=free@example.com", ""));
        stet.done("PUT", "/clock", "{\"offset\": \"-P1D\"}");
        assertTrue(stet.done("GET", "/clock", "").contains("\"offset\":\"PT-24H\""));
    }

    @Test
    void anAccountIsAddedWithAKeyOfItsOwn() {
        String body = stet.done("POST", "/accounts", "{\"plan\": \"free\", \"limits\": {\"requests\": 1}, \"templates\": "
                + "{\"hello\": {\"subject\": \"S\", \"html\": \"<p>{{a}}</p>\"}, \"later\": {\"publish\": false}}}");
        JsonNode added = Json.readObject(body.getBytes(StandardCharsets.UTF_8));
        String key = added.get("key").textValue();
        assertEquals("<p>{{a}}</p>", stet.get("hello?format=html", key).text());
        assertEquals(429, stet.get("later", key).status());
        assertTrue(stet.done("GET", "/accounts/" + added.get("email").textValue(), "")
                .endsWith("\"keys\":[\"default\"],\"templates\":[\"hello\",\"later\"],\"blocks\":[]}"));
        stet.done("POST", "/reset", "");
        assertEquals(401, stet.get("hello", key).status());
    }

    private String used(String account) {
        return stet.done("GET", "/accounts/" + account, "").replaceAll(".*\"used\":(\\d+).*", "$1");
    }

    @Test
    void aResetTakesBackWhatWasCounted() {
        String start = used("pro@example.com");
        for (int i = 0; i < 3; i++) {
            assertEquals(200, stet.get("welcome", PRO).status());
            String one = used("pro@example.com");
            assertNotEquals(start, one);
            assertEquals(200, stet.get("welcome", PRO).status());
            stet.done("POST", "/reset", "");
            assertEquals(start, used("pro@example.com"));
            assertEquals(200, stet.get("welcome", PRO).status());
            assertEquals(one, used("pro@example.com"));
            stet.done("POST", "/reset", "");
        }
    }

    @Test
    void aResetLeadsBackToTheStart() {
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00Z\"}");
        String first = stet.get("welcome", PRO).text();
        String account = stet.done("GET", "/accounts/pro@example.com", "");
        stet.done("POST", "/reset", "");
        for (int i = 0; i < 3; i++) {
            stet.done("POST", "/accounts", "{}");
            stet.done("PUT", "/accounts/pro@example.com/templates/welcome", "{\"html\": \"other\", \"name\": \"Other\"}");
            stet.done("PUT", "/accounts/pro@example.com/templates/more", "{}");
            stet.done("PATCH", "/accounts/pro@example.com", "{\"plan\": \"free\", \"used\": 100, \"limits\": {\"keys\": 9}}");
            stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00Z\", \"account\": \"pro@example.com\"}");
            stet.done("POST", "/faults", "{\"status\": 500}");
            assertEquals(500, stet.get("welcome", PRO).status());
            stet.done("POST", "/reset", "");
            assertEquals("{\"faults\":[]}", stet.done("GET", "/faults", ""));
            assertEquals("{\"requests\":[],\"total\":0,\"dropped\":0}", stet.done("GET", "/requests", ""));
            assertTrue(stet.done("GET", "/clock?account=pro@example.com", "").contains("\"offset\":\"PT0S\""));
            stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00Z\"}");
            assertEquals(first, stet.get("welcome", PRO).text());
            assertEquals(account, stet.done("GET", "/accounts/pro@example.com", ""));
            stet.done("POST", "/reset", "");
        }
    }

    private static JsonNode requests(String query) {
        return Json.readObject(stet.done("GET", "/requests" + query, "").getBytes(StandardCharsets.UTF_8)).get("requests");
    }
}
