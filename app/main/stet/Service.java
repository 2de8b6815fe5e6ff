package stet;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import stet.cli.Cli;
import stet.cli.Config;
import stet.cli.Console;
import stet.cli.Option;
import stet.cli.SecretFile;
import stet.core.Account;
import stet.core.Password;
import stet.core.Plan;
import stet.core.Reason;
import stet.core.Refusal;
import stet.core.Secret;
import stet.files.Seed;
import stet.fixture.Fixture;
import stet.http.TrustedProxies;
import stet.store.Dao;
import stet.store.Db;
import stet.store.TemporaryFolder;

/** The commands that go on until the process is told to end: {@code serve}, {@code demo} and {@code fixture}. */
final class Service {
    /** How long the end may take before the process ends all the same, in seconds. */
    private static final int LIMIT = 10;

    private final Config config;
    private final Console console;
    private final Clock clock;

    Service(Config config, Console console, Clock clock) {
        this.config = config;
        this.console = console;
        this.clock = clock;
    }

    void serve() throws IOException {
        InetSocketAddress address = config.listen();
        Optional<String> baseUrl = config.baseUrl();
        TrustedProxies proxies = config.trustedProxies();
        untilEnd(end -> {
            try (Db db = Db.serve(config.data())) {
                Optional<Consumer<Dao>> first = firstAccounts(db);
                boolean empty = first.isEmpty() && db.read(dao -> !dao.hasAccounts());
                String setUp = empty ? Secret.newPassword(new SecureRandom()) : null;
                try (Server server = listen(db, address, baseUrl.map(URI::create).orElse(null), proxies, setUp)) {
                    first.ifPresent(db::change); // now that nothing else can be refused
                    String url = baseUrl.orElse(server.url().toString());
                    ready(server);
                    console.err().println("Stet " + Cli.version() + " serves " + url + "/api/v1 from " + config.data());
                    if (empty) {
                        console.err().println("There is no account yet; whoever opens this link makes the first: " + url + "/setup#" + setUp);
                    }
                    end.await();
                }
            }
        });
    }

    /** What gives a database without an account its first ones, all of them or none, where the options say which. */
    private Optional<Consumer<Dao>> firstAccounts(Db db) throws IOException {
        Optional<Path> folder = config.value(Option.SEED).map(Config::path);
        Optional<String> admin = config.value(Option.ADMIN_EMAIL);
        Optional<String> password = adminPassword();
        if (admin.isPresent() != password.isPresent()) {
            throw new Refusal("--admin-email needs a password, by --admin-password-file or STET_ADMIN_PASSWORD, and the password an e-mail");
        }
        if (folder.isEmpty() && admin.isEmpty()) {
            return Optional.empty();
        }
        if (db.read(Dao::hasAccounts)) {
            folder.ifPresent(seed -> console.err().println("There are accounts already: " + seed + " was left alone"));
            return Optional.empty();
        }
        List<Seed> seeds = folder.isPresent() ? Seed.read(folder.get()) : List.of();
        seeds.forEach(seed -> seed.files().passedOver().forEach(name ->
                console.err().println(seed.folder() + name + " can be no template or block; it was passed over")));
        String hash = admin.isPresent() ? Password.hash(password.get(), admin.get(), new SecureRandom()) : null;
        return Optional.of(dao -> {
            plant(dao, seeds);
            admin.ifPresent(email -> dao.addAccount(email, Plan.PRO, clock.instant(), clock.instant(), hash));
        });
    }

    private Optional<String> adminPassword() {
        if (config.has(Option.ADMIN_PASSWORD) && config.has(Option.ADMIN_PASSWORD_FILE)) {
            throw new Refusal(config.name(Option.ADMIN_PASSWORD) + " and " + config.name(Option.ADMIN_PASSWORD_FILE) + " are both set");
        }
        return config.value(Option.ADMIN_PASSWORD).or(() -> SecretFile.read(config, Option.ADMIN_PASSWORD_FILE, console.in()));
    }

    private List<Account> plant(Dao dao, List<Seed> seeds) {
        return seeds.stream().map(seed -> seed.into(dao, clock.instant(), new SecureRandom())).toList();
    }

    void demo() throws IOException {
        InetSocketAddress address = config.listen();
        untilEnd(end -> {
            try (TemporaryFolder folder = TemporaryFolder.create("stet-demo-"); Db db = Db.serve(folder.path())) {
                Account account = plantDemo(db);
                String key = Secret.newKey(new SecureRandom());
                db.change(dao -> dao.keys().add(account, "demo", key, clock.instant()));
                String password = Secret.newPassword(new SecureRandom());
                String hash = Password.hash(password, account.email(), new SecureRandom());
                db.change(dao -> dao.changePassword(account.id(), hash));
                try (Server server = listen(db, address, null, TrustedProxies.LOOPBACK, null)) {
                    URI url = server.url();
                    ready(server);
                    console.out().println("Sign in at " + url + " as " + account.email() + " with the password " + password);
                    console.out().println("All data is deleted when the demo ends (Ctrl+C).");
                    console.out().println("curl -H \"Authorization: Bearer " + key + "\" \"" + url
                            + "/api/v1/templates/welcome?format=html\"");
                    end.await();
                }
            }
        });
    }

    void fixture() throws IOException {
        InetSocketAddress address = config.listen();
        boolean exposed = !address.getAddress().isLoopbackAddress();
        if (exposed && !config.has(Option.EXPOSE)) {
            throw new Refusal(config.name(Option.LISTEN) + " is " + config.required(Option.LISTEN) + ", where other machines may reach the controls;"
                    + " --expose allows it");
        }
        Path data = Config.path(config.operands().get(0));
        untilEnd(end -> {
            if (config.has(Option.WITH_PARENT)) {
                withParent(end);
            }
            try (Fixture fixture = Fixture.open(Seed.read(data), null, exposed); Server server = new Server(address, fixture)) {
                ready(server.url().toString(), server.address());
                end.await();
            }
        });
    }

    /** Opens the latch when standard input ends: its other end is closed with the process that holds it. */
    private void withParent(CountDownLatch end) {
        Thread watch = new Thread(() -> {
            try {
                console.in().transferTo(OutputStream.nullOutputStream());
            } catch (IOException closed) {
                // That is an end, too.
            }
            end.countDown();
        }, "stet-parent");
        watch.setDaemon(true);
        watch.start();
    }

    /** From the jar, or from a folder where Stet is not packed. */
    private Account plantDemo(Db db) throws IOException {
        try {
            URI settings = Service.class.getResource("/demo/account.json").toURI();
            if (!settings.getScheme().equals("jar")) {
                return plant(db, Path.of(settings).getParent());
            }
            try (FileSystem jar = FileSystems.newFileSystem(settings, Map.of())) {
                return plant(db, jar.getPath("/demo"));
            }
        } catch (URISyntaxException ownAddress) {
            throw new IllegalStateException(ownAddress);
        }
    }

    private Account plant(Db db, Path folder) throws IOException {
        List<Seed> seeds = Seed.read(folder);
        return db.write(dao -> plant(dao, seeds)).get(0);
    }

    /** A listening server, or a refusal that says what to do about it. */
    private Server listen(Db db, InetSocketAddress address, URI baseUrl, TrustedProxies proxies, String setUp) {
        try {
            return new Server(db, clock, address, baseUrl, proxies, setUp);
        } catch (Refusal refusal) {
            throw new Refusal(refusal.getMessage() + "; --listen HOST:PORT names another address");
        }
    }

    /** Says that requests are answered from now on, and where. */
    private void ready(Server server) {
        ready(server.url().toString(), server.address());
        Footprint.watch();
    }

    private void ready(String url, InetSocketAddress address) {
        config.value(Option.PORT_FILE).map(Config::path).ifPresent(file -> writePort(file, address.getPort()));
        console.out().println("STET_READY url=" + url);
    }

    /** By a rename, so that whoever waits for the file never reads half of it. */
    private static void writePort(Path file, int port) {
        try {
            Path made = file.resolveSibling("." + file.getFileName() + ".new");
            Files.writeString(made, port + "\n");
            Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw new Refusal("The port file " + file + " cannot be written: " + Reason.of(failure));
        }
    }

    /** Something that goes on until the latch is open. */
    private interface Work {
        void until(CountDownLatch end) throws IOException, InterruptedException;
    }

    /**
     * Opens the latch when the process is told to end, and holds that end up until the work is done. An interrupt ends
     * the work as well.
     */
    private static void untilEnd(Work work) throws IOException {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Thread hook = new Thread(() -> {
            end.countDown();
            try {
                done.await(LIMIT, TimeUnit.SECONDS);
            } catch (InterruptedException hurried) {
                Thread.currentThread().interrupt();
            }
        }, "stet-end");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            work.until(end);
        } catch (InterruptedException told) {
            // Everything is closed already.
        } finally {
            done.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException ending) {
                // It is the hook that is waiting.
            }
        }
    }
}
