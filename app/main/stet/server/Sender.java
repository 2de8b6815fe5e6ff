package stet.server;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import stet.base.HeapBudget;
import stet.base.Log;
import stet.base.Metrics.Area;
import stet.base.Metrics;
import stet.fixture.Delivery.SentPart;
import stet.fixture.Delivery;
import stet.fixture.Fixture;
import stet.fixture.Visit;
import stet.http.OpenExchange;
import stet.http.Response;
import stet.http.Pace.Transfer;
import stet.http.Pace;
import stet.http.Request;

/** Sends, measures and logs responses. */
final class Sender {
    /** Maximum number of request-body bytes to discard before sending an error. */
    private static final int DRAINED_BYTES = 64 << 20;
    /** One year, for this host only, because other hosts of the domain may not have https (RFC 6797, 6.1). */
    private static final List<String> STRICT_TRANSPORT = List.of("max-age=31536000");

    private final KeptConnections images = new KeptConnections(HeapBudget.REQUESTS / 16);
    private final InFlight inFlight;
    private final Pool pool;
    private final Metrics metrics;
    private final AccessLog accessLog;
    private final Fixture fixture;
    private final boolean secure;
    private final Log log;

    /**
     * @param accessLog the access log, or null
     * @param fixture   the test double, or null
     * @param secure    whether browsers use https
     */
    Sender(InFlight inFlight, Pool pool, Metrics metrics, AccessLog accessLog, Fixture fixture, boolean secure, Log log) {
        this.inFlight = inFlight;
        this.pool = pool;
        this.metrics = metrics;
        this.accessLog = accessLog;
        this.fixture = fixture;
        this.secure = secure;
        this.log = log;
    }

    /** A client waiting for its response. */
    static final class Client {
        final HttpExchange exchange;
        private final long began = System.nanoTime();
        /** Null if the request could not be read. */
        Request request;
        Area area = Area.OTHER;
        /** The pool whose thread sends the response; null for the pool that read the request. */
        Pool sender;
        /** Null outside the test double, as is {@link #delivery}. */
        Visit visit;
        Delivery delivery;
        /** Length of the response's body in bytes; 0 if its file has been deleted. */
        private long length;
        /** The JDK server task that read the request. */
        private final Runnable reading;

        Client(HttpExchange exchange, Runnable reading) {
            this.exchange = exchange;
            this.reading = reading;
        }

        /**
         * Called if the client disconnects after the handler has returned. Without this call, the JDK's server would consider the
         * connection open until maxRspTime, because the server drops a connection only if the task that read the request fails.
         */
        void gone() {
            reading.run();
        }
    }

    /**
     * Sends a response.
     *
     * @return the exchange, which the caller must close
     * @throws IOException if the client has disconnected or the test double cuts the response off; the caller must rethrow it to the server
     *                     or call {@link Client#gone}
     */
    OpenExchange send(Client client, Response response) throws IOException {
        HttpExchange exchange = client.exchange;
        boolean isOpen = false;
        try {
            if (client.delivery != null && client.delivery.part() == SentPart.NOTHING) {
                throw new IOException("dropped");
            }
            Headers headers = exchange.getResponseHeaders();
            response.addTo(headers);
            if (secure && client.area != Area.METRICS) {
                headers.put("Strict-Transport-Security", STRICT_TRANSPORT);
            }
            if (!tryKeepOpen(client)) {
                headers.set("Connection", "close");
            }
            write(client, response);
            isOpen = true;
        } catch (RuntimeException | Error failure) {
            log.error("work-failed", failure);
        } finally {
            finish(client, response);
            if (!isOpen) {
                close(exchange);
            }
        }
        return isOpen ? () -> close(exchange) : OpenExchange.NONE;
    }

    private void close(HttpExchange exchange) {
        try {
            exchange.close();
        } finally {
            inFlight.leave();
        }
    }

    /** Sends the head and the body, and skips what is unread of the request. */
    private void write(Client client, Response response) throws IOException {
        HttpExchange exchange = client.exchange;
        if (response.status() >= 400 && client.area == Area.WEB && client.request.hasBody()) {
            client.request.drain(DRAINED_BYTES); // otherwise, a client still sending its request would get a connection reset instead of the response
        }
        client.length = response.length();
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        if (isHead && response.status() != 304) {
            exchange.getResponseHeaders().set("Content-Length", Long.toString(client.length));
        }
        boolean hasBody = client.length > 0 && !isHead;
        Pace pace = (client.sender == null ? pool : client.sender).pace();
        pace.begin(Transfer.SENDING);
        pace.run(() -> exchange.sendResponseHeaders(response.status(), hasBody ? client.length : -1));
        if (hasBody) {
            writeBody(client, response, pace);
            skipBody(exchange, pace);
        }
    }

    /** Writes the body, or the part of it that the test double sends. */
    private void writeBody(Client client, Response response, Pace pace) throws IOException {
        OutputStream body = client.exchange.getResponseBody();
        Delivery delivery = client.delivery;
        boolean isCut = delivery != null && delivery.part() == SentPart.HALF;
        OutputStream out = delivery == null || delivery.bytesPerSecond() == null ? pace.to(body) // the test double may send slowly
                : fixture.slow(body, delivery.bytesPerSecond());
        response.writeTo(out, isCut ? client.length / 2 : client.length, client.area == Area.IMAGES);
        out.flush(); // flushed here because close() would first wait for the rest of the request
        if (isCut) {
            throw new IOException("truncated");
        }
    }

    /** Counts and logs a response, then frees its body. */
    private void finish(Client client, Response response) {
        try {
            metrics.addResponse(client.area, response.status(), System.nanoTime() - client.began,
                    client.request == null ? 0 : client.request.waited());
            if (accessLog != null && client.request != null && client.area != Area.METRICS) {
                accessLog.add(client.request, response.status(), client.request.isHead() ? 0 : client.length);
            }
        } catch (Throwable failure) { // after it, the exchange must still be closed
            log.error("work-failed", failure);
        }
        try {
            response.close();
        } catch (Throwable failure) {
            log.error("work-failed", failure); // the next start deletes the file
        }
    }

    /** Keeps the connection open for another request, if that is possible. @return false if the response must close it */
    private boolean tryKeepOpen(Client client) {
        if (inFlight.isDraining() || isChunked(client.exchange) || isClosedByClient(client.exchange)) {
            return false; // after chunks, the JDK's server would parse trailers as a second request
        }
        return client.area != Area.IMAGES || images.tryKeep(client.exchange.getRemoteAddress(), System.nanoTime());
    }

    /** Whether the client has announced that it closes the connection (RFC 9112, 9.6). The JDK's server reads no lists. */
    private static boolean isClosedByClient(HttpExchange exchange) {
        List<String> lines = exchange.getRequestHeaders().get("Connection");
        if (lines != null) {
            for (String line : lines) {
                for (String option : line.split(",")) {
                    if (option.strip().equalsIgnoreCase("close")) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static boolean isChunked(HttpExchange exchange) {
        return exchange.getRequestHeaders().containsKey("Transfer-Encoding");
    }

    /**
     * Skips an unread request body, no more than the JDK's server would when the exchange is closed, and not more slowly than other
     * bodies. Its chunk reader throws various exceptions for invalid chunk sizes.
     */
    private static void skipBody(HttpExchange exchange, Pace pace) {
        try {
            pace.begin(Transfer.READING);
            pace.run(() -> {
                try (InputStream body = exchange.getRequestBody()) {
                    if (!isChunked(exchange)) {
                        body.read(); // detects an empty body, for which close() would allocate a buffer
                    }
                }
            });
        } catch (IOException | RuntimeException malformed) {
            // The response has been sent; the server closes the connection.
        }
    }
}
