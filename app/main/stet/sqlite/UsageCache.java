package stet.sqlite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stet.dao.Usage;
import stet.dao.UsageKey;

/**
 * The sums of the counted requests, cached until another process or a change of limits writes: only one process counts, and
 * each of its transactions first looks for others' writes. So a request asks the database nothing, and the counts of many
 * accounts are one page to write.
 *
 * <pre>
 * not known ─ entered in usage ─► known ─ each commit ─► usage_log ─ every some thousand rows ─► usage
 *     ▲                                                                                           │
 *     └──────── another write, a failure, too many: first the log is added up, whoever wrote it ───┘
 * </pre>
 *
 * <p>For one thread at a time, inside a transaction that writes.
 */
final class UsageCache {
    /** Sums that are cached at most, some 150 bytes each. */
    private static final int KNOWN = 100_000;
    /** Rows of the log before it is added up, which takes 2 to 5 ms. */
    private static final int LOGGED = 10_000;
    private static final long NEVER = -1;

    private final Db db;
    private final Map<UsageKey, Usage.Count> known = new HashMap<>();
    /** Counts of this transaction. */
    private List<Usage.Count> counting = new ArrayList<>();
    /** Rows of the log that are not added up yet. */
    private int rows;
    private long generation = NEVER;

    UsageCache(Db db) {
        this.db = db;
    }

    /** At the beginning of each transaction. What is added up is committed first, so that nobody reads through a long log. */
    void begin() {
        if (isToForget()) {
            start();
            db.writer().commit();
            db.writer().begin();
            if (isToForget()) { // somebody has written in between
                start();
            }
        }
    }

    private boolean isToForget() {
        return generation != db.generations().global() || known.size() > KNOWN;
    }

    private void start() {
        usage().addUp();
        known.clear();
        rows = 0;
        generation = db.generations().global();
    }

    /** Decides whether the period grants a request, and counts it. @return requests used with it, or 0: the limit is reached */
    long count(UsageKey key, long limit) {
        Usage.Count count = known.computeIfAbsent(key, usage()::entered);
        if (count.used >= limit) {
            return 0;
        }
        if (count.added++ == 0) {
            counting.add(count);
        }
        return ++count.used;
    }

    /** Writes what was counted, before the commit. */
    void write() {
        usage().log(counting);
        rows += counting.size();
        counting.forEach(count -> count.added = 0);
        counting = new ArrayList<>();
        if (rows > LOGGED) {
            usage().addUp();
            rows = 0;
        }
    }

    /** Nothing is known any more, because the transaction failed. */
    void forget() {
        counting = new ArrayList<>();
        generation = NEVER;
    }

    private Usage usage() {
        return db.writer().dao().usage();
    }
}
