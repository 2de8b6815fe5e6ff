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
 * Runs the periodic work of a server. One timer starts all of it, and hands over what may wait. A task runs again after its
 * interval, also when it failed, and never twice at a time.
 *
 * <pre>
 * timer ─┬─ runs what waits for neither the disk nor a lock
 *        ├─► maintenance: may wait for the disk
 *        ├─► sweeper: may take minutes
 *        └─► backup: may take hours, at low priority, and waits for programs; a thread of its own, as only root can raise a priority again
 * </pre>
 */
final class Schedule implements AutoCloseable {
    private final Log log;
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, threads("stet-timer", Thread.NORM_PRIORITY), new ThreadPoolExecutor.DiscardPolicy());
    final Executor timer = Runnable::run;
    final ExecutorService maintenance = worker("stet-maintenance", Thread.NORM_PRIORITY);
    final ExecutorService sweeper = worker("stet-sweeper", Thread.NORM_PRIORITY);
    final ExecutorService backup = worker("stet-backup", Thread.MIN_PRIORITY);

    Schedule(Log log) {
        this.log = log;
    }

    /** Its thread is started with the first task. */
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

    /** @param millis between the end of a run and the next one @param task its name in the log */
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
        if (!clock.isShutdown()) { // else it was interrupted
            log.error("work-failed", failure, "task", task);
        }
    }

    /**
     * Interrupts what runs, except a backup, whose files an interrupt would close. Waits up to a second for each thread, and three
     * for that of backups, which may be ending a program.
     */
    @Override
    public void close() {
        clock.shutdownNow();
        maintenance.shutdownNow();
        sweeper.shutdownNow();
        backup.shutdown();
        try {
            for (ExecutorService each : new ExecutorService[] {clock, maintenance, sweeper, backup}) {
                each.awaitTermination(each == backup ? 3 : 1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
