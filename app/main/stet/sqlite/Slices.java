package stet.sqlite;

import java.util.function.BooleanSupplier;
import java.util.function.Function;
import stet.dao.Dao;

/**
 * Runs work of any size in many short transactions, so that others can write in between. If the process is killed, the committed part of
 * the work remains.
 *
 * <pre>
 * begin ─ step, step, ... for at most 20 ms ─ commit, not synced ─ a long log is copied into the database ─ pause ─┐
 *   ▲                                                                                                             │
 *   └──────────────────────────────────────────── there is more ──────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>If the disk has little space, a transaction runs one step, so that the log stays small.
 */
public final class Slices {
    /** Time after which a transaction starts no further step, because other writers may be waiting. */
    static final long NANOS = 20_000_000;
    /** Ratio of the length of a pause to that of the slice before it. A ratio of 3 leaves other writers three quarters of the time. */
    private static final long PAUSE_FACTOR = 3;
    private static final long MAX_PAUSE_MILLIS = 100;

    private final Db db;

    Slices(Db db) {
        this.db = db;
    }

    /** A small part of the work. A transaction may run several steps. */
    public interface Step {
        /** Takes at most a few milliseconds. @return whether there is more to do */
        boolean run(Dao dao);
    }

    /**
     * Runs all steps of the work.
     *
     * @param begin   starts each transaction, and may reject it
     * @param pausing whether to pause for other writers
     * @return false if the process stopped before the work was finished
     */
    boolean run(Function<Dao, Dao> begin, Step step, boolean pausing) {
        boolean more = true;
        while (more && !db.isEnding()) {
            long start = System.nanoTime();
            more = db.writer().transaction(dao -> {
                Dao own = begin.apply(dao);
                return db.isTight() ? step.run(own) : slice(() -> step.run(own));
            }, () -> { }, false);
            db.checkpoint();
            if (more && pausing) {
                long millis = PAUSE_FACTOR * (System.nanoTime() - start) / 1_000_000;
                pause(Math.max(1, Math.min(MAX_PAUSE_MILLIS, millis)));
            }
        }
        return !more;
    }

    /**
     * Runs steps within a transaction: at least one, and more until 20 ms have passed.
     *
     * @param step returns whether there is more to do
     * @return what the last step returned
     */
    public static boolean slice(BooleanSupplier step) {
        long begin = System.nanoTime();
        boolean more = step.getAsBoolean();
        while (more && System.nanoTime() - begin < NANOS) {
            more = step.getAsBoolean();
        }
        return more;
    }

    /** Sleeps, or returns early if the thread is interrupted; it then stays interrupted. */
    public static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
