package stet.server;

import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The recipients' connections that stay open for another image. The JDK's server keeps a limited number of idle connections and closes those
 * that would exceed it, whoever they belong to. With a share of their own, recipients of a campaign do not take the places of apps.
 */
final class KeptConnections {
    /** Time for which the JDK's server keeps an idle connection; see {@link Server#setProperties}. */
    static final int IDLE_SECONDS = 90;

    private final int most;
    /** When each connection was used last, as {@link System#nanoTime}; the oldest first. */
    private final Map<InetSocketAddress, Long> used = new LinkedHashMap<>();

    /** @param most maximum number of connections */
    KeptConnections(int most) {
        this.most = most;
    }

    /**
     * Keeps a connection open after the response that is about to be sent, if there is room.
     *
     * @param nanos as {@link System#nanoTime}
     * @return false if the response must close the connection
     */
    synchronized boolean tryKeep(InetSocketAddress client, long nanos) {
        used.remove(client);
        Iterator<Long> times = used.values().iterator();
        while (times.hasNext() && nanos - times.next() > TimeUnit.SECONDS.toNanos(IDLE_SECONDS)) {
            times.remove();
        }
        if (used.size() >= most) {
            return false;
        }
        used.put(client, nanos);
        return true;
    }
}
