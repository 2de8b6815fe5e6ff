package stet.core;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Does the same work for many items at once. The first item queues a task on an executor; the items that come before the
 * task's turn are done with it.
 *
 * <pre>
 * the executor's queue, first in, first out          items that wait
 *   some task  ── add(a): queues the work ─────────►  a
 *   some task  ── add(b) ──────────────────────────►  a b
 *   the work on a and b  ◄──────────────────────────  (empty)
 * </pre>
 *
 * <p>One such task is queued at a time, and one batch is worked on at a time.
 */
public final class Batch<T> {
    private final Executor pool;
    private final Executor soon;
    private final int max;
    private final Function<List<T>, Runnable> work;
    private final BlockingQueue<T> waiting = new LinkedBlockingQueue<>();
    private final AtomicBoolean queued = new AtomicBoolean();

    /**
     * @param pool runs its tasks first in, first out
     * @param soon the same, but runs a task at once while nothing waits
     * @param max  items of one batch
     * @param work gives back the rest of the work, which may take long and does not hold up the next batch
     */
    public Batch(Executor pool, Executor soon, int max, Function<List<T>, Runnable> work) {
        this.pool = pool;
        this.soon = soon;
        this.max = max;
        this.work = work;
    }

    public void add(T item) {
        waiting.add(item);
        queue(soon);
    }

    private void queue(Executor executor) {
        if (!waiting.isEmpty() && queued.compareAndSet(false, true)) {
            try {
                executor.execute(this::run);
            } catch (Throwable rejected) {
                queued.set(false);
                throw rejected;
            }
        }
    }

    private void run() {
        Runnable rest;
        try {
            rest = workOnNext();
        } finally {
            queued.set(false);
            queue(pool);
        }
        rest.run();
    }

    /** Works on a batch at once, on this thread, after one under way; leaves the rest of the work to a task. */
    public void runNow() {
        pool.execute(workOnNext());
    }

    /** @return the rest of the work */
    private synchronized Runnable workOnNext() {
        List<T> items = new ArrayList<>();
        waiting.drainTo(items, max);
        return items.isEmpty() ? () -> { } : work.apply(items);
    }
}
