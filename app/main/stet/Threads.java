package stet;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that requests are handled on: as few as keep the processors busy, because to wake one for each request
 * costs more than the request. The JDK's server reads and answers on them, so a client that sends or reads slowly holds
 * one; where all are held, {@link #look} lets as many more come as there are requests that wait.
 *
 * <p>Platform threads, because a virtual one is pinned while SQLite works.
 */
final class Threads {
    private static final int KEPT = Math.max(2, Runtime.getRuntime().availableProcessors());
    private static final int STACK_BYTES = 512 << 10;

    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final ThreadPoolExecutor pool;
    private final int most;
    private Runnable first;

    /** @param most threads there may be: a connection never needs a second one */
    Threads(int most) {
        AtomicInteger number = new AtomicInteger();
        this.most = most;
        this.pool = new ThreadPoolExecutor(KEPT, KEPT, 1, TimeUnit.SECONDS, waiting,
                work -> new Thread(null, work, "stet-" + number.incrementAndGet(), STACK_BYTES));
    }

    ExecutorService executor() {
        return pool;
    }

    /** Looks whether a request that waited the last time waits still; to be called every so often, by one thread. */
    void look() {
        Runnable next = waiting.peek();
        if (next != null && next == first) {
            grow(Math.min(most, pool.getActiveCount() + waiting.size() + KEPT));
        } else if (next == null && pool.getActiveCount() <= KEPT && pool.getCorePoolSize() > KEPT) {
            pool.setCorePoolSize(KEPT);
            pool.setMaximumPoolSize(KEPT);
        }
        first = next;
    }

    private void grow(int size) {
        if (size > pool.getCorePoolSize()) {
            pool.setMaximumPoolSize(size);
            pool.setCorePoolSize(size);
        }
    }
}
