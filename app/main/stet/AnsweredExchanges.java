package stet;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.BooleanSupplier;
import stet.core.Log;

/**
 * Closes exchanges whose answer is sent: up to eight together, because each one closed alone wakes the dispatcher of the
 * JDK's server. A client's next request is read only after that.
 */
final class AnsweredExchanges {
    /** Exchanges that are closed together, at most. */
    private static final int MAX = 8;

    private final BlockingQueue<HttpExchange> waiting = new ArrayBlockingQueue<>(MAX - 1);
    private final Log log;

    AnsweredExchanges(Log log) {
        this.log = log;
    }

    /**
     * Closes an exchange later if others follow, and else at once with those that wait.
     *
     * @param follow whether others follow, before the last of which {@link #closeAll} is called; asked when the exchange
     *               already waits, so that this call closes it
     */
    void add(HttpExchange exchange, BooleanSupplier follow) {
        if (!waiting.offer(exchange)) {
            close(exchange, log);
            closeAll();
        } else if (!follow.getAsBoolean()) {
            closeAll();
        }
    }

    /** Closes all that wait. */
    void closeAll() {
        for (HttpExchange each = waiting.poll(); each != null; each = waiting.poll()) {
            close(each, log);
        }
    }

    /** Closes an exchange at once. */
    static void close(HttpExchange exchange, Log log) {
        try {
            WorkerPool.atSocket(() -> {
                exchange.close(); // reads the rest of the request
                return null;
            });
        } catch (IOException | RuntimeException failure) {
            log.error("work-failed", failure);
        }
    }
}
