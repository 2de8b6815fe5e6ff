package stet.store;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The durable, exact count of requests: many at once share one transaction, and each is answered after its commit is
 * on disk.
 *
 * <pre>
 * request ─ count() ─► waiting ─ settle(), one thread at a time: begin, charge, commit ─► counted ─ any thread: answer
 * </pre>
 *
 * <p>A thread that has handled a request settles: it sends the answers that are ready, and then commits for all that
 * wait, unless another one does already or more requests are at the door, to share the commit. No period grants more
 * than its limit, because the transaction that counts first looks whether what it knows is still so, and nobody else's
 * comes in between; a kill between commit and answer leaves a count without an answer, never the other way round.
 */
public final class QuotaCounter {
    /** Requests that one transaction counts at most, so that none waits long. */
    private static final int BATCH = 256;
    /** How often somebody may settle and leave a request waiting for company; for each one that passes it is done twice. */
    private static final int PASSED = 128;

    private final Db db;
    private final UsageCache tally;
    private final Clock clock;
    private final Executor executor;
    private final BooleanSupplier crowded;
    private final BlockingQueue<PendingRequest> waiting = new LinkedBlockingQueue<>();
    private final Queue<Runnable> counted = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean committing = new AtomicBoolean();
    private final AtomicInteger passed = new AtomicInteger();
    private final AtomicInteger handedOn = new AtomicInteger();
    private PendingRequest seenTicket;
    private Runnable seenAnswer;

    /**
     * @param executor lends a thread where answers wait for one
     * @param crowded  whether more requests are at the door, to be followed by {@link #settle} too
     */
    public QuotaCounter(Db db, Clock clock, Executor executor, BooleanSupplier crowded) {
        this.db = db;
        this.tally = db.tally();
        this.clock = clock;
        this.executor = executor;
        this.crowded = crowded;
    }

    /** A request that wants to be counted; each of its life's ends is told to it once. */
    public interface PendingRequest {
        /**
         * Called inside the transaction, where the database cannot change any more: what to count against, or null
         * when by now there is nothing to count, which is answered by {@link #uncounted()}.
         */
        Charge charge(Instant now);

        /** The count is on disk. @param used of the period, this request included */
        void granted(long used, Instant now);

        /** The period's limit is reached; nothing was counted. */
        void refused(Instant now);

        void uncounted();

        /** Nothing was counted, because the database failed. */
        void failed(Throwable cause);
    }

    /** The time that requests are counted by. */
    public Instant now() {
        return clock.instant();
    }

    /** A request to be counted and answered once somebody settles. */
    public void count(PendingRequest ticket) {
        waiting.add(ticket);
    }

    /** Whether answers are ready that somebody is going to send. */
    public boolean hasAnswers() {
        return !counted.isEmpty();
    }

    /** Sends what is ready and counts what waits; to be called after each request, and when a thread is done with one. */
    public void settle() {
        do {
            // First the answers, then the next commit: the longer it waits, the more requests share it.
            for (Runnable answer = counted.poll(); answer != null; answer = counted.poll()) {
                answer.run();
            }
            if (!waiting.isEmpty() && crowded.getAsBoolean() && passed.incrementAndGet() < PASSED) {
                return; // who comes next settles for these too
            }
            commit();
        } while (!counted.isEmpty() || !waiting.isEmpty() && !committing.get());
    }

    /** Whether something waits that waited at the last call too; to be called every so often, by one thread. */
    public boolean isLate() {
        PendingRequest ticket = waiting.peek();
        Runnable answer = counted.peek();
        boolean late = ticket != null && ticket == seenTicket || answer != null && answer == seenAnswer;
        seenTicket = ticket;
        seenAnswer = answer;
        return late;
    }

    /**
     * Counts what waits for a thread that is held up, and has answers sent that wait for one: each gets a thread, as
     * each client may be one that does not read. To be called when it {@link #isLate}; may wait for the disk.
     */
    public void resume() {
        commit();
        for (int answers = counted.size() - handedOn.get(); answers > 0; answers--) {
            handOn();
        }
    }

    private void commit() {
        if (waiting.isEmpty() || !committing.compareAndSet(false, true)) {
            return;
        }
        try {
            passed.set(0);
            List<PendingRequest> batch = new ArrayList<>();
            if (waiting.drainTo(batch, BATCH) > 0) {
                counted.addAll(count(batch));
            }
        } finally {
            committing.set(false);
        }
    }

    private void handOn() {
        handedOn.incrementAndGet();
        try {
            executor.execute(() -> {
                handedOn.decrementAndGet();
                settle();
            });
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            handedOn.decrementAndGet(); // whoever handles the next request sends the answer, or this is tried again
        }
    }

    /** One transaction; what is to be answered after it. */
    private List<Runnable> count(List<PendingRequest> batch) {
        List<Runnable> answers = new ArrayList<>(batch.size());
        db.writing().lock();
        try {
            db.begin();
            try {
                tally.begin();
                Instant now = clock.instant();
                batch.forEach(ticket -> answers.add(count(ticket, now)));
                tally.write();
                db.writer().sql().transaction("commit");
            } catch (Throwable failure) {
                tally.forget();
                db.rollback();
                throw failure;
            }
        } catch (Throwable failure) {
            answers.clear();
            batch.forEach(ticket -> answers.add(() -> ticket.failed(failure)));
        } finally {
            db.writing().unlock();
        }
        return answers;
    }

    private Runnable count(PendingRequest ticket, Instant now) {
        Charge charge;
        try {
            charge = ticket.charge(now);
        } catch (Throwable failure) { // of this ticket alone
            return () -> ticket.failed(failure);
        }
        if (charge == null) {
            return ticket::uncounted;
        }
        long used = tally.count(charge);
        return used > 0 ? () -> ticket.granted(used, now) : () -> ticket.refused(now);
    }
}
