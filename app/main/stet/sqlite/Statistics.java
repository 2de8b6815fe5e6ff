package stet.sqlite;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stet.core.DailyRequests;
import stet.core.KeyGrant;
import stet.dao.RequestLogDao;
import stet.dao.StoreException;

/**
 * Usage statistics for the dashboard: sums in memory, written every few seconds. The count of requests is another one and
 * does not wait for this.
 */
public final class Statistics {
    private static final int MAX_ID_CHARACTERS = 64;
    /** Bounds of what is kept in memory between two writes. More, as with a full disk, is dropped. */
    private static final int MAX_SUMS = 20_000;
    private static final int MAX_MISSES = 1_000;
    /** Rows of each kind in one transaction, so that no count waits long for it. */
    private static final int BATCH_ROWS = 100;

    private final Db db;
    private final Object writing = new Object();
    private Map<RequestLogDao.Row, RequestLogDao.Tally> sums = new HashMap<>();
    private Map<RequestLogDao.MissRow, RequestLogDao.Tally> misses = new HashMap<>();

    public Statistics(Db db) {
        this.db = db;
    }

    /** Notes a counted request, answered with 200, 304 or 404. @param known whether there is such a template */
    public synchronized void counted(KeyGrant access, Instant periodStart, String template, int status, boolean known,
                                     Instant now) {
        boolean missed = status == 404;
        add(sums, MAX_SUMS, new RequestLogDao.Row(access.account().id(), periodStart, DailyRequests.day(now), access.keyId(),
                known ? template : "", missed), new RequestLogDao.Tally(1, now));
        if (missed) {
            missed(access, template, status, now);
        }
    }

    /** Notes a request answered with 403, 404 or 429. */
    public synchronized void missed(KeyGrant access, String template, int status, Instant now) {
        add(misses, MAX_MISSES, new RequestLogDao.MissRow(access.account().id(), access.keyId(),
                template.substring(0, Math.min(template.length(), MAX_ID_CHARACTERS + 1)), status), new RequestLogDao.Tally(1, now));
    }

    private static <K> void add(Map<K, RequestLogDao.Tally> tallies, int max, K key, RequestLogDao.Tally more) {
        if (tallies.size() < max || tallies.containsKey(key)) {
            tallies.merge(key, more, RequestLogDao.Tally::plus);
        }
    }

    /** Drops everything that is not written yet, after a write under way. */
    public void clear() {
        synchronized (writing) {
            take();
        }
    }

    /** Everything that is not written yet. */
    private record Batch(List<Map.Entry<RequestLogDao.Row, RequestLogDao.Tally>> sums, List<Map.Entry<RequestLogDao.MissRow, RequestLogDao.Tally>> misses) {
    }

    private synchronized Batch take() {
        Batch batch = new Batch(new ArrayList<>(sums.entrySet()), new ArrayList<>(misses.entrySet()));
        sums = new HashMap<>();
        misses = new HashMap<>();
        return batch;
    }

    /** Writes everything. Rows that the database refuses, as with a full disk, are kept for the next time. */
    public void write() {
        synchronized (writing) {
            Batch left = take();
            try {
                while (!left.sums.isEmpty() || !left.misses.isEmpty()) {
                    List<Map.Entry<RequestLogDao.Row, RequestLogDao.Tally>> some = last(left.sums);
                    List<Map.Entry<RequestLogDao.MissRow, RequestLogDao.Tally>> someMissed = last(left.misses);
                    db.writeLater(dao -> {
                        some.forEach(each -> dao.requestLog().add(each.getKey(), each.getValue()));
                        someMissed.forEach(each -> dao.requestLog().addMiss(each.getKey(), each.getValue()));
                    });
                    some.clear();
                    someMissed.clear();
                }
            } catch (StoreException refused) {
                // They are kept.
            } finally {
                keep(left);
            }
        }
    }

    private static <T> List<T> last(List<T> rows) {
        return rows.subList(Math.max(0, rows.size() - BATCH_ROWS), rows.size());
    }

    private synchronized void keep(Batch left) {
        left.misses.forEach(each -> add(misses, MAX_MISSES, each.getKey(), each.getValue()));
        left.sums.forEach(each -> add(sums, MAX_SUMS, each.getKey(), each.getValue()));
    }
}
