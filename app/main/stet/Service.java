package stet;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import stet.core.Refusal;
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
                hint(db);
                try (Server server = listen(db, address)) {
                    String url = url(server.address());
                    console.err().println("Stet " + Cli.version() + " serves " + baseUrl.orElse(url) + "/api/v1 from " + config.data());
                    ready(server, url);
                    end.await();
                }
            }
        });
    }

    void demo() throws IOException {
    }

    private void hint(Db db) {
        if (db.read(dao -> dao.accounts().isEmpty())) {
            console.err().println("There is no account yet: \"account add EMAIL\" adds one, and \"key add EMAIL NAME\" its API key");
        }
    }

    /** A listening server, or a refusal that says what to do about it. */
    private Server listen(Db db, InetSocketAddress address) {
        try {
            return new Server(db, clock, address);
        } catch (Refusal refusal) {
            throw new Refusal(refusal.getMessage() + "; --listen HOST:PORT names another address");
        }
    }

    /** Says that requests are answered from now on, and where. */
    private void ready(Server server, String url) throws IOException {
        Optional<String> portFile = config.value(Option.PORT_FILE);
        if (portFile.isPresent()) {
            writePort(Config.path(portFile.get()), server.address().getPort());
        }
        console.out().println("STET_READY url=" + url);
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

    private static String url(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        String name = host.isAnyLocalAddress() ? "127.0.0.1"
                : host instanceof Inet6Address ? "[" + host.getHostAddress() + "]" : host.getHostAddress();
        return "http://" + name + ":" + address.getPort();
    }
}
