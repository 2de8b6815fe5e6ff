package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.fixture.Expectation.requests;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.base.Refusal;
import stet.fixture.Expectation;
import stet.fixture.Fault;
import stet.fixture.RecordedRequest;
import stet.harness.Client;
import stet.harness.Doubled;
import stet.harness.Running;
import stet.testing.StetExtension;
import stet.testing.StetFixture;

/** The test double's journal explains why a test failed. */
class JournalTest {
    private static final String PRO = "stet-pro-key";
    private static final String FREE = "stet-free-key";

    @RegisterExtension
    static final StetExtension DOUBLE = StetExtension.of(Doubled.DATA);
    private static final StetFixture fixture = DOUBLE.fixture();
    private static final Doubled stet = new Doubled(fixture.url());

    private static JsonNode journal(String query) {
        return json(stet.done("GET", "/requests" + query, "")).get("requests");
    }

    private static JsonNode json(String text) {
        return Json.readObject(text.getBytes(StandardCharsets.UTF_8));
    }

    private static JsonNode last() {
        JsonNode all = journal("");
        return all.get(all.size() - 1);
    }

    @Test
    void itKnowsWhoAskedForWhatAndWhatWasMeant() {
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00.007Z\"}");
        stet.get("welcom?format=html", PRO);
        stet.send("HEAD", "welcome", FREE);
        stet.send("POST", "welcome", null);
        stet.get("welcome", "stet-no-such");
        assertEquals(("{'number':1,'time':'2026-02-01T09:00:00.007Z','method':'GET','path':'/api/v1/templates/welcom?format=html',"
                + "'template':'welcom','account':'pro@example.com','keyName':'ci','bearer':'stet-p...','status':404,'counted':true,'fault':null,"
                + "'received':{'answer':'whole','bytes':21,'of':21,'delayMs':0},'hint':'\\'welcom\\' is unknown; did you mean \\'welcome\\'?',"
                + "'headers':{'Authorization':'Bearer stet-p...','Host':'" + stet.url().getAuthority() + "'}}").replace('\'', '"'),
                journal("?bearer=stet-pro-key").get(0).toString());
        assertEquals("[200,405,401]", statuses("?template=welcome"));
        assertEquals("[true, false, false]", journal("?template=welcome").findValues("counted").toString());
        assertEquals("[401]", statuses("?status=401"));
        assertEquals("[200]", statuses("?account=FREE@example.com"));
        assertEquals("[405]", statuses("?method=POST"));
        assertEquals("[404]", statuses("?path=/api/v1/templates/welcom"));
        assertEquals("[404,200]", statuses("?keyName=ci"));
        assertEquals("[405,401]", statuses("?since=2"));
        assertEquals("[405,401]", statuses("?limit=2"));
        assertEquals("[0,0]", journal("?template=welcome&method=HEAD").get(0).get("received").findValuesAsText("bytes").toString()
                .replace("]", "," + journal("?method=HEAD").get(0).get("received").get("of") + "]"));
        stet.done("DELETE", "/requests?bearer=stet-pro-key", "");
        assertEquals(3, journal("").size());
        stet.done("DELETE", "/requests", "");
        assertEquals(0, journal("").size());
    }

    private static String statuses(String query) {
        return journal(query).findValues("status").toString().replace(" ", "");
    }

    /** Header lines are separated by a comma and a space. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            # target                         | header                               | status | hint
            /templates/welcome               | Authorization: Bearer stet-pro-key   | 404 | the API is /api/v1/templates/welcome
            /v1/templates/welcome            | Authorization: Bearer stet-pro-key   | 404 | the API is /api/v1/templates/welcome
            /api/v2/templates/welcome?x      | Authorization: Bearer stet-pro-key   | 404 | the API is /api/v1/templates/welcome
            /api/v1/template/welcome         | Authorization: Bearer stet-pro-key   | 404 | the API is /api/v1/templates/welcome
            /api/v1/api/v1/templates/welcome | Authorization: Bearer stet-pro-key   | 404 | the API is /api/v1/templates/welcome
            /api/v1/templates/welcome/       | Authorization: Bearer stet-pro-key   | 404 | the API is /api/v1/templates/welcome
            /api/v1/templates                | Authorization: Bearer stet-pro-key   | 404 | the API is /api/v1/templates/ID
            /                                | Accept: */*                          | 404 | ``
            /signin                          | Accept: */*                          | 404 | ``
            /assets/1/app.js                 | Accept: */*                          | 404 | ``
            /api/v1/templates/unborn         | Authorization: Bearer stet-pro-key   | 404 | "unborn" has never been published
            /api/v1/templates/unborn         | Authorization: Bearer stet-free-key  | 404 | the template "unborn" belongs to pro@example.com, but the key belongs to free@example.com
            /api/v1/templates/quite-another  | Authorization: Bearer stet-free-key  | 404 | free@example.com has no template "quite-another"
            /api/v1/templates/welcome?format=htm | Authorization: Bearer stet-pro-key | 400 | format is "htm"; use "html" or "variables" once, or omit format to get the whole template
            /api/v1/templates/welcome        | Accept: */*                          | 401 | the header "Authorization: Bearer KEY" is missing
            /api/v1/templates/welcome        | Cookie: stet=abcdefghijkl            | 401 | a session cookie is not a key; send "Authorization: Bearer KEY"
            /api/v1/templates/welcome        | Authorization: Bearer stet-pro- key  | 401 | the key sent matches the key "ci" of pro@example.com except for a space
            /api/v1/templates/welcome        | Authorization: Bearer "stet-pro-key" | 401 | the key sent matches the key "ci" of pro@example.com except for quotes or other characters
            /api/v1/templates/welcome        | Authorization: Bearer Stet-Pro-Key   | 401 | the key sent matches the key "ci" of pro@example.com except for capitalization
            /api/v1/templates/welcome        | Authorization: Bearer Bearer stet-pro-key | 401 | the key sent matches the key "ci" of pro@example.com except for a second "Bearer"
            /api/v1/templates/welcome        | Authorization: stet-pro-key          | 401 | "Bearer " is missing before the key "ci" of pro@example.com
            /api/v1/templates/welcome        | Authorization: Basic c3RldDo=        | 401 | the scheme is not Bearer; send "Authorization: Bearer KEY"
            /api/v1/templates/welcome        | Authorization: Bearer stet-no-such   | 401 | no account in this test double has the key stet-n...
            /api/v1/templates/welcome        | Authorization: Bearer stet_1bhCy3cQhtQ6KiZ1RzMYNC7tGvQBZKQ9Dw8t1d | 401 | the key looks like a key generated by Stet, but is mistyped (wrong checksum)
            """)
    void itExplainsAWrongRequest(String target, String header, int status, String hint) {
        try (Client client = stet.client()) {
            assertEquals(status, client.get(target, null, header).status());
        }
        JsonNode entry = last();
        assertEquals(target + " " + status + " " + hint, entry.get("path").textValue() + " " + entry.get("status") + " " + entry.get("hint").asText("")
                .replace("null", ""));
    }

    @Test
    void itExplainsAQuotaAPlanAndAKeyThatIsGone() {
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00Z\"}");
        stet.done("PATCH", "/accounts/free@example.com", "{\"used\": 100}");
        stet.get("welcome", FREE);
        assertEquals("all 100 requests for the period have been used; the period ends at 2026-03-02T09:00:00.000Z", last().get("hint").textValue());
        stet.done("PATCH", "/accounts/free@example.com", "{\"plan\": \"none\"}");
        stet.get("welcome", FREE);
        assertEquals("free@example.com is on plan none", last().get("hint").textValue());
        stet.done("POST", "/accounts/pro@example.com/keys/ci/rotate", "{\"endsIn\": \"PT1H\"}");
        stet.done("POST", "/clock/advance", "{\"by\": \"PT1H\"}");
        assertEquals(401, stet.get("welcome", PRO).status());
        assertEquals("the key \"ci\" was rotated and has expired", last().get("hint").textValue());
        stet.done("DELETE", "/accounts/free@example.com/keys/ci", "");
        assertEquals(401, stet.get("welcome", FREE).status());
        assertEquals("the key sent is a deleted or expired key belonging to free@example.com", last().get("hint").textValue());
        assertEquals(3, journal("?bearer=stet-free-key").size());
    }

    @Test
    void itCanBeWaitedFor() throws Exception {
        CompletableFuture<JsonNode> found = CompletableFuture.supplyAsync(() -> journal("?wait=3&status=200&timeoutMs=20000"));
        for (int i = 0; i < 3; i++) {
            stet.get("welcome", PRO);
            stet.get("no-such", PRO);
        }
        assertEquals(3, found.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS).size());
        Client.Reply late = stet.control("GET", "/requests?wait=4&status=200&timeoutMs=10", "");
        assertEquals(408, late.status());
        assertTrue(late.text().startsWith("{\"error\":\"3 of 4 requests were received within 10 ms\",\"requests\":[{"), late.text());
        CompletableFuture<Integer> ended = CompletableFuture.supplyAsync(() -> stet.control("GET", "/requests?wait=9&timeoutMs=25000", "").status());
        while (!ended.isDone()) {
            stet.done("POST", "/reset", "");
        }
        assertEquals(408, ended.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    @Test
    void aNullMatchesNothing() {
        Expectation all = requests();
        for (Supplier<?> made : List.<Supplier<?>>of(() -> all.account(null), () -> all.bearer(null), () -> all.keyName(null), () -> all.template(null),
                () -> all.method(null), () -> all.path(null), () -> Fault.status(500).account(null), () -> Fault.status(500).bearer(null),
                () -> Fault.status(500).template(null))) {
            assertTrue(assertThrows(Refusal.class, made::get).getMessage().endsWith("\" must not be null"));
        }
    }

    /** Tests that share a double each have their own account, so another account's requests are rarely the reason. */
    @Test
    void aFailureShowsTheOwnRequestsFirstAndPointsToTheTest() {
        stet.get("unborn", PRO);
        for (int i = 0; i < 25; i++) {
            stet.get("welcome", FREE);
        }
        for (Expectation own : List.of(requests().account("pro@example.com"), requests().bearer(PRO))) {
            AssertionError error = assertThrows(AssertionError.class, () -> fixture.verify(own.template("welcome").status(200)));
            assertTrue(error.getMessage().lines().skip(2).findFirst().orElseThrow().contains("/unborn "), error.getMessage());
            assertTrue(error.getStackTrace()[0].getClassName().startsWith(JournalTest.class.getName()), error.getStackTrace()[0].toString());
        }
    }

    @Test
    void anExpectationThatIsNotMetShowsWhatCameInsteadTheNearestFirst() {
        stet.get("welcome", PRO);
        stet.get("welcom", PRO);
        stet.get("welcome", "stet-no-such");
        assertEquals("{\"verified\":true}", stet.done("POST", "/verify", "{\"template\": \"welcome\", \"status\": 200, \"times\": 1}"));
        assertEquals("{\"verified\":true}", stet.done("POST", "/verify", "{\"template\": \"welcome\", \"atLeast\": 1, \"atMost\": 2}"));
        assertEquals("{\"verified\":true}", stet.done("POST", "/verify", "{\"status\": 500, \"never\": true, \"withinMs\": 5}"));
        assertEquals("{\"verified\":true}", stet.done("POST", "/verify", "{}"));
        Client.Reply reply = stet.control("POST", "/verify", "{\"template\": \"welcom\", \"status\": 200}");
        assertEquals(417, reply.status());
        assertEquals("""
                Expected at least 1 request with template "welcom" and status 200, but there was none:
                  number  request                        key        status  remark
                  2       GET /api/v1/templates/welcom   ci         404     status is 404: "welcom" is unknown; did you mean "welcome"?
                  1       GET /api/v1/templates/welcome  ci         200     template is "welcome"
                  3       GET /api/v1/templates/welcome  stet-n...  401     template is "welcome", status is 401: \
                no account in this test double has the key stet-n...
                "welcom" is unknown; did you mean "welcome"?""", json(reply.text()).get("error").textValue());
        String failure = assertThrows(AssertionError.class, () -> fixture.verify(requests().bearer(PRO).times(1))).getMessage();
        assertTrue(failure.startsWith("Expected exactly 1 request with bearer \"stet-p...\", but there were 2:\n"), failure);
        assertTrue(failure.contains("as expected") && failure.contains("bearer is stet-n..."), failure);
        fixture.reset();
        assertEquals("Expected no requests, but there was 1", assertThrows(AssertionError.class, () -> {
            stet.get("welcome", PRO);
            fixture.verify(requests().never());
        }).getMessage().lines().findFirst().orElseThrow().replace(":", ""));
        fixture.reset();
        assertEquals("Expected at least 1 request with account \"pro@example.com\" and path \"/x\", but there was none; no requests were received",
                assertThrows(AssertionError.class, () -> fixture.verify(requests().account("pro@example.com").path("/x"))).getMessage());
        for (int i = 0; i < 30; i++) {
            stet.get("welcome", PRO);
        }
        assertEquals(22, assertThrows(AssertionError.class, () -> fixture.verify(requests().never())).getMessage().lines().count());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "template": "welcom"                                   | "welcom" is unknown; did you mean "welcome"?
            "template": "welcom", "account": "free@example.com"    | "welcom" is unknown; did you mean "welcome"?
            "template": "quite-another"                            | no account has a template "quite-another"
            "template": "unborn", "account": "free@example.com"    | the template "unborn" belongs to pro@example.com, but the key belongs to free@example.com
            "template": "unborn"                                   | null
            "account": "free@example.com"                          | null
            """)
    void anIdThatNoTemplateHasIsToldOf(String fields, String hint) {
        for (String answer : List.of(stet.done("POST", "/verify", "{" + fields + ", \"never\": true}"),
                stet.done("POST", "/faults", "{" + fields + ", \"status\": 503}"))) {
            assertEquals(hint, json(answer).path("hint").asText("null"));
        }
    }

    @Test
    void aRequestBesideTheApiHasNoTemplate() {
        try (Client client = stet.client()) {
            client.get("/healthz", null);
        }
        String failure = assertThrows(AssertionError.class, () -> fixture.verify(requests().template("welcome"))).getMessage();
        assertTrue(failure.endsWith("200     no template"), failure);
    }

    @Test
    void anExpectationMayWait() throws Exception {
        CompletableFuture<Integer> met = CompletableFuture.supplyAsync(
                () -> stet.control("POST", "/verify", "{\"template\": \"welcome\", \"times\": 2, \"withinMs\": 20000}").status());
        CompletableFuture<Integer> broken = CompletableFuture.supplyAsync(
                () -> stet.control("POST", "/verify", "{\"template\": \"welcome\", \"atMost\": 1, \"withinMs\": 20000}").status());
        assertEquals(417, stet.control("POST", "/verify", "{\"template\": \"welcome\", \"withinMs\": 1}").status());
        stet.get("welcome", PRO);
        stet.get("welcome", PRO);
        assertEquals(200, met.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(417, broken.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    @Test
    void strictARequestBesideTheApiFailsTheNextVerification() {
        try (StetFixture strict = StetFixture.account("a@example.com").key(PRO).template("welcome", "", "").strict().start()) {
            Doubled other = new Doubled(strict.url());
            String printed = Running.logged(() -> {
                try (Client client = other.client()) {
                    assertEquals(404, client.get("/v1/templates/welcome", PRO).status());
                    assertEquals(200, client.get("/healthz", null).status());
                    assertEquals(404, client.get(Running.TEMPLATES + "no", PRO).status());
                }
            });
            String line = "1  GET /v1/templates/welcome 404 a@example.com \"default\": the API is /api/v1/templates/welcome";
            assertTrue(printed.contains(line), printed);
            assertEquals("Request outside the API (strict):\n  " + line,
                    assertThrows(AssertionError.class, () -> strict.verify(requests().times(3))).getMessage());
            strict.verify(requests().times(3));
            strict.verify();
            try (Client client = other.client()) {
                client.get("/api/v2/x", null);
            }
            assertEquals(417, other.control("POST", "/verify", "{}").status());
            assertEquals(200, other.control("POST", "/verify", "{}").status());
        }
    }

    @Test
    void theWebApplicationIsThereOnRequest() {
        try (StetFixture web = StetFixture.account("a@example.com").key(PRO).template("welcome", "", "").web().start();
                Client client = new Doubled(web.url()).client()) {
            assertEquals(200, client.get("/templates/welcome", PRO).status());
            assertEquals("the API is /api/v1/templates/welcome", web.requests().list().get(0).hint());
            assertEquals(401, client.get("/data/session", null).status());
            assertEquals(401, web.requests().list().get(1).status());
        }
    }

    /** The journal stays within its limits whatever the number and length of requests. */
    @Test
    void itForgetsTheOldestAndSaysSo() {
        try (Client client = stet.client()) {
            String padding = "X-Padding: " + "x".repeat(3_900);
            for (int i = 0; i < 2_600; i++) {
                client.get("/healthz", null, padding, "X-More: " + "y".repeat(100_000 / 100), "X-Long: " + "z".repeat(5_000));
            }
        }
        long kept = fixture.requests().list().size();
        assertTrue(kept > 500 && kept < 1_100, kept + " are kept");
        assertEquals(2_600 - kept, fixture.requests().dropped());
        String longest = fixture.requests().list().get(0).headers().get("X-Long");
        assertTrue(longest.endsWith("z... (5000 characters)") && longest.length() < 4_100, longest);
        assertEquals(2_600, last().get("number").intValue());
        assertEquals(404, stet.get("i".repeat(20_000), PRO).status());
        String template = last().get("template").textValue();
        assertTrue(template.endsWith("i... (20000 characters)") && template.length() < 4_100, template);
    }

    @Test
    void theNumberOfWaitsIsBounded() {
        ExecutorService waiters = Executors.newFixedThreadPool(101);
        try {
            List<Future<List<RecordedRequest>>> waits = Stream.generate(() -> waiters.submit(() ->
                    fixture.requests().await(request -> true, 10_000, Duration.ofMinutes(10)))).limit(101).collect(Collectors.toList());
            assertTrue(Running.comes(() -> waits.stream().anyMatch(Future::isDone)));
            Future<List<RecordedRequest>> refused = waits.stream().filter(Future::isDone).findFirst().orElseThrow();
            assertEquals("Concurrent wait limit reached (100); run fewer waits at once",
                    assertThrows(ExecutionException.class, refused::get).getCause().getMessage());
            waits.remove(refused);
            assertEquals("{\"error\":\"Concurrent wait limit reached (100); run fewer waits at once\"}",
                    stet.control("GET", "/requests?wait=10000&timeoutMs=1", "").text());
            assertEquals(0, waits.stream().filter(Future::isDone).count());
            fixture.reset();
            for (Future<List<RecordedRequest>> wait : waits) {
                ExecutionException ended = assertThrows(ExecutionException.class, () -> wait.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
                assertEquals("0 of 10000 requests were received within 600000 ms", ended.getCause().getMessage());
            }
            assertEquals(408, stet.control("GET", "/requests?wait=10000&timeoutMs=1", "").status());
        } finally {
            waiters.shutdownNow();
        }
    }

    @Test
    void inJavaItIsTheSame() {
        stet.get("welcome", PRO);
        stet.get("welcome", FREE);
        fixture.faults().add(Fault.status(500).account("free@example.com"));
        stet.get("welcome", FREE);
        assertEquals(1, fixture.requests().list(requests().account("free@example.com").status(200)).size());
        assertEquals(List.of(1L, 2L), fixture.requests().await(request -> request.status() == 200, 2, Duration.ofSeconds(5)).stream()
                .map(request -> request.number()).toList());
        fixture.verify(requests().keyName("ci").method("GET").atLeast(3).within(Duration.ofMillis(1)));
        fixture.verify(requests().status(500).atMost(1));
        fixture.requests().clear(requests().status(500));
        fixture.verify(requests().status(500).never());
    }
}
