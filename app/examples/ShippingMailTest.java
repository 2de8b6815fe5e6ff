import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stet.fixture.Fault;
import stet.testing.StetFixture;

class ShippingMailTest {
    static StetFixture stet;

    @BeforeAll
    static void start() {
        stet = StetFixture.start(Path.of("app/examples/stet"));
    }

    @BeforeEach
    void reset() {
        stet.reset();
    }

    @AfterAll
    static void close() {
        stet.close();
    }

    @Test
    void fillsInTheTemplate() throws Exception {
        assertEquals("200 <p>Hello Ada, your order 7 is on its way.</p>\n", mail("Ada", "7"));
        assertEquals(1, stet.requests().list().size());
    }

    @Test
    void seesAnErrorOfTheService() throws Exception {
        stet.faults().add(Fault.status(500).times(1));
        assertEquals("500 {\"error\":\"Internal server error\"}", mail("Ada", "7"));
        assertEquals("200 <p>Hello Ada, your order 7 is on its way.</p>\n", mail("Ada", "7"));
    }

    @Test
    void runsOutOfRequestsUntilTheNextPeriod() throws Exception {
        stet.accounts().use("shop@example.com", 100);
        assertEquals("429 Plan limit exceeded", mail("Ada", "7"));
        stet.clock().advance(Duration.ofDays(30));
        assertEquals("200 <p>Hello Ada, your order 7 is on its way.</p>\n", mail("Ada", "7"));
    }

    /** Stands for the app under test, which is given the base address and the key. */
    static String mail(String name, String order) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(stet.baseUrl() + "/templates/shipped?format=html"))
                .header("Authorization", "Bearer stet-test-key").build();
        var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        return response.statusCode() + " " + response.body().replace("{{name}}", name).replace("{{order}}", order);
    }
}
