package stet.server;

import java.io.IOException;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import stet.base.Metrics;
import stet.http.Pace.Transfer;
import stet.http.Pace;

/**
 * The threads that read requests, count them and send responses. All threads take tasks from a single queue. One thread is usually enough;
 * with 32 connections, waking a second thread costs 1.2 times the CPU time of a request. A client that sends or reads slowly occupies a
 * thread until the client finishes or the JDK's server closes the connection; {@link #adjust} adds threads as needed. There are never more
 * threads than requests that can be admitted.
 *
 * <p>Uses platform threads because SQLite calls would pin virtual threads.
 */
final class Pool implements Executor {
    /** Number of threads that stay while the pool is idle. */
    private static final int KEPT = 1;
    /**
     * Factor by which the pool grows. With doubling, growing from one thread to 2,500 would take twelve calls of {@link #adjust}; on JDK
     * 25, a well-behaved client then had to wait 1.3 s behind 2,500 slow requests.
     */
    private static final int GROWTH = 4;
    private static final int STACK_BYTES = 512 << 10;
    private static final int IDLE_SECONDS = 1;
    /** Number of calls of {@link #adjust} without growth before the pool shrinks. */
    private static final int CALM = 50;
    /** Factor by which slow clients have less time when all threads are taken: 3 s to read a part of a response, 2 s to send. */
    private static final int HURRY = 5;

    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final ThreadPoolExecutor threads;
    /** Tasks waiting for admission. A connection needs little memory until its request is read. */
    private final Queue<Runnable> outside = new ConcurrentLinkedQueue<>();
    /** The JDK server task running on the current thread. */
    private final ThreadLocal<Runnable> reading = new ThreadLocal<>();
    /** One per thread of the pool, for {@link #checkPaces}. */
    private final Map<Thread, Pace> paces = new ConcurrentHashMap<>();
    private final ThreadLocal<Pace> pace = ThreadLocal.withInitial(() -> paces.computeIfAbsent(Thread.currentThread(), Pace::new));
    private final ThreadRoom room;
    private final int most;
    /** The task that had waited longest at the last call of {@link #adjust}, or null. */
    private Runnable oldest;
    /** Number of calls of {@link #adjust} since the pool last changed its size. */
    private int calm;

    Pool(int most) {
        this(most, "stet-");
    }

    /** @param most maximum number of admitted requests and of threads @param name start of the threads' names */
    Pool(int most, String name) {
        AtomicInteger number = new AtomicInteger();
        this.most = most;
        this.room = new ThreadRoom(most);
        this.threads = new ThreadPoolExecutor(KEPT, KEPT, IDLE_SECONDS, TimeUnit.SECONDS, waiting,
                work -> new Thread(null, () -> runThread(work), name + number.incrementAndGet(), STACK_BYTES));
    }

    private void runThread(Runnable work) {
        try {
            work.run();
        } finally {
            paces.remove(Thread.currentThread());
        }
    }

    /** The current thread's pace. */
    Pace pace() {
        return pace.get();
    }

    /** Ends waits for clients that are too slow; called every second. If other clients wait for a thread, slow clients have less time. */
    void checkPaces(Metrics metrics) {
        int hurry = outside.isEmpty() ? 1 : HURRY;
        for (Pace each : paces.values()) {
            each.check(hurry).ifPresent(transfer -> {
                if (transfer == Transfer.SENDING) {
                    metrics.addSlowReader();
                } else {
                    metrics.addSlowSender();
                }
            });
        }
    }

    /** Runs a JDK server task, which reads one request. If no permit is free, the task waits until {@link #adjust} admits it. */
    void read(Runnable task) {
        if (outside.isEmpty() && room.tryAcquire()) {
            execute(() -> run(task));
        } else {
            outside.add(() -> run(task)); // admitted by a later call to adjust
        }
    }

    /**
     * Runs a task that sends to a client, as soon as a permit is free.
     *
     * @return false, without running it, if as many tasks as there are permits are waiting already
     */
    boolean offer(Runnable task) {
        Runnable whole = () -> {
            try {
                task.run();
            } finally {
                release();
            }
        };
        if (outside.isEmpty() && room.tryAcquire()) {
            execute(whole);
            return true;
        }
        return outside.size() < most && outside.add(whole);
    }

    /** Admits waiting tasks while permits are free. */
    private void admit() {
        while (!outside.isEmpty() && room.tryAcquire()) {
            Runnable task = outside.poll();
            if (task == null) {
                room.release();
            } else {
                execute(task);
            }
        }
    }

    /** Runs a JDK server task on a thread of the pool. */
    private void run(Runnable task) {
        reading.set(task);
        Pace head = pace();
        head.beginHead();
        try {
            task.run();
        } finally {
            endHead(head);
            reading.remove();
            release();
        }
    }

    /** Ends the reading of a head that never was complete; the JDK's server has closed its connection. */
    private static void endHead(Pace head) {
        try {
            head.endHead();
        } catch (IOException tooSlow) {
            // the interrupt is cleared
        }
    }

    /** The JDK server task that called the handler on this thread. */
    Runnable reading() {
        return reading.get();
    }

    /** Reserves another permit, until {@link #release}, for a response that a later task sends. */
    void reserve() {
        room.reducePermits(1);
    }

    /** Frees a permit. */
    void release() {
        room.release();
    }

    /** A semaphore that also grants permits without waiting; its count may then be negative. */
    static final class ThreadRoom extends Semaphore {
        private static final long serialVersionUID = 1;

        ThreadRoom(int permits) {
            super(permits);
        }

        @Override
        public void reducePermits(int permits) {
            super.reducePermits(permits);
        }
    }

    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    /**
     * Adds threads if the oldest task has been waiting since the last call; removes threads after {@link #CALM} calls without
     * such a task. Waiting requests are admitted only here: elsewhere, admission would delay the JDK server thread that frees the
     * memory of answered requests.
     */
    void adjust() {
        admit();
        Runnable first = waiting.peek();
        if (first != null && first == oldest) {
            int size = threads.getPoolSize();
            resize(Math.min(most, Math.min(size * GROWTH, size + waiting.size())));
            calm = 0;
        } else if (++calm >= CALM) {
            resize(Math.max(KEPT, Math.min(threads.getPoolSize() - 1, threads.getActiveCount())));
            calm = 0;
        }
        oldest = first;
    }

    /**
     * Adds a thread if all threads are busy and the pool is below its maximum size. Called before a thread blocks, so that new requests do not
     * queue behind it.
     */
    void addFree() {
        int size = threads.getPoolSize();
        if (size < most && threads.getActiveCount() == size) {
            resize(size + 1);
        }
    }

    /** Sets the number of threads. */
    private synchronized void resize(int size) {
        try {
            threads.setMaximumPoolSize(Math.max(size, threads.getCorePoolSize())); // never less than the core size
            threads.setCorePoolSize(size);
            threads.setMaximumPoolSize(size);
        } catch (OutOfMemoryError noThread) { // the operating system allows no more threads; existing threads run the tasks
            threads.setCorePoolSize(Math.max(1, threads.getPoolSize()));
        }
    }

    /** Numbers of threads, busy threads and waiting tasks. */
    record PoolUse(int threads, int busy, int waiting) {
    }

    PoolUse use() {
        return new PoolUse(threads.getPoolSize(), threads.getActiveCount(), waiting.size());
    }

    /** Whether tasks are waiting for a thread or for admission. */
    boolean isBusy() {
        return !waiting.isEmpty() || !outside.isEmpty();
    }

    /** Accepts no more tasks and waits up to one second for queued and running tasks. */
    void close() throws InterruptedException {
        threads.shutdown();
        threads.awaitTermination(1, TimeUnit.SECONDS);
    }
}
