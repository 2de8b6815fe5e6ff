package stet;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The requests that are being answered, so that the end can wait for them.
 *
 * <pre>
 * open ── drain() ──► draining: answered, and the connection closed ── none left, or late ──► closed: none gets in
 * </pre>
 */
final class InFlight {
    private static final int CLOSED = Integer.MIN_VALUE / 2;

    private final AtomicInteger count = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition left = lock.newCondition();
    private volatile boolean draining;

    /** Whether the request may go on; if so, {@link #leave} follows. */
    boolean enter() {
        if (count.incrementAndGet() > 0) {
            return true;
        }
        count.decrementAndGet();
        return false;
    }

    void leave() {
        count.decrementAndGet();
        if (draining) {
            lock.lock();
            left.signalAll();
            lock.unlock();
        }
    }

    int count() {
        return Math.max(0, count.get());
    }

    /** Has each answer from now on end its connection; requests still get in. */
    void announceEnd() {
        draining = true;
    }

    boolean isDraining() {
        return draining;
    }

    /**
     * Lets requests in for as long as others are being answered or wait to be read, but no longer than the grace; then
     * waits for those inside, altogether no longer than the limit.
     *
     * @param crowded whether requests wait to be read
     */
    void drain(Duration grace, Duration limit, BooleanSupplier crowded) {
        draining = true;
        long begin = System.nanoTime();
        boolean closed = count.get() < 0;
        lock.lock();
        try {
            while (true) {
                long passed = System.nanoTime() - begin;
                closed = closed || !crowded.getAsBoolean() && count.compareAndSet(0, CLOSED);
                if (!closed && passed >= grace.toNanos()) {
                    count.addAndGet(CLOSED);
                    closed = true;
                }
                if (closed && count.get() == CLOSED || passed >= limit.toNanos()) {
                    return;
                }
                left.await(50, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
