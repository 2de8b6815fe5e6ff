package stet.store;

import java.util.function.Supplier;

/**
 * Checkpoints the write-ahead log on a connection of its own, while others write and read. Otherwise the commit that finds the
 * log long would do it, and all that wait for the writing lock would wait for that.
 */
final class Checkpointer implements AutoCloseable {
    /** Pages that are worth a sync of the database. */
    private static final int MIN_PAGES = 1_000;

    private final Supplier<Sql> connect;
    private Sql sql;
    /** Whether all that the log held at the first look is in the database itself, the mark of {@link LogOwner} too. */
    private boolean begun;
    private boolean closed;

    Checkpointer(Supplier<Sql> connect) {
        this.connect = connect;
    }

    /** Checkpoints when the log has grown much since the last time; waits for nobody. */
    synchronized void checkpoint() {
        if (closed) {
            return;
        }
        if (sql == null) {
            sql = connect.get();
        }
        long pages = sql.first("pragma wal_checkpoint(noop)", row -> row.number("log") - row.number("checkpointed")).orElse(0L);
        if (pages > MIN_PAGES || !begun) {
            begun |= sql.first("pragma wal_checkpoint(passive)", row -> row.number("log") == row.number("checkpointed")).orElse(true);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (sql != null) {
            sql.close();
        }
    }
}
