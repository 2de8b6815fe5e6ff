package stet;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import stet.access.TrustedProxies;
import stet.base.Log;
import stet.base.Metrics;
import stet.base.Refusal;
import stet.base.Release;
import stet.base.Secret;
import stet.base.SystemFailure;
import stet.cli.Config;
import stet.cli.Console;
import stet.cli.Option;
import stet.core.Account;
import stet.core.Password;
import stet.core.User;
import stet.core.Plan;
import stet.dao.Dao;
import stet.example.DemoTeam;
import stet.files.Seed;
import stet.mail.MailServer;
import stet.mail.SmtpClient;
import stet.process.BackupProgram;
import stet.server.AccessLog;
import stet.server.Server;
import stet.sqlite.Db;
import stet.sqlite.TemporaryFolder;
import stet.upkeep.Backups;
import stet.upkeep.Sweeper;
import stet.upkeep.Upkeep;

/** The {@code serve} and {@code demo} commands, which run until the process is stopped. See also {@link FixtureService}. */
final class Service {
    /** The process exits after this time even if the service is still closing. */
    private static final int SHUTDOWN_TIMEOUT_SECONDS = 10;

    private final Config config;
    private final Console console;
    private final Clock clock;

    Service(Config config, Console console, Clock clock) {
        this.config = config;
        this.console = console;
        this.clock = clock;
    }

    /**
     * The options for automatic backups and for replaced databases, checked before the database is opened.
     *
     * @param folder       null without automatic backups
     * @param program      to run after each backup, or null
     * @param replacedKeep null to keep replaced databases forever
     */
    private record BackupOptions(Path folder, Duration interval, int keep, BackupProgram program, Duration replacedKeep) {
        static BackupOptions of(Config config) {
            Path folder = config.backupFolder().orElse(null);
            Duration interval = config.backupInterval();
            int keep = config.backupsToKeep();
            Path program = config.afterBackup().orElse(null);
            return new BackupOptions(folder, interval, keep, program == null ? null : new BackupProgram(program, config.afterBackupTimeout()),
                    config.replacedKeep().orElse(null));
        }

        Upkeep of(Db db, Clock clock) {
            return new Upkeep(new Sweeper(db, replacedKeep),
                    Optional.ofNullable(folder).map(there -> new Backups(db, there, interval, keep, clock, program)));
        }
    }

    void serve() throws IOException {
        Server.Settings settings = new Server.Settings(config.listen(), config.baseUrl().orElse(null), config.trustedProxies(),
                config.authHeader(), config.metrics().orElse(null), config.has(Option.WEBHOOK_PRIVATE), mailServer(), new SmtpClient());
        boolean json = config.isLogJson();
        BackupOptions backups = BackupOptions.of(config);
        config.imagesUrl(); // like the other options, checked before the database is opened
        config.accountImages();
        long begin = System.nanoTime();
        untilEnd(end -> {
            Log log = console.logs().open(Log.LogLevel.INFO, json);
            for (Config.UnknownVariable variable : config.unknown()) {
                log.warn("unknown-variable", "name", variable.name(), "nearest", variable.nearest());
            }
            try (AccessLog accessLog = accessLog(settings.proxies(), log)) {
                serve(settings, log, accessLog, begin, end, backups);
            } finally {
                log.sumUp(true);
            }
        });
    }

    /** The mail server, or null. Without --base-url, the links in emails would lead to the reader's own machine. */
    private MailServer mailServer() {
        if (config.has(Option.SMTP) && !config.has(Option.BASE_URL)) {
            throw new Refusal(config.name(Option.SMTP) + " needs " + Option.BASE_URL.usage() + ", where the links in emails lead");
        }
        return config.mailServer(console.in()).orElse(null);
    }

    private void serve(Server.Settings settings, Log log, AccessLog accessLog, long begin, CountDownLatch end,
            BackupOptions backups) throws IOException, InterruptedException {
        boolean told = false;
        Metrics metrics = null;
        try (Db db = Db.serve(config.data(), log)) {
            Upkeep upkeep = backups.of(db, clock);
            db.changeUncached(dao -> {
                dao.storage().setDefault(config.accountStorage());
                dao.images().setDefaultLimit(config.accountImages());
                dao.mailChoices().setOn(settings.mail() != null);
                config.imagesUrl().ifPresent(dao.images()::setUrl);
            });
            long accounts = db.read(dao -> dao.accounts().count());
            Optional<Consumer<Dao>> first = firstAccounts(db, accounts > 0);
            if (first.isPresent()) {
                namingOption(() -> Server.checkFree(settings)); // addresses are checked first so that a failed start adds no accounts
                db.change(first.get());
                accounts = db.read(dao -> dao.accounts().count());
            }
            boolean empty = accounts == 0;
            String setUp = empty ? Secret.newPassword(random()) : null;
            try (Server server = listen(db, upkeep, settings, setUp, accessLog)) {
                URI url = settings.baseUrl() != null ? settings.baseUrl() : server.url();
                if (config.imagesUrl().isEmpty()) {
                    db.changeUncached(dao -> dao.images().setUrl(server.url() + "/images"));
                }
                ready(server);
                metrics = db.metrics();
                log.info("started",
                        "version", Release.version(), "url", url, "listen", server.bound(), "metrics", server.metricsUrl(),
                        "data", config.data(),
                        "accounts", accounts,
                        "jdk", System.getProperty("java.version"), "seconds", seconds(begin));
                if (empty) {
                    String link = url + "/setup#" + setUp;
                    announce(db.log(), "set-up", "link", link,
                            "No account exists yet. Open this link to create the first account: " + link);
                }
                end.await();
                told = true;
                server.announceEnd();
            }
        } finally {
            if (metrics != null) {
                log.sumUp(true);
                log.info("ended", "why", told ? "signal" : "interrupt", "answered", metrics.responses(), "seconds", seconds(begin));
            }
        }
    }

    /** The access log configured by --access-log, or null. */
    private AccessLog accessLog(TrustedProxies proxies, Log log) {
        String file = config.value(Option.ACCESS_LOG).orElse(null);
        return file == null ? null
                : file.equals("-") ? new AccessLog(null, console.out(), proxies, clock, log)
                : new AccessLog(Config.path(file), null, proxies, clock, log);
    }

    /** Prints a sentence or, if the log is JSON, logs an event. */
    private void announce(Log log, String event, String field, Object value, String sentence) {
        if (log.isJson()) {
            log.info(event, field, value);
        } else {
            console.err().println(sentence);
        }
    }

    /** Not a field, because loading its classes delays the start by 20 ms and few starts need it. */
    private static SecureRandom random() {
        return new SecureRandom();
    }

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1_000_000 / 1e3;
    }

    /** The change that adds the first accounts; empty if accounts already exist or no option requests accounts. */
    private Optional<Consumer<Dao>> firstAccounts(Db db, boolean accountsExist) throws IOException {
        String path = config.value(Option.SEED).orElse(null);
        Path folder = path == null ? null : Config.path(path);
        Optional<String> admin = config.value(Option.ADMIN_EMAIL);
        Optional<String> password = adminPassword();
        if (admin.isPresent() != password.isPresent()) {
            throw new Refusal("Set both --admin-email and a password"
                    + " (--admin-password-file or STET_ADMIN_PASSWORD)");
        }
        if (folder == null && admin.isEmpty()) {
            return Optional.empty();
        }
        if (accountsExist) {
            if (folder != null) {
                announce(db.log(), "seed-ignored", "folder", folder, "Accounts already exist; the --seed folder " + folder + " was ignored");
            }
            return Optional.empty();
        }
        List<Seed> seeds = folder == null ? List.of() : Seed.read(folder);
        seeds.forEach(seed -> seed.files().ignored().stream().map(name -> seed.folder() + name).forEach(file ->
                announce(db.log(), "file-ignored", "file", file, file + " was ignored because it is neither a template nor a shared block")));
        String hash = admin.isPresent() ? Password.hash(password.get(), admin.get(), random()) : null;
        return Optional.of(dao -> {
            addAccounts(dao, seeds);
            admin.ifPresent(email -> {
                Instant now = clock.instant();
                dao.accounts().add(email, Plan.PRO, now, now, hash);
                dao.accounts().setAdministrator(dao.users().find(email).orElseThrow(), true, now);
            });
        });
    }

    private Optional<String> adminPassword() {
        return config.password(Option.ADMIN_PASSWORD_FILE, Option.ADMIN_PASSWORD, console.in());
    }

    private List<Account> addAccounts(Dao dao, List<Seed> seeds) {
        return seeds.stream().map(seed -> seed.into(dao, clock.instant(), random())).toList();
    }

    void demo() throws IOException {
        InetSocketAddress address = config.listen();
        untilEnd(end -> {
            try (TemporaryFolder folder = TemporaryFolder.create("stet-demo-"); Db db = Db.serve(folder.path(), console.logs().open(Log.LogLevel.WARN, false))) {
                try (Server server = listen(db, Upkeep.of(db), Server.Settings.at(address), null, null)) {
                    db.changeUncached(dao -> dao.images().setUrl(server.url() + "/images")); // before the demo is published
                    Account account = new DemoTeam(db, clock.instant(), random()).add();
                    String key = Secret.newKey(random());
                    db.change(dao -> dao.keys().add(account, "demo", key, clock.instant()));
                    String password = Secret.newPassword(random());
                    String hash = Password.hash(password, account.name(), random());
                    db.change(dao -> {
                        User owner = dao.users().find(account.name()).orElseThrow();
                        dao.users().changePassword(owner.id(), hash);
                        dao.users().setAdministrator(owner.id(), true);
                    });
                    URI url = server.url();
                    ready(server);
                    console.out().println("Sign in at " + url + " as " + account.name() + " with the password " + password);
                    console.out().println("All data is deleted when the demo stops (Ctrl+C).");
                    console.out().println("curl -H \"Authorization: Bearer " + key + "\" \"" + url
                            + "/api/v1/templates/welcome?format=html\"");
                    end.await();
                }
            }
        });
    }

    private Server listen(Db db, Upkeep upkeep, Server.Settings settings, String setUp, AccessLog accessLog) {
        return namingOption(() -> new Server(db, upkeep, clock, settings, setUp, accessLog));
    }

    /** Runs work that uses the configured addresses. If an address is unavailable, the error names the option to change. */
    private static <T> T namingOption(Supplier<T> listening) {
        try {
            return listening.get();
        } catch (Refusal refusal) {
            throw new Refusal(refusal.getMessage() + ". Choose another address with --" + refusal.field() + " HOST:PORT.");
        }
    }

    /** Reports that the service is ready, with its address. */
    private void ready(Server server) {
        ready(server.url().toString(), server.address());
    }

    void ready(String url, InetSocketAddress address) {
        writePort(address);
        console.out().println("STET_READY url=" + url);
    }

    /** Writes the port to the file given with --port-file, if any. */
    void writePort(InetSocketAddress address) {
        String file = config.value(Option.PORT_FILE).orElse(null);
        if (file != null) {
            writePort(Config.path(file), address.getPort());
        }
    }

    /** Writes a temporary file and renames it, so that readers never see an incomplete file. */
    private static void writePort(Path file, int port) {
        try {
            Path temporary = file.resolveSibling("." + file.getFileName() + ".new");
            Files.writeString(temporary, port + "\n");
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot write the port file " + file, failure);
        }
    }

    interface Work {
        /** Runs until the latch opens, then closes its resources. */
        void runUntil(CountDownLatch end) throws IOException, InterruptedException;
    }

    /**
     * Opens the latch when the process is stopped, then waits up to 10 s for the work to finish. Interrupting the calling thread also ends
     * the work.
     */
    static void untilEnd(Work work) throws IOException {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Thread hook = new Thread(() -> {
            end.countDown();
            try {
                done.await(SHUTDOWN_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException hurried) {
                Thread.currentThread().interrupt();
            }
        }, "stet-end");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            work.runUntil(end);
        } catch (InterruptedException told) {
            // The work has already closed its resources.
        } finally {
            done.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException ending) {
                // The hook is already running and waits for this thread.
            }
        }
    }
}
