package stet.server;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.function.Function;
import java.util.function.Supplier;
import stet.api.Counter;
import stet.api.GetImage.ImageRequest;
import stet.api.GetImage;
import stet.api.GetTemplate.Counted;
import stet.api.GetTemplate;
import stet.base.Json;
import stet.base.Lazy;
import stet.base.Log;
import stet.base.Metrics.Area;
import stet.base.Refusal;
import stet.fixture.Fixture;
import stet.http.OpenExchange;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.http.RouteResult;
import stet.server.Sender.Client;
import stet.sqlite.Db;
import stet.sqlite.Health;
import stet.web.Web;

/**
 * Takes each request to its response, whatever fails, and has {@link Sender} send it.
 *
 * <pre>
 * request ──► route ──┬─ Response ──────────────────────────────────────────► send
 *                     ├─ ImageRequest ──► the recipients' threads ───────────┤
 *                     └─ Counted ──► Counter ──┬─ response ──────────────────┘
 *                            ▲                 └─ stale
 *                            └── prepared again ──┘
 * </pre>
 */
final class Responder {
    private final Pool pool;
    private final Pool recipients;
    private final InFlight inFlight;
    private final GetTemplate getTemplate;
    private final GetImage getImage;
    private final Counter counter;
    private final Lazy<Web> web;
    private final Sender sender;
    private final Fixture fixture;
    private final Health health;
    private final Log log;

    /** @param recipients threads that send images @param fixture the test double, or null */
    Responder(Pool pool, Pool recipients, InFlight inFlight, GetTemplate getTemplate, GetImage getImage, Counter counter, Lazy<Web> web, Sender sender,
              Db db, Fixture fixture) {
        this.pool = pool;
        this.recipients = recipients;
        this.inFlight = inFlight;
        this.getTemplate = getTemplate;
        this.getImage = getImage;
        this.counter = counter;
        this.web = web;
        this.sender = sender;
        this.fixture = fixture;
        this.health = db.health();
        this.log = db.log();
    }

    /** @param routes decides the response @throws IOException if the client has disconnected; the server then drops the connection */
    void handle(HttpExchange exchange, Function<Client, RouteResult> routes) throws IOException {
        pool.pace().endHead();
        if (!inFlight.enter()) {
            exchange.close();
            return;
        }
        Client client = new Client(exchange, pool.reading());
        send(client, result(client, () -> {
            client.request = new Request(exchange, pool.pace());
            client.area = Area.of(client.request.target());
            return routes.apply(client);
        })).close();
    }

    /** Returns a result even if the work fails. */
    private RouteResult result(Client client, Supplier<RouteResult> work) {
        try {
            return work.get();
        } catch (Failure.Thrown thrown) {
            if (thrown.response().status() == 403 && fixture == null) {
                logRefused(client.request, thrown);
            }
            return thrown.response();
        } catch (Refusal refusal) {
            return Response.json(422, Json.object().put("error", refusal.getMessage()).put("field", refusal.field()));
        } catch (Throwable failure) {
            log.error("request-failed", failure, "status", Failure.INTERNAL_SERVER_ERROR.response().status(),
                    "method", client.exchange.getRequestMethod(), "path", client.request == null ? null : client.request.path());
            return (client.area == Area.WEB ? saveFailure(failure) : Failure.INTERNAL_SERVER_ERROR).response();
        }
    }

    /** The failure that tells authors and pipelines why the server cannot save. API clients get one body for all failures (api.md). */
    private Failure saveFailure(Throwable failure) {
        return switch (health.cause(failure)) {
            case FULL -> Failure.DISK_FULL;
            case READ_ONLY -> Failure.DISK_READ_ONLY;
            case DISK -> Failure.DISK_FAILED;
            case LOCKED -> Failure.DATABASE_LOCKED;
            case GONE -> Failure.DATABASE_GONE;
            case OTHER -> Failure.INTERNAL_SERVER_ERROR;
        };
    }

    /** Logs who was refused what. Requests of the API are not logged; the web application lists them. */
    private void logRefused(Request request, Failure.Thrown thrown) {
        String address = web.get().sessions().addressText(request);
        log.refused("request-rejected", thrown.failure() + " " + (request.sender() == null ? address : request.sender()),
                "method", request.method(), "path", request.path(), "why", thrown.error(), "by", request.sender(), "address", address);
    }

    /**
     * Counts the request if necessary, then sends the response.
     *
     * @return as {@link Sender#send}
     * @throws IOException if the client has disconnected
     */
    private OpenExchange send(Client client, RouteResult result) throws IOException {
        if (result instanceof Counted counted) {
            count(client, counted);
            return OpenExchange.NONE;
        }
        if (result instanceof ImageRequest image) {
            return sendImage(client, image);
        }
        Response response = (Response) result;
        if (client.visit != null) {
            client.delivery = client.visit.record(response);
        }
        if (client.delivery != null && client.delivery.delayMs() > 0) {
            sendLater(client, response);
            return OpenExchange.NONE;
        }
        return sender.send(client, response);
    }

    /** Counts the request; its response is sent by a thread of the pool. */
    private void count(Client client, Counted counted) {
        pool.reserve();
        counter.count(counted, outcome -> {
            try {
                return send(client, result(client, () -> getTemplate.end(counted, outcome)));
            } catch (IOException gone) {
                client.gone(); // once counted, the request stays counted
                return OpenExchange.NONE;
            } finally {
                pool.release();
            }
        });
    }

    /** Sends the response after the delay that the test double's fault asks for. */
    private void sendLater(Client client, Response response) {
        pool.reserve();
        fixture.later(client.delivery.delayMs(), pool, () -> {
            try {
                sender.send(client, response).close();
            } catch (IOException gone) {
                client.gone();
            } finally {
                pool.release();
            }
        });
    }

    /** Hands the request over to the threads for images, so that recipients who read slowly or open a campaign do not delay other responses. */
    private OpenExchange sendImage(Client client, ImageRequest image) throws IOException {
        pool.reserve();
        boolean isTaken = recipients.offer(() -> {
            try {
                client.sender = recipients;
                send(client, result(client, () -> getImage.response(image.request()))).close();
            } catch (IOException gone) {
                client.gone();
            } finally {
                pool.release();
            }
        });
        if (!isTaken) {
            pool.release();
            return send(client, Failure.BUSY.response());
        }
        return OpenExchange.NONE;
    }
}
