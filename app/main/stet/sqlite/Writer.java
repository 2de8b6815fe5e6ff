package stet.sqlite;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.sqlite.SQLiteConfig.SynchronousMode;
import stet.base.Log;
import stet.base.Metrics;
import stet.base.SystemFailure;
import stet.dao.Dao;
import stet.dao.RecordedChange;
import stet.dao.Sql;
import stet.dao.StoreException;

/**
 * The write connection and its lock. Each transaction first checks for writes by other processes and for a missing file. Failures
 * are reported to {@link Health}.
 */
final class Writer {
    /** Size of the page cache, large enough for a big transaction. */
    private static final int PAGE_CACHE_KIB = 8_192;

    private final Dao dao;
    private final FileWatch file;
    /** Why nothing can be written; empty if the database is writable. */
    private final Supplier<Optional<String>> notWritable;
    private final Generations generations;
    private final Health health;
    private final Metrics metrics;
    private final Log log;
    /** Lines of committed changes. Written when the thread releases the lock, so that a slow reader of the log delays no other writer. */
    private final List<RecordedChange> committed = new ArrayList<>();
    /** Fair, so that the request counter, which constantly acquires the lock, does not starve other writers. */
    private final ReentrantLock lock = new ReentrantLock(true);
    private final boolean mayBeSynced;
    /** Whether the connection will sync its next commit. */
    private boolean synced;

    /**
     * @param db          its other parts are already there
     * @param dao         statements on the write connection
     * @param synchronous the connection's current mode
     */
    Writer(Db db, Dao dao, SynchronousMode synchronous, Supplier<Optional<String>> notWritable) {
        this.dao = dao;
        this.file = db.file;
        this.notWritable = notWritable;
        this.generations = db.generations();
        this.health = db.health();
        this.metrics = db.metrics();
        this.log = db.log();
        this.mayBeSynced = synchronous == SynchronousMode.FULL;
        this.synced = mayBeSynced;
        sql().execute("pragma cache_size = -" + PAGE_CACHE_KIB);
        generations.start(sql());
    }

    ReentrantLock lock() {
        return lock;
    }

    /** Returns the write connection, which only the thread that holds the lock may use. */
    Sql sql() {
        return dao.sql();
    }

    /**
     * Runs a transaction and rolls it back if the work throws.
     *
     * @param changed called after the commit, before other threads can write
     * @param syncing whether to sync the commit
     */
    <T> T transaction(Function<Dao, T> work, Runnable changed, boolean syncing) {
        lock.lock();
        try {
            begin(syncing);
            try {
                T result = work.apply(dao);
                commit();
                changed.run();
                if (synced) {
                    file.check(sql()); // a commit to a file that was removed is not confirmed
                }
                committed.addAll(dao.recorded());
                return result;
            } catch (Throwable failure) {
                health.failed(failure);
                rollback();
                throw failure;
            } finally {
                dao.recorded().clear();
            }
        } finally {
            unlock();
        }
    }

    /** Releases the lock and, once this thread no longer holds it, logs the changes that the thread has committed. */
    void unlock() {
        List<RecordedChange> lines = committed.isEmpty() || lock.getHoldCount() > 1 ? List.of() : List.copyOf(committed);
        if (!lines.isEmpty()) {
            committed.clear();
        }
        lock.unlock();
        lines.forEach(line -> line.writeTo(log));
    }

    /** Begins a transaction. No other process can write until it ends. */
    private void begin(boolean syncing) {
        try {
            notWritable.get().ifPresent(reason -> {
                throw new SystemFailure(reason);
            });
            file.checkBefore();
            setSynced(syncing && mayBeSynced);
            sql().transaction("begin immediate");
            generations.detectOtherWriters(sql());
        } catch (Throwable failure) {
            health.failed(failure);
            rollback();
            throw failure;
        }
    }

    void commit() {
        long begin = System.nanoTime();
        sql().transaction("commit");
        if (synced) {
            metrics.addCommit(System.nanoTime() - begin);
        }
    }

    /** Sets the synchronous mode, which SQLite rejects within a transaction. */
    private void setSynced(boolean wanted) {
        if (synced != wanted) {
            synced = false; // stays false if the statement fails
            sql().transaction("pragma synchronous = " + (wanted ? "full" : "normal"));
            synced = wanted;
        }
    }

    /** Rolls back unless SQLite has already done so, for example because the disk is full. */
    void rollback() {
        try {
            sql().transaction("rollback");
        } catch (StoreException noTransaction) {
            // The caller gets the original failure.
        }
    }
}
