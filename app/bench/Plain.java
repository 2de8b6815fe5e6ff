package stet;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

/** Start-up baseline: a minimal server on the JDK. */
final class Plain {
    private Plain() {
    }

    /** @param arguments the port */
    public static void main(String[] arguments) throws Exception {
        byte[] body = {'o', 'k'};
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
