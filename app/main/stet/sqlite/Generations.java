package stet.sqlite;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import stet.dao.Sql;

/**
 * Cache generations: a number that increases with every change to cached data, and the number of each account's last change.
 *
 * <pre>
 * commit ─► changed: stores the next number for the account, or for all ─► latest
 * a value read at number n is valid while its account's last change is at most n
 * </pre>
 *
 * <p>A reader that sees a change's number also sees the committed change. A reader that has not yet seen the number records a smaller
 * number with its value, so the value is treated as invalid. Values made stale by this process are therefore never used;
 * {@link #detectOtherWriters} detects other processes' changes.
 */
final class Generations {
    private static final long UNKNOWN = -1;

    private final Map<Long, Long> accounts;
    private volatile long global;
    private volatile long latest;
    /** SQLite's data_version at the last check; it changes when another connection writes. */
    private long dataVersion = UNKNOWN;
    /** The number read from the {@code changes} table when another process's write was last detected. */
    private long changes = UNKNOWN;
    /** Whether another process's change has been detected since the last {@link #pollChange}. */
    private final AtomicBoolean noticed = new AtomicBoolean();

    Generations() {
        this(new ConcurrentHashMap<>());
    }

    /** @param accounts number of each account's last change, read by many threads, written by one thread at a time */
    Generations(Map<Long, Long> accounts) {
        this.accounts = accounts;
    }

    /** Returns the number of the last change. Call this before computing a value. */
    long latest() {
        return latest;
    }

    /** Returns the number of the last change that may affect this account. */
    long of(long account) {
        long own = accounts.getOrDefault(account, 0L); // read before global, because changed() increases global before it clears accounts
        return Math.max(own, global);
    }

    /** Records a change to this account only. Called after the commit, by one thread at a time. */
    void changed(long account) {
        long next = latest + 1;
        accounts.put(account, next);
        latest = next;
    }

    /** Records a change that may affect all accounts. Called like {@link #changed(long)}. */
    void changed() {
        long next = latest + 1;
        global = next;
        latest = next;
        accounts.clear(); // global is greater than all entries
    }

    /**
     * Starts detecting other processes' changes. Reads no tables, because a corrupted table should fail the first request, not the startup.
     */
    void start(Sql sql) {
        dataVersion = sql.number("pragma data_version");
    }

    /** Whether another process's change has been detected since the last call. */
    boolean pollChange() {
        return noticed.getAndSet(false);
    }

    /** Detects changes by other processes. Called on the write connection, by one thread at a time. */
    void detectOtherWriters(Sql sql) {
        long version = sql.number("pragma data_version");
        if (version != dataVersion) {
            // This number increases with every change to the schema or to a table whose data is cached.
            long number = sql.number("select number + (select schema_version from pragma_schema_version) from changes");
            if (number != changes) {
                changes = number;
                changed();
                noticed.set(true);
            }
            dataVersion = version; // set last, so that a failed read is retried
        }
    }
}
