package stet;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.LoggerFactory;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.store.Counter;

/** The one handler: every request comes in here, and every answer leaves here. */
final class Handler implements HttpHandler {
    private static final Answer HEALTHY = Answer.json("{\"status\":\"ok\"}".getBytes(StandardCharsets.UTF_8));

    private final InFlight inFlight;
    private final Library library;
    private final Counter counter;

    Handler(InFlight inFlight, Library library, Counter counter) {
        this.inFlight = inFlight;
        this.library = library;
        this.counter = counter;
    }

    @Override
    public void handle(HttpExchange exchange) {
        if (!inFlight.enter()) {
            exchange.close();
            return;
        }
        Request request = null;
        try {
            request = new Request(exchange);
            respond(request).to(answer -> send(exchange, answer));
        } catch (Throwable failure) {
            log(request, failure);
            send(exchange, Failure.INTERNAL_SERVER_ERROR.answer());
        }
    }

    /** The product: one case a route. HEAD is answered as GET, without the body. */
    private Response respond(Request request) {
        return switch ((request.isHead() ? "GET" : request.method()) + " " + request.path()) {
            // the retrieval API (spec.md, Endpoints)
            case "GET /api/v1/templates/:id" -> new Retrieval(library, request).begin(counter);

            // operation
            case "GET /healthz" -> HEALTHY;

            default -> request.path().equals("/api/v1/templates/:id") ? Failure.METHOD_NOT_ALLOWED : Failure.NOT_FOUND;
        };
    }

    /** The only place where bytes leave; throws nothing, as the thread may be another request's. */
    private void send(HttpExchange exchange, Answer answer) {
        try (exchange) {
            Headers headers = exchange.getResponseHeaders();
            answer.headers().forEach(headers::set);
            headers.set("X-Content-Type-Options", "nosniff");
            if (answer.type() != null) {
                headers.set("Content-Type", answer.type());
            }
            if (inFlight.isDraining()) {
                headers.set("Connection", "close");
            }
            byte[] body = answer.body();
            if (exchange.getRequestMethod().equals("HEAD") && answer.status() != 304) {
                headers.set("Content-Length", Integer.toString(body.length));
                exchange.sendResponseHeaders(answer.status(), -1);
            } else if (body.length == 0) {
                exchange.sendResponseHeaders(answer.status(), -1);
            } else {
                exchange.sendResponseHeaders(answer.status(), body.length);
                OutputStream out = exchange.getResponseBody();
                out.write(body);
                out.flush(); // now: what closes the exchange waits for the rest of the request first
                skipBody(exchange);
            }
        } catch (IOException gone) {
            // The client has gone; its request is counted all the same: the answer was ready.
        } catch (Throwable failure) {
            log(null, failure);
        } finally {
            inFlight.leave();
        }
    }

    /** The request's own body, which nothing asked for; the JDK's reader of chunks fails on some sizes in odd ways. */
    private static void skipBody(HttpExchange exchange) {
        try {
            exchange.getRequestBody().close();
        } catch (IOException | RuntimeException malformed) {
            // It is answered; the server closes a connection whose request it could not read to the end.
        }
    }

    /**
     * Once for each failure, with its cause; of the request only what is safe to write down. Throws nothing: the
     * answer must leave all the same.
     */
    static void log(Request request, Throwable failure) {
        try {
            LoggerFactory.getLogger("stet").error("500 {} {}", request == null ? "" : request.method(),
                    request == null ? "" : request.path(), failure);
        } catch (Throwable unwritten) {
            // There is nobody left to tell.
        }
    }
}
