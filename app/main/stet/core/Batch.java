package stet.core;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

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
 * <p>One such task is queued or runs at a time.
 */
public final class Batch<T> {
    private final Executor executor;
    private final int max;
    private final Consumer<List<T>> work;
    private final BlockingQueue<T> waiting = new LinkedBlockingQueue<>();
    private final AtomicBoolean queued = new AtomicBoolean();

    /** @param max items of one batch */
    public Batch(Executor executor, int max, Consumer<List<T>> work) {
        this.executor = executor;
        this.max = max;
        this.work = work;
    }

    public void add(T item) {
        waiting.add(item);
        queue();
    }

    private void queue() {
        if (!waiting.isEmpty() && queued.compareAndSet(false, true)) {
            executor.execute(this::run);
        }
    }

    private void run() {
        try {
            List<T> items = new ArrayList<>();
            waiting.drainTo(items, max);
            work.accept(items);
        } finally {
            queued.set(false);
            queue();
        }
    }
}
