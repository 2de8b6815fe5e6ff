package stet;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import stet.api.Counter;
import stet.api.GetTemplate;
import stet.api.ResponseCache;
import stet.core.AccountTime;
import stet.core.HeapBudget;
import stet.core.Log;
import stet.core.Refusal;
import stet.fixture.Fixture;
import stet.http.AccessLog;
import stet.http.AuthHeader;
import stet.http.TrustedProxies;
import stet.sqlite.Backups;
import stet.sqlite.Db;
import stet.sqlite.Statistics;
import stet.web.Web;

/** The JDK's HTTP server around the one handler: its settings, its pool, and its graceful end. */
public final class Server implements AutoCloseable {
    private static final int BACKLOG = 1_024;
    /** Interval between adjustments of the pool, in ms. */
    private static final int ADJUST = 20;
    /** Interval between checks for other processes' writes, in ms: a command takes effect within 100. */
    private static final int TICK = 50;
    /** Interval between writes of the statistics, in ms. */
    private static final int NOTED = 5_000;
    /** Interval between looks at the length of the database's log, in ms. */
    private static final int CHECKPOINT = 100;
    /** Interval between lines of the log that sum up, in ms. */
    private static final int LOG = 1_000;
    /** Interval between lines about what the access log dropped, in ms. */
    private static final int DROPPED = 60_000;
    /** Interval between probes of a database that is failing, in ms. */
    private static final int PROBE = 1_000;
    /** Interval between looks at whether a backup is due, in ms. */
    private static final int BACKUP = 250;
    private static final int ANNOUNCED_MILLIS = 100;
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Duration LIMIT = Duration.ofSeconds(9);

    private final Db db;
    private final HttpServer http;
    /** The operator's listener, or null. */
    private final HttpServer metrics;
    private final Pool pool = new Pool(HeapBudget.REQUESTS);
    /** One thread, as several would wake each other up at each tick; for what never waits. */
    private final ScheduledExecutorService ticker = scheduler("stet-ticker", 1);
    /** For work that may wait for the disk: checkpoints, statistics, sweeps, probes. */
    private final ScheduledExecutorService writer = scheduler("stet-writer", 4);
    /** Of low priority: a backup reads and writes the whole database. It has a thread only if there are backups. */
    private final ScheduledExecutorService backup = scheduler("stet-backup", 1, Thread.MIN_PRIORITY);
    private final InFlight inFlight = new InFlight();
    private final Counter counter;
    private final Statistics statistics;
    /** Writes what a timer writes from time to time, for the last time. */
    private final Runnable lastWrites;
    /** The test double, or null. */
    private final Fixture fixture;

    /**
     * Settings that the JDK's server reads once, when the first of its classes is used: main calls this before
     * anything else. A -D on the command line wins.
     */
    public static void setProperties() {
        set("sun.net.httpserver.nodelay", "true"); // else each answer on a kept connection takes 44 ms on 17 and 21
        set("sun.net.httpserver.maxReqTime", "30"); // seconds, until the request has come
        set("sun.net.httpserver.maxRspTime", "120"); // seconds, until the answer is made and read
        set("sun.net.httpserver.idleInterval", "90"); // seconds, more than a proxy keeps a connection
        set("sun.net.httpserver.clockTick", "5000"); // ms
        set("sun.net.httpserver.maxIdleConnections", Integer.toString(HeapBudget.KEPT_CONNECTIONS));
        set("jdk.httpserver.maxConnections", Integer.toString(HeapBudget.CONNECTIONS));
        set("sun.net.httpserver.maxReqHeaders", "100");
        set("sun.net.httpserver.maxReqHeaderSize", "32768"); // bytes
    }

    private static void set(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }

    /**
     * Where a server listens, and whom it believes.
     *
     * @param baseUrl how browsers reach it, without a slash at the end; null for the address itself
     * @param proxies whose word on a client's address is taken
     * @param metrics where the measurements are served, or null
     */
    record Settings(InetSocketAddress address, URI baseUrl, TrustedProxies proxies, AuthHeader authHeader,
                    InetSocketAddress metrics) {
        static Settings at(InetSocketAddress address) {
            return new Settings(address, null, TrustedProxies.LOOPBACK, AuthHeader.NONE, null);
        }
    }

    /** The test double, on its own clock. @throws Refusal when the address cannot be listened on */
    public Server(InetSocketAddress address, Fixture fixture) {
        this(fixture.db(), fixture.clock(), Settings.at(address), null, null, fixture);
    }

    /**
     * Listens at once; the database and the log stay the caller's to close.
     *
     * @param setUp     what the set-up link carries, or null where there is none
     * @param accessLog or null
     * @throws Refusal when an address cannot be listened on; its field is the option
     */
    Server(Db db, Clock clock, Settings settings, String setUp, AccessLog accessLog) {
        this(db, clock, settings, setUp, accessLog, null);
    }

    /** @param fixture the test double, or null */
    private Server(Db db, Clock clock, Settings settings, String setUp, AccessLog accessLog, Fixture fixture) {
        this.db = db;
        this.fixture = fixture;
        this.statistics = fixture == null ? new Statistics(db) : fixture.statistics();
        AccountTime times = fixture == null ? AccountTime.EVERYBODYS : fixture.clocks();
        counter = new Counter(db, clock, times, pool);
        http = listen("listen", settings.address);
        http.setExecutor(pool::read);
        URI baseUrl = settings.baseUrl != null ? settings.baseUrl : url();
        Web web = Web.over(db, clock, baseUrl, settings.proxies, settings.authHeader, setUp);
        lastWrites = () -> web.sessions().failed().close(clock);
        Watch watch = new Watch(db.metrics(), accessLog);
        ResponseCache cache = new ResponseCache(db);
        Handler handler = new Handler(pool, inFlight, new GetTemplate(cache, statistics, clock, times, db.log()), counter, statistics, web,
                db, fixture, watch);
        http.createContext("/", handler);
        metrics = settings.metrics == null ? null : listenForMetrics(settings.metrics);
        if (metrics != null) {
            metrics.setExecutor(pool::read);
            watch.list(metrics.createContext("/", handler),
                    new MetricsPage(db, clock, pool, inFlight, cache, accessLog, writer));
            metrics.start();
        }
        counter.start();
        http.start();
        every(db.log(), ticker, ADJUST, pool::adjust);
        every(db.log(), ticker, TICK, db::refresh);
        every(db.log(), writer, CHECKPOINT, db::checkpoint);
        every(db.log(), writer, LOG, this::logSums);
        if (fixture == null) {
            every(db.log(), writer, LOG, new ClockSteps(clock, db.log())::check);
        }
        every(db.log(), writer, NOTED, statistics::write);
        if (accessLog != null) {
            every(db.log(), writer, DROPPED, accessLog::logDropped);
        }
        every(db.log(), writer, NOTED, () -> web.sessions().failed().write(clock.instant()));
        every(db.log(), writer, PROBE, db.health()::probe);
        every(db.log(), writer, NOTED, () -> db.sweep(clock.instant()));
        db.backups().ifPresent(backups -> every(db.log(), backup, BACKUP, backups::look));
    }

    /** Binds the addresses for an instant, without listening. @throws Refusal as the constructor does */
    static boolean checkFree(Settings settings) {
        try (Socket http = bind("listen", settings.address);
                Socket metrics = settings.metrics == null ? new Socket() : bind("metrics", settings.metrics)) {
            return http.isBound() || metrics.isBound();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Socket bind(String option, InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setReuseAddress(true);
            socket.bind(address);
            return socket;
        } catch (IOException failure) {
            socket.close();
            throw refusal(option, address, failure);
        }
    }

    /** @param option that the address was given by: the refusal's field */
    private static HttpServer listen(String option, InetSocketAddress address) {
        try {
            return HttpServer.create(address, BACKLOG);
        } catch (IOException failure) {
            throw refusal(option, address, failure);
        }
    }

    private static Refusal refusal(String option, InetSocketAddress address, IOException failure) {
        return new Refusal(option, failure instanceof BindException
                ? "The port " + address.getPort() + " on " + address.getHostString() + " cannot be listened on: " + failure.getMessage()
                : "Cannot listen on " + address.getHostString() + ": " + failure.getMessage());
    }

    private HttpServer listenForMetrics(InetSocketAddress address) {
        try {
            return listen("metrics", address);
        } catch (Refusal refusal) {
            http.stop(0);
            throw refusal;
        }
    }

    /** Logs sums of what happened since the last call. */
    private void logSums() {
        db.log().sumUp(false);
        db.metrics().logSlowCommits(db.log());
        if (db.takeChangedByCommand()) {
            db.log().info("changed-by-command");
        }
    }

    /** An executor ends the schedule of work that throws: whatever fails is to be tried again. The log has it once a minute. */
    static void every(Log log, ScheduledExecutorService executor, int ms, Runnable work) {
        executor.scheduleWithFixedDelay(() -> {
            try {
                work.run();
            } catch (Throwable failure) {
                log.error("work-failed", failure);
            }
        }, ms, ms, TimeUnit.MILLISECONDS);
    }

    private static ScheduledExecutorService scheduler(String name, int threads) {
        return scheduler(name, threads, Thread.NORM_PRIORITY);
    }

    private static ScheduledExecutorService scheduler(String name, int threads, int priority) {
        return Executors.newScheduledThreadPool(threads, work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            thread.setPriority(priority);
            return thread;
        });
    }

    /** Where it listens: with the real port where 0 was asked for. */
    public InetSocketAddress address() {
        return http.getAddress();
    }

    /** The same as an address for this machine's browser. */
    public URI url() {
        return url(address());
    }

    /** Where the measurements are, or null. */
    URI metricsUrl() {
        return metrics == null ? null : url(metrics.getAddress()).resolve("/metrics");
    }

    private static URI url(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        String name = host.isAnyLocalAddress() ? "127.0.0.1"
                : !(host instanceof Inet6Address) ? host.getHostAddress()
                : host.isLoopbackAddress() ? "[::1]" : "[" + host.getHostAddress() + "]";
        return URI.create("http://" + name + ":" + address.getPort());
    }

    /** Answers requests for a moment more, and ends their connections, so that busy clients send none into a closing one. */
    void announceEnd() throws InterruptedException {
        inFlight.announceEnd();
        Thread.sleep(ANNOUNCED_MILLIS);
    }

    /** Answers what has come in, at most for some seconds, and at once when nothing has. */
    @Override
    public void close() {
        if (fixture != null) {
            fixture.end();
        }
        try {
            inFlight.drain(GRACE, LIMIT, pool::isBusy);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        http.stop(0);
        if (metrics != null) {
            metrics.stop(0);
        }
        ticker.shutdownNow();
        writer.shutdownNow();
        db.backups().ifPresent(Backups::close);
        backup.shutdown();
        counter.close();
        statistics.write();
        lastWrites.run();
        try {
            writer.awaitTermination(1, TimeUnit.SECONDS);
            backup.awaitTermination(1, TimeUnit.SECONDS);
            pool.close();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
