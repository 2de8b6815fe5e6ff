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
 * The least that a service like Stet could do on the JDK's server, to see what there is to reach: each key has a body of
 * its own, an answer has Stet's headers, and where a file is given, it waits until something is on disk; like Stet's, the
 * requests that are there are answered together. No key is checked, nothing is counted, limited or looked up in a database.
 *
 * <p>What waits for the disk is the one thread that handles or, if that is asked for, another one beside it.
 */
final class Floor {
    private static final int PAGE = 4_096;
    /** Exchanges that are closed together, as Stet does. */
    private static final int TOGETHER = 8;
    /** Of the 32 that there are; 8 and 16 do no better. */
    private static final int SHARE = 12;

    private final Map<String, byte[]> bodies = new HashMap<>();
    private final Headers headers = new Headers();
    private final FileChannel disk;
    /** Waits for the disk, or null where nobody does it aside. */
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
     * @param arguments the files of the body, of the keys and of the headers, the one to be written, if any, and
     *                  "aside", if that shall be done by a thread of its own
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

    /** On the one thread that handles. */
    private void run(Runnable request) {
        request.run();
        settle();
    }

    /** Whoever comes next shares the writing, and is answered with those before; aside, some of them do. */
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
            exchange.getRequestBody().read(); // finds that there is none; else close() takes a buffer to look
        } catch (IOException gone) {
            exchange.close();
        }
    }
}
