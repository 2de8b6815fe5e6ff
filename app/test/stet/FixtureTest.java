package stet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.EOFException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Json;
import stet.testing.StetFixture;

/** The test double and its controls, over HTTP only. */
class FixtureTest {
    private static final String PRO = "stet-pro-key";
    private static final String FREE = "stet-free-key";
    private static StetFixture fixture;
    private static Doubled stet;

    @BeforeAll
    static void start(@TempDir Path folder) {
        fixture = StetFixture.start(Doubled.folder(folder));
        stet = new Doubled(fixture.url());
    }

    @AfterEach
    void reset() {
        stet.done("POST", "/reset", "");
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

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
        assertEquals("[true, true, false, false, true, true, false]", requests.findValues("fault").toString());
    }

    /** A page elsewhere can have its visitor's browser send a form to this machine. */
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
            403      | evil.example   |                        |
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
            503      | stet-pro-key | {"error":"Service unavailable"}  | welcome?format=html
            """)
    void aFaultAnswersAsTheServiceWouldAndIsNotCounted(int status, String key, String body, String asked) {
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00.000Z\"}");
        stet.done("POST", "/faults", "{\"status\": " + status + "}");
        Client.Reply reply = stet.get(asked, key);
        assertEquals(status + " " + body, reply.status() + " " + reply.text());
        assertEquals(status == 401 ? "Bearer realm=\"stet\"" : null, reply.header("WWW-Authenticate"));
        assertEquals(status == 429 ? Integer.toString(27 * 86_400) : null, reply.header("Retry-After"));
        assertEquals(status == 429 ? "\"monthly\";r=0;t=" + 27 * 86_400 : null, reply.header("RateLimit"));
        assertTrue(stet.done("GET", "/accounts/pro@example.com", "").contains("\"used\":0,"));
        stet.done("DELETE", "/faults", "");
        assertNotEquals(503, stet.get(asked, key).status());
    }

    @Test
    void faultsAreForTheirKeyAndTemplateInOrder() {
        stet.done("POST", "/faults", "{\"key\": \"stet-pro-key\", \"template\": \"welcome\", \"status\": 503, \"times\": 1}");
        stet.done("POST", "/faults", "{\"template\": \"welcome\", \"status\": 500, \"times\": 2}");
        stet.done("POST", "/faults", "{\"key\": \"stet-free-key\", \"status\": 403}");
        List<Integer> answers = new ArrayList<>();
        for (String each : new String[] {FREE, PRO, PRO, PRO, FREE}) {
            answers.add(stet.get("welcome", each).status());
        }
        assertEquals(List.of(500, 503, 500, 200, 403), answers);
        assertEquals("{\"faults\":[{\"key\":\"stet-free-key\",\"template\":null,\"status\":403,\"delayMs\":0,\"drop\":false,"
                + "\"truncate\":false,\"times\":null}]}", stet.done("GET", "/faults", ""));
        stet.done("DELETE", "/faults?key=stet-pro-key", "");
        assertEquals(403, stet.get("welcome", FREE).status());
        stet.done("DELETE", "/faults?key=stet-free-key", "");
        assertEquals(200, stet.get("welcome", FREE).status());
    }

    @Test
    void aHeldBackAnswerHoldsUpNoOther() throws Exception {
        stet.done("POST", "/faults", "{\"key\": \"stet-pro-key\", \"delayMs\": 25000}");
        List<Client> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Client client = stet.client();
            client.write(client.request("GET", Running.TEMPLATES + "welcome", PRO));
            waiting.add(client);
        }
        assertEquals(20, Json.readObject(stet.done("GET", "/requests?wait=20&key=" + PRO, "").getBytes(StandardCharsets.UTF_8))
                .get("requests").size());
        assertEquals(200, stet.get("welcome", FREE).status());
        assertEquals(0, waiting.get(0).available());
        stet.done("POST", "/reset", "{}");
        for (Client client : waiting) {
            assertEquals(200, client.read(false).status());
            client.close();
        }
    }

    /** Some of them are counted in one transaction with the one that is held back, and answered before it. */
    @Test
    void aHeldBackAnswerHoldsUpNoConnectionThatWasAnsweredBefore() {
        stet.done("POST", "/faults", "{\"key\": \"stet-pro-key\", \"delayMs\": 25000}");
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
    void theJournalKnowsWhoAskedForWhatAndWhatWasMeant() {
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00.007Z\"}");
        stet.get("welcom?format=html", PRO);
        stet.send("HEAD", "welcome", FREE);
        stet.send("POST", "welcome", null);
        stet.get("welcome", "stet-no-such");
        String first = "{\"time\":\"2026-02-01T09:00:00.007Z\",\"method\":\"GET\",\"path\":\"/api/v1/templates/welcom?format=html\","
                + "\"template\":\"welcom\",\"account\":\"pro@example.com\",\"key\":\"ci\",\"status\":404,\"counted\":true,\"fault\":false,"
                + "\"hint\":\"\\\"welcom\\\" is unknown; did you mean \\\"welcome\\\"?\"}";
        assertEquals("{\"requests\":[" + first + "],\"dropped\":0}", stet.done("GET", "/requests?key=stet-pro-key", ""));
        assertEquals("[200, 405, 401]", requests("?template=welcome").findValues("status").toString());
        assertEquals("[true, false, false]", requests("?template=welcome").findValues("counted").toString());
        assertEquals(1, requests("?status=401").size());
        assertEquals(1, requests("?account=free@example.com").size());
        stet.done("DELETE", "/requests?key=stet-pro-key", "");
        assertEquals(3, requests("").size());
        stet.done("DELETE", "/requests", "");
        assertEquals(0, requests("").size());
    }

    @Test
    void theJournalCanBeWaitedFor() throws Exception {
        CompletableFuture<JsonNode> found = CompletableFuture.supplyAsync(() -> requests("?wait=3&status=200&timeoutMs=20000"));
        for (int i = 0; i < 3; i++) {
            stet.get("welcome", PRO);
            stet.get("no-such", PRO);
        }
        assertEquals(3, found.get(20, TimeUnit.SECONDS).size());
        assertEquals(3, requests("?wait=4&status=200&timeoutMs=10").size());
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
                .endsWith("\"keys\":[\"default\"],\"templates\":[\"hello\",\"later\"]}"));
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
            assertEquals("{\"requests\":[],\"dropped\":0}", stet.done("GET", "/requests", ""));
            assertTrue(stet.done("GET", "/clock?account=pro@example.com", "").contains("\"offset\":\"PT0S\""));
            stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00Z\"}");
            assertEquals(first, stet.get("welcome", PRO).text());
            assertEquals(account, stet.done("GET", "/accounts/pro@example.com", ""));
            stet.done("POST", "/reset", "");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            POST   | /reset                 | {"all": true}                        | "all" is not a known field
            POST   | /reset                 | []                                   | It is not a JSON object
            PUT    | /clock                 | {}                                   | A clock needs either "now", where it stands, or "offset", with which it runs
            PUT    | /clock                 | {"now": "tomorrow"}                  | "tomorrow" is not an instant such as 2026-01-31T09:00:00.000Z
            PUT    | /clock                 | {"now": "-0005-01-01T00:00:00Z"}     | A clock goes from the year 1970 to 9999
            PUT    | /clock                 | {"offset": "P99999Y"}                | A clock goes from the year 1970 to 9999
            PUT    | /clock                 | {"offset": "30 days"}                | "offset" is "30 days", not a span of time such as P30D or PT90S
            PUT    | /clock                 | {"offset": "P1D", "account": "x@y.z"} | There is no account x@y.z
            GET    | /clock?acount=x        | ``                                   | "acount" is not a known parameter
            POST   | /clock/advance         | {"by": "P"}                          | "by" is "P", not a span of time such as P30D or PT90S
            POST   | /clock/advance         | {}                                   | "by" is missing
            POST   | /clock/advance         | {"by": 5}                            | "by" is not a text
            POST   | /clock/advance         | {"by": "PT99999999999999H"}          | "by" is "PT99999999999999H", which leads too far
            POST   | /faults                | {"status": 502}                      | "status" is 502, not 401, 403, 404, 429, 500 or 503
            POST   | /faults                | {"status": "500"}                    | "status" is not a whole number from 0 to 999
            POST   | /faults                | {"status": 500, "time": 1}           | "time" is not a known field
            POST   | /faults                | {"status": 500, "times": 0}          | "times" is not a whole number from 1 to 999999999
            POST   | /faults                | {"delayMs": 25001}                   | "delayMs" is not a whole number from 0 to 25000
            POST   | /faults                | {"drop": "yes"}                      | "drop" is not true or false
            POST   | /faults                | {"drop": true, "status": 500}        | "drop" goes with neither "truncate" nor "status": no byte is sent
            POST   | /faults                | {"key": "k", "times": 2}             | A fault needs "status", "delayMs", "drop" or "truncate"
            GET    | /requests?wait=0       | ``                                   | "wait" is "0", not a whole number from 1 to 10000
            GET    | /requests?status=abc   | ``                                   | "status" is "abc", not a whole number from 100 to 999
            GET    | /requests?key=a&key=b  | ``                                   | "key" is not one value
            DELETE | /requests?wait=1       | ``                                   | "wait" is not a known parameter
            PATCH  | /accounts/pro@example.com | {"used": 1, "plan": "gold"}       | "gold" is not a plan: free, pro or none
            PATCH  | /accounts/pro@example.com | {"plan": "none", "used": -1}      | "used" is not a whole number from 0 to 999999999
            PATCH  | /accounts/pro@example.com | {"plan": "none", "emale": 1}      | "emale" is not a known field
            PATCH  | /accounts/pro@example.com | {"limits": {"reqs": 1}}           | "limits.reqs" is not a known field
            PATCH  | /accounts/pro@example.com | {"limits": 5}                     | "limits" is not an object
            POST   | /accounts              | {"email": "pro@example.com"}         | There is an account for pro@example.com already
            POST   | /accounts              | {"email": "nobody"}                  | "nobody" is not an e-mail address
            POST   | /accounts              | {"templates": {"a b": {}}}           | "a b" is not an id: 1 to 64 letters, digits, - and _, beginning with a letter or digit
            POST   | /accounts              | {"templates": {"a": {"text": ""}}}   | "templates.a.text" is not a known field
            PUT    | /accounts/pro@example.com/templates/welcome | {"html": "{{x"} | line 1: "{{" is not closed
            PUT    | /accounts/pro@example.com/blocks/footer | {}                  | "html" is missing
            """)
    void badInputIsNamedAndChangesNothing(String method, String path, String json, String sentence) {
        String before = stet.done("GET", "/accounts/pro@example.com", "");
        Client.Reply reply = stet.control(method, path, json);
        JsonNode body = Json.readObject(reply.body());
        assertEquals(400, reply.status(), reply.text());
        assertEquals(sentence, body.get("error").textValue());
        assertEquals(1, body.size());
        assertEquals(before, stet.done("GET", "/accounts/pro@example.com", ""));
        assertEquals("{\"faults\":[]}", stet.done("GET", "/faults", ""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            GET    | /accounts/no@example.com
            PATCH  | /accounts/no@example.com
            PUT    | /accounts/no@example.com/templates/welcome
            PUT    | /accounts/no@example.com/blocks/footer
            DELETE | /accounts/no@example.com/templates/welcome
            DELETE | /accounts/pro@example.com/templates/no-such
            GET    | /reset
            GET    | /no-such
            """)
    void whatIsNotThereIsNotFound(String method, String path) {
        Client.Reply reply = stet.control(method, path, "");
        assertEquals("404 {\"error\":\"Not found\"}", reply.status() + " " + reply.text());
    }

    @Test
    void inProductionThereAreNoControls() {
        try (Running production = new Running()) {
            Doubled other = new Doubled(production.server.url());
            for (String route : List.of("POST /reset", "GET /clock", "PUT /clock", "POST /clock/advance", "POST /faults",
                    "GET /faults", "DELETE /faults", "GET /requests", "DELETE /requests", "POST /accounts", "GET /accounts/a@b.c",
                    "PATCH /accounts/a@b.c", "PUT /accounts/a@b.c/templates/x", "DELETE /accounts/a@b.c/templates/x",
                    "PUT /accounts/a@b.c/blocks/x")) {
                Client.Reply reply = other.control(route.split(" ")[0], route.split(" ")[1], "{}");
                assertEquals("404 {\"error\":\"Not found\"}", reply.status() + " " + reply.text(), route);
            }
        }
    }

    @Test
    void theRestOfTheServiceIsThere() {
        try (Client client = stet.client()) {
            assertEquals("{\"status\":\"ok\"}", client.get("/healthz", null).text());
        }
        assertFalse(stet.done("GET", "/requests", "").contains("healthz"));
    }

    private static JsonNode requests(String query) {
        return Json.readObject(stet.done("GET", "/requests" + query, "").getBytes(StandardCharsets.UTF_8)).get("requests");
    }
}
