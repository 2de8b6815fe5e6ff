package stet.sqlite;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import stet.core.Account;
import stet.core.Batch;
import stet.core.HeapBudget;
import stet.core.Period;
import stet.dao.UsageKey;

/**
 * Counts requests, exactly and durably. The requests of a {@link Batch} share one transaction, and each is answered after
 * that transaction is on disk (group commit).
 *
 * <pre>
 * the pool's queue, first in, first out; while nothing waits in it, one thread reads, commits and answers without it
 *   read a    ── count(a): the first that waits, so the commit is queued
 *   read b    ── count(b)
 *   commit    ── begin, count a and b, commit, sync; answer a, answer b
 *   read c
 *   answer    ── for the case that a's client does not read and holds up the commit's thread
 * </pre>
 *
 * <p>No period grants more than its limit, because the transaction first looks whether another
 * process has written, and nobody else writes until it ends. A kill between commit and answer leaves a count without an
 * answer, never an answer without a count.
 */
public final class QuotaCounter {
    /** Requests of one transaction at most, so that the first of them does not wait long for the last. */
    private static final int MAX_BATCH = 256;
    /** Requests that wait to be counted or answered; from half of that on, the threads that read others help first. */
    private static final int MAX_PENDING = HeapBudget.PENDING_REQUESTS;

    private final Db db;
    private final Clock clock;
    private final Executor pool;
    private final Executor waiting;
    private final Runnable last;
    private final Batch<PendingRequest> requests;
    private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pending = new AtomicInteger();

    /**
     * @param pool    runs its tasks first in, first out
     * @param soon    the same, but runs a task at once while nothing waits
     * @param waiting runs a task at once, which may wait for another thread's commit
     * @param last    called before the last answer that is ready is sent, as its client may not read it
     */
    public QuotaCounter(Db db, Clock clock, Executor pool, Executor soon, Executor waiting, Runnable last) {
        this.db = db;
        this.clock = clock;
        this.pool = pool;
        this.waiting = waiting;
        this.last = last;
        this.requests = new Batch<>(pool, soon, MAX_BATCH, batch -> {
            answers.addAll(count(batch));
            return this::answer;
        });
    }

    /** A request to be counted. Exactly one of the last four methods is called, on a thread of the pool. */
    public interface PendingRequest {
        /**
         * Called inside the transaction, while nobody else can write.
         *
         * @return the period to count the request in, or null when it is not to be counted any more
         */
        UsageKey key(Instant now);

        /** Requests that the period grants; asked for after {@link #key}. */
        long limit();

        /** Sends the answer: the count is on disk. @param used requests of the period, with this one */
        void granted(long used);

        /** Sends the refusal: the limit is reached, and nothing was counted. */
        void refused();

        /** Goes on with a request that has no {@link #key} any more. */
        void uncounted();

        /** Sends the failure: the database failed, and nothing was counted. */
        void failed(Throwable cause);
    }

    public Instant now() {
        return clock.instant();
    }

    /**
     * Has a request counted with the next commit, and then answered. When many are pending, this thread first answers more than
     * this one, as it would read the next request and take more memory.
     */
    public void count(PendingRequest request) {
        countAgain(request);
        if (pending.get() > MAX_PENDING / 2) {
            help();
        }
    }

    /** Does the same for a request whose answer had to be made ready anew. It never waits. */
    public void countAgain(PendingRequest request) {
        pending.incrementAndGet();
        requests.add(request);
    }

    /** Whether more answers are ready to be sent. */
    public boolean hasAnswers() {
        return !answers.isEmpty();
    }

    /** Sends all answers. Another task goes on with the rest if a client does not read and holds up this one. */
    private void answer() {
        boolean hasSuccessor = false;
        for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
            if (!hasSuccessor && !answers.isEmpty()) {
                hasSuccessor = true;
                pool.execute(this::answer);
            }
            send(answer);
        }
    }

    /** Sends two answers. Where none are ready and too many requests are pending, counts some, or waits for their commit. */
    private void help() {
        for (int i = 0; i < 2; i++) {
            Runnable answer = answers.poll();
            if (answer != null) {
                send(answer);
            } else if (pending.get() > MAX_PENDING) {
                waiting.execute(requests::runNow);
            }
        }
    }

    private void send(Runnable answer) {
        if (answers.isEmpty()) {
            last.run();
        }
        pending.decrementAndGet();
        answer.run();
    }

    /** @return the answers, to be sent after the transaction */
    private List<Runnable> count(List<PendingRequest> batch) {
        List<Runnable> answers = new ArrayList<>(batch.size());
        UsageCache usage = db.usage();
        db.writer().lock().lock();
        try {
            db.writer().begin();
            try {
                usage.begin();
                Instant now = clock.instant();
                batch.forEach(request -> answers.add(count(request, usage, now)));
                usage.write();
                db.writer().commit();
                db.metrics().batch(batch.size());
            } catch (Throwable failure) {
                db.health().failed(failure);
                usage.forget();
                db.writer().rollback();
                throw failure;
            }
        } catch (Throwable failure) {
            answers.clear();
            batch.forEach(request -> answers.add(() -> request.failed(failure)));
        } finally {
            db.writer().lock().unlock();
        }
        return answers;
    }

    private static Runnable count(PendingRequest request, UsageCache usage, Instant now) {
        UsageKey key;
        try {
            key = request.key(now);
        } catch (Throwable failure) { // of this request alone
            return () -> request.failed(failure);
        }
        if (key == null) {
            return request::uncounted;
        }
        long used = usage.count(key, request.limit());
        return used > 0 ? () -> request.granted(used) : request::refused;
    }
}
