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
 * Heavy work, one piece at a time on a thread of its own. The lowest rank goes next, among equals the first to come; when
 * more wait than may, the last in this order is sent away at once.
 */
public final class WorkQueue {
    /** Longest wait for a turn, in s: shorter than the server's own limit for an answer. */
    private static final int PATIENCE = 10;
    /** Time after which the thread ends when there is no work, in s. */
    private static final int IDLE = 10;

    private final int most;
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
     * @param priority of the thread ({@link Thread#MIN_PRIORITY} to {@link Thread#MAX_PRIORITY}), which start.sh has the
     *                 system follow; below the normal one only for work that never holds the database's writing lock
     * @param most     work that may wait
     */
    public WorkQueue(String name, int priority, int most) {
        this.most = most;
        this.thread = new ThreadPoolExecutor(1, 1, IDLE, TimeUnit.SECONDS, waiting, work -> {
            Thread made = new Thread(work, "stet-" + name);
            made.setDaemon(true);
            made.setPriority(priority);
            return made;
        });
        thread.allowCoreThreadTimeOut(true);
    }

    /** Waits for the work's turn and for its result. @return nothing when its turn has not come in time */
    public <T> Optional<T> run(double rank, Supplier<T> work) {
        Turn<T> turn = arrive(rank, work);
        try {
            return Optional.of(turn.get(PATIENCE, TimeUnit.SECONDS));
        } catch (TimeoutException late) {
            return leave(turn);
        } catch (InterruptedException stopped) {
            Optional<T> result = leave(turn);
            Thread.currentThread().interrupt();
            return result;
        } catch (CancellationException sentAway) {
            return Optional.empty();
        } catch (ExecutionException failure) {
            throw unchecked(failure.getCause());
        }
    }

    private synchronized <T> Turn<T> arrive(double rank, Supplier<T> work) {
        Turn<T> turn = new Turn<>(rank, arrivals++, work);
        thread.execute(turn);
        if (waiting.size() > most) {
            Turn<?> last = (Turn<?>) Collections.max(waiting, null);
            if (waiting.remove(last)) {
                last.cancel(false);
            }
        }
        return turn;
    }

    /** Leaves the queue; what has begun is waited for, as it may have changed something. */
    private <T> Optional<T> leave(Turn<T> turn) {
        if (waiting.remove(turn)) {
            return Optional.empty();
        }
        while (true) {
            try {
                return Optional.of(turn.get());
            } catch (InterruptedException stopped) {
                // It ends by itself.
            } catch (CancellationException sentAway) {
                return Optional.empty();
            } catch (ExecutionException failure) {
                throw unchecked(failure.getCause());
            }
        }
    }

    /** A supplier throws nothing else. */
    private static RuntimeException unchecked(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return (RuntimeException) failure;
    }

    /** How many wait, for the tests. */
    int waiting() {
        return waiting.size();
    }
}
