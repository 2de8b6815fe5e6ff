package stet.sqlite;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import stet.dao.Sql;

/**
 * Checkpoints the write-ahead log on a separate connection while others read and write. Otherwise, some commits would also checkpoint
 * it and delay the writes that wait for them.
 */
final class Checkpointer implements AutoCloseable {
    /** Minimum number of pages worth copying, because each checkpoint syncs the database. */
    private static final int MIN_PAGES = 1_000;
    /** Maximum time that {@link #shrink} waits for writers, and then for readers while it blocks writers. */
    private static final int SHRINK_MILLIS = 20;

    private final Db db;
    private final Supplier<Sql> connect;
    /** Notified of the first complete checkpoint. */
    private final LogOwner logs;
    private Sql sql;
    /** Whether {@link #checkpoint} has been called; its first call renumbers the database. */
    private final AtomicBoolean marked = new AtomicBoolean();
    /** Whether the log contains the database's new number. Other threads may checkpoint while the first call still writes it. */
    private volatile boolean isRenumbered;
    /** Whether the initial content of the log, with the new number, has been copied to the database. */
    private boolean begun;
    private boolean closed;

    Checkpointer(Db db, Supplier<Sql> connect, LogOwner logs) {
        this.db = db;
        this.connect = connect;
        this.logs = logs;
    }

    /**
     * Checkpoints until the log's initial content has been copied, then whenever the log has grown enough. Only the first call waits for a
     * writer.
     */
    void checkpoint() {
        if (marked.compareAndSet(false, true)) {
            logs.renumber(db); // outside the monitor, because this acquires the write lock, which the caller of close already holds
            isRenumbered = true;
        }
        copy();
    }

    /** Checkpoints the log if it is long enough or its initial content has not been copied; does nothing once closed. */
    private synchronized void copy() {
        if (closed) {
            return;
        }
        connect();
        db.file.check(sql);
        long pages = sql.first("pragma wal_checkpoint(noop)", row -> row.number("log") - row.number("checkpointed")).orElse(0L);
        if (pages > MIN_PAGES || !begun) {
            boolean isWithNumber = isRenumbered; // before the checkpoint, which otherwise may not contain it
            boolean complete = sql.first("pragma wal_checkpoint(passive)", // beside another checkpoint: busy = 1, log = checkpointed = -1
                    row -> row.number("busy") == 0 && row.number("log") == row.number("checkpointed")).orElse(true);
            if (complete && isWithNumber && !begun) {
                begun = true;
                logs.checkpointed();
            }
        }
    }

    /** Writes the open log to the database after the log or another file was removed, so that a kill does not lose the log. */
    synchronized void save() {
        if (!closed && sql != null) {
            sql.number("pragma wal_checkpoint(passive)");
        }
    }

    /**
     * Checkpoints the whole log, which also truncates the database file after a vacuum. Most pages are
     * copied without blocking writers.
     *
     * @return false if closed, or if another connection was writing, reading an older state or running a checkpoint
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
