package stet;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.BooleanSupplier;
import stet.http.ErrorLog;

/**
 * Closes exchanges whose answer is sent: up to eight together, because each one closed alone wakes the dispatcher of the
 * JDK's server. A client's next request is read only after that.
 */
final class AnsweredExchanges {
    /** Exchanges that are closed together, at most. */
    private static final int MAX = 8;

    private final BlockingQueue<HttpExchange> waiting = new ArrayBlockingQueue<>(MAX - 1);

    /**
     * Closes an exchange later if others follow, and else at once with those that wait.
     *
     * @param follow whether others follow, before the last of which {@link #closeAll} is called; asked when the exchange
     *               already waits, so that this call closes it
     */
    void add(HttpExchange exchange, BooleanSupplier follow) {
        if (!waiting.offer(exchange)) {
            close(exchange);
            closeAll();
        } else if (!follow.getAsBoolean()) {
            closeAll();
        }
    }

    /** Closes all that wait. */
    void closeAll() {
        for (HttpExchange each = waiting.poll(); each != null; each = waiting.poll()) {
            close(each);
        }
    }

    /** Closes an exchange at once. */
    static void close(HttpExchange exchange) {
        try {
            WorkerPool.atSocket(() -> {
                exchange.close(); // reads the rest of the request
                return null;
            });
        } catch (IOException | RuntimeException failure) {
            ErrorLog.log(null, failure);
        }
    }
}
