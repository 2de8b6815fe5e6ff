package stet.sqlite;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import stet.dao.Sql;

/**
 * Checkpoints the write-ahead log on a connection of its own, while others write and read. Otherwise the commit that finds the
 * log long would do it, and all that wait for the writing lock would wait for that.
 */
final class Checkpointer implements AutoCloseable {
    /** Pages that are worth a sync of the database. */
    private static final int MIN_PAGES = 1_000;
    /** Longest time that {@link #shrink} waits for each of writers and readers. While it waits for readers nobody writes. */
    private static final int SHRINK_MILLIS = 20;

    private final Db db;
    private final Supplier<Sql> connect;
    /** Called at the first checkpoint. */
    private final LogOwner logs;
    private Sql sql;
    /** Set by the first of the timers. */
    private final AtomicBoolean marked = new AtomicBoolean();
    /** Whether all that the log held at the first look is in the database itself. */
    private boolean begun;
    private boolean closed;

    Checkpointer(Db db, Supplier<Sql> connect, LogOwner logs) {
        this.db = db;
        this.connect = connect;
        this.logs = logs;
    }

    /** Checkpoints when the log has grown much since the last time, and at the first time; waits for nobody. */
    void checkpoint() {
        if (marked.compareAndSet(false, true)) {
            logs.renumber(db); // writes, and so must not hold up close, which has the writing lock
        }
        copy();
    }

    private synchronized void copy() {
        if (closed) {
            return;
        }
        connect();
        long pages = sql.first("pragma wal_checkpoint(noop)", row -> row.number("log") - row.number("checkpointed")).orElse(0L);
        if (pages > MIN_PAGES || !begun) {
            boolean complete = sql.first("pragma wal_checkpoint(passive)",
                    row -> row.number("log") == row.number("checkpointed")).orElse(true);
            if (complete && !begun) {
                begun = true;
                logs.checkpointed();
            }
        }
    }

    /**
     * Checkpoints all of the log, which cuts a free end off the file. Most of it is copied while others write.
     *
     * @return false when another one read an older state, or checkpointed
     */
    synchronized boolean shrink() {
        if (closed) {
            return false;
        }
        connect();
        sql.number("pragma wal_checkpoint(passive)");
        return sql.number("pragma wal_checkpoint(full)") == 0;
    }

    private void connect() {
        if (sql == null) {
            sql = connect.get();
            sql.retryWhileBusy(SHRINK_MILLIS);
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
