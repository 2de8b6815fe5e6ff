package stet.sqlite;

import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import stet.core.DailyRequests;
import stet.core.SecretGrant;
import stet.dao.RequestLogDao;
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
    private final Map<RequestLogDao.RequestRow, RequestLogDao.Tally> sums = new ConcurrentHashMap<>();
    private final Map<RequestLogDao.MissRow, RequestLogDao.Tally> misses = new ConcurrentHashMap<>();
    private final Map<ImageDay, Long> images = new ConcurrentHashMap<>();

    /** @param sha256 in hex, because arrays have no equality */
    private record ImageDay(String sha256, long day) {
    }

    public Statistics(Db db) {
        this.db = db;
    }

    /** Records a counted request answered with 200, 304 or 404. @param known whether the template exists */
    public void counted(SecretGrant access, Instant periodStart, String template, int status, boolean known, Instant now) {
        boolean missed = status == 404;
        add(sums, MAX_SUMS, new RequestLogDao.RequestRow(access.account().id(), periodStart, DailyRequests.day(now), access.id(),
                known ? template : "", missed), new RequestLogDao.Tally(1, now));
        if (missed) {
            missed(access, template, status, now);
        }
    }

    /** Records a request answered with 403, 404 or 429. */
    public void missed(SecretGrant access, String template, int status, Instant now) {
        add(misses, MAX_MISSES, new RequestLogDao.MissRow(access.account().id(), access.id(),
                template.substring(0, Math.min(template.length(), MAX_ID_CHARACTERS + 1)), status), new RequestLogDao.Tally(1, now));
    }

    /** Records a request for an image that exists. */
    public void image(byte[] sha256, long day) {
        ImageDay key = new ImageDay(HexFormat.of().formatHex(sha256), day);
        if (images.size() < MAX_SUMS || images.containsKey(key)) {
            images.merge(key, 1L, Long::sum);
        }
    }

    private static <K> void add(Map<K, RequestLogDao.Tally> tallies, int max, K key, RequestLogDao.Tally more) {
        if (tallies.size() < max || tallies.containsKey(key)) {
            tallies.merge(key, more, RequestLogDao.Tally::plus);
        }
    }

    /** Waits for a running write, then drops all unwritten statistics. */
    public synchronized void clear() {
        sums.clear();
        misses.clear();
        images.clear();
    }

    /** Writes all statistics. If writing fails, for example because the disk is full, keeps the unwritten rows for the next call. */
    public synchronized void write() {
        List<RequestLogDao.RequestRow> rows = List.copyOf(sums.keySet());
        List<RequestLogDao.MissRow> missRows = List.copyOf(misses.keySet());
        List<ImageDay> imageDays = List.copyOf(images.keySet());
        for (int i = 0; i < Math.max(imageDays.size(), Math.max(rows.size(), missRows.size())); i += BATCH_ROWS) {
            Map<ImageDay, Long> someImages = take(images, imageDays, i);
            Map<RequestLogDao.RequestRow, RequestLogDao.Tally> some = take(sums, rows, i);
            Map<RequestLogDao.MissRow, RequestLogDao.Tally> someMissed = take(misses, missRows, i);
            try {
                db.writeLater(dao -> {
                    some.forEach(dao.requestLog()::add);
                    someMissed.forEach(dao.requestLog()::addMiss);
                    someImages.forEach((image, requests) -> dao.images().addRequests(HexFormat.of().parseHex(image.sha256), image.day, requests));
                });
            } catch (RuntimeException failure) {
                some.forEach((row, tally) -> add(sums, MAX_SUMS, row, tally));
                someMissed.forEach((row, tally) -> add(misses, MAX_MISSES, row, tally));
                someImages.forEach((image, requests) -> images.merge(image, requests, Long::sum));
                if (!(failure instanceof StoreException)) {
                    throw failure;
                }
                return;
            }
        }
    }

    private static <K, T> Map<K, T> take(Map<K, T> tallies, List<K> keys, int from) {
        Map<K, T> taken = new HashMap<>();
        keys.stream().skip(from).limit(BATCH_ROWS).forEach(key -> taken.put(key, tallies.remove(key)));
        return taken;
    }
}
