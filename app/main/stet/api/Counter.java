package stet.api;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import stet.api.GetTemplate.Counted;
import stet.core.Account;
import stet.core.SecretGrant;
import stet.core.Period;
import stet.dao.Dao;
import stet.dao.UsageDao.Demand;
import stet.http.OpenExchange;
import stet.sqlite.Db;

/**
 * Counts requests exactly and durably. A task in the thread pool counts up to 256 queued requests in one transaction; their
 * responses are sent once the transaction is on disk (group commit).
 *
 * <pre>
 * a, b ──► queue ──► a task of the pool: begin, count a and b, commit, sync ──► responses to a and b
 * c ────► queue                        (c waits for the next task)
 * </pre>
 *
 * <p>The task is queued behind requests that have not been read yet, so that its commit can include them.
 *
 * <p>Counting never takes a period over its limit, because nothing else can write between reading and committing a count. A crash
 * between commit and response can leave a count without a response, but never a response without a count.
 */
public final class Counter {
    /** Maximum number of requests per transaction, which limits how long the first request waits. */
    private static final int MAX_BATCH = 256;
    /** Maximum number of exchanges closed together, because each close wakes the JDK server's dispatcher (12% of a request's CPU time). */
    private static final int CLOSED_TOGETHER = 8;

    private final Db db;
    private final Function<SecretGrant, Instant> times;
    private final Executor pool;
    private final Runnable beforeSend;
    private final Queue<WaitingRequest> queue = new ConcurrentLinkedQueue<>();
    /** Whether a counting task is queued or running. */
    private final AtomicBoolean isCounting = new AtomicBoolean();

    /** The result of counting a request. */
    public enum Result {
        /** Counted on disk. */
        GRANTED,
        /** Not counted: the limit is reached. */
        REFUSED,
        /** Not counted: since the response was prepared, the key has expired or the account may have changed. */
        STALE,
        /** Not counted: the database failed. */
        FAILED
    }

    /**
     * The outcome of counting one request.
     *
     * @param time   when the request was granted or refused; otherwise null
     * @param period the account's period at this time, or null
     * @param used   number of requests used in the period, including this request if granted; 0 without a period
     * @param cause  the cause of a failure, or null
     */
    public record Outcome(Result result, Instant time, Period period, long used, Throwable cause) {
        private static final Outcome STALE = new Outcome(Result.STALE, null, null, 0, null);

        private static Outcome failed(Throwable cause) {
            return new Outcome(Result.FAILED, null, null, 0, cause);
        }
    }

    /** Takes the outcome of a request; called once, on a pool thread. */
    public interface Receiver {
        /** Sends the response. */
        OpenExchange send(Outcome outcome);
    }

    private record WaitingRequest(Counted request, Receiver receiver) {
        /** Whether sending the response may take long. */
        boolean isLarge() {
            return request.response().held() != null;
        }

        long account() {
            return request.grant().account().id();
        }
    }

    /**
     * @param times      as in {@link GetTemplate}
     * @param pool       runs the counting task and calls the receivers
     * @param beforeSend called before a response is sent that may take long
     */
    public Counter(Db db, Function<SecretGrant, Instant> times, Executor pool, Runnable beforeSend) {
        this.db = db;
        this.times = times;
        this.pool = pool;
        this.beforeSend = beforeSend;
    }

    /** Queues a request to be counted. */
    public void count(Counted request, Receiver receiver) {
        queue.add(new WaitingRequest(request, receiver));
        begin();
    }

    private void begin() {
        if (!queue.isEmpty() && isCounting.compareAndSet(false, true)) {
            pool.execute(this::run);
        }
    }

    private void run() {
        List<WaitingRequest> batch = new ArrayList<>();
        boolean hasLarge = false;
        for (WaitingRequest next = queue.poll(); next != null; next = batch.size() < MAX_BATCH ? queue.poll() : null) {
            batch.add(next);
            hasLarge |= next.isLarge();
        }
        Responses responses;
        try {
            if (hasLarge) {
                sort(batch);
            }
            responses = new Responses(batch, count(batch));
        } finally {
            isCounting.set(false); // also after an error, so that others are counted
            begin();
        }
        responses.run();
    }

    /** Puts the accounts with the fewest requests first, so that they do not wait for many slow clients of another account. */
    private static void sort(List<WaitingRequest> batch) {
        Map<Long, Integer> requests = new HashMap<>();
        batch.forEach(waiting -> requests.merge(waiting.account(), 1, Integer::sum));
        batch.sort(Comparator.comparing(waiting -> requests.get(waiting.account())));
    }

    private List<Outcome> count(List<WaitingRequest> batch) {
        try {
            List<Outcome> outcomes = db.writeUncached(dao -> count(dao, batch));
            db.metrics().addBatch(batch.size());
            return outcomes;
        } catch (Throwable failure) {
            return Collections.nCopies(batch.size(), Outcome.failed(failure));
        }
    }

    /** One account's requests in a batch. */
    private static final class CountGroup {
        final Account account;
        final Instant time;
        final Period period;
        int requests;
        /** Number of requests used in the period before this batch. */
        long before;

        CountGroup(Account account, Instant time) {
            this.account = account;
            this.time = time;
            this.period = account.period(time);
        }

        /** @param number of the request within the group, from 1 */
        Outcome outcome(int number) {
            long used = before + number;
            return used <= account.requests() ? new Outcome(Result.GRANTED, time, period, used, null)
                    : new Outcome(Result.REFUSED, time, period, Math.max(before, account.requests()), null);
        }
    }

    private List<Outcome> count(Dao dao, List<WaitingRequest> batch) {
        Map<Long, CountGroup> groups = new HashMap<>();
        CountGroup[] of = new CountGroup[batch.size()];
        int[] numbers = new int[of.length];
        for (int i = 0; i < of.length; i++) {
            Counted request = batch.get(i).request;
            SecretGrant grant = request.grant();
            Instant time = times.apply(grant);
            if (!db.hasChanged(grant.account().id(), request.generation()) && !grant.isExpired(time)) {
                of[i] = groups.computeIfAbsent(grant.account().id(), any -> new CountGroup(grant.account(), time));
                numbers[i] = ++of[i].requests;
            }
        }
        List<Demand> demands = new ArrayList<>(groups.size());
        groups.values().forEach(group -> demands.add(new Demand(group.account, group.period.start(), group.requests)));
        dao.usage().count(demands).forEach((account, used) -> groups.get(account).before = used);
        List<Outcome> outcomes = new ArrayList<>(of.length);
        for (int i = 0; i < of.length; i++) {
            outcomes.add(of[i] == null ? Outcome.STALE : of[i].outcome(numbers[i]));
        }
        return outcomes;
    }

    /**
     * Delivers the outcomes of one commit. Each thread first hands the remaining outcomes and open exchanges to another thread, because a
     * client may be slow to read.
     */
    private final class Responses implements Runnable {
        private final List<WaitingRequest> requests;
        private final List<Outcome> outcomes;
        private final AtomicInteger next = new AtomicInteger();
        /** Exchanges of responses that have been sent. */
        private final Queue<OpenExchange> open = new ConcurrentLinkedQueue<>();

        Responses(List<WaitingRequest> requests, List<Outcome> outcomes) {
            this.requests = requests;
            this.outcomes = outcomes;
        }

        @Override
        public void run() {
            close(); // before the next client can be slow, too
            int last = requests.size() - 1;
            boolean passedOn = last == 0;
            int sent = 0;
            try {
                for (int i = next.getAndIncrement(); i <= last; i = next.getAndIncrement()) {
                    if (!passedOn) {
                        passedOn = true;
                        pool.execute(this);
                    }
                    send(i);
                    if (++sent % CLOSED_TOGETHER == 0) {
                        close();
                    }
                }
            } finally {
                close();
            }
        }

        private void send(int i) {
            WaitingRequest waiting = requests.set(i, null); // otherwise, a slow client would keep other requests in memory
            try {
                if (waiting.isLarge()) {
                    addThread();
                }
                OpenExchange sent = waiting.receiver.send(outcomes.get(i));
                if (requests.size() == 1) {
                    sent.close(); // nothing to wait for
                } else {
                    open.add(sent);
                }
            } catch (Throwable failure) {
                db.log().error("work-failed", failure);
            }
        }

        /** More threads only shorten the wait of others; the response is sent even without them. */
        private void addThread() {
            try {
                beforeSend.run();
            } catch (RuntimeException | Error failure) {
                db.log().error("work-failed", failure);
            }
        }

        private void close() {
            for (OpenExchange sent = open.poll(); sent != null; sent = open.poll()) {
                try {
                    sent.close();
                } catch (Throwable failure) {
                    db.log().error("work-failed", failure);
                }
            }
        }
    }
}
