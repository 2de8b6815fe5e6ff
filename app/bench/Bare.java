package stet;

import com.sun.net.httpserver.HttpServer;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;

/** Throughput baseline: the JDK's server with Stet's settings and threads, and a handler that returns a fixed body. */
final class Bare {
    private Bare() {
    }

    /** @param arguments body file, content type, and threading: "stet" or "many" (one thread per request) */
    public static void main(String[] arguments) throws Exception {
        Server.setProperties();
        byte[] body = Files.readAllBytes(Path.of(arguments[0]));
        String type = arguments[1];
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 1_024);
        server.setExecutor(arguments[2].equals("many") ? Executors.newCachedThreadPool() : Executors.newFixedThreadPool(Math.max(2, Runtime.getRuntime().availableProcessors())));
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.start();
        System.out.println("READY url=http://127.0.0.1:" + server.getAddress().getPort());
    }
}
