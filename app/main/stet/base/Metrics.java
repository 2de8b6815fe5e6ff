package stet.base;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Lock-free request and commit counters of one process. */
public final class Metrics {
    /** A group of paths, exported as the {@code area} label. */
    public enum Area {
        API, WEB, IMAGES, OTHER, METRICS;

        /** The area to which a path belongs. */
        public static Area of(String path) {
            if (path.startsWith("/api/")) {
                return API;
            }
            if (path.startsWith("/images/")) {
                return IMAGES;
            }
            boolean isWeb = path.startsWith("/data/") || path.startsWith("/push") || path.equals("/pull");
            return isWeb ? WEB : OTHER;
        }

        private String label() {
            return MetricsText.label("area", name().toLowerCase(Locale.ROOT));
        }
    }

    /** One more than the largest status. */
    private static final int STATUSES = 600;
    /** API statuses exported even while their count is 0, so that Prometheus sees the first increase. */
    private static final List<Integer> EXPECTED = List.of(200, 304, 400, 401, 403, 404, 429, 500, 503);
    /** Upper bounds of duration buckets, in ns: 100 µs to 10 s. */
    private static final long[] DURATIONS = {100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
        100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000L, 5_000_000_000L, 10_000_000_000L};
    private static final long[] BATCHES = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    /** Commits that take longer than this, in ns, are logged. */
    private static final long SLOW = 1_000_000_000;

    /** Responses by area and status. */
    private final AtomicLongArray responses = new AtomicLongArray(Area.values().length * STATUSES);
    private final Histogram[] durations = new Histogram[Area.values().length];
    private final Histogram work = Histogram.ofSeconds();
    private final Histogram commits = Histogram.ofSeconds();
    private final Histogram batches = new Histogram(BATCHES, 0);
    /** Slow commits not yet logged, and the duration of the slowest. */
    private final AtomicLong slow = new AtomicLong();
    private final AtomicLong slowest = new AtomicLong();
    /** Clients disconnected because they sent or read too slowly, and how many of them were logged. */
    private final AtomicLong slowToSend = new AtomicLong();
    private final AtomicLong slowToRead = new AtomicLong();
    private long loggedToSend;
    private long loggedToRead;
    private int secondsUntilLogged;

    public Metrics() {
        Arrays.setAll(durations, area -> Histogram.ofSeconds());
    }

    /** Counts values in buckets, each with an upper bound. Values are stored as {@code 10^digits} times the exported values. */
    record Histogram(long[] bounds, int digits, AtomicLongArray buckets, AtomicLong sum) {
        Histogram(long[] bounds, int digits) {
            this(bounds, digits, new AtomicLongArray(bounds.length + 1), new AtomicLong());
        }

        static Histogram ofSeconds() {
            return new Histogram(DURATIONS, 9);
        }

        private void add(long value) {
            int bucket = Arrays.binarySearch(bounds, value);
            buckets.incrementAndGet(bucket >= 0 ? bucket : -bucket - 1);
            sum.addAndGet(value);
        }
    }

    /**
     * Counts a response that was sent.
     *
     * @param nanos  number of nanoseconds since the request reached the handler
     * @param waited number of nanoseconds spent waiting for the commit, included in {@code nanos}
     */
    public void addResponse(Area area, int status, long nanos, long waited) {
        responses.incrementAndGet(area.ordinal() * STATUSES + Math.min(status, STATUSES - 1));
        durations[area.ordinal()].add(nanos);
        if (area == Area.API) {
            work.add(nanos - waited);
        }
    }

    /** Records the number of requests in one commit. */
    public void addBatch(int size) {
        batches.add(size);
    }

    /** Records the duration of a commit, including its sync to disk. */
    public void addCommit(long nanos) {
        commits.add(nanos);
        if (nanos > SLOW) {
            slow.incrementAndGet();
            slowest.accumulateAndGet(nanos, Math::max);
        }
    }

    /** Logs the slow commits since the last call. */
    public void logSlowCommits(Log log) {
        long count = slow.getAndSet(0);
        if (count > 0) {
            log.warn("slow-commit", "commits", count, "seconds", slowest.getAndSet(0) / 1_000_000 / 1e3);
        }
    }

    /** Records a client that was disconnected because it sent too slowly. */
    public void addSlowSender() {
        slowToSend.incrementAndGet();
    }

    /** Records a client that was disconnected because it read too slowly. */
    public void addSlowReader() {
        slowToRead.incrementAndGet();
    }

    /** Number of clients disconnected because they sent or read too slowly. */
    public long slowClients() {
        return slowToSend.get() + slowToRead.get();
    }

    /**
     * Logs the number of clients disconnected since the last line. Called every second; there is at most one line a minute, so that slow
     * clients cannot fill the log.
     */
    public synchronized void logSlowClients(Log log) {
        long sending = slowToSend.get() - loggedToSend;
        long reading = slowToRead.get() - loggedToRead;
        secondsUntilLogged--;
        if (sending + reading > 0 && secondsUntilLogged <= 0) {
            secondsUntilLogged = 60;
            log.warn("slow-clients", "sending", sending, "reading", reading);
            loggedToSend += sending;
            loggedToRead += reading;
        }
    }

    /** Total number of responses. */
    public long responses() {
        return IntStream.range(0, responses.length()).mapToLong(responses::get).sum();
    }

    /** Adds all counters, for Prometheus. */
    public void writeTo(MetricsText text) {
        text.add("counter", "stet_http_requests_total", "Number of responses sent.", responseSamples());
        text.add("counter", "stet_http_slow_clients_total", "Number of clients disconnected because they sent or read too slowly.",
                "while=\"sending\"", slowToSend.get(), "while=\"reading\"", slowToRead.get());
        text.add("histogram", "stet_http_request_duration_seconds", "Time from receiving a request to sending its response.",
                Stream.of(Area.values()).flatMap(area -> Stream.of(area.label(), durations[area.ordinal()])).toArray());
        text.add("histogram", "stet_api_request_work_seconds", "Duration of an API request, excluding the wait for its commit.", "", work);
        text.add("histogram", "stet_commit_duration_seconds", "Duration of a commit, including the disk sync.", "", commits);
        text.add("histogram", "stet_commit_requests", "Number of requests counted in one commit.", "", batches);
    }

    /** A sample for each status of each area that was sent or is expected. */
    private Object[] responseSamples() {
        List<Object> samples = new ArrayList<>();
        for (Area area : Area.values()) {
            for (int status = 0; status < STATUSES; status++) {
                long count = responses.get(area.ordinal() * STATUSES + status);
                if (count > 0 || area == Area.API && EXPECTED.contains(status)) {
                    samples.addAll(List.of(area.label() + "," + MetricsText.label("status", Integer.toString(status)), count));
                }
            }
        }
        return samples.toArray();
    }
}
