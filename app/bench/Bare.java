package bench;

import com.sun.net.httpserver.HttpServer;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import stet.server.Server;

/** The JDK's server with Stet's settings and threads, and a handler that returns a fixed body. */
final class Bare {
    private Bare() {
    }

    /** @param arguments body file, content type, port */
    public static void main(String[] arguments) throws Exception {
        Server.setProperties();
        byte[] body = Files.readAllBytes(Path.of(arguments[0]));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[2])), 1_024);
        server.setExecutor(Executors.newFixedThreadPool(Math.max(2, Runtime.getRuntime().availableProcessors())));
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", arguments[1]);
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.start();
        System.out.println("READY url=http://127.0.0.1:" + server.getAddress().getPort());
    }
}
