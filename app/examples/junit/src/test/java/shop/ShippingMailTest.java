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

/** The data are in src/test/stet. Before each test they are as at the start. */
@ExtendWith(StetExtension.class)
class ShippingMailTest {
    private ShippingMail mail;

    @BeforeEach
    void startTheApp(StetFixture stet) {
        mail = new ShippingMail(new TemplateClient(stet.baseUrl().toString(), "stet-test-key", Duration.ofSeconds(5),
                Duration.ofMillis(100), Clock.systemUTC()));
    }

    @Test
    void fillsInTheTemplate(StetFixture stet) throws Exception {
        assertEquals("<p>Hello Ada, your order 7 is on its way.</p>\n", mail.html("Ada", "7"));
        assertEquals(1, stet.requests().list().size());
    }

    @Test
    void isSentAllTheSameWhenTheServiceFailsOnce(StetFixture stet) throws Exception {
        stet.faults().add(Fault.status(500).times(1));
        assertEquals("<p>Hello Ada, your order 7 is on its way.</p>\n", mail.html("Ada", "7"));
        assertEquals(2, stet.requests().list().size());
    }

    @Test
    void isNotSentWithoutRequestsLeft(StetFixture stet) throws Exception {
        stet.accounts().use("shop@example.com", 100);
        assertEquals(429, assertThrows(TemplateException.class, () -> mail.html("Ada", "7")).status);
        stet.clock().advance(Duration.ofDays(30));
        startTheApp(stet);
        assertEquals("<p>Hello Ada, your order 7 is on its way.</p>\n", mail.html("Ada", "7"));
    }
}
