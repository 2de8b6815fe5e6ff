package stet;

import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that read requests, count them and send answers, and their one queue. One is kept: waking a second costs more than
 * it brings, 1.2 times the processor time of a request at 32 connections. A client that sends or reads slowly holds a thread until
 * the JDK's server ends its connection; {@link #adjust} adds threads beside those. There are never more threads than requests
 * inside.
 *
 * <p>Platform threads, because a virtual one is pinned while SQLite works.
 */
final class Pool implements Executor {
    private static final int KEPT = 1;
    private static final int STACK_BYTES = 512 << 10;
    private static final int IDLE_SECONDS = 1;
    /** Ticks without a wait after which threads are given up. */
    private static final int CALM = 50;

    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final ThreadPoolExecutor threads;
    /** Tasks of the JDK's server that wait for room: a connection takes little memory until its request is read. */
    private final Queue<Runnable> outside = new ConcurrentLinkedQueue<>();
    /** The task of the JDK's server that a thread is in. */
    private final ThreadLocal<Runnable> reading = new ThreadLocal<>();
    private final Room room;
    private final int most;
    private Runnable oldest;
    private int calm;

    /** @param most requests inside, and threads */
    Pool(int most) {
        AtomicInteger number = new AtomicInteger();
        this.most = most;
        this.room = new Room(most);
        this.threads = new ThreadPoolExecutor(KEPT, KEPT, IDLE_SECONDS, TimeUnit.SECONDS, waiting,
                work -> new Thread(null, work, "stet-" + number.incrementAndGet(), STACK_BYTES));
    }

    /** Runs a task of the JDK's server, which reads a request, when there is room for that. */
    void read(Runnable task) {
        if (outside.isEmpty() && room.tryAcquire()) {
            execute(() -> run(task));
        } else {
            outside.add(task); // until the next adjustment
        }
    }

    private void admit() {
        while (!outside.isEmpty() && room.tryAcquire()) {
            Runnable task = outside.poll();
            if (task == null) {
                room.release();
            } else {
                execute(() -> run(task));
            }
        }
    }

    private void run(Runnable task) {
        reading.set(task);
        try {
            task.run();
        } finally {
            reading.remove();
            leave();
        }
    }

    /** The task of the JDK's server that called the handler on this thread. */
    Runnable reading() {
        return reading.get();
    }

    /** Takes room for an answer that a later task sends, beside that of the thread that read; {@link #leave} gives it back. */
    void stay() {
        room.reducePermits(1);
    }

    void leave() {
        room.release();
    }

    /** A semaphore, some of whose permits may be taken without waiting: then there are fewer than none for a while. */
    static final class Room extends Semaphore {
        private static final long serialVersionUID = 1;

        Room(int permits) {
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
     * Adds threads while the oldest task has waited since the last call, and gives some up when none has for a while. Lets requests
     * in where there is room; not before, as the JDK's server frees the memory of answered ones on a thread that others would hold up.
     */
    void adjust() {
        admit();
        Runnable first = waiting.peek();
        if (first != null && first == oldest) {
            int size = threads.getPoolSize();
            resize(Math.min(most, size + Math.min(size, waiting.size())));
            calm = 0;
        } else if (++calm >= CALM) {
            resize(Math.max(KEPT, Math.min(threads.getPoolSize() - 1, threads.getActiveCount())));
            calm = 0;
        }
        oldest = first;
    }

    /** Adds a thread when all work, for one that is about to wait for others' work: what comes next is not behind it. */
    void addFree() {
        int size = threads.getPoolSize();
        if (size < most && threads.getActiveCount() == size) {
            resize(size + 1);
        }
    }

    private synchronized void resize(int size) {
        try {
            threads.setMaximumPoolSize(Math.max(size, threads.getCorePoolSize()));
            threads.setCorePoolSize(size);
            threads.setMaximumPoolSize(size);
        } catch (OutOfMemoryError noThread) { // the system gives no more: those there are come to the tasks
            threads.setCorePoolSize(Math.max(1, threads.getPoolSize()));
        }
    }

    /** Threads that there are, those that work, and tasks that wait for one. */
    record Use(int threads, int busy, int waiting) {
    }

    Use use() {
        return new Use(threads.getPoolSize(), threads.getActiveCount(), waiting.size());
    }

    /** Whether tasks wait for a thread. */
    boolean isBusy() {
        return !waiting.isEmpty() || !outside.isEmpty();
    }

    /** Does what has come, and takes nothing more. */
    void close() throws InterruptedException {
        threads.shutdown();
        threads.awaitTermination(1, TimeUnit.SECONDS);
    }
}
