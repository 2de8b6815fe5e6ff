package stet.store;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One number that grows with each change of the database, and for each account the number of its last change.
 *
 * <pre>
 * commit ─► changed: its number is noted for the account, or for everybody ─► latest
 * a value that was made from the database when the latest was n  is still so  while its account's last change is at most n
 * </pre>
 *
 * <p>Whoever saw the number of a change made the value after its commit. Whoever did not has a smaller number than is noted
 * for the account. So nothing that is older than a change can be taken for what came of it, in whatever order the two are seen.
 */
final class Generations {
    private final Map<Long, Long> accounts;
    private volatile long everybody;
    private volatile long latest;

    Generations() {
        this(new ConcurrentHashMap<>());
    }

    /** @param accounts the number of each account's last change, which several threads may read while one writes */
    Generations(Map<Long, Long> accounts) {
        this.accounts = accounts;
    }

    /** The number of the last change; to be read before a value is made. */
    long latest() {
        return latest;
    }

    /** The number of the last change that may concern every account. */
    long everybody() {
        return everybody;
    }

    /** The number of the last change that may concern this account. */
    long of(long account) {
        long own = accounts.getOrDefault(account, 0L); // first: when it is cleared, everybody's is the later one already
        return Math.max(own, everybody);
    }

    /** This account has changed, and no other; called after the commit, by one thread at a time. */
    void changed(long account) {
        long next = latest + 1;
        accounts.put(account, next);
        latest = next;
    }

    /** Every account may have changed; called as {@link #changed(long)} is. */
    void changed() {
        long next = latest + 1;
        everybody = next;
        latest = next;
        accounts.clear(); // all of them are older
    }
}
