package stet;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import stet.core.Log;

/**
 * Runs the server's periodic tasks. One timer starts them and hands tasks that may block to other threads. A task repeats after
 * its interval, even after a failure, and never overlaps itself.
 *
 * <pre>
 * timer ─┬─ runs tasks that wait for neither disk nor locks
 *        ├─► maintenance: may wait for the disk
 *        ├─► sweeper: may take minutes
 *        ├─► webhooks: may wait 10 s for another server
 *        └─► backup: may take hours and wait for programs; has its own low-priority thread because only root can raise a priority
 * </pre>
 */
final class Schedule implements AutoCloseable {
    private final Log log;
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, threads("stet-timer", Thread.NORM_PRIORITY), new ThreadPoolExecutor.DiscardPolicy());
    final Executor timer = Runnable::run;
    final ExecutorService maintenance = worker("stet-maintenance", Thread.NORM_PRIORITY);
    final ExecutorService sweeper = worker("stet-sweeper", Thread.NORM_PRIORITY);
    final ExecutorService webhooks = worker("stet-webhooks", Thread.NORM_PRIORITY);
    final ExecutorService backup = worker("stet-backup", Thread.MIN_PRIORITY);

    Schedule(Log log) {
        this.log = log;
    }

    /** An executor whose thread starts with the first task. */
    private static ExecutorService worker(String name, int priority) {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads(name, priority),
                new ThreadPoolExecutor.DiscardPolicy());
    }

    private static ThreadFactory threads(String name, int priority) {
        return work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            thread.setPriority(priority);
            return thread;
        };
    }

    void every(int millis, Executor thread, String task, Runnable work) {
        Runnable run = () -> {
            try {
                work.run();
            } catch (Throwable failure) {
                failed(task, failure);
            }
            every(millis, thread, task, work);
        };
        clock.schedule(() -> {
            try {
                thread.execute(run);
            } catch (Throwable noThread) {
                failed(task, noThread);
                every(millis, thread, task, work);
            }
        }, millis, TimeUnit.MILLISECONDS);
    }

    private void failed(String task, Throwable failure) {
        if (!clock.isShutdown()) { // otherwise the task was interrupted
            log.error("work-failed", failure, "task", task);
        }
    }

    /**
     * Interrupts running tasks except backups, whose files an interrupt would close. Waits up to a second for each thread, and
     * three for the backup thread, which may be terminating a program.
     */
    @Override
    public void close() {
        clock.shutdownNow();
        maintenance.shutdownNow();
        sweeper.shutdownNow();
        webhooks.shutdownNow();
        backup.shutdown();
        try {
            for (ExecutorService each : new ExecutorService[] {clock, maintenance, sweeper, webhooks, backup}) {
                each.awaitTermination(each == backup ? 3 : 1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
