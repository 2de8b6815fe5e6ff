package stet.server;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Counts the requests in progress so that a shutdown can wait for them.
 *
 * <pre>
 * open ── announceEnd() ──► draining: answered, then disconnected ── none left, or timeout ──► closed: rejected
 * </pre>
 */
final class InFlight {
    /** Added to the count once requests are rejected, so that it stays negative. */
    private static final int CLOSED = Integer.MIN_VALUE / 2;
    /** Pause between checks of a shutdown. */
    private static final int PAUSE_MILLIS = 5;

    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean draining;
    /** Used only by the thread that shuts down, which may call {@link #drain} again. */
    private boolean closed;

    /** Returns whether the request is admitted; if so, the caller must call {@link #leave}. */
    boolean enter() {
        if (count.incrementAndGet() > 0) {
            return true;
        }
        count.decrementAndGet();
        return false;
    }

    /** Ends an admitted request. */
    void leave() {
        count.decrementAndGet();
    }

    /** Number of requests in progress. */
    int count() {
        return Math.max(0, count.get());
    }

    /** Makes each response close its connection from now on; new requests are still admitted. */
    void announceEnd() {
        draining = true;
    }

    boolean isDraining() {
        return draining;
    }

    /**
     * Admits requests until none is in progress or waiting to be read, but at most for the grace period. Then waits for the
     * admitted requests.
     *
     * @param limit maximum total duration of both steps
     * @param busy  whether requests are waiting to be read
     */
    void drain(Duration grace, Duration limit, BooleanSupplier busy) throws InterruptedException {
        draining = true;
        long begin = System.nanoTime();
        while (true) {
            long passed = System.nanoTime() - begin;
            boolean isIdle = !busy.getAsBoolean() && count.get() == 0; // in this order, because a request that is read moves from one to the other
            if (!closed && (isIdle || passed >= grace.toNanos())) {
                count.addAndGet(CLOSED);
                closed = true;
            }
            boolean isDone = closed && count.get() == CLOSED;
            if (isDone || passed >= limit.toNanos()) {
                return;
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
