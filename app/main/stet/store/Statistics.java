package stet.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stet.core.DailyRequests;
import stet.core.KeyGrant;

/**
 * Usage statistics for the dashboard: sums in memory, written every few seconds. The {@link QuotaCounter} counts on its own and
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
    private Map<Row, Sum> sums = new HashMap<>();
    private Map<MissRow, Miss> misses = new HashMap<>();

    record Row(long account, Instant periodStart, long day, long key, String template, boolean missed) {
    }

    private static final class Sum {
        long requests;
        long lastAtMillis;
    }

    record MissRow(long account, long key, String template, long status) {
    }

    record Miss(Instant at, long times) {
        private Miss with(Miss other) {
            return new Miss(at.isAfter(other.at) ? at : other.at, times + other.times);
        }
    }

    public Statistics(Db db) {
        this.db = db;
    }

    /** Notes a counted request, answered with 200, 304 or 404. @param known whether there is such a template */
    public synchronized void counted(KeyGrant access, Instant periodStart, String template, int status, boolean known,
                                     Instant now) {
        boolean missed = status == 404;
        Row row = new Row(access.account().id(), periodStart, DailyRequests.day(now), access.keyId(),
                known ? template : "", missed);
        add(row, 1, now.toEpochMilli());
        if (missed) {
            missed(access, template, status, now);
        }
    }

    /** Notes a request answered with 403, 404 or 429. */
    public synchronized void missed(KeyGrant access, String template, int status, Instant now) {
        add(new MissRow(access.account().id(), access.keyId(),
                template.substring(0, Math.min(template.length(), MAX_ID_CHARACTERS + 1)), status), new Miss(now, 1));
    }

    private void add(MissRow row, Miss miss) {
        if (misses.size() < MAX_MISSES || misses.containsKey(row)) {
            misses.merge(row, miss, Miss::with);
        }
    }

    /** Drops everything that is not written yet, after a write under way. */
    public void clear() {
        synchronized (writing) {
            take();
        }
    }

    /** Everything that is not written yet. */
    private record Batch(List<Map.Entry<Row, Sum>> sums, List<Map.Entry<MissRow, Miss>> misses) {
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
            write(take());
        }
    }

    private void write(Batch batch) {
        List<Map.Entry<Row, Sum>> left = batch.sums;
        List<Map.Entry<MissRow, Miss>> missed = batch.misses;
        try {
            while (!left.isEmpty() || !missed.isEmpty()) {
                List<Map.Entry<Row, Sum>> some = left.subList(Math.max(0, left.size() - BATCH_ROWS), left.size());
                List<Map.Entry<MissRow, Miss>> someMissed = missed.subList(Math.max(0, missed.size() - BATCH_ROWS), missed.size());
                db.writeUnsynced(dao -> {
                    some.forEach(each -> dao.requestLog().add(each.getKey(), each.getValue().requests,
                            Instant.ofEpochMilli(each.getValue().lastAtMillis)));
                    someMissed.forEach(each -> dao.requestLog().addMiss(each.getKey(), each.getValue()));
                });
                some.clear();
                someMissed.clear();
            }
        } catch (RuntimeException failure) {
            keep(left, missed);
            if (!(failure instanceof StoreException)) {
                throw failure;
            }
        }
    }

    private synchronized void keep(List<Map.Entry<Row, Sum>> rows, List<Map.Entry<MissRow, Miss>> missed) {
        missed.forEach(each -> add(each.getKey(), each.getValue()));
        rows.forEach(each -> add(each.getKey(), each.getValue().requests, each.getValue().lastAtMillis));
    }

    private void add(Row row, long requests, long lastAtMillis) {
        Sum sum = sums.size() < MAX_SUMS ? sums.computeIfAbsent(row, any -> new Sum()) : sums.get(row);
        if (sum != null) {
            sum.requests += requests;
            sum.lastAtMillis = Math.max(sum.lastAtMillis, lastAtMillis);
        }
    }
}
