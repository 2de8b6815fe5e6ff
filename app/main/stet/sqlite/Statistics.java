package stet.sqlite;

import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;
import stet.core.DailyRequests;
import stet.core.SecretGrant;
import stet.dao.RequestLogDao.MissRow;
import stet.dao.RequestLogDao.RequestRow;
import stet.dao.RequestLogDao.Tally;
import stet.dao.StoreException;

/**
 * Usage statistics for the dashboard, summed in memory and written every few seconds. Requests are counted for the quota
 * separately, so losing statistics affects no quota.
 */
public final class Statistics {
    private static final int MAX_ID_CHARACTERS = 64;
    /** Maximum number of entries in memory between two writes. Further entries, for example while the disk is full, are dropped. */
    private static final int MAX_SUMS = 20_000;
    private static final int MAX_MISSES = 1_000;
    /** Maximum number of rows of each kind per transaction; more would delay counted requests. */
    private static final int BATCH_ROWS = 100;

    private final Db db;
    private final Sums<RequestRow, Tally> requests = new Sums<>(MAX_SUMS, Tally::plus);
    private final Sums<MissRow, Tally> misses = new Sums<>(MAX_MISSES, Tally::plus);
    private final Sums<ImageDay, Long> images = new Sums<>(MAX_SUMS, Long::sum);

    /** @param sha256 in hex, because arrays have no equality */
    private record ImageDay(String sha256, long day) {
    }

    /** Sums that wait to be written. Once there are {@code max}, only these continue to grow. */
    private static final class Sums<K, T> {
        private final Map<K, T> sums = new ConcurrentHashMap<>();
        private final int max;
        private final BinaryOperator<T> plus;

        private Sums(int max, BinaryOperator<T> plus) {
            this.max = max;
            this.plus = plus;
        }

        private void add(K key, T more) {
            if (sums.size() < max || sums.containsKey(key)) {
                sums.merge(key, more, plus);
            }
        }

        /** The keys of the sums so far, for {@link #take}. */
        private Iterator<K> keys() {
            return List.copyOf(sums.keySet()).iterator();
        }

        /** Removes and returns the sums of the next {@link #BATCH_ROWS} keys. */
        private Map<K, T> take(Iterator<K> keys) {
            Map<K, T> taken = new HashMap<>();
            while (keys.hasNext() && taken.size() < BATCH_ROWS) {
                K key = keys.next();
                taken.put(key, sums.remove(key));
            }
            return taken;
        }
    }

    public Statistics(Db db) {
        this.db = db;
    }

    /** Records a counted request answered with 200, 304 or 404. @param known whether the template exists */
    public void counted(SecretGrant access, Instant periodStart, String template, int status, boolean known, Instant now) {
        boolean missed = status == 404;
        requests.add(new RequestRow(access.account().id(), periodStart, DailyRequests.day(now), access.id(), known ? template : "", missed),
                new Tally(1, now));
        if (missed) {
            missed(access, template, status, now);
        }
    }

    /** Records a request answered with 403, 404 or 429. */
    public void missed(SecretGrant access, String template, int status, Instant now) {
        // One character more shows that the ID is too long.
        String shortened = template.substring(0, Math.min(template.length(), MAX_ID_CHARACTERS + 1));
        misses.add(new MissRow(access.account().id(), access.id(), shortened, status), new Tally(1, now));
    }

    /** Records a request for an image that exists. */
    public void image(byte[] sha256, long day) {
        images.add(new ImageDay(HexFormat.of().formatHex(sha256), day), 1L);
    }

    /** Waits for a running write, then drops all unwritten statistics. */
    public synchronized void clear() {
        requests.sums.clear();
        misses.sums.clear();
        images.sums.clear();
    }

    /**
     * Writes all statistics so far, however many are recorded meanwhile. If writing fails, for example because the disk is full, keeps the
     * unwritten rows for the next call.
     */
    public synchronized void write() {
        Iterator<RequestRow> requestRows = requests.keys();
        Iterator<MissRow> missRows = misses.keys();
        Iterator<ImageDay> imageDays = images.keys();
        while (requestRows.hasNext() || missRows.hasNext() || imageDays.hasNext()) {
            Map<RequestRow, Tally> someRequests = requests.take(requestRows);
            Map<MissRow, Tally> someMisses = misses.take(missRows);
            Map<ImageDay, Long> someImages = images.take(imageDays);
            try {
                db.writeLater(dao -> {
                    someRequests.forEach(dao.requestLog()::add);
                    someMisses.forEach(dao.requestLog()::addMiss);
                    someImages.forEach((image, sum) -> dao.images().addRequests(HexFormat.of().parseHex(image.sha256), image.day, sum));
                });
            } catch (RuntimeException failure) {
                someRequests.forEach(requests::add);
                someMisses.forEach(misses::add);
                someImages.forEach(images::add);
                if (!(failure instanceof StoreException)) {
                    throw failure;
                }
                return;
            }
        }
    }
}
