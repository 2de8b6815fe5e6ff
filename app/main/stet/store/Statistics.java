package stet.store;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stet.core.DailyRequests;
import stet.core.KeyGrant;

/**
 * What the counted requests were, for people to look at: added up in memory and written every few seconds. The count
 * itself is the {@link QuotaCounter}'s, and does not wait for this.
 */
public final class Statistics {
    /** Missed and refused requests that are kept between two writes. */
    private static final int MISSES = 1_000;
    private static final int LONGEST_ID = 64;
    /** Sums that are kept between two writes; what does not fit, when the disk is full say, is not shown to anybody. */
    private static final int SUMS = 20_000;
    /** Rows of each kind that one transaction writes, so that no count waits long for it. */
    private static final int TOGETHER = 250;

    private final Db db;
    private final Object writing = new Object();
    private Map<Row, Sum> sums = new HashMap<>();
    private Deque<Miss> misses = new ArrayDeque<>();

    record Row(long account, Instant periodStart, long day, long key, String template, boolean missed) {

        /** The record's own takes 4 ms to be made when it is first asked for, which is before the first answer. */
        @Override
        public int hashCode() {
            return 31 * Long.hashCode(key) + template.hashCode();
        }
    }

    private static final class Sum {
        long requests;
        /** In ms, as in {@link UsageCache}. */
        long lastAt;
    }

    record Miss(long account, Instant at, long key, String template, long status) {
    }

    public Statistics(Db db) {
        this.db = db;
    }

    /** A counted request, answered with 200, 304 or 404. @param known whether there is such a template */
    public synchronized void counted(KeyGrant access, Instant periodStart, String template, int status, boolean known, Instant now) {
        boolean missed = status == 404;
        Row row = new Row(access.account().id(), periodStart, DailyRequests.day(now), access.keyId(),
                known ? template : "", missed);
        add(row, 1, now.toEpochMilli());
        if (missed) {
            missed(access, template, status, now);
        }
    }

    /** A request that was answered with 404 or 429. */
    public synchronized void missed(KeyGrant access, String template, int status, Instant now) {
        misses.add(new Miss(access.account().id(), now, access.keyId(),
                template.substring(0, Math.min(template.length(), LONGEST_ID + 1)), status));
        if (misses.size() > MISSES) {
            misses.remove();
        }
    }

    /** Drops what has come together, once what is being written is written. */
    public void forget() {
        synchronized (writing) {
            synchronized (this) {
                sums = new HashMap<>();
                misses = new ArrayDeque<>();
            }
        }
    }

    /** Writes what has come together; what the database does not take, when the disk is full say, is kept for the next time. */
    public void write() {
        synchronized (writing) {
            writeAll();
        }
    }

    private void writeAll() {
        Map<Row, Sum> rows;
        List<Miss> missed;
        synchronized (this) {
            if (sums.isEmpty() && misses.isEmpty()) {
                return;
            }
            rows = sums;
            missed = new ArrayList<>(misses);
            sums = new HashMap<>();
            misses = new ArrayDeque<>();
        }
        List<Map.Entry<Row, Sum>> left = new ArrayList<>(rows.entrySet());
        try {
            while (!left.isEmpty() || !missed.isEmpty()) {
                List<Map.Entry<Row, Sum>> some = left.subList(Math.max(0, left.size() - TOGETHER), left.size());
                List<Miss> someMissed = missed.subList(0, Math.min(missed.size(), TOGETHER));
                db.noteUnsynced(dao -> {
                    some.forEach(each -> dao.visits().add(each.getKey(), each.getValue().requests,
                            Instant.ofEpochMilli(each.getValue().lastAt)));
                    someMissed.forEach(dao.visits()::addMiss);
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

    private synchronized void keep(List<Map.Entry<Row, Sum>> rows, List<Miss> missed) {
        for (int i = missed.size() - 1; i >= 0 && misses.size() < MISSES; i--) {
            misses.addFirst(missed.get(i));
        }
        rows.forEach(each -> add(each.getKey(), each.getValue().requests, each.getValue().lastAt));
    }

    private void add(Row row, long requests, long lastAt) {
        Sum sum = sums.size() < SUMS ? sums.computeIfAbsent(row, any -> new Sum()) : sums.get(row);
        if (sum != null) {
            sum.requests += requests;
            sum.lastAt = Math.max(sum.lastAt, lastAt);
        }
    }
}
