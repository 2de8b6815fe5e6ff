package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The end, with nobody inside but requests that wait to be read. */
class InFlightTest {
    @Test
    void whatWaitsToBeReadIsLetIn() {
        InFlight inFlight = new InFlight();
        AtomicInteger waiting = new AtomicInteger(3);
        inFlight.drain(Duration.ofMinutes(1), Duration.ofMinutes(1), () -> {
            if (waiting.get() == 0) {
                return false;
            }
            assertTrue(inFlight.enter());
            inFlight.leave();
            waiting.decrementAndGet();
            return true;
        });
        assertEquals(0, waiting.get());
        assertFalse(inFlight.enter());
    }

    @Test
    void butForNoLongerThanTheGrace() {
        InFlight inFlight = new InFlight();
        inFlight.drain(Duration.ofMillis(1), Duration.ofMinutes(1), () -> true);
        assertFalse(inFlight.enter());
    }

    @Test
    void theEndIsAnnouncedBeforeItComes() {
        InFlight inFlight = new InFlight();
        assertFalse(inFlight.isDraining());
        inFlight.announceEnd();
        assertTrue(inFlight.isDraining() && inFlight.enter());
        inFlight.leave();
    }

    /** The program answers for a moment after it was told to end, and each answer ends its connection. */
    @Test
    void clientsThatSendOneRequestAfterAnotherHearOfTheEnd() throws Exception {
        try (Running stet = new Running()) {
            Client kept = stet.client();
            assertEquals(null, kept.get("/healthz", null).header("Connection"));
            stet.server.announceEnd();
            Client.Reply last = kept.get("/healthz", null);
            assertEquals("200 close", last.status() + " " + last.header("Connection"));
        }
    }
}
