package stet.server;

import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The recipients' connections that stay open for another image. The JDK's server keeps a limited number of idle connections and closes those
 * that would exceed it, whoever they belong to. With a share of their own, recipients of a campaign do not take the places of apps.
 */
final class KeptConnections {
    /** As long as the JDK's server keeps an idle connection; see {@link Server#setProperties}. */
    private static final long IDLE_NANOS = 90_000_000_000L;

    private final int most;
    /** When each connection was used last, in order. */
    private final Map<InetSocketAddress, Long> used = new LinkedHashMap<>();

    KeptConnections(int most) {
        this.most = most;
    }

    /** Whether a connection may stay open after the response that is about to be sent. */
    synchronized boolean mayKeep(InetSocketAddress client, long nanos) {
        used.remove(client);
        Iterator<Long> times = used.values().iterator();
        while (times.hasNext() && nanos - times.next() > IDLE_NANOS) {
            times.remove();
        }
        if (used.size() >= most) {
            return false;
        }
        used.put(client, nanos);
        return true;
    }
}
