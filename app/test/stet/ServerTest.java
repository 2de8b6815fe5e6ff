package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The end of a server. */
class ServerTest {
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
