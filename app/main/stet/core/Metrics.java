package stet.core;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/** Measurements of the requests and commits of one process: each costs a few additions and takes no lock. */
public final class Metrics {
    /** A part of the paths. */
    public enum Area { API, WEB, OTHER, METRICS }

    private static final int STATUSES = 600;
    /** Statuses of the API that are there from the start, so that their first increase is seen. */
    private static final List<Integer> EXPECTED = List.of(200, 304, 400, 401, 403, 404, 429, 500, 503);
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    /** Bounds of the buckets of a duration, in ns. */
    private static final long[] DURATIONS = {100 * MICRO, 250 * MICRO, 500 * MICRO, MILLI, 2_500 * MICRO, 5 * MILLI, 10 * MILLI,
        25 * MILLI, 50 * MILLI, 100 * MILLI, 250 * MILLI, 500 * MILLI, 1_000 * MILLI, 2_500 * MILLI, 5_000 * MILLI, 10_000 * MILLI};
    private static final long[] BATCHES = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    private static final int NANO_DIGITS = 9;
    /** A commit that takes longer is told in the log, in ns. */
    private static final long SLOW = 1_000 * MILLI;

    /** Answers by area and status. */
    private final AtomicReferenceArray<LongAdder> requests = new AtomicReferenceArray<>(Area.values().length * STATUSES);
    private final Histogram[] durations = new Histogram[Area.values().length];
    private final Histogram work = new Histogram(DURATIONS, NANO_DIGITS);
    private final Histogram commits = new Histogram(DURATIONS, NANO_DIGITS);
    private final Histogram batches = new Histogram(BATCHES, 0);
    /** Slow commits since they were last told, and the time of the slowest. */
    private final LongAdder slow = new LongAdder();
    private final AtomicLong slowest = new AtomicLong();

    /** Counts of values up to each of some bounds, and their sum. */
    static final class Histogram {
        private final long[] bounds;
        /** Digits of the values behind the point of their unit: 9 for nanoseconds that are told as seconds. */
        final int digits;
        private final LongAdder[] buckets;
        private final LongAdder sum = new LongAdder();

        private Histogram(long[] bounds, int digits) {
            this.bounds = bounds;
            this.digits = digits;
            this.buckets = new LongAdder[bounds.length + 1];
            Arrays.setAll(buckets, bucket -> new LongAdder());
        }

        private void add(long value) {
            int bucket = 0;
            while (bucket < bounds.length && value > bounds[bucket]) {
                bucket++;
            }
            buckets[bucket].increment();
            sum.add(value);
        }

        /** Gives each bound with the number of values up to it. @return number of all values */
        long forEach(BiConsumer<Long, Long> bucket) {
            long values = 0;
            for (int i = 0; i < bounds.length; i++) {
                values += buckets[i].sum();
                bucket.accept(bounds[i], values);
            }
            return values + buckets[bounds.length].sum();
        }

        long sum() {
            return sum.sum();
        }
    }

    public Metrics() {
        Arrays.setAll(durations, area -> new Histogram(DURATIONS, NANO_DIGITS));
        EXPECTED.forEach(status -> requests(Area.API, status));
    }

    // ---- on the way of a request

    /**
     * Counts an answer that was sent.
     *
     * @param nanos  from the request's arrival at the handler
     * @param waited nanoseconds of these in which it waited for its commit
     */
    public void answered(Area area, int status, long nanos, long waited) {
        requests(area, Math.min(status, STATUSES - 1)).increment();
        durations[area.ordinal()].add(nanos);
        if (area == Area.API) {
            work.add(nanos - waited);
        }
    }

    private LongAdder requests(Area area, int status) {
        int index = area.ordinal() * STATUSES + status;
        LongAdder count = requests.get(index);
        return count != null ? count : requests.updateAndGet(index, there -> there != null ? there : new LongAdder());
    }

    /** Counts the requests of one commit. */
    public void batch(int size) {
        batches.add(size);
    }

    /** Counts a commit that was synced to the disk. */
    public void commit(long nanos) {
        commits.add(nanos);
        if (nanos > SLOW) {
            slow.increment();
            slowest.accumulateAndGet(nanos, Math::max);
        }
    }

    // ---- for the log

    /** Writes a line when commits were slow since the last call. */
    public void logSlowCommits(Log log) {
        long count = slow.sumThenReset();
        if (count > 0) {
            log.warn("slow-commit", "commits", count, "seconds", slowest.getAndSet(0) / MILLI / 1e3);
        }
    }

    /** Number of all answers. */
    public long answers() {
        long answers = 0;
        for (int i = 0; i < requests.length(); i++) {
            answers += requests.get(i) == null ? 0 : requests.get(i).sum();
        }
        return answers;
    }

    // ---- for the listing

    /** Writes them in the text format of Prometheus. */
    public void writeTo(MetricsText text) {
        text.family("stet_http_requests_total", "counter", "Answers that were sent.");
        for (Area area : Area.values()) {
            for (int status = 0; status < STATUSES; status++) {
                LongAdder count = requests.get(area.ordinal() * STATUSES + status);
                if (count != null) {
                    text.sample(count.sum(), "area", MetricsText.word(area), "status", Integer.toString(status));
                }
            }
        }
        text.family("stet_http_request_duration_seconds", "histogram", "Time from a request's arrival to its answer.");
        for (Area area : Area.values()) {
            text.histogram(durations[area.ordinal()], "area", MetricsText.word(area));
        }
        text.family("stet_api_request_work_seconds", "histogram", "Time of an API request without the wait for its commit.");
        text.histogram(work);
        text.family("stet_commit_duration_seconds", "histogram", "Time of a commit that is synced to the disk.");
        text.histogram(commits);
        text.family("stet_commit_requests", "histogram", "Requests that one commit counts.");
        text.histogram(batches);
    }
}
