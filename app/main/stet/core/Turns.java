package stet.core;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Turns for heavy work: one piece at a time for each key, an account for instance, and as many in all as a semaphore has
 * permits. A key that brings much waits for itself, and is ahead of another one by a single piece.
 */
public final class Turns<K> {
    /** Longest wait for a turn. */
    private static final int WAIT_SECONDS = 10;

    private final int maxInside;
    private final Runnable beforeWait;
    private final Map<K, Own> keys = new HashMap<>();

    private static final class Own {
        final Semaphore turn = new Semaphore(1, true);
        int inside;
    }

    /**
     * @param maxInside  pieces of a key that may be inside, waiting or at work
     * @param beforeWait called by a thread that is about to wait for a turn
     */
    public Turns(int maxInside, Runnable beforeWait) {
        this.maxInside = maxInside;
        this.beforeWait = beforeWait;
    }

    /** Returns a place, or empty when its key has too many already. */
    public Optional<Place> enter(K key) {
        synchronized (keys) {
            Own own = keys.computeIfAbsent(key, any -> new Own());
            if (own.inside == maxInside) {
                return Optional.empty();
            }
            own.inside++;
            return Optional.of(new Place(key, own));
        }
    }

    /** The place of one piece of work, from its arrival to its end. */
    public final class Place implements AutoCloseable {
        private final K key;
        private final Own own;

        private Place(K key, Own own) {
            this.key = key;
            this.own = own;
        }

        /**
         * Does the work when it is its turn.
         *
         * @param shared fair semaphores that it needs a permit of each, in this order
         * @return empty when the turn did not come in time
         */
        public <T> Optional<T> run(Supplier<T> work, Semaphore... shared) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
            Supplier<Optional<T>> next = () -> Optional.of(work.get());
            for (int i = shared.length - 1; i >= 0; i--) {
                next = holding(shared[i], end, next);
            }
            return holding(own.turn, end, next).get();
        }

        @Override
        public void close() {
            synchronized (keys) {
                if (--own.inside == 0) {
                    keys.remove(key);
                }
            }
        }
    }

    private <T> Supplier<Optional<T>> holding(Semaphore permits, long end, Supplier<Optional<T>> work) {
        return () -> {
            try {
                if (!permits.tryAcquire(0, TimeUnit.NANOSECONDS)) { // behind those that wait already
                    beforeWait.run();
                    if (!permits.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                        return Optional.empty();
                    }
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
            try {
                return work.get();
            } finally {
                permits.release();
            }
        };
    }
}
