package stet.sqlite;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.sqlite.SQLiteConfig.SynchronousMode;
import stet.core.Metrics;
import stet.dao.Dao;
import stet.dao.Sql;
import stet.dao.StoreException;

/**
 * The one connection that writes, and the lock that a thread holds to use it. Each transaction notices first whether another
 * process has written since, and whether the file is still there; each failure is noted by health.
 */
final class Writer {
    /** Page cache: one large transaction fits. */
    private static final int PAGE_CACHE_KIB = 8_192;

    private final Dao dao;
    private final FileWatch file;
    private final Generations generations;
    private final Health health;
    private final Metrics metrics;
    /** Fair: the counter, which takes it again and again, does not starve the others. */
    private final ReentrantLock lock = new ReentrantLock(true);
    private final boolean mayBeSynced;
    /** Whether the connection syncs its next commit. */
    private boolean synced;

    /** @param dao on a connection of the {@code synchronous} mode */
    Writer(Dao dao, SynchronousMode synchronous, FileWatch file, Generations generations, Health health, Metrics metrics) {
        this.dao = dao;
        this.file = file;
        this.generations = generations;
        this.health = health;
        this.metrics = metrics;
        this.mayBeSynced = synchronous == SynchronousMode.FULL;
        this.synced = mayBeSynced;
        sql().execute("pragma cache_size = -" + PAGE_CACHE_KIB);
        generations.start(sql());
    }

    ReentrantLock lock() {
        return lock;
    }

    /** For the thread that holds the lock. */
    Dao dao() {
        return dao;
    }

    Sql sql() {
        return dao.sql();
    }

    /**
     * Runs one transaction: all of it or, when it throws, nothing.
     *
     * @param changed  called after the commit, before anybody else can write
     * @param syncing  whether to sync the commit
     */
    <T> T transaction(Function<Dao, T> work, Runnable changed, boolean syncing) {
        lock.lock();
        try {
            begin(syncing);
            try {
                T result = work.apply(dao);
                commit();
                changed.run();
                return result;
            } catch (Throwable failure) {
                health.failed(failure);
                rollback();
                throw failure;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Begins a transaction that is synced; from here to its end no other process can write. */
    void begin() {
        begin(true);
    }

    private void begin(boolean syncing) {
        try {
            file.check();
            setSynced(syncing && mayBeSynced);
            sql().transaction("begin immediate");
            generations.noticeOthers(sql());
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
            metrics.commit(System.nanoTime() - begin);
        }
    }

    /** Takes effect outside a transaction only. */
    private void setSynced(boolean wanted) {
        if (synced != wanted) {
            synced = false; // also when the statement fails
            sql().transaction("pragma synchronous = " + (wanted ? "full" : "normal"));
            synced = wanted;
        }
    }

    /** Does nothing where SQLite has rolled back by itself, as it does when the disk is full. */
    void rollback() {
        try {
            sql().transaction("rollback");
        } catch (StoreException noTransaction) {
            // The caller gets the first failure.
        }
    }
}
