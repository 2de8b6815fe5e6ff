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
     * The options for automatic backups and for replaced databases.
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

        Upkeep upkeep(Db db, Clock clock) {
            return new Upkeep(new Sweeper(db, replacedKeep),
                    Optional.ofNullable(folder).map(there -> new Backups(db, there, interval, keep, clock, program)));
        }
    }

    /**
     * The options of {@code serve}, checked before the database is opened.
     *
     * @param accountStorage default storage limit of accounts, in bytes
     * @param accountImages  default limit of image files per account, in bytes
     * @param imagesUrl      empty for {@code /images} at the listening address, whose port is not known yet
     */
    private record ServeOptions(Server.Settings settings, BackupOptions backups, long accountStorage, long accountImages, Optional<String> imagesUrl) {
        /** Stores the options that commands and transactions need as well. */
        void store(Dao dao) {
            dao.storage().setDefault(accountStorage);
            dao.images().setDefaultLimit(accountImages);
            dao.mailChoices().setSending(settings.mail() != null);
            imagesUrl.ifPresent(dao.images()::setUrl);
        }
    }

    void serve() throws IOException {
        Server.Settings settings = new Server.Settings(config.listen(), config.baseUrl().orElse(null), config.trustedProxies(),
                config.authHeader(), config.metrics().orElse(null), config.has(Option.WEBHOOK_PRIVATE), mailServer(), new SmtpClient());
        boolean json = config.isLogJson();
        ServeOptions options = new ServeOptions(settings, BackupOptions.of(config), config.accountStorage(), config.accountImages(),
                config.imagesUrl());
        long begin = System.nanoTime();
        untilEnd(end -> {
            Log log = console.logs().open(Log.LogLevel.INFO, json);
            for (Config.UnknownVariable variable : config.unknown()) {
                log.warn("unknown-variable", "name", variable.name(), "nearest", variable.nearest());
            }
            try (AccessLog accessLog = accessLog(settings.proxies(), log)) {
                serve(options, log, accessLog, begin, end);
            } finally {
                log.sumUp(true);
            }
            return 0;
        });
    }

    /** The mail server, or null. Without --base-url, the links in emails would lead to the reader's own machine. */
    private MailServer mailServer() {
        if (config.has(Option.SMTP) && !config.has(Option.BASE_URL)) {
            throw new Refusal(config.name(Option.SMTP) + " needs " + Option.BASE_URL.usage() + ", where the links in emails lead");
        }
        return config.mailServer(console.in()).orElse(null);
    }

    /** @param begin when the command began, as {@link System#nanoTime} @param end opens when the process is stopped */
    private void serve(ServeOptions options, Log log, AccessLog accessLog, long begin, CountDownLatch end) throws IOException, InterruptedException {
        boolean isStopped = false;
        Metrics metrics = null;
        try (Db db = Db.serve(config.data(), log)) {
            Upkeep upkeep = options.backups.upkeep(db, clock);
            db.changeUncached(options::store);
            addFirstAccounts(db, options.settings);
            long accounts = db.read(dao -> dao.accounts().count());
            String setUp = accounts > 0 ? null : Secret.newPassword(random());
            try (Server server = listen(db, upkeep, options.settings, setUp, accessLog)) {
                if (options.imagesUrl.isEmpty()) {
                    db.changeUncached(dao -> dao.images().setUrl(server.url() + "/images"));
                }
                ready(server);
                metrics = db.metrics();
                URI url = options.settings.baseUrl() != null ? options.settings.baseUrl() : server.url();
                log.info("started",
                        "version", Release.version(), "url", url, "listen", server.bound(), "metrics", server.metricsUrl(),
                        "data", config.data(),
                        "accounts", accounts,
                        "jdk", System.getProperty("java.version"), "seconds", seconds(begin));
                if (setUp != null) {
                    String link = url + "/setup#" + setUp;
                    announce(log, "set-up", "link", link, "No account exists yet. Open this link to create the first account: " + link);
                }
                end.await();
                isStopped = true;
                server.announceEnd();
            }
        } finally {
            if (metrics != null) {
                log.sumUp(true);
                log.info("ended", "why", isStopped ? "signal" : "interrupt", "answered", metrics.responses(), "seconds", seconds(begin));
            }
        }
    }

    /** The access log configured by --access-log, or null. */
    private AccessLog accessLog(TrustedProxies proxies, Log log) {
        if (!config.has(Option.ACCESS_LOG)) {
            return null;
        }
        String file = config.required(Option.ACCESS_LOG);
        return file.equals("-") ? AccessLog.toStream(console.out(), proxies, clock, log) : AccessLog.toFile(Config.path(file), proxies, clock, log);
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

    /** Seconds since a time, which is as {@link System#nanoTime}; in whole milliseconds. */
    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1_000_000 / 1e3;
    }

    /** Adds the accounts that --seed and --admin-email request, unless there are accounts already. */
    private void addFirstAccounts(Db db, Server.Settings settings) throws IOException {
        Optional<Path> folder = config.value(Option.SEED).map(Config::path);
        Optional<String> admin = config.value(Option.ADMIN_EMAIL);
        Optional<String> password = config.password(Option.ADMIN_PASSWORD_FILE, Option.ADMIN_PASSWORD, console.in());
        if (admin.isPresent() != password.isPresent()) {
            throw new Refusal("Set both --admin-email and a password"
                    + " (--admin-password-file or STET_ADMIN_PASSWORD)");
        }
        if (folder.isEmpty() && admin.isEmpty()) {
            return;
        }
        if (db.read(dao -> dao.accounts().any())) {
            folder.ifPresent(seed -> announce(db.log(), "seed-ignored", "folder", seed, "Accounts already exist; the --seed folder " + seed + " was ignored"));
            return;
        }
        List<Seed> seeds = folder.isEmpty() ? List.of() : Seed.read(folder.get());
        announceIgnored(seeds, db.log());
        String hash = admin.isPresent() ? Password.hash(password.get(), admin.get(), random()) : null;
        checkFree(settings); // checked first so that a failed start adds no accounts
        db.change(dao -> {
            Instant now = clock.instant();
            seeds.forEach(seed -> seed.into(dao, now, random()));
            admin.ifPresent(email -> {
                dao.accounts().add(email, Plan.PRO, now, now, hash);
                dao.accounts().setAdministrator(dao.users().find(email).orElseThrow(), true, now);
            });
        });
    }

    /** Announces the files of a seed that are neither templates nor shared blocks. */
    private void announceIgnored(List<Seed> seeds, Log log) {
        for (Seed seed : seeds) {
            for (String name : seed.files().ignored()) {
                String file = seed.folder() + name;
                announce(log, "file-ignored", "file", file, file + " was ignored because it is neither a template nor a shared block");
            }
        }
    }

    void demo() throws IOException {
        InetSocketAddress address = config.listen();
        untilEnd(end -> {
            Log log = console.logs().open(Log.LogLevel.WARN, false);
            try (TemporaryFolder folder = TemporaryFolder.create("stet-demo-"); Db db = Db.serve(folder.path(), log)) {
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
                    return 0;
                }
            }
        });
    }

    private Server listen(Db db, Upkeep upkeep, Server.Settings settings, String setUp, AccessLog accessLog) {
        try {
            return new Server(db, upkeep, clock, settings, setUp, accessLog);
        } catch (Refusal unavailable) {
            throw withOption(unavailable);
        }
    }

    private static void checkFree(Server.Settings settings) {
        try {
            Server.checkFree(settings);
        } catch (Refusal unavailable) {
            throw withOption(unavailable);
        }
    }

    /** The refusal of an unavailable address, with the option to change. */
    private static Refusal withOption(Refusal unavailable) {
        return new Refusal(unavailable.getMessage() + ". Choose another address with --" + unavailable.field() + " HOST:PORT.");
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
        /** Runs until the latch opens, then closes its resources. @return the exit code */
        int runUntil(CountDownLatch end) throws IOException, InterruptedException;
    }

    /**
     * Opens the latch when the process is stopped, then waits up to 10 s for the work to finish. Interrupting the calling thread also ends
     * the work.
     *
     * @return the work's exit code; 0 if it was interrupted
     */
    static int untilEnd(Work work) throws IOException {
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
            return work.runUntil(end);
        } catch (InterruptedException stopped) {
            return 0; // the work has already closed its resources
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
