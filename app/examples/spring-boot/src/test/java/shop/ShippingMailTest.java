package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.client.TestRestTemplate;
import org.springframework.web.client.HttpServerErrorException;
import stet.fixture.Fault;
import stet.testing.StetFixture;
import stet.testing.StetTest;

@StetTest
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = {"mail.templates=${stet.api-url}", "mail.key=${stet.key}"})
class ShippingMailTest {
    @Autowired
    private ShippingMail mail;

    @Test
    void fillsInTheTemplate(StetFixture server) {
        assertEquals("<p>Hello Ada, your order 7 is on its way.</p>\n", mail.html(7));
        assertEquals(1, server.requests().list().size());
    }

    @Test
    void seesAnErrorOfTheService(StetFixture server) {
        server.faults().add(Fault.status(500).times(1));
        assertThrows(HttpServerErrorException.class, () -> mail.html(7));
        assertEquals("<p>Hello Ada, your order 7 is on its way.</p>\n", mail.html(7));
    }

    /** The double does not interfere with the app's pages, schema, log or JSON library. */
    @Test
    void theAppKeepsAllThatIsItsOwn(@Autowired TestRestTemplate http, @Autowired ObjectMapper mapper) {
        assertEquals("<title>The shop</title>\n", http.getForObject("/", String.class));
        assertTrue(LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        assertTrue(mapper.version().toString().startsWith("2.19."), mapper.version().toString());
    }
}
