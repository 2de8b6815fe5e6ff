package stet;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that handle requests, and their one queue. There are few: to wake a thread costs more than a request, and
 * requests that one thread reads in a row share a commit. A client that sends or reads slowly holds a thread, as does a
 * slow disk or long work. {@link #look} adds threads beside those that are held; a request waits for that some tens of
 * milliseconds at most.
 *
 * <p>Platform threads, because a virtual one is pinned while SQLite works.
 */
final class WorkerPool implements Executor {
    /** Time that a client has to send or read while others wait and there can be no more threads, in looks. */
    private enum Phase {
        /** The request's head is read, by the JDK's server: a client that is not stalling sends it at once. */
        HEAD(4),
        /** 16 KiB of a body are read. */
        RECEIVE(4),
        /** A part of an answer is written, or the rest of a request passed over. */
        SEND(50),
        /** Work that is Stet's own. */
        INSIDE(Long.MAX_VALUE);

        private final long patience;

        Phase(long patience) {
            this.patience = patience;
        }
    }

    /** Input or output on a client's connection. */
    interface SocketWork<T> {
        T run() throws IOException;
    }

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    /** Half of the processors: the JDK's server, which hands out the requests, and the system work on the others. */
    private static final int KEPT = Math.max(1, PROCESSORS / 2);
    private static final int STACK_BYTES = 512 << 10;
    /** A request runs its commit, and that the commit of a request whose answer had to be prepared anew. */
    private static final int MAX_DEPTH = 2;

    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final Set<Worker> workers = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor pool;
    private final int most;
    private volatile long looks;

    /**
     * @param first phase that it begins with
     * @param came  how many looks there had been by then
     */
    private record Work(Runnable work, Phase first, long came) implements Runnable {
        @Override
        public void run() {
            work.run();
        }
    }

    private final class Worker extends Thread {
        private static final long IDLE = Long.MAX_VALUE;
        /** As if the work had begun before any look. */
        private static final long HELD = -1;

        /** Number of looks when its work began. */
        private volatile long began = IDLE;
        /** Guarded by this thread itself, as an interrupt must hit no other phase than the one it was meant for. */
        private Phase phase = Phase.INSIDE;
        private long since;
        /** Pieces of work that are run within each other. */
        private int depth;
        /** The one that the queue gave it last. */
        private Runnable work;

        Worker(Runnable loop, int number) {
            super(null, loop, "stet-" + number, STACK_BYTES);
        }

        void makeWay() {
            if (began != HELD) {
                began = HELD;
                resize(Math.min(size() + 1, most));
            }
        }

        void enter(Phase next) {
            enter(next, looks);
        }

        synchronized void enter(Phase next, long begin) {
            interrupted(); // what was meant for the phase before
            phase = next;
            since = begin;
        }

        long now() {
            return looks;
        }

        /** @return for how many looks its client has stalled; 0 when it has not, or not for long */
        synchronized long stalled() {
            long waited = looks - since;
            return phase != Phase.INSIDE && waited >= phase.patience ? waited : 0;
        }

        /** Closes the connection that it reads from or writes to (java.nio.channels.InterruptibleChannel). */
        synchronized void cut() {
            if (stalled() > 0) {
                interrupt();
            }
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
    WorkerPool(int most) {
        AtomicInteger number = new AtomicInteger();
        this.most = most;
        this.pool = new ThreadPoolExecutor(KEPT, KEPT, 0, TimeUnit.SECONDS, waiting,
                loop -> new Worker(loop, number.incrementAndGet())) {
            @Override
            protected void beforeExecute(Thread worker, Runnable work) {
                ((Worker) worker).began = looks;
                ((Worker) worker).work = ((Work) work).work;
                ((Worker) worker).enter(((Work) work).first);
            }

            @Override
            protected void afterExecute(Runnable work, Throwable failure) {
                ((Worker) Thread.currentThread()).began = Worker.IDLE;
                ((Worker) Thread.currentThread()).work = null;
                ((Worker) Thread.currentThread()).enter(Phase.INSIDE);
            }
        };
    }

    /**
     * Runs work at once on this thread while nothing waits for one, and else after all that waits. Then a client who is
     * alone is answered on the thread that its request came on, where the JDK's server hears of a failure.
     */
    void runSoon(Runnable work) {
        if (waiting.isEmpty() && Thread.currentThread() instanceof Worker worker && worker.depth < MAX_DEPTH) {
            worker.depth++;
            try {
                work.run();
            } finally {
                worker.depth--;
            }
        } else {
            execute(work);
        }
    }

    /** Runs work on this thread that waits for another one. No thread is added meanwhile, as that would wait for the same. */
    void runWaiting(Runnable work) {
        Worker worker = (Worker) Thread.currentThread();
        worker.began = Worker.IDLE;
        try {
            work.run();
        } finally {
            worker.began = looks;
        }
    }

    /** Runs work of Stet's own after all that has come before. */
    @Override
    public void execute(Runnable work) {
        execute(new Work(work, Phase.INSIDE, looks));
    }

    /** Runs work that reads a request from a client, who may stall, and then handles it. */
    void read(Runnable work) {
        execute(new Work(work, Phase.HEAD, looks));
    }

    private void execute(Work came) {
        try {
            pool.execute(came);
        } catch (OutOfMemoryError noThread) { // the system gives no more: those there are come to it
            if (pool.getPoolSize() == 0) {
                throw noThread;
            }
            waiting.add(came);
        }
    }

    /** Ends the reading of a request's head: what follows on this thread is not cut off. */
    static void headIsRead() {
        if (Thread.currentThread() instanceof Worker worker) {
            worker.enter(Phase.INSIDE);
        }
    }

    /** The work that the queue gave this thread of a pool; in a handler it is the JDK's own task, which called it. */
    static Runnable current() {
        return ((Worker) Thread.currentThread()).work;
    }

    /** Reads from or writes to a client, who may be cut off when others wait for a thread; it must touch nothing else. */
    static <T> T atSocket(SocketWork<T> work) throws IOException {
        if (!(Thread.currentThread() instanceof Worker worker) || worker.phase != Phase.INSIDE) {
            return work.run();
        }
        worker.enter(Phase.SEND);
        try {
            return work.run();
        } finally {
            worker.enter(Phase.INSIDE);
        }
    }

    /**
     * Reads from a client, who may be cut off when others wait for a thread. Reads in a row share one patience, so that a client
     * who sends a little again and again holds no thread for longer.
     *
     * @param since what {@link #now} was when they began
     */
    static <T> T receive(long since, SocketWork<T> work) throws IOException {
        if (!(Thread.currentThread() instanceof Worker worker) || worker.phase != Phase.INSIDE) {
            return work.run();
        }
        worker.enter(Phase.RECEIVE, since);
        try {
            return work.run();
        } finally {
            worker.enter(Phase.INSIDE);
        }
    }

    /** The time that patience is counted by; 0 on a thread of no pool. */
    static long now() {
        return Thread.currentThread() instanceof Worker worker ? worker.now() : 0;
    }

    /** A client has read a part of its answer: it does not stall. */
    static void progress() {
        if (Thread.currentThread() instanceof Worker worker && worker.phase == Phase.SEND) {
            worker.enter(Phase.SEND);
        }
    }

    /** Has another thread take the place of this one at once, which is about to do more than a request of the API needs. */
    static void makeWay() {
        if (Thread.currentThread() instanceof Worker worker) {
            worker.makeWay();
        }
    }

    /** Wanted number of threads. */
    int size() {
        return pool.getCorePoolSize();
    }

    /** Threads that there are, those that work, and pieces of work that wait for one. */
    record Use(int threads, int busy, int waiting) {
    }

    Use use() {
        int busy = (int) workers.stream().filter(worker -> worker.began != Worker.IDLE).count();
        return new Use(pool.getPoolSize(), busy, waiting.size());
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
     *   there can be no more          the clients that have stalled longest are cut off
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
        if (next != null && next.came < looks - 1 && Math.min(size, most) <= now) {
            cut(waiting.size());
        }
        resize(Math.min(size, most));
    }

    /** Cuts off half of the clients that stall, the longest: the others may only have been kept from the processor. */
    void cut(int clients) {
        List<Map.Entry<Worker, Long>> stalled = workers.stream().map(worker -> Map.entry(worker, worker.stalled()))
                .filter(each -> each.getValue() > 0)
                .sorted(Map.Entry.<Worker, Long>comparingByValue().reversed()).toList();
        stalled.stream().limit(Math.min(clients, (stalled.size() + 1) / 2)).forEach(each -> each.getKey().cut());
    }

    private synchronized void resize(int size) {
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
