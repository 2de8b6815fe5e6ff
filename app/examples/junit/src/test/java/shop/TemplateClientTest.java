package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import shop.TemplateClient.TemplateException;
import stet.core.Plan;
import stet.fixture.Fault;
import stet.testing.StetExtension;
import stet.testing.StetFixture;

/** Tests the client with every fault that the double can inject. */
class TemplateClientTest {
    private static final String EMAIL = "client@example.com";
    private static final String HTML = "<p>" + "1".repeat(1_000) + "</p>";
    private static final Map<String, Supplier<Fault>> LOST = Map.of(
            "dropped", Fault::dropped,
            "truncated", Fault::truncated,
            "late", () -> Fault.delay(Duration.ofSeconds(20)),
            "never", Fault::never,
            "slow", () -> Fault.slow(1),
            "500", () -> Fault.status(500),
            "503", () -> Fault.status(503));

    private static final Set<String> LATE = Set.of("late", "never", "slow");

    @RegisterExtension
    static final StetExtension server = StetExtension.of(StetFixture.account(EMAIL).key("stet-test-key")
            .template("welcome", "Hi", HTML).draft("unborn", "", "later")
            .account("none@example.com").plan(Plan.NONE).key("stet-none-key"));

    private Instant now = Instant.parse("2026-01-31T09:00:00Z");
    private TemplateClient client;

    @BeforeEach
    void start() {
        client = client("stet-test-key", Duration.ofSeconds(10));
    }

    private TemplateClient client(String key, Duration timeout) {
        return new TemplateClient(server.baseUrl().toString(), key, timeout, Duration.ofMillis(10), () -> now);
    }

    private static List<Integer> statuses() {
        return server.fixture().requests().list().stream().map(each -> each.status()).toList();
    }

    @Test
    void anUnchangedTemplateIsNotSentAgain() throws Exception {
        assertEquals(HTML, client.html("welcome"));
        assertEquals(HTML, client.html("welcome"));
        server.fixture().accounts().publish(EMAIL, "welcome", "", "<p>2</p>");
        assertEquals("<p>2</p>", client.html("welcome"));
        assertEquals(List.of(200, 304, 200), statuses());
        assertEquals("{\"id\":\"welcome\",", client.json("welcome").substring(0, 16));
    }

    /** The JDK's client retries dropped requests automatically, so the journal may contain additional requests. */
    @ParameterizedTest
    @ValueSource(strings = {"dropped", "truncated", "late", "never", "slow", "500", "503"})
    void anAnswerThatIsLostIsAskedForAgain(String fault) throws Exception {
        client = client("stet-test-key", LATE.contains(fault) ? Duration.ofMillis(500) : Duration.ofSeconds(10));
        server.fixture().faults().add(LOST.get(fault).get().times(1));
        assertEquals(HTML, client.html("welcome"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"dropped", "truncated", "late", "never", "slow", "500", "503"})
    void whileTheServiceFailsTheLastHtmlIsUsed(String fault) throws Exception {
        client = client("stet-test-key", LATE.contains(fault) ? Duration.ofMillis(100) : Duration.ofSeconds(10));
        assertEquals(HTML, new Again(client).html());
        server.fixture().faults().add(LOST.get(fault).get());
        assertEquals(HTML, client.html("welcome"));
        assertEquals(fault.matches("[0-9]+") ? Integer.parseInt(fault) : 0,
                assertThrows(TemplateException.class, () -> client.html("other")).status);
    }

    /** With a short timeout, a slow machine may need several attempts to receive the HTML. */
    private record Again(TemplateClient client) {
        String html() throws InterruptedException {
            for (int left = 20; ; left--) {
                try {
                    return client.html("welcome");
                } catch (TemplateException slow) {
                    if (left == 0) {
                        throw new AssertionError(slow);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"401, Invalid API key", "403, No active subscription found", "404, '{\"error\":\"Not found\"}'"})
    void aRefusalIsNotAskedAgainAndTheLastHtmlIsForgotten(int status, String text) throws Exception {
        client.html("welcome");
        server.fixture().faults().add(Fault.status(status));
        for (int i = 0; i < 2; i++) {
            TemplateException refused = assertThrows(TemplateException.class, () -> client.html("welcome"));
            assertEquals("/templates/welcome?format=html: " + status + " " + text, refused.getMessage());
        }
        assertEquals(List.of(200, status, status), statuses());
    }

    @Test
    void realRefusalsAreTheSame() {
        TemplateClient wrong = client("stet-wrong-key", Duration.ofSeconds(10));
        assertEquals(401, assertThrows(TemplateException.class, () -> wrong.html("welcome")).status);
        TemplateClient none = client("stet-none-key", Duration.ofSeconds(10));
        assertEquals(403, assertThrows(TemplateException.class, () -> none.html("welcome")).status);
        assertEquals("/templates/unborn?format=html: 404 {\"error\":\"template_not_published\"}",
                assertThrows(TemplateException.class, () -> client.html("unborn")).getMessage());
        assertEquals(404, assertThrows(TemplateException.class, () -> client.html("a/b?c d")).status);
    }

    @Test
    void withoutRequestsLeftNobodyAsksBeforeThePeriodEnds() throws Exception {
        server.fixture().clock().set(now);
        client.html("welcome");
        server.fixture().accounts().used(EMAIL, 100);
        assertEquals(HTML, client.html("welcome"));
        assertEquals(HTML, client.html("welcome"));
        assertEquals(429, assertThrows(TemplateException.class, () -> client.html("other")).status);
        assertEquals(List.of(200, 429), statuses());
        now = now.plus(Duration.ofDays(31));
        server.fixture().clock().set(now);
        assertEquals(HTML, client.html("welcome"));
        assertEquals(List.of(200, 429, 304), statuses());
    }

    @Test
    void withoutAServiceItSaysSo() {
        TemplateClient nobodys = new TemplateClient("http://127.0.0.1:1/api/v1", "k", Duration.ofSeconds(1), Duration.ofMillis(100),
                () -> now);
        assertEquals("/templates/welcome?format=html: no answer",
                assertThrows(TemplateException.class, () -> nobodys.html("welcome")).getMessage());
    }
}
