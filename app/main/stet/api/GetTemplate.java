package stet.api;

import java.io.IOException;
import java.time.Instant;
import java.util.function.BiFunction;
import java.util.function.Function;
import stet.api.Counter.Outcome;
import stet.api.Counter.Result;
import stet.base.Log;
import stet.core.Account;
import stet.core.SecretGrant;
import stet.core.Owner;
import stet.core.Period;
import stet.http.Response;
import stet.http.RouteResult;
import stet.http.Failure;
import stet.http.RateLimit;
import stet.http.Request;
import stet.sqlite.Statistics;

/**
 * The retrieval endpoint (api.md): prepares the response, counts the request, then sends the response. If the account
 * changes before the request is counted, the response is prepared again.
 */
public final class GetTemplate {
    /** Maximum number of attempts to prepare a response while the account keeps changing. */
    private static final int MAX_TRIES = 1_000;

    private final ResponseCache cache;
    private final Statistics statistics;
    private final Function<SecretGrant, Instant> times;
    private final BiFunction<Owner, Response, Response> bodies;
    private final Log log;

    /**
     * @param times  returns the current time for a key; in the test double, accounts can have their own clocks
     * @param bodies holds the body, if it is large, until the response is closed
     */
    public GetTemplate(ResponseCache cache, Statistics statistics, Function<SecretGrant, Instant> times, BiFunction<Owner, Response, Response> bodies,
            Log log) {
        this.cache = cache;
        this.statistics = statistics;
        this.times = times;
        this.bodies = bodies;
        this.log = log;
    }

    /**
     * A prepared response, sent after its request is counted.
     *
     * @param generation the database's generation before the response was prepared
     * @param since      when counting was requested, as returned by System.nanoTime
     * @param tries      number of attempts so far to prepare the response
     */
    public record Counted(Request request, SecretGrant grant, long generation, Response response, long since, int tries)
            implements RouteResult {
    }

    /** Checks a request (api.md, The order of checks). Returns an error, or a prepared response whose request must be counted. */
    public RouteResult begin(Request request) {
        return prepare(request, 1);
    }

    private RouteResult prepare(Request request, int tries) {
        long generation = cache.generation();
        if (request.headers("Authorization").isEmpty()) {
            return Failure.MISSING_API_KEY.response();
        }
        String key = request.bearer();
        SecretGrant grant = key == null ? null : cache.grant(key);
        if (grant == null) {
            return Failure.INVALID_API_KEY.response();
        }
        request.setKeyStart(grant.start());
        Instant time = times.apply(grant);
        if (grant.isExpired(time)) {
            return Failure.INVALID_API_KEY.response();
        }
        if (!grant.account().isActive()) {
            statistics.missed(grant, request.id(), 403, time);
            return Failure.NO_ACTIVE_SUBSCRIPTION.response();
        }
        Format format = Format.of(request.parameters("format"));
        return cache.<RouteResult>response(grant.account().id(), request.id(), format == null ? Format.TEMPLATE : format, whole -> {
            if (whole.status() == 200 && (format == null || !whole.isWanted(request))) {
                return uncounted(format == null ? Failure.INVALID_FORMAT : Failure.PRECONDITION_FAILED, request, grant, time);
            }
            Response response = whole.isKnown(request) ? whole.notModified()
                    : bodies.apply(Owner.api(grant.account().id()), whole); // before it is counted, because a counted request must not be refused
            return new Counted(request, grant, generation, response, System.nanoTime(), tries);
        });
    }

    /**
     * Returns an error that is not counted. Called after both 404 checks, because a request for a missing template is counted even if its
     * format is invalid. A 429 comes first.
     */
    private Response uncounted(Failure failure, Request request, SecretGrant grant, Instant time) {
        Account account = grant.account();
        Period period = account.period(time);
        boolean isUsedUp = cache.used(account, period) >= account.requests();
        return isUsedUp ? exceeded(request, grant, period, time) : failure.response();
    }

    /** Returns the final response or, if the prepared response is stale, the result of another attempt to prepare it. */
    public RouteResult end(Counted counted, Outcome outcome) {
        boolean isSent = false;
        try {
            RouteResult result = ended(counted, outcome);
            isSent = outcome.result() == Result.GRANTED;
            return result;
        } finally {
            if (!isSent) {
                close(counted);
            }
        }
    }

    private void close(Counted counted) {
        try {
            counted.response.close();
        } catch (IOException failure) {
            log.error("work-failed", failure);
        }
    }

    private RouteResult ended(Counted counted, Outcome outcome) {
        Request request = counted.request;
        SecretGrant grant = counted.grant;
        request.addWait(System.nanoTime() - counted.since);
        switch (outcome.result()) {
            case GRANTED:
                boolean known = counted.response.status() != 404 || counted.response == Failure.TEMPLATE_NOT_PUBLISHED.response();
                statistics.counted(grant, outcome.period().start(), request.id(), counted.response.status(), known, outcome.time());
                return counted.response.with(limit(grant, outcome.period(), outcome.time(), grant.account().requests() - outcome.used()));
            case REFUSED:
                return exceeded(request, grant, outcome.period(), outcome.time());
            case STALE:
                close(counted); // otherwise, it would be held twice
                return counted.tries == MAX_TRIES ? Failure.BUSY.response() : prepare(request, counted.tries + 1);
            default:
                log.error("request-failed", outcome.cause(), "status", 500, "method", request.method(), "path", request.path());
                return Failure.INTERNAL_SERVER_ERROR.response();
        }
    }

    private Response exceeded(Request request, SecretGrant grant, Period period, Instant time) {
        statistics.missed(grant, request.id(), 429, time);
        return limit(grant, period, time, 0).exceeded();
    }

    private static RateLimit limit(SecretGrant grant, Period period, Instant time, long remaining) {
        return new RateLimit(grant.account().requests(), period.seconds(), remaining, period.secondsLeft(time));
    }
}
