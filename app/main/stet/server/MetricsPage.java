package stet.server;

import static stet.base.MetricsText.label;

import java.io.File;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import stet.api.ResponseCache;
import stet.base.MetricsText;
import stet.base.Release;
import stet.core.Account;
import stet.core.Period;
import stet.dao.UsageKey;
import stet.http.Response;
import stet.mail.Mailer;
import stet.sqlite.Db;
import stet.upkeep.Backups;

/** The metrics page. Does not query the database; a periodic task counts the accounts near their limit. */
final class MetricsPage {
    /** Minimum interval between counts of the accounts. */
    private static final Duration ACCOUNTS_AGE = Duration.ofSeconds(30);
    /** Period for which usage is read; longer than any quota period. */
    private static final Duration USAGE_PERIOD = Period.LONGEST.plusDays(1);

    private final Db db;
    private final Optional<Backups> backups;
    private final Clock clock;
    private final Pool pool;
    private final InFlight inFlight;
    private final ResponseCache cache;
    private final AccessLog accessLog;
    private final Webhooks webhooks;
    private final Mailer mailer;
    private Instant countedAt = Instant.MIN;
    /** Null until the first count, and after a failed count. */
    private volatile AccountCounts accounts;

    /**
     * Number of all accounts, and of the active accounts that have used at least 80 percent and at least 100 percent of their request
     * limit.
     */
    private record AccountCounts(long all, long at80, long at100) {
    }

    /** @param accessLog the access log, or null @param mailer null if no emails are sent */
    MetricsPage(Db db, Optional<Backups> backups, Clock clock, Pool pool, InFlight inFlight, ResponseCache cache, AccessLog accessLog,
            Webhooks webhooks, Mailer mailer) {
        this.db = db;
        this.backups = backups;
        this.clock = clock;
        this.pool = pool;
        this.inFlight = inFlight;
        this.cache = cache;
        this.accessLog = accessLog;
        this.webhooks = webhooks;
        this.mailer = mailer;
    }

    Response response() {
        MetricsText text = new MetricsText();
        text.add("gauge", "stet_healthy", "Health: 1 if healthy, 0 if /healthz reports a failure.",
                "", db.health().failing().isEmpty() ? 1 : 0);
        writeProcess(text);
        db.metrics().writeTo(text);
        writeServer(text);
        writeData(text);
        writeAccounts(text);
        return Response.unstored(200, MetricsText.TYPE, text.bytes());
    }

    private static void writeProcess(MetricsText text) {
        text.add("gauge", "stet_build_info", "Versions of Stet and Java.",
                label("version", Release.version()) + "," + label("jdk", System.getProperty("java.version")), 1);
        ProcessHandle.Info process = ProcessHandle.current().info();
        process.startInstant().ifPresent(start ->
                text.add("gauge", "process_start_time_seconds", "Start time of the process, in seconds since 1970.", "", seconds(start)));
        process.totalCpuDuration().ifPresent(cpu ->
                text.add("counter", "process_cpu_seconds_total", "CPU time used by the process.", "",
                        MetricsText.seconds(cpu.toNanos())));
        String[] files = new File("/proc/self/fd").list();
        if (files != null) {
            text.add("gauge", "process_open_fds", "Number of open file descriptors.", "", files.length);
        }
        Runtime runtime = Runtime.getRuntime();
        text.add("gauge", "jvm_memory_used_bytes", "Heap memory in use, including garbage.",
                "area=\"heap\"", runtime.totalMemory() - runtime.freeMemory());
        text.add("gauge", "jvm_memory_max_bytes", "Maximum heap size.", "area=\"heap\"", runtime.maxMemory());
    }

    private static String seconds(Instant time) {
        return MetricsText.seconds(time.toEpochMilli() * 1_000_000);
    }

    private void writeServer(MetricsText text) {
        if (accessLog != null) {
            text.add("counter", "stet_access_log_dropped_total", "Dropped access log lines.", "",
                    accessLog.dropped());
        }
        Pool.PoolUse use = pool.use();
        text.add("gauge", "stet_http_requests_in_flight", "Number of requests in progress.", "", inFlight.count());
        text.add("gauge", "stet_http_requests_waiting", "Number of requests and commits waiting for a thread.", "", use.waiting());
        text.add("gauge", "stet_threads", "Number of request threads by state.",
                "state=\"busy\"", use.busy(), "state=\"idle\"", Math.max(0, use.threads() - use.busy()));
        text.add("counter", "stet_webhook_tries_total", "Webhook delivery attempts by result.", "result=\"accepted\"", webhooks.accepted(),
                "result=\"failed\"", webhooks.failed());
        if (mailer != null) {
            text.add("gauge", "stet_mails_waiting", "Number of emails to users in the queue.", "", mailer.waiting());
            text.add("counter", "stet_mail_tries_total", "Attempts to send an email to a user by result.", "result=\"sent\"", mailer.sent(),
                    "result=\"failed\"", mailer.failed());
        }
        text.add("counter", "stet_cache_hits_total", "Cache hits.", caches(ResponseCache.CacheUse::hits));
        text.add("counter", "stet_cache_misses_total", "Cache misses.",
                caches(ResponseCache.CacheUse::misses));
        text.add("gauge", "stet_cache_bytes", "Size of a cache.", caches(ResponseCache.CacheUse::bytes));
    }

    /** A sample of each cache, for {@link MetricsText#add}. */
    private Object[] caches(Function<ResponseCache.CacheUse, Long> figure) {
        return cache.use().stream().flatMap(each -> Stream.of(label("cache", each.cache()), figure.apply(each))).toArray();
    }

    private void writeData(MetricsText text) {
        Db.Sizes sizes = db.sizes();
        text.add("gauge", "stet_database_bytes", "Size of the database file.", "", sizes.database());
        text.add("gauge", "stet_database_wal_bytes", "Size of the database's write-ahead log.", "", sizes.log());
        text.add("gauge", "stet_disk_free_bytes", "Free space on the data folder's disk.", "", sizes.free());
        backups.ifPresent(automatic -> {
            text.add("gauge", "stet_backup_interval_seconds", "Interval between automatic backups.", "", automatic.every().toSeconds());
            automatic.last().ifPresent(time ->
                    text.add("gauge", "stet_backup_last_timestamp_seconds", "Time of the last backup, in seconds since 1970.", "",
                            seconds(time)));
            if (automatic.hasProgram()) {
                text.add("gauge", "stet_after_backup_failed", "Result of the last run of --after-backup: 1 if it failed, otherwise 0.", "",
                        automatic.hasProgramFailed() ? 1 : 0);
            }
            automatic.programSucceededAt().ifPresent(time ->
                    text.add("gauge", "stet_after_backup_last_timestamp_seconds",
                            "Time of the last successful run of --after-backup, in seconds since 1970.", "", seconds(time)));
        });
    }

    private void writeAccounts(MetricsText text) {
        AccountCounts counted = accounts;
        if (counted != null) {
            text.add("gauge", "stet_accounts", "Number of accounts.", "", counted.all);
            text.add("gauge", "stet_accounts_at_limit",
                    "Number of accounts that have used at least 80 or 100 percent of their request limit.",
                    "percent=\"80\"", counted.at80, "percent=\"100\"", counted.at100);
        }
    }

    /** Counts the accounts unless they were counted recently. Called by a timer. */
    void countAccounts() {
        Instant now = clock.instant();
        if (Duration.between(countedAt, now).abs().compareTo(ACCOUNTS_AGE) < 0) {
            return;
        }
        countedAt = now;
        try {
            accounts = db.read(dao -> {
                Map<UsageKey, Long> used = dao.usage().usedSince(now.minus(USAGE_PERIOD));
                List<Account> all = dao.accounts().list();
                return new AccountCounts(all.size(), count(all, used, now, 80), count(all, used, now, 100));
            });
        } catch (Throwable failure) {
            accounts = null;
            db.log().error("work-failed", failure);
        }
    }

    /** Number of the active accounts that have used at least so many percent of their request limit. */
    private static long count(List<Account> accounts, Map<UsageKey, Long> used, Instant now, long percent) {
        return accounts.stream().filter(account -> account.isActive() && account.requests() > 0)
                .filter(account -> used.getOrDefault(new UsageKey(account, account.period(now)), 0L) * 100
                        >= account.requests() * percent)
                .count();
    }
}
