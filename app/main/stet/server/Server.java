package stet.server;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLSocketFactory;
import stet.access.AuthHeader;
import stet.access.Sessions.SignInSettings;
import stet.access.TrustedProxies;
import stet.api.Counter;
import stet.api.GetImage;
import stet.api.GetTemplate;
import stet.api.ResponseCache;
import stet.base.HeapBudget;
import stet.base.Lazy;
import stet.base.Refusal;
import stet.core.SecretGrant;
import stet.fixture.Fixture;
import stet.fixture.FolderWatch;
import stet.mail.MailServer;
import stet.mail.Mailer;
import stet.mail.SmtpClient;
import stet.sqlite.Db;
import stet.sqlite.Statistics;
import stet.upkeep.Backups;
import stet.upkeep.Upkeep;
import stet.web.Web;
import stet.web.WebhookPage;

/** Runs the JDK's HTTP server with the handler, thread pool and timers, and shuts it down gracefully. */
public final class Server implements AutoCloseable {
    /** Maximum number of connections that wait to be accepted. */
    private static final int BACKLOG = 1_024;
    /** Time for which {@link #announceEnd} continues to serve. */
    private static final int ANNOUNCED_MILLIS = 100;
    /** Time for which a shutdown admits requests, and for which it waits in total. */
    private static final Duration DRAIN_GRACE = Duration.ofSeconds(2);
    private static final Duration DRAIN_LIMIT = Duration.ofSeconds(9);
    private static final Duration WEBHOOK_TIMEOUT = Duration.ofSeconds(10);

    private final Db db;
    private final Upkeep upkeep;
    private final HttpServer http;
    /** The metrics listener, or null. */
    private final HttpServer metrics;
    private final Pool pool = new Pool(HeapBudget.REQUESTS);
    /** Sends images. Only the first request for one starts a thread. */
    private final Pool recipients = new Pool(HeapBudget.RECIPIENTS, "stet-image-");
    private final Schedule schedule;
    private final InFlight inFlight = new InFlight();
    private final Statistics statistics;
    private final WebhookClient webhookClient;
    /** Sends emails to users, or null. */
    private final Mailer mailer;
    /** Created by the first request not for a template, or by a timer: loading its 35 classes would delay the first response. */
    private final Lazy<Web> web;
    private final Clock clock;
    /** The access log, or null. */
    private final AccessLog accessLog;
    /** The test double, or null. */
    private final Fixture fixture;

    /**
     * Sets system properties that the JDK's server reads once, when its first class is loaded. Must be called before any other
     * work in main. A -D option on the command line takes precedence.
     */
    public static void setProperties() {
        set("sun.net.httpserver.nodelay", "true"); // otherwise, each response on a persistent connection takes 44 ms on JDK 17 and 21
        set("sun.net.httpserver.maxReqTime", "30"); // seconds to receive the request
        set("sun.net.httpserver.maxRspTime", "120"); // seconds to create and send the response
        set("sun.net.httpserver.idleInterval", Integer.toString(KeptConnections.IDLE_SECONDS)); // longer than many proxies keep idle connections open
        set("sun.net.httpserver.clockTick", "5000"); // ms
        set("sun.net.httpserver.maxIdleConnections", Integer.toString(HeapBudget.REQUESTS / 4)); // 56 KB each
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
     * A server's addresses, trusted proxies, webhook policy and mail server.
     *
     * @param address the listening address
     * @param baseUrl the public URL without a trailing slash; null to use the listening address
     * @param proxies proxies trusted to report client addresses
     * @param authHeader the header in which proxies identify users
     * @param metrics the metrics listener's address, or null
     * @param webhookPrivate whether webhooks may use private addresses and plain HTTP
     * @param mail the mail server for emails to users, or null to send none
     * @param mailClient sends the emails; may be null if none are sent
     */
    public record Settings(InetSocketAddress address, URI baseUrl, TrustedProxies proxies, AuthHeader authHeader,
                    InetSocketAddress metrics, boolean webhookPrivate, MailServer mail, SmtpClient mailClient) {
        public static Settings at(InetSocketAddress address) {
            return new Settings(address, null, TrustedProxies.LOOPBACK, AuthHeader.NONE, null, false, null, null);
        }
    }

    /** Starts serving a test double, which has its own clock. @throws Refusal if the address is unavailable */
    public Server(InetSocketAddress address, Fixture fixture) {
        this(fixture.db(), Upkeep.of(fixture.db()), fixture.clock(), Settings.at(address), null, null, fixture);
    }

    /**
     * Starts listening. The caller remains responsible for closing the database and the log.
     *
     * @param setUp     the secret of the set-up link, or null
     * @param accessLog the access log, or null
     * @throws Refusal if an address is unavailable; the Refusal's field names the option that sets the address
     */
    public Server(Db db, Upkeep upkeep, Clock clock, Settings settings, String setUp, AccessLog accessLog) {
        this(db, upkeep, clock, settings, setUp, accessLog, null);
    }

    /** @param fixture the test double, or null */
    private Server(Db db, Upkeep upkeep, Clock clock, Settings settings, String setUp, AccessLog accessLog, Fixture fixture) {
        this.db = db;
        this.upkeep = upkeep;
        this.clock = clock;
        this.accessLog = accessLog;
        this.fixture = fixture;
        this.schedule = new Schedule(db.log());
        this.statistics = fixture == null ? new Statistics(db) : fixture.statistics();
        Function<SecretGrant, Instant> times = fixture == null ? key -> clock.instant()
                : key -> fixture.clocks().now(key.account().name());
        Counter counter = new Counter(db, times, pool, pool::addFree);
        http = listen("listen", settings.address);
        http.setExecutor(pool::read);
        URI baseUrl = settings.baseUrl != null ? settings.baseUrl : url();
        webhookClient = new WebhookClient(InetAddress::getAllByName, () -> (SSLSocketFactory) SSLSocketFactory.getDefault(), settings.webhookPrivate,
                WEBHOOK_TIMEOUT);
        Webhooks webhooks = new Webhooks(db, upkeep.backups(), clock, baseUrl, webhookClient);
        mailer = settings.mail == null ? null : new Mailer(db, clock, settings.mail, settings.mailClient, baseUrl, new SecureRandom());
        LargeBodies bodies = new LargeBodies(db);
        GetImage getImage = new GetImage(db, clock, statistics, bodies::hold);
        web = new Lazy<>(() -> Web.over(db, clock, new SignInSettings(baseUrl, settings.proxies, settings.authHeader, setUp), new Web.Parts(upkeep.backups(),
                new WebhookPage(clock, settings.webhookPrivate, fixture == null), Optional.ofNullable(mailer), getImage.probe())));
        ResponseCache cache = new ResponseCache(db, pool::addFree);
        GetTemplate getTemplate = new GetTemplate(cache, statistics, times, bodies::hold, db.log());
        Sender sender = new Sender(inFlight, pool, db.metrics(), accessLog, fixture, "https".equalsIgnoreCase(baseUrl.getScheme()), db.log());
        Responder responder = new Responder(pool, recipients, inFlight, getTemplate, getImage, counter, web, sender, db,
                fixture);
        Handler handler = new Handler(responder, getTemplate, statistics, web, new HeavyWork(pool, db, bodies), bodies, db.health(), fixture);
        http.createContext("/", handler);
        metrics = settings.metrics == null ? null : listenForMetrics(settings.metrics);
        if (metrics != null) {
            metrics.setExecutor(pool::read);
            MetricsPage page = new MetricsPage(db, upkeep.backups(), clock, pool, inFlight, cache, accessLog, webhooks, mailer);
            metrics.createContext("/", handler.listing(page));
            metrics.start();
            schedule.every(1_000, schedule.tasks, "metrics", page::countAccounts);
        }
        http.start();
        ClockSteps clockSteps = new ClockSteps(clock, db.log());
        schedule.afterStart(() -> startTimers(webhooks, clockSteps));
    }

    /** Watches the test double's folder and reloads the data after each change. */
    public void watch(FolderWatch folder) {
        schedule.every(50, schedule.tasks, "watch", folder::check);
    }

    /** Starts the periodic tasks; intervals are in ms. */
    private void startTimers(Webhooks webhooks, ClockSteps clockSteps) {
        schedule.every(20, schedule.timer, "pool", pool::adjust);
        schedule.every(20, schedule.timer, "image-pool", recipients::adjust);
        schedule.every(1_000, schedule.timer, "paces", this::checkPaces);
        schedule.every(50, schedule.timer, "changes", db::refresh); // so that changes by commands usually take effect within 100 ms
        schedule.every(100, 1_000, schedule.tasks, "checkpoint", db::checkpoint); // on a full disk, each attempt writes pages again
        schedule.every(1_000, schedule.tasks, "probe", db.health()::probe);
        schedule.every(1_000, schedule.tasks, "log", this::logSums);
        if (fixture == null) {
            schedule.every(500, schedule.tasks, "webhooks", webhooks::sendDue);
            schedule.every(1_000, schedule.timer, "webhook-timeout", webhookClient::endLate);
            schedule.every(1_000, schedule.tasks, "clock", clockSteps::check);
        }
        if (mailer != null) {
            schedule.every(500, schedule.tasks, "mail", mailer::sendDue);
            schedule.every(1_000, schedule.timer, "mail-timeout", mailer::endLate);
        }
        schedule.every(5_000, schedule.tasks, "statistics", statistics::write);
        if (accessLog != null) {
            schedule.every(25, schedule.tasks, "access-log", accessLog::write); // batched, because each write opens the file
            schedule.every(60_000, schedule.tasks, "access-log-dropped", accessLog::logDropped);
        }
        schedule.every(5_000, schedule.tasks, "sweep", () -> upkeep.sweep(clock.instant()));
        upkeep.backups().ifPresent(backups -> schedule.every(1_000, schedule.backup, "backup", backups::makeIfDue));
    }

    /** Checks that the addresses are available by briefly binding them. @throws Refusal as the constructor */
    public static void checkFree(Settings settings) {
        try {
            Socket listening = bind("listen", settings.address);
            try {
                if (settings.metrics != null) {
                    bind("metrics", settings.metrics).close();
                }
            } finally {
                listening.close();
            }
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

    /** @param option the option that sets the address, used as the field of a {@link Refusal} */
    private static HttpServer listen(String option, InetSocketAddress address) {
        try {
            return HttpServer.create(address, BACKLOG);
        } catch (IOException failure) {
            throw refusal(option, address, failure);
        }
    }

    private static Refusal refusal(String option, InetSocketAddress address, IOException failure) {
        return new Refusal(option, failure instanceof BindException
                ? "Cannot listen on port " + address.getPort() + " of " + address.getHostString() + ": " + failure.getMessage()
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

    /** Ends waits for clients that are too slow. */
    void checkPaces() {
        pool.checkPaces(db.metrics());
        recipients.checkPaces(db.metrics());
    }

    /** Number of requests in progress. */
    int inFlight() {
        return inFlight.count();
    }

    /** Logs the repeated errors, slow commits and changes by commands since the last call. */
    private void logSums() {
        db.log().sumUp(false);
        db.metrics().logSlowCommits(db.log());
        db.metrics().logSlowClients(db.log());
        if (db.pollChangeByCommand()) {
            db.log().info("changed-by-command");
        }
    }

    /** The listening address, with the actual port if port 0 was requested. */
    public InetSocketAddress address() {
        return http.getAddress();
    }

    /** The bound address, such as {@code 0.0.0.0:8080} for all addresses. */
    public String bound() {
        return inBrackets(address().getAddress()) + ":" + address().getPort();
    }

    /** The server's URL on this machine. */
    public URI url() {
        return url(address());
    }

    /** The metrics URL, or null. */
    public URI metricsUrl() {
        return metrics == null ? null : url(metrics.getAddress()).resolve("/metrics");
    }

    private static URI url(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        String name = host.isAnyLocalAddress() ? "127.0.0.1" : inBrackets(host).replace("[0:0:0:0:0:0:0:1]", "[::1]");
        return URI.create("http://" + name + ":" + address.getPort());
    }

    /** An address as URLs contain it: an IPv6 address is in brackets. */
    private static String inBrackets(InetAddress host) {
        return host instanceof Inet6Address ? "[" + host.getHostAddress() + "]" : host.getHostAddress();
    }

    /**
     * Makes each response close its connection and briefly continues serving, so that clients do not send requests on
     * connections that the server is about to close.
     */
    public void announceEnd() throws InterruptedException {
        inFlight.announceEnd();
        Thread.sleep(ANNOUNCED_MILLIS);
    }

    /** Waits up to nine seconds for open requests, then closes the server. */
    @Override
    public void close() {
        if (fixture != null) {
            fixture.end();
        }
        upkeep.backups().ifPresent(Backups::close);
        try {
            inFlight.drain(DRAIN_GRACE, DRAIN_LIMIT, () -> pool.isBusy() || recipients.isBusy());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        http.stop(0);
        if (metrics != null) {
            metrics.stop(0);
        }
        statistics.write();
        if (accessLog != null) {
            accessLog.end();
        }
        webhookClient.close();
        if (mailer != null) {
            mailer.close();
        }
        schedule.close();
        for (Pool each : List.of(pool, recipients)) {
            try {
                each.close();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt(); // the threads end nevertheless
            }
        }
    }
}
