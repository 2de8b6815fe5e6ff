package stet.process;

import com.sun.net.httpserver.spi.HttpServerProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import stet.base.Secret;
import stet.sqlite.Db;

/**
 * Loads classes on a second thread while the main thread reads the options and opens the database. Formatting the first Date header takes
 * longest, because it loads the JDK's locale data: 15 ms of CPU time.
 */
public final class Preload {
    private Preload() {
    }

    /** Starts loading the classes that the command needs. */
    public static void start(String[] arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        switch (first) {
            case "help", "version", "health", "--help", "-h", "--version" -> { }
            case "", "serve", "demo", "fixture" -> runInBackground(Preload::loadAll);
            default -> runInBackground(first.startsWith("-") ? Preload::loadAll : Db::loadDriver); // serve is the default command
        }
    }

    private static void runInBackground(Runnable work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (RuntimeException | Error failed) {
                // The main thread encounters the same failure and reports it.
            }
        }, "stet-preload");
        thread.setDaemon(true);
        thread.start();
    }

    private static void loadAll() {
        Db.loadDriver();
        HttpServerProvider.provider();
        try (Selector selector = Selector.open(); ServerSocketChannel socket = ServerSocketChannel.open()) {
            socket.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        Secret.sha256("");
        DateTimeFormatter.ofPattern("EEE, dd MMM yyyy", Locale.US).withZone(ZoneOffset.UTC).format(Instant.EPOCH); // for the Date header
    }
}
