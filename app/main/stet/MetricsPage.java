package stet;

import java.io.File;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import stet.api.ResponseCache;
import stet.core.Account;
import stet.core.MetricsText;
import stet.core.Release;
import stet.http.AccessLog;
import stet.http.Answer;
import stet.sqlite.Db;
import stet.dao.UsageKey;

/** The listing of all measurements. It asks the database only for the accounts near their limit, and that in the background. */
final class MetricsPage {
    /** Age of the numbers of accounts at which they are counted anew. */
    private static final Duration ACCOUNTS_AGE = Duration.ofSeconds(30);
    /** More than the longest period. */
    private static final Duration PERIOD = Duration.ofDays(32);

    private final Db db;
    private final Clock clock;
    private final WorkerPool pool;
    private final InFlight inFlight;
    private final ResponseCache cache;
    private final AccessLog accessLog;
    private final Executor background;
    private final AtomicBoolean counting = new AtomicBoolean();
    /** Null until they are counted for the first time. */
    private volatile Accounts accounts;

    /** Numbers of all accounts, and of accounts whose requests have reached 80 and 100 percent of their limit. */
    private record Accounts(Instant at, long all, long at80, long at100) {
    }

    /** @param accessLog or null @param background may wait for the database */
    MetricsPage(Db db, Clock clock, WorkerPool pool, InFlight inFlight, ResponseCache cache,
                AccessLog accessLog, Executor background) {
        this.db = db;
        this.clock = clock;
        this.pool = pool;
        this.inFlight = inFlight;
        this.cache = cache;
        this.accessLog = accessLog;
        this.background = background;
    }

    Answer answer() {
        MetricsText text = new MetricsText();
        text.single("stet_healthy", "gauge", "Health: 1 while all is well, 0 while /healthz gives a reason.",
                db.health().failing().isEmpty() ? 1 : 0);
        writeProcess(text);
        db.metrics().writeTo(text);
        writeServer(text);
        writeCaches(text);
        writeData(text);
        writeAccounts(text);
        return Answer.unstored(200, MetricsText.TYPE, text.bytes());
    }

    private static void writeProcess(MetricsText text) {
        text.family("stet_build_info", "gauge", "Version of Stet and of Java.");
        text.sample(1, "version", Release.version(), "jdk", System.getProperty("java.version"));
        ProcessHandle.Info process = ProcessHandle.current().info();
        process.startInstant().ifPresent(start -> text.single("process_start_time_seconds", "gauge",
                "Start of the process since 1970.", MetricsText.seconds(start.toEpochMilli() * 1_000_000)));
        process.totalCpuDuration().ifPresent(cpu -> text.single("process_cpu_seconds_total", "counter",
                "Processor time of the process.", MetricsText.seconds(cpu.toNanos())));
        String[] files = new File("/proc/self/fd").list();
        if (files != null) {
            text.single("process_open_fds", "gauge", "Open files and connections.", files.length);
        }
        Runtime runtime = Runtime.getRuntime();
        text.family("jvm_memory_used_bytes", "gauge", "Used bytes of the heap, with garbage.");
        text.sample(runtime.totalMemory() - runtime.freeMemory(), "area", "heap");
        text.family("jvm_memory_max_bytes", "gauge", "Bytes that the heap may have.");
        text.sample(runtime.maxMemory(), "area", "heap");
    }

    private void writeServer(MetricsText text) {
        if (accessLog != null) {
            text.single("stet_access_log_dropped_total", "counter", "Lines of the access log that were not written.",
                    accessLog.dropped());
        }
        WorkerPool.Use use = pool.use();
        text.single("stet_http_requests_in_flight", "gauge", "Requests that are being answered.", inFlight.count());
        text.single("stet_http_requests_waiting", "gauge", "Requests and commits that wait for a thread.", use.waiting());
        text.family("stet_threads", "gauge", "Threads for requests.");
        text.sample(use.busy(), "state", "busy");
        text.sample(Math.max(0, use.threads() - use.busy()), "state", "idle");
    }

    private void writeCaches(MetricsText text) {
        List<ResponseCache.Use> uses = cache.use();
        text.family("stet_cache_hits_total", "counter", "Looks into a cache that found a value.");
        uses.forEach(use -> text.sample(use.hits(), "cache", use.cache()));
        text.family("stet_cache_misses_total", "counter", "Looks into a cache that found none.");
        uses.forEach(use -> text.sample(use.misses(), "cache", use.cache()));
        text.family("stet_cache_bytes", "gauge", "Bytes of a cache.");
        uses.forEach(use -> text.sample(use.bytes(), "cache", use.cache()));
    }

    private void writeData(MetricsText text) {
        Db.Sizes sizes = db.sizes();
        text.single("stet_database_bytes", "gauge", "Bytes of the database file.", sizes.database());
        text.single("stet_database_wal_bytes", "gauge", "Bytes of the database's write-ahead log.", sizes.log());
        text.single("stet_disk_free_bytes", "gauge", "Free bytes on the disk of the data folder.", sizes.free());
        db.backups().ifPresent(backups -> {
            text.single("stet_backup_interval_seconds", "gauge", "Interval between two backups.", backups.every().toSeconds());
            backups.last().ifPresent(time -> text.single("stet_backup_last_timestamp_seconds", "gauge",
                    "Time of the last backup since 1970.", MetricsText.seconds(time.toEpochMilli() * 1_000_000)));
        });
    }

    private void writeAccounts(MetricsText text) {
        Accounts counted = accounts;
        if (counted != null) {
            text.single("stet_accounts", "gauge", "Accounts.", counted.all);
            text.family("stet_accounts_at_limit", "gauge",
                    "Accounts that have used this part of their period's requests, or more.");
            text.sample(counted.at80, "percent", "80");
            text.sample(counted.at100, "percent", "100");
        }
        Instant now = clock.instant();
        boolean isOld = counted == null || Duration.between(counted.at, now).abs().compareTo(ACCOUNTS_AGE) >= 0;
        if (isOld && counting.compareAndSet(false, true)) {
            background.execute(this::countAccounts);
        }
    }

    /** Counts for the next listing. */
    void countAccounts() {
        try {
            Instant now = clock.instant();
            accounts = db.read(dao -> {
                Map<UsageKey, Long> used = dao.usage().usedSince(now.minus(PERIOD));
                List<Account> all = dao.accounts().list();
                return new Accounts(now, all.size(), count(all, used, now, 80), count(all, used, now, 100));
            });
        } catch (Throwable failure) {
            accounts = null;
            db.log().error("work-failed", failure);
        } finally {
            counting.set(false);
        }
    }

    private static long count(List<Account> accounts, Map<UsageKey, Long> used, Instant now, long percent) {
        return accounts.stream().filter(Account::active)
                .filter(account -> used.getOrDefault(new UsageKey(account, account.period(now)), 0L) * 100
                        >= account.requests() * percent)
                .count();
    }
}
