package stet;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import stet.core.Access;
import stet.core.Account;
import stet.core.AccountTime;
import stet.core.Period;
import stet.http.Answer;
import stet.http.Bearer;
import stet.http.Failure;
import stet.http.Later;
import stet.http.RateLimit;
import stet.http.Request;
import stet.http.Response;
import stet.store.Charge;
import stet.store.Counter;
import stet.store.Meter;
import stet.store.Statistics;

/**
 * One request to the one endpoint of spec.md: first the answer is made ready, then the request is counted, then the
 * answer is sent. What was made ready is made anew if the database changed before the count.
 */
final class Retrieval implements Counter.Ticket {
    private final Library library;
    private final Counter counter;
    private final Statistics statistics;
    private final AccountTime clocks;
    private final Request request;
    private final String template;
    private Consumer<Answer> sender;
    private long generation;
    private Access access;
    private Instant time;
    private Period period;
    private Answer answer;

    Retrieval(Library library, Counter counter, Statistics statistics, AccountTime clocks, Request request) {
        this.library = library;
        this.counter = counter;
        this.statistics = statistics;
        this.clocks = clocks;
        this.request = request;
        this.template = request.id();
    }

    /** Refuses in the order of the specification; what is not refused is to be counted. */
    Response begin() {
        Answer refusal = prepare(counter.now());
        return refusal != null ? refusal : new Later(sendTo -> {
            sender = sendTo;
            counter.count(this);
        });
    }

    /** Makes the answer ready. @return what to answer instead, uncounted, or null */
    private Answer prepare(Instant now) {
        generation = library.generation();
        List<String> authorization = request.headers("Authorization");
        if (authorization.isEmpty()) {
            return Failure.MISSING_API_KEY.answer();
        }
        String key = Bearer.token(authorization);
        access = key == null ? null : library.access(key);
        if (access == null) {
            return Failure.INVALID_API_KEY.answer();
        }
        time = clocks.of(access, now);
        if (access.isExpired(time)) {
            return Failure.INVALID_API_KEY.answer();
        }
        if (!access.account().active()) {
            return Failure.NO_ACTIVE_SUBSCRIPTION.answer();
        }
        period = access.period(time);
        Format format = Format.of(request.parameters("format"));
        Answer whole = library.answer(access.account().id(), template, format == null ? Format.TEMPLATE : format);
        if (format == null && whole.status() == 200) {
            return invalidFormat();
        }
        answer = whole.isKnown(request) ? whole.notModified() : whole;
        return null;
    }

    /** The format is looked at last: after the quota, which it does not use, and after the two 404s, which do. */
    private Answer invalidFormat() {
        if (library.used(access.account(), period) < access.account().requests()) {
            return Failure.INVALID_FORMAT.answer();
        }
        return exceeded();
    }

    private Answer exceeded() {
        statistics.missed(access, template, 429, time);
        return limit(0).exceeded();
    }

    @Override
    public Charge charge(Instant now) {
        if (generation != library.generation()) {
            Answer refusal = prepare(now);
            if (refusal != null) {
                answer = refusal;
                return null;
            }
        }
        time = clocks.of(access, now);
        if (access.isExpired(time)) {
            answer = Failure.INVALID_API_KEY.answer();
            return null;
        }
        period = access.period(time);
        Account account = access.account();
        return new Charge(new Meter(account.id(), account.plan().word(), period.start()), account.requests());
    }

    @Override
    public void granted(long used, Instant now) {
        send(() -> {
            statistics.counted(access, period.start(), template, answer.status(), answer != Failure.NOT_FOUND.answer(), time);
            return answer.with(limit(access.account().requests() - used));
        });
    }

    @Override
    public void refused(Instant now) {
        send(this::exceeded);
    }

    @Override
    public void uncounted() {
        sender.accept(answer);
    }

    @Override
    public void failed(Throwable cause) {
        Handler.log(request, cause);
        sender.accept(Failure.INTERNAL_SERVER_ERROR.answer());
    }

    /** Sends exactly one answer, whatever goes wrong in making it. */
    private void send(Supplier<Answer> last) {
        Answer made;
        try {
            made = last.get();
        } catch (Throwable failure) {
            failed(failure);
            return;
        }
        sender.accept(made);
    }

    private RateLimit limit(long remaining) {
        return new RateLimit(access.account().requests(), period.seconds(), remaining, period.secondsLeft(time));
    }
}
