package stet;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that requests are handled on: few, because to wake one for each request costs more than the request, and
 * requests that one thread reads in a row share a commit. The JDK's server reads and answers on them, so a client that
 * sends or reads slowly holds one, as does a slow disk or a long piece of work; where requests wait for that,
 * {@link #look} lets more threads come.
 *
 * <p>Platform threads, because a virtual one is pinned while SQLite works.
 */
final class Threads {
    /** Another processor's worth is the JDK's server itself, which hands out the requests. */
    private static final int KEPT = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
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

    /** Whether requests wait for a thread. */
    boolean areCrowded() {
        return !waiting.isEmpty();
    }

    /**
     * Looks whether a request that waited the last time waits still, and if so doubles the threads; takes one back
     * where none waits. To be called every so often, by one thread.
     */
    void look() {
        Runnable next = waiting.peek();
        int size = pool.getCorePoolSize();
        if (next == null) {
            size = Math.max(KEPT, size - 1);
            pool.setCorePoolSize(size);
            pool.setMaximumPoolSize(size);
        } else if (next == first) {
            size = Math.min(most, 2 * size);
            pool.setMaximumPoolSize(size);
            pool.setCorePoolSize(size);
        }
        first = next;
    }
}
