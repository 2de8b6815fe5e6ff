package stet;

import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that requests are handled on: few, because to wake one for each request costs more than the request, and
 * requests that one thread reads in a row share a commit. The JDK's server reads and answers on them, so a client that
 * sends or reads slowly holds one, as does a slow disk or a long piece of work. {@link #look} sees to it that there are
 * always as many beside those that are held; what a request waits until then is the price, and little beside
 * maxReqTime.
 *
 * <p>Platform threads, because a virtual one is pinned while SQLite works.
 */
final class Threads implements Executor {
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    /** Half of the processors: the JDK's server, which hands out the requests, and the system work on the others. */
    private static final int KEPT = Math.max(1, PROCESSORS / 2);
    private static final int STACK_BYTES = 512 << 10;

    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final Set<Worker> workers = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor pool;
    private final int most;
    private volatile long looks;

    /** @param came how many looks there had been by then */
    private record Work(Runnable work, long came) implements Runnable {
        @Override
        public void run() {
            work.run();
        }
    }

    private final class Worker extends Thread {
        private static final long IDLE = Long.MAX_VALUE;

        /** How many looks there had been when its work began. */
        private volatile long began = IDLE;

        Worker(Runnable loop, int number) {
            super(null, loop, "stet-" + number, STACK_BYTES);
        }

        @Override
        public void run() {
            workers.add(this);
            try {
                super.run();
            } finally {
                workers.remove(this);
            }
        }
    }

    /** @param most threads there may be */
    Threads(int most) {
        AtomicInteger number = new AtomicInteger();
        this.most = most;
        this.pool = new ThreadPoolExecutor(KEPT, KEPT, 0, TimeUnit.SECONDS, waiting, loop -> new Worker(loop, number.incrementAndGet())) {
            @Override
            protected void beforeExecute(Thread worker, Runnable work) {
                ((Worker) worker).began = looks;
            }

            @Override
            protected void afterExecute(Runnable work, Throwable failure) {
                ((Worker) Thread.currentThread()).began = Worker.IDLE;
            }
        };
    }

    @Override
    public void execute(Runnable work) {
        Work came = new Work(work, looks);
        try {
            pool.execute(came);
        } catch (OutOfMemoryError noThread) { // the system gives no more: those there are come to it
            if (pool.getPoolSize() == 0) {
                throw noThread;
            }
            waiting.add(came);
        }
    }

    /** How many there should be at present. */
    int size() {
        return pool.getCorePoolSize();
    }

    /** Whether work waits for a thread. */
    boolean areCrowded() {
        return !waiting.isEmpty();
    }

    /**
     * Has as many threads as there should be; to be called every so often, never twice at once. A thread is held when
     * its work began before the last look.
     *
     * <pre>
     * nothing waits                   as many as are kept, beside those that are held
     * what waits came since           the same, but no more than one fewer than before
     * what waits came before, and
     *   half of the threads are held  twice as many
     *   there is just much to do      at least as many as there are processors, beside those that are held
     * </pre>
     */
    void look() {
        int held = 0;
        for (Worker worker : workers) {
            held += worker.began < looks ? 1 : 0;
        }
        int now = size();
        int size = KEPT + held;
        Work next = (Work) waiting.peek();
        if (next != null && next.came == looks) {
            size = Math.max(size, now - 1);
        } else if (next != null) {
            size = Math.max(now, 2 * held >= now ? 2 * now : PROCESSORS + held);
        }
        looks++;
        resize(Math.min(size, most));
    }

    private void resize(int size) {
        try {
            if (size > pool.getMaximumPoolSize()) {
                pool.setMaximumPoolSize(size);
                pool.setCorePoolSize(size);
            } else {
                pool.setCorePoolSize(size);
                pool.setMaximumPoolSize(size);
            }
        } catch (OutOfMemoryError noThread) { // the system gives no more: go on with those there are
            int there = Math.max(KEPT, pool.getPoolSize());
            pool.setCorePoolSize(there);
            pool.setMaximumPoolSize(there);
        }
    }

    /** Lets what has come be done, and nothing more come. */
    void shutdown() {
        pool.shutdown();
    }

    boolean awaitTermination(int seconds) throws InterruptedException {
        return pool.awaitTermination(seconds, TimeUnit.SECONDS);
    }
}
