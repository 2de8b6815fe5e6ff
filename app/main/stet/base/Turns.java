package stet.base;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Schedules heavy work fairly: one task at a time per key (such as an account), limited in total by semaphores. However many
 * tasks one key has, they delay another key's task by at most one task.
 */
public final class Turns<K> {
    /** Maximum wait for a turn. */
    private static final int WAIT_SECONDS = 10;

    private final int maxInside;
    private final Runnable beforeWait;
    private final Map<K, OwnTurns> keys = new ConcurrentHashMap<>();

    private static final class OwnTurns {
        final Semaphore turn = new Semaphore(1, true);
        /** Changed only inside the map's {@code compute} for this key. */
        int inside;
    }

    /**
     * @param maxInside maximum number of waiting and running tasks per key
     * @param beforeWait called before a thread waits for a turn
     */
    public Turns(int maxInside, Runnable beforeWait) {
        this.maxInside = maxInside;
        this.beforeWait = beforeWait;
    }

    /** A place in the queue, or empty if the key already has too many tasks. */
    public Optional<TurnPlace> enter(K key) {
        TurnPlace place = new TurnPlace(key);
        keys.compute(key, (any, before) -> {
            OwnTurns own = before == null ? new OwnTurns() : before;
            if (own.inside < maxInside) {
                own.inside++;
                place.own = own;
            }
            return own;
        });
        return Optional.of(place).filter(entered -> entered.own != null);
    }

    /** A task's place in the queue, from its entry until it is closed. */
    public final class TurnPlace implements AutoCloseable {
        private final K key;
        /** Null if the key has too many tasks. */
        private OwnTurns own;

        private TurnPlace(K key) {
            this.key = key;
        }

        /**
         * Waits for this task's turn, then runs it.
         *
         * @param shared fair semaphores, acquired in this order
         * @return empty if the wait timed out or the thread was interrupted
         */
        public <T> Optional<T> run(Supplier<T> work, Semaphore... shared) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
            Supplier<Optional<T>> next = () -> Optional.of(work.get());
            for (int i = shared.length - 1; i >= 0; i--) {
                next = holding(shared[i], end, next);
            }
            return holding(own.turn, end, next).get();
        }

        /** Leaves the queue; must be called once. */
        @Override
        public void close() {
            keys.computeIfPresent(key, (any, entered) -> --entered.inside == 0 ? null : entered);
        }
    }

    private <T> Supplier<Optional<T>> holding(Semaphore permits, long end, Supplier<Optional<T>> work) {
        return () -> {
            try {
                if (!permits.tryAcquire(0, TimeUnit.NANOSECONDS)) { // joins the queue, unlike tryAcquire()
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
