package stet.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Recipients keep a limited number of connections open. */
class KeptConnectionsTest {
    private static final long SECOND = 1_000_000_000L;

    private static InetSocketAddress client(int port) {
        return InetSocketAddress.createUnresolved("192.0.2.1", port);
    }

    @Test
    void aShareOfConnectionsStaysOpenUntilTheyAreIdle() {
        KeptConnections kept = new KeptConnections(2);
        assertTrue(kept.tryKeep(client(1), 0));
        assertTrue(kept.tryKeep(client(2), SECOND));
        assertFalse(kept.tryKeep(client(3), 2 * SECOND));
        assertTrue(kept.tryKeep(client(1), 3 * SECOND));
        assertFalse(kept.tryKeep(client(3), 91 * SECOND));
        assertTrue(kept.tryKeep(client(3), 92 * SECOND), "the second has been idle for more than 90 s");
        assertFalse(kept.tryKeep(client(2), 93 * SECOND));
        assertTrue(kept.tryKeep(client(2), 94 * SECOND), "the first has been idle, too");
    }
}
