package stet;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import stet.core.Refusal;
import stet.core.Secret;
import stet.store.Db;

/** The commands that go on until the process is told to end: {@code serve} and {@code demo}. */
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
        untilEnd(end -> {
            try (Db db = Db.serve(config.data())) {
                String setUp = db.read(dao -> dao.accounts().isEmpty()) ? Secret.newPassword(new SecureRandom()) : null;
                try (Server server = listen(db, address, baseUrl.map(URI::create).orElse(null), setUp)) {
                    String url = baseUrl.orElse(server.url().toString());
                    console.err().println("Stet " + Cli.version() + " serves " + url + "/api/v1 from " + config.data());
                    if (setUp != null) {
                        console.err().println("There is no account yet. Whoever opens this link makes the first: " + url + "/setup#" + setUp);
                    }
                    ready(server);
                    end.await();
                }
            }
        });
    }

    void demo() throws IOException {
    }

    /** A listening server, or a refusal that says what to do about it. */
    private Server listen(Db db, InetSocketAddress address, URI baseUrl, String setUp) {
        try {
            return new Server(db, clock, address, baseUrl, setUp);
        } catch (Refusal refusal) {
            throw new Refusal(refusal.getMessage() + "; --listen HOST:PORT names another address");
        }
    }

    /** Says that requests are answered from now on, and where. */
    private void ready(Server server) throws IOException {
        Optional<String> portFile = config.value(Option.PORT_FILE);
        if (portFile.isPresent()) {
            writePort(Config.path(portFile.get()), server.address().getPort());
        }
        console.out().println("STET_READY url=" + server.url());
    }

    /** By a rename, so that whoever waits for the file never reads half of it. */
    private static void writePort(Path file, int port) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Path made = Files.createTempFile(folder, "port", ".tmp");
        Files.writeString(made, port + "\n");
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
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
