import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.fixture.Fault;
import stet.testing.StetExtension;
import stet.testing.StetFixture;

/** The data are in src/test/stet. Before each test they are as at the start. */
@ExtendWith(StetExtension.class)
class ShippingMailTest {

    @Test
    void fillsInTheTemplate(StetFixture stet) throws Exception {
        assertEquals("200 <p>Hello Ada, your order 7 is on its way.</p>\n", mail(stet, "Ada", "7"));
        assertEquals(1, stet.requests().list().size());
    }

    @Test
    void seesAnErrorOfTheService(StetFixture stet) throws Exception {
        stet.faults().add(Fault.status(500).times(1));
        assertEquals("500 {\"error\":\"Internal server error\"}", mail(stet, "Ada", "7"));
        assertEquals("200 <p>Hello Ada, your order 7 is on its way.</p>\n", mail(stet, "Ada", "7"));
    }

    @Test
    void runsOutOfRequestsUntilTheNextPeriod(StetFixture stet) throws Exception {
        stet.accounts().use("shop@example.com", 100);
        assertEquals("429 Plan limit exceeded", mail(stet, "Ada", "7"));
        stet.clock().advance(Duration.ofDays(30));
        assertEquals("200 <p>Hello Ada, your order 7 is on its way.</p>\n", mail(stet, "Ada", "7"));
    }

    /** Stands for the app under test, which is given the base address and the key. */
    static String mail(StetFixture stet, String name, String order) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(stet.baseUrl() + "/templates/shipped?format=html"))
                .header("Authorization", "Bearer stet-test-key").build();
        var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        return response.statusCode() + " " + response.body().replace("{{name}}", name).replace("{{order}}", order);
    }
}
