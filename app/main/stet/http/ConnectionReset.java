package stet.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * Has the client of an exchange see a reset once the connection is closed, in place of its end. The JDK's server does not show
 * its sockets, so this needs {@code --add-opens jdk.httpserver/sun.net.httpserver=ALL-UNNAMED}, which the program's jar asks
 * for by itself, or a server whose classes were loaded by Stet.
 */
public final class ConnectionReset {
    /** From the exchange to its socket. */
    private static final List<String> FIELDS = List.of("impl", "connection", "chan");

    private ConnectionReset() {
    }

    /** Whether the connections of a server can be reset. */
    public static boolean isPossible(HttpServer server) {
        Class<?> made = server.getClass();
        return made.getModule().isOpen(made.getPackageName(), ConnectionReset.class.getModule());
    }

    /** @throws IOException when this JVM does not let it, or its server is another */
    public static void prepare(HttpExchange exchange) throws IOException {
        try {
            Object found = exchange;
            for (String name : FIELDS) {
                Field field = found.getClass().getDeclaredField(name);
                field.setAccessible(true);
                found = field.get(found);
            }
            ((SocketChannel) found).setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (ReflectiveOperationException | RuntimeException anotherServer) {
            throw new IOException(anotherServer);
        }
    }
}
