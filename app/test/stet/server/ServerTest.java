package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import stet.harness.Client;
import stet.harness.Running;

/** Shutting down a server. */
class ServerTest {
    /** For a moment after the stop signal, the server still responds, and each response closes its connection. */
    @Test
    void beforeTheEndEachResponseClosesItsConnection() throws Exception {
        try (Running stet = new Running()) {
            Client kept = stet.client();
            assertEquals(null, kept.get("/healthz", null).header("Connection"));
            stet.server.announceEnd();
            Client.Reply last = kept.get("/healthz", null);
            assertEquals("200 close", last.status() + " " + last.header("Connection"));
        }
    }
}
