package stet.sqlite;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import stet.dao.Sql;

/**
 * Cache generations: one number that grows with each change of the database, and for each account the number of its last
 * change.
 *
 * <pre>
 * commit ─► changed: notes the next number for the account, or for all ─► latest
 * a value that was read when the latest was n  is valid  while its account's last change is at most n
 * </pre>
 *
 * <p>A reader that saw the number of a change has read after its commit. A reader that did not see it has a smaller number
 * than is noted for the account. So no value older than a change is ever taken for a newer one.
 */
final class Generations {
    private static final long UNKNOWN = -1;

    private final Map<Long, Long> accounts;
    private volatile long global;
    private volatile long latest;
    /** SQLite's data_version at the last look; another number says that another connection has written. */
    private long dataVersion = UNKNOWN;
    /** Counter of table changes when another process's write was last noticed. */
    private long changes = UNKNOWN;
    /** Whether another process's change was noticed since this was last asked for. */
    private final AtomicBoolean noticed = new AtomicBoolean();

    Generations() {
        this(new ConcurrentHashMap<>());
    }

    /** @param accounts number of each account's last change, read by several threads while one writes */
    Generations(Map<Long, Long> accounts) {
        this.accounts = accounts;
    }

    /** Returns the number of the last change; to be read before a value is made. */
    long latest() {
        return latest;
    }

    /** Returns the number of the last change that may concern every account: of limits or counts, but not the counter's. */
    long global() {
        return global;
    }

    /** Returns the number of the last change that may concern this account. */
    long of(long account) {
        long own = accounts.getOrDefault(account, 0L); // before global: when it is cleared, global is greater already
        return Math.max(own, global);
    }

    /** Notes a change of this account alone; called after the commit, by one thread at a time. */
    void changed(long account) {
        long next = latest + 1;
        accounts.put(account, next);
        latest = next;
    }

    /** Notes a change that may concern every account; called as {@link #changed(long)} is. */
    void changed() {
        long next = latest + 1;
        global = next;
        latest = next;
        accounts.clear(); // all of them are older
    }

    /** Begins to look for other processes' changes; reads no table, as the first request is to meet a damaged one. */
    void start(Sql sql) {
        dataVersion = sql.number("pragma data_version");
    }

    /** Whether another process's change was noticed since the last call. */
    boolean takeNoticed() {
        return noticed.getAndSet(false);
    }

    /** Notes what other processes have changed; called on the writing connection, by one thread at a time. */
    void noticeOthers(Sql sql) {
        long version = sql.number("pragma data_version");
        if (version != dataVersion) {
            // Grows with each change of a table whose rows are cached, and of the schema.
            long number = sql.number("select number + (select schema_version from pragma_schema_version) from changes");
            if (number != changes) {
                changes = number;
                changed();
                noticed.set(true);
            }
            dataVersion = version; // last: a read that fails is tried again
        }
    }
}
