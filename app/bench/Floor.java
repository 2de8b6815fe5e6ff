package stet;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A lower bound for a service like Stet on the JDK's server. Each key has its own body, and responses have Stet's headers. If a
 * file is given, responses wait until a write to that file is on disk; pending requests are answered together, as in Stet. The
 * server does not check keys, count, limit or query a database.
 *
 * <p>The handler thread waits for the disk, or a second thread if "aside" is given.
 */
final class Floor {
    private static final int PAGE = 4_096;
    /** Number of exchanges closed together, as in Stet. */
    private static final int TOGETHER = 8;
    /** Number of waiting requests, of 32 connections, that start a write; 8 and 16 perform no better. */
    private static final int SHARE = 12;

    private final Map<String, byte[]> bodies = new HashMap<>();
    private final Headers headers = new Headers();
    private final FileChannel disk;
    /** Thread that waits for the disk; null if the handler thread does. */
    private final Executor aside;
    private final BlockingQueue<Runnable> requests = new LinkedBlockingQueue<>();
    private final Executor thread = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, requests);
    private final List<HttpExchange> waiting = new ArrayList<>();
    private boolean writing;

    private Floor(FileChannel disk, Executor aside) {
        this.disk = disk;
        this.aside = aside;
    }

    /**
     * @param arguments body file, key file and header file; optionally the file to write, and "aside" to write it on a separate
     *                  thread
     */
    public static void main(String[] arguments) throws Exception {
        Server.setProperties();
        Floor floor = new Floor(arguments.length < 4 ? null
                : FileChannel.open(Path.of(arguments[3]), StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                arguments.length < 5 ? null : Executors.newSingleThreadExecutor());
        byte[] body = Files.readAllBytes(Path.of(arguments[0]));
        Files.readAllLines(Path.of(arguments[1])).forEach(key -> floor.bodies.put("Bearer " + key, body.clone()));
        for (String line : Files.readAllLines(Path.of(arguments[2]))) {
            floor.headers.add(line.split(": ", 2)[0], line.split(": ", 2)[1]);
        }
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 1_024);
        server.setExecutor(request -> floor.thread.execute(() -> floor.run(request)));
        server.createContext("/", floor.waiting::add);
        server.start();
        System.out.println("READY url=http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Runs on the handler thread. */
    private void run(Runnable request) {
        request.run();
        settle();
    }

    /**
     * When the queue is empty, writes once for all waiting requests and answers them. With a second thread, {@link
     * #SHARE} waiting requests are enough.
     */
    private void settle() {
        if (writing || waiting.isEmpty() || !requests.isEmpty() && (aside == null || waiting.size() < SHARE)) {
            return;
        }
        List<HttpExchange> batch = List.copyOf(waiting);
        waiting.clear();
        if (aside == null) {
            write();
            answer(batch);
            return;
        }
        writing = true;
        aside.execute(() -> {
            write();
            thread.execute(() -> {
                writing = false;
                settle();
                answer(batch);
            });
        });
    }

    private void answer(List<HttpExchange> batch) {
        for (int i = 0; i < batch.size(); i += TOGETHER) {
            List<HttpExchange> some = batch.subList(i, Math.min(i + TOGETHER, batch.size()));
            some.forEach(this::send);
            some.forEach(HttpExchange::close);
        }
    }

    private void write() {
        if (disk == null) {
            return;
        }
        try {
            disk.write(ByteBuffer.allocate(PAGE), 0);
            disk.force(false);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void send(HttpExchange exchange) {
        byte[] body = bodies.get(exchange.getRequestHeaders().getFirst("Authorization"));
        exchange.getResponseHeaders().putAll(headers);
        try {
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.getResponseBody().flush();
            exchange.getRequestBody().read(); // read the end of the body, because close() would allocate a buffer to find it
        } catch (IOException gone) {
            exchange.close();
        }
    }
}
