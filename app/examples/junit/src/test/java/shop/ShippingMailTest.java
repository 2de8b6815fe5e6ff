package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import shop.TemplateClient.TemplateException;
import stet.fixture.Fault;
import stet.testing.StetExtension;
import stet.testing.StetFixture;

/** Uses the data in src/test/stet, which the double restores before each test. */
@ExtendWith(StetExtension.class)
class ShippingMailTest {
    private ShippingMail mail;

    @BeforeEach
    void startTheApp(StetFixture server) {
        mail = new ShippingMail(new TemplateClient(server.baseUrl().toString(), "stet-test-key", Duration.ofSeconds(5),
                Duration.ofMillis(100), Clock.systemUTC()));
    }

    @Test
    void fillsInTheTemplate(StetFixture server) throws Exception {
        assertEquals("<p>Hello Ada, your order 7 is on its way.</p>\n", mail.html("Ada", "7"));
        assertEquals(1, server.requests().list().size());
    }

    @Test
    void isSentAllTheSameWhenTheServiceFailsOnce(StetFixture server) throws Exception {
        server.faults().add(Fault.status(500).times(1));
        assertEquals("<p>Hello Ada, your order 7 is on its way.</p>\n", mail.html("Ada", "7"));
        assertEquals(2, server.requests().list().size());
    }

    @Test
    void isNotSentWithoutRequestsLeft(StetFixture server) throws Exception {
        server.accounts().used("shop@example.com", 100);
        assertEquals(429, assertThrows(TemplateException.class, () -> mail.html("Ada", "7")).status);
        server.clock().advance(Duration.ofDays(30));
        startTheApp(server);
        assertEquals("<p>Hello Ada, your order 7 is on its way.</p>\n", mail.html("Ada", "7"));
    }
}
