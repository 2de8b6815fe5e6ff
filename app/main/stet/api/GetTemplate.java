package stet.api;

import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Supplier;
import stet.core.AccountTime;
import stet.core.KeyGrant;
import stet.core.Log;
import stet.core.Period;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.RateLimit;
import stet.http.Request;
import stet.http.Response;
import stet.sqlite.QuotaCounter;
import stet.sqlite.Statistics;
import stet.dao.UsageKey;

/**
 * One request to the one endpoint of api.md: first the answer is made ready, then the request is counted, then the
 * answer is sent. The answer is made anew if the database changed before the count.
 */
public final class GetTemplate implements QuotaCounter.PendingRequest {
    /** Attempts to make an answer ready, at most, while its account goes on changing. */
    private static final int MAX_TRIES = 1_000;

    private final ResponseCache cache;
    private final QuotaCounter counter;
    private final Statistics statistics;
    private final AccountTime clocks;
    private final Log log;
    private final Request request;
    private final String template;
    private Consumer<Answer> sender;
    private long generation;
    private KeyGrant grant;
    private Instant time;
    private Period period;
    private Answer answer;
    /** The large body that room was taken for, or null. */
    private byte[] held;
    /** Whether something of the account has changed since the answer was made ready. */
    private boolean stale;
    private int tries = MAX_TRIES;
    /** Since when it waits to be counted, in ns; 0 while it does not. */
    private long counted;

    public GetTemplate(ResponseCache cache, QuotaCounter counter, Statistics statistics, AccountTime clocks, Log log,
            Request request) {
        this.cache = cache;
        this.counter = counter;
        this.statistics = statistics;
        this.clocks = clocks;
        this.log = log;
        this.request = request;
        this.template = request.id();
    }

    /** Refuses in the order of the specification; what is not refused is to be counted. */
    public Response begin() {
        Answer refusal = prepare(counter.now());
        return refusal != null ? refusal : sendTo -> {
            sender = sent -> {
                try {
                    sendTo.accept(sent);
                } finally {
                    release();
                }
            };
            counted = System.nanoTime();
            counter.count(this);
        };
    }

    private void addWait() {
        if (counted != 0) {
            request.addWait(System.nanoTime() - counted);
            counted = 0;
        }
    }

    /** Makes the answer ready. @return what to answer instead, uncounted, or null */
    private Answer prepare(Instant now) {
        generation = cache.generation();
        if (request.headers("Authorization").isEmpty()) {
            return Failure.MISSING_API_KEY.answer();
        }
        String key = request.bearer();
        grant = key == null ? null : cache.grant(key);
        if (grant == null) {
            return Failure.INVALID_API_KEY.answer();
        }
        request.keyStart(grant.keyStart());
        time = clocks.of(grant, now);
        if (grant.isExpired(time)) {
            return Failure.INVALID_API_KEY.answer();
        }
        if (!grant.account().active()) {
            statistics.missed(grant, template, 403, time);
            return Failure.NO_ACTIVE_SUBSCRIPTION.answer();
        }
        period = grant.period(time);
        Format format = Format.of(request.parameters("format"));
        Answer whole = cache.answer(grant.account().id(), template, format == null ? Format.TEMPLATE : format);
        if (format == null && whole.status() == 200) {
            return invalidFormat();
        }
        answer = whole.isKnown(request) ? whole.notModified() : whole;
        return hold() ? null : Failure.BUSY.answer();
    }

    /** Takes room for the body while it is on its way. */
    private boolean hold() {
        release();
        if (answer.body().length < LargeAnswers.LARGE || request.isHead()) {
            return true;
        }
        boolean room = cache.large().enter(answer.body(), LargeAnswers.TIMEOUT_MILLIS);
        held = room ? answer.body() : null;
        return room;
    }

    private void release() {
        if (held != null) {
            cache.large().leave(held);
            held = null;
        }
    }

    /** The format is looked at last: after the quota, which it does not use, and after the two 404s, which do. */
    private Answer invalidFormat() {
        if (cache.used(grant.account(), period) < grant.account().requests()) {
            return Failure.INVALID_FORMAT.answer();
        }
        return exceeded();
    }

    private Answer exceeded() {
        statistics.missed(grant, template, 429, time);
        return limit(0).exceeded();
    }

    @Override
    public UsageKey key(Instant now) {
        if (cache.hasChanged(grant.account(), generation)) {
            stale = true;
            return null;
        }
        time = clocks.of(grant, now);
        if (grant.isExpired(time)) {
            answer = Failure.INVALID_API_KEY.answer();
            return null;
        }
        period = grant.period(time);
        return new UsageKey(grant.account(), period);
    }

    @Override
    public long limit() {
        return grant.account().requests();
    }

    @Override
    public void granted(long used) {
        send(() -> {
            statistics.counted(grant, period.start(), template, answer.status(), answer != Failure.NOT_FOUND.answer(), time);
            return answer.with(limit(grant.account().requests() - used));
        });
    }

    @Override
    public void refused() {
        send(this::exceeded);
    }

    @Override
    public void uncounted() {
        send(stale ? this::again : () -> answer);
    }

    /** Makes the answer ready anew, which is no work for a transaction. @return what to answer instead, or null */
    private Answer again() {
        stale = false;
        if (--tries == 0) {
            return Failure.BUSY.answer();
        }
        Answer refusal = prepare(counter.now());
        if (refusal == null) {
            counted = System.nanoTime();
            counter.countAgain(this);
        }
        return refusal;
    }

    @Override
    public void failed(Throwable cause) {
        addWait();
        log.error("request-failed", cause, "status", 500, "method", request.method(), "path", request.path());
        sender.accept(Failure.INTERNAL_SERVER_ERROR.answer());
    }

    /** Sends exactly one answer, whatever goes wrong in making it; none when that is null, as it follows later. */
    private void send(Supplier<Answer> last) {
        addWait();
        Answer made;
        try {
            made = last.get();
        } catch (Failure.Thrown thrown) {
            made = thrown.answer();
        } catch (Throwable failure) {
            failed(failure);
            return;
        }
        if (made != null) {
            sender.accept(made);
        }
    }

    private RateLimit limit(long remaining) {
        return new RateLimit(grant.account().requests(), period.seconds(), remaining, period.secondsLeft(time));
    }
}
