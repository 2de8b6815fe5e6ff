package stet.web;

import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Heavy work, one task at a time on a thread of its own. The lowest rank goes next, among equals the first to arrive; when
 * too many tasks wait, the last in this order is rejected at once.
 */
public final class WorkQueue {
    /** Longest wait for a turn: shorter than the server's own limit for an answer. */
    private static final int TIMEOUT_SECONDS = 10;
    /** Time without work after which the thread ends. */
    private static final int IDLE_SECONDS = 10;

    private final int maxWaiting;
    private final PriorityBlockingQueue<Runnable> waiting = new PriorityBlockingQueue<>();
    private final ThreadPoolExecutor thread;
    private long arrivals;

    private static final class Turn<T> extends FutureTask<T> implements Comparable<Turn<?>> {
        private final double rank;
        private final long arrival;

        Turn(double rank, long arrival, Supplier<T> work) {
            super(work::get);
            this.rank = rank;
            this.arrival = arrival;
        }

        @Override
        public int compareTo(Turn<?> other) {
            return rank != other.rank ? Double.compare(rank, other.rank) : Long.compare(arrival, other.arrival);
        }
    }

    /**
     * @param priority   of the thread, which start.sh has the system follow; low only for work that never holds the writing lock
     * @param maxWaiting tasks that may wait
     */
    public WorkQueue(String name, int priority, int maxWaiting) {
        this.maxWaiting = maxWaiting;
        this.thread = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, waiting, work -> {
            Thread made = new Thread(work, "stet-" + name);
            made.setDaemon(true);
            made.setPriority(priority);
            return made;
        });
        thread.allowCoreThreadTimeOut(true);
    }

    /** Waits for the turn of the work and for its result. @return nothing when it was rejected or timed out */
    public <T> Optional<T> run(double rank, Supplier<T> work) {
        Turn<T> turn = arrive(rank, work);
        boolean begun = false;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return Optional.of(begun ? turn.get() : turn.get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
                } catch (TimeoutException | InterruptedException late) {
                    interrupted |= late instanceof InterruptedException;
                    if (waiting.remove(turn)) {
                        return Optional.empty();
                    }
                    begun = true; // its end is waited for, as it may have changed something
                }
            }
        } catch (CancellationException rejected) {
            return Optional.empty();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure.getCause(); // a supplier throws no checked exception
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized <T> Turn<T> arrive(double rank, Supplier<T> work) {
        Turn<T> turn = new Turn<>(rank, arrivals++, work);
        thread.execute(turn);
        if (waiting.size() > maxWaiting) {
            Turn<?> last = (Turn<?>) Collections.max(waiting, null);
            if (waiting.remove(last)) {
                last.cancel(false);
            }
        }
        return turn;
    }

    /** Tasks that wait, for the tests. */
    int waiting() {
        return waiting.size();
    }
}
