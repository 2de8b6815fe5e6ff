package stet;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The number of requests that are being answered, so that the end can wait for them.
 *
 * <pre>
 * open ── announceEnd() ──► draining: answered, and the connection closed ── none left, or late ──► closed: none gets in
 * </pre>
 */
final class InFlight {
    private static final int CLOSED = Integer.MIN_VALUE / 2;
    private static final int PAUSE_MILLIS = 5;

    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean draining;

    /** Whether the request is let in; if so, {@link #leave} follows. */
    boolean enter() {
        if (count.incrementAndGet() > 0) {
            return true;
        }
        count.decrementAndGet();
        return false;
    }

    void leave() {
        count.decrementAndGet();
    }

    int count() {
        return Math.max(0, count.get());
    }

    /** Has each answer from now on end its connection; requests are still let in. */
    void announceEnd() {
        draining = true;
    }

    boolean isDraining() {
        return draining;
    }

    /**
     * Lets requests in while others are being answered or wait to be read, but no longer than the grace; then waits for those
     * inside, altogether no longer than the limit.
     *
     * @param busy whether requests wait to be read
     */
    void drain(Duration grace, Duration limit, BooleanSupplier busy) throws InterruptedException {
        draining = true;
        long begin = System.nanoTime();
        boolean closed = false;
        while (true) {
            long passed = System.nanoTime() - begin;
            if (!closed && (passed >= grace.toNanos() || !busy.getAsBoolean() && count.get() == 0)) {
                count.addAndGet(CLOSED);
                closed = true;
            }
            if (closed && count.get() == CLOSED || passed >= limit.toNanos()) {
                return;
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
