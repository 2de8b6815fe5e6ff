package stet;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections whose client had gone when the answer was sent on another thread than its request came on. The JDK's server
 * does not hear of that, and keeps such a connection until maxRspTime has passed; so there must never be many.
 */
final class LostConnections {
    /** Lost connections after which requests keep their thread until they are answered. */
    private static final int MANY = 500;

    /** Times at which each is forgotten, by {@link System#nanoTime}. */
    private final Queue<Long> ends = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();

    void add() {
        ends.add(System.nanoTime() + TimeUnit.SECONDS.toNanos(Server.MAX_RESPONSE_SECONDS));
        count.incrementAndGet();
    }

    boolean areMany() {
        if (count.get() < MANY) {
            return false;
        }
        Long end = ends.peek();
        if (end != null && end - System.nanoTime() < 0 && ends.remove(end)) {
            count.decrementAndGet();
        }
        return true;
    }
}
