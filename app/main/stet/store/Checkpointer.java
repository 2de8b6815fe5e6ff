package stet.store;

import java.util.function.Supplier;

/**
 * Copies the write-ahead log into the database on a connection of its own, while others write and read. The commit that
 * finds the log long would do it otherwise, and all that wait for the writing lock with it.
 */
final class Checkpointer implements AutoCloseable {
    /** Pages of the log that are worth a sync of the database. */
    private static final int PAGES = 1_000;

    private final Supplier<Sql> connect;
    private Sql sql;
    private boolean closed;

    Checkpointer(Supplier<Sql> connect) {
        this.connect = connect;
    }

    /** Copies what has come since the last time, when it is much; waits for nobody. */
    synchronized void checkpoint() {
        if (closed) {
            return;
        }
        if (sql == null) {
            sql = connect.get();
        }
        long pages = sql.first("pragma wal_checkpoint(noop)", row -> row.number("log") - row.number("checkpointed")).orElse(0L);
        if (pages > PAGES) {
            sql.number("pragma wal_checkpoint(passive)");
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
