package stet;

import com.sun.net.httpserver.HttpServer;
import java.io.OutputStream;
import java.net.InetSocketAddress;

/** The measure of the benchmark: the JDK's server with Stet's settings and threads, and a handler that only answers. */
final class Bare {
    private Bare() {
    }

    /** @param arguments the port, and the size of the body in bytes */
    public static void main(String[] arguments) throws Exception {
        Server.settings();
        byte[] body = new byte[Integer.parseInt(arguments[1])];
        java.util.Arrays.fill(body, (byte) 'x');
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 1_024);
        server.setExecutor(Server.threads());
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.start();
        System.out.println("ready");
    }
}
