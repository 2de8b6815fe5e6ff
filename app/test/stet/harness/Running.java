package stet.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import stet.access.AuthHeader;
import stet.access.TrustedProxies;
import stet.base.Log;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Draft;
import stet.core.ImageNames;
import stet.core.Password;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.images.ImageFile;
import stet.mail.MailServer;
import stet.mail.SmtpClient;
import stet.server.Server;
import stet.sqlite.Db;
import stet.upkeep.Backups;
import stet.upkeep.Check;
import stet.upkeep.Sweeper;
import stet.upkeep.Upkeep;

/** The real service on a free port, with its own folder and a clock that the test moves. */
public final class Running implements AutoCloseable {
    static {
        Server.setProperties();
    }

    /** Maximum wait, generous enough for the busiest machine; only a failing test takes this long. */
    public static final Duration PATIENCE = Duration.ofSeconds(120);
    public static final String NOW = "2026-01-31T09:00:00Z";
    public static final String TEMPLATES = "/api/v1/templates/";
    private static final Pattern ENDPOINT = Pattern.compile(TEMPLATES + "[^/?]+(\\?.*)?");

    /** Logs of running services, for {@link #logged}. */
    private static final Set<Log> LOGS = ConcurrentHashMap.newKeySet();
    private static volatile boolean isCapturing;
    /** Port of a service that a browser has used; 0 for any port. Saves a seventh of the CPU time of browser tests. */
    private static volatile int usualPort;

    public final Path folder;
    public Upkeep upkeep;
    /** Time for which replaced databases are kept; null for no limit. */
    public Duration replacedKept;
    public final MovableClock clock = new MovableClock(NOW);
    /** Nanoseconds added to the clock by which files are watched. */
    public final AtomicLong skippedNanos = new AtomicLong();
    public Db db;
    public Server server;
    public final Log log = newLog();
    private final Deque<Client> clients = new ArrayDeque<>();

    private final URI baseUrl;
    private final String setUp;
    private boolean webhookPrivate;
    private MailServer mail;
    private Supplier<SmtpClient> mailClient = SmtpClient::new;
    private AuthHeader authHeader = AuthHeader.NONE;

    public Running() {
        this(temporary(), null, null);
    }

    /** @param folder deleted on close */
    public Running(Path folder) {
        this(folder, null, null);
    }

    /** @param setUp secret of the set-up link */
    public Running(String baseUrl, String setUp) {
        this(temporary(), baseUrl, setUp);
    }

    private Running(Path folder, String baseUrl, String setUp) {
        this.folder = folder;
        this.baseUrl = baseUrl == null ? null : URI.create(baseUrl);
        this.setUp = setUp;
        start();
    }

    public static Path temporary() {
        try {
            return Files.createTempDirectory("stet-test");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Listens on the usual port if it is free. */
    public void start() {
        start(usualPort);
    }

    /** Makes services in this JVM listen on this one's port from now on, so that a browser has the static files of their origin in its cache. */
    void keepPort() {
        usualPort = server.address().getPort();
    }

    /** Restarts the service with webhooks to private addresses and plain HTTP allowed. */
    public void restartWithPrivateWebhooks() {
        stop();
        webhookPrivate = true;
        start();
    }

    /** Starts with a daily backup. */
    public void backUpTo(Path backups) {
        start(0, backups);
    }

    /** Restarts the service with a mail server; null for none. */
    public void restartWithMail(String url) {
        restartWithMail(url, SmtpClient::new);
    }

    public void restartWithMail(String url, Supplier<SmtpClient> client) {
        restartWithMail(url == null ? null : MailServer.of(url, "Stet <stet@example.com>", null), client);
    }

    public void restartWithMail(MailServer server, Supplier<SmtpClient> client) {
        stop();
        mail = server;
        mailClient = client;
        start();
    }

    /** Restarts the service behind a proxy that names users in the header Remote-User. */
    public void restartWithProxy() {
        stop();
        authHeader = new AuthHeader("Remote-User", TrustedProxies.LOOPBACK, null, null);
        start();
    }

    public void start(int port) {
        start(port, null);
    }

    private void start(int port, Path backups) {
        db = Db.serve(folder, log, () -> System.nanoTime() + skippedNanos.get());
        LOGS.add(log);
        upkeep = new Upkeep(new Sweeper(db, replacedKept), Optional.ofNullable(backups).map(there -> new Backups(db, there, Duration.ofDays(1), 14, clock, null)));
        try {
            server = listen(port);
        } catch (Refusal unavailable) {
            if (port != usualPort) {
                throw unavailable;
            }
            server = listen(0);
        }
    }

    private Server listen(int port) {
        return new Server(db, upkeep, clock, new Server.Settings(new InetSocketAddress("127.0.0.1", port), baseUrl, TrustedProxies.LOOPBACK,
                authHeader, null, webhookPrivate, mail, mailClient.get()), setUp, null);
    }

    /** Runs the task that a timer runs every five seconds. */
    public void sweep() {
        upkeep.sweep(now());
    }

    public void stop() {
        while (!clients.isEmpty()) {
            clients.pop().close();
        }
        server.close();
        db.close();
        LOGS.remove(log);
    }

    public void restart() {
        stop();
        start();
    }

    /** Stops, checks the data folder, and starts again. @return the problems found */
    public List<String> problems() {
        sweep();
        stop();
        try {
            return Check.folder(folder, now().plus(Duration.ofMinutes(1))).stream().filter(each -> !each.ok()).map(each -> each.check() + ": " + each.text())
                    .toList();
        } finally {
            start();
        }
    }

    /** A new connection, closed with this object. */
    public Client client() {
        Client client = new Client(server.address());
        clients.push(client);
        return client;
    }

    /** Sends a request on a new connection. The API's response must match openapi.json. */
    public Client.Reply get(String path, String key, String... headers) {
        return send("GET", path, key, headers);
    }

    public Client.Reply send(String method, String path, String key, String... headers) {
        try (Client client = new Client(server.address())) {
            Client.Reply reply = client.send(method, path, key, headers);
            if (ENDPOINT.matcher(path).matches()) {
                OpenApi.check(method, reply);
            }
            return reply;
        }
    }

    public Instant now() {
        return clock.instant();
    }

    /** Adds an account, created now and, for Pro, billed from now. */
    public Account account(String email, Plan plan) {
        return db.write(dao -> dao.accounts().add(email, plan, now(), now(), null));
    }

    /** Adds an account whose owner can sign in; the password is cheaply hashed. */
    public Account account(String email, Plan plan, String password) {
        Account account = account(email, plan);
        password(account, Password.hashCheaply(password, new SecureRandom()));
        return account;
    }

    public void password(Account account, String hash) {
        db.change(dao -> dao.users().changePassword(owner(account).id(), hash));
    }

    /** Adds a member with a cheaply hashed password. */
    public User member(Account account, String email, Role role, String password) {
        String hash = Password.hashCheaply(password, new SecureRandom());
        return db.write(dao -> {
            User added = dao.users().find(email).orElseGet(() -> dao.users().add(email, hash, now()));
            dao.members().setRole(account.id(), added.id(), role, now());
            return added;
        });
    }

    /** Records that a user's email address is confirmed. */
    public void confirm(String email) {
        db.change(dao -> dao.users().confirm(dao.users().find(email).orElseThrow().id()));
    }

    /** Adds a user without an account. */
    public User user(String email) {
        return db.write(dao -> dao.users().add(email, null, now()));
    }

    /** The user added with the account. */
    public User owner(Account account) {
        return db.read(dao -> dao.members().list(account.id())).get(0).user();
    }

    public Account account(String email) {
        return db.read(dao -> dao.accounts().find(email)).orElseThrow();
    }

    public String key(Account account) {
        String key = Secret.newKey(new SecureRandom());
        db.change(dao -> dao.keys().add(account, "test", key, Instant.parse(NOW)));
        return key;
    }

    public void limit(Account account, long requests) {
        db.change(dao -> dao.accounts().setLimits(account.id(), requests, 100L));
    }

    public void draft(Account account, String id, String name, String subject, String html) {
        byte[] bytes = html.getBytes(StandardCharsets.UTF_8);
        db.change(dao -> dao.templates().save(account.id(), new Draft(id, name, subject, bytes, Map.of()), now()));
    }

    public void block(Account account, String name, String html) {
        db.change(dao -> dao.blocks().save(account.id(), name, html.getBytes(StandardCharsets.UTF_8), now()));
    }

    /** @param name without its folder */
    public void image(Account account, String name, byte[] file) {
        db.change(dao -> dao.images().save(account.id(), ImageNames.full("name", name), ImageFile.of(file), now()));
    }

    public void publish(Account account, String id) {
        db.change(dao -> dao.versions().publish(account.id(), id, "", now()));
    }

    /** Publishes a template with its id as its name. */
    public void template(Account account, String id, String html) {
        draft(account, id, id, "", html);
        publish(account, id);
    }

    /** Requests counted in the account's current period. */
    public long used(Account account) {
        Account current = account(account.name());
        return db.read(dao -> dao.usage().used(current, current.period(now()).start()));
    }

    /** Whether /healthz reports a healthy service. */
    public boolean isHealthy() {
        Client.Reply reply = get("/healthz", null);
        return reply.status() == 200 && reply.text().equals("{\"status\":\"ok\"}");
    }

    /** Whether /healthz reports a failure for this reason. */
    public boolean isFailing(String reason) {
        Client.Reply reply = get("/healthz", null);
        return reply.status() == 503 && reply.text().equals("{\"status\":\"failing\",\"reason\":\"" + reason + "\"}");
    }

    /** Waits for an event on another thread, up to {@link #PATIENCE}. */
    public static boolean comes(BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            Thread.onSpinWait();
            LockSupport.parkNanos(2_000_000);
        }
        return true;
    }

    /** Returns the lines logged while something runs. */
    public static String logged(Runnable work) {
        return logged(work, "");
    }

    /** Returns the lines logged while something runs and until another thread logs a line with this text. */
    public static String logged(Runnable work, String awaited) {
        PrintStream before = System.err;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        isCapturing = true;
        try {
            work.run();
            comes(() -> lines.toString(StandardCharsets.UTF_8).contains(awaited));
            LOGS.forEach(log -> log.sumUp(true));
        } finally {
            isCapturing = false;
            System.setErr(before);
        }
        return lines.toString(StandardCharsets.UTF_8);
    }

    /** Returns a log of all events, for {@link #logged}. */
    public static Log newLog() {
        return new Log(Running::print, Clock.systemUTC(), false, Log.LogLevel.INFO);
    }

    private static void print(Log.LogLevel level, String message) {
        if (isCapturing || level != Log.LogLevel.INFO) {
            Terminal.lines(System.err, false).write(level, message);
        }
    }

    /** Returns the number of failed requests in a log, including those that were only counted. */
    public static long failures(String log) {
        return log.lines().filter(line -> line.contains(" ERROR request-failed ")).count()
                + Pattern.compile(" ERROR repeated of=request-failed .* times=([0-9]+)").matcher(log).results()
                .mapToLong(found -> Long.parseLong(found.group(1))).sum();
    }

    @Override
    public void close() {
        stop();
        delete(folder);
    }
}
