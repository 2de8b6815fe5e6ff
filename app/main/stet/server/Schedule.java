package stet.server;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import stet.base.Log;

/**
 * Runs the server's periodic tasks, started by a single timer. A task runs again after its interval, even if it failed, and
 * never overlaps itself.
 *
 * <pre>
 * timer ─┬─ runs tasks that wait for neither disk nor locks
 *        ├─► tasks: one thread per running task, so that a hung disk or remote server delays no other task
 *        └─► backup: has its own low-priority thread because only root can raise a priority
 * </pre>
 */
final class Schedule implements AutoCloseable {
    /** Maximum number of threads, which is greater than the number of periodic tasks. */
    private static final int MAX_TASKS = 32;
    private static final int IDLE_SECONDS = 10;
    /** Time in which the server usually sends its first response. */
    private static final int START_MILLIS = 50;

    private final Log log;
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, threads("stet-timer", Thread.NORM_PRIORITY), new ThreadPoolExecutor.DiscardPolicy());
    final Executor timer = Runnable::run;
    final ExecutorService tasks = new ThreadPoolExecutor(0, MAX_TASKS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
            threads("stet-task", Thread.NORM_PRIORITY));
    /** The executor's thread is created only if automatic backups are configured. */
    final ExecutorService backup = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
            threads("stet-backup", Thread.MIN_PRIORITY));

    Schedule(Log log) {
        this.log = log;
    }

    private static ThreadFactory threads(String name, int priority) {
        return work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            thread.setPriority(priority);
            return thread;
        };
    }

    /**
     * Runs work on the timer thread once the server has had time for its first response, which the work would otherwise delay. A failure is
     * logged like that of a periodic task.
     */
    void afterStart(Runnable work) {
        clock.schedule(() -> {
            try {
                work.run();
            } catch (Throwable failure) {
                logFailure("start", failure);
            }
        }, START_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** @param thread runs the task @param work runs again after its interval, even if it failed */
    private record PeriodicTask(String name, int millis, int millisAfterFailure, Executor thread, Runnable work) {
    }

    /** Runs work on one of the threads, first after the interval, which is in ms. */
    void every(int millis, Executor thread, String task, Runnable work) {
        every(millis, millis, thread, task, work);
    }

    /** @param millisAfterFailure interval after a failure, which may be longer because each attempt is expensive */
    void every(int millis, int millisAfterFailure, Executor thread, String task, Runnable work) {
        runAfter(millis, new PeriodicTask(task, millis, millisAfterFailure, thread, work));
    }

    private void runAfter(int millis, PeriodicTask task) {
        clock.schedule(() -> {
            try {
                task.thread.execute(() -> run(task));
            } catch (Throwable noThread) {
                logFailure(task.name, noThread);
                runAfter(task.millis, task);
            }
        }, millis, TimeUnit.MILLISECONDS);
    }

    private void run(PeriodicTask task) {
        int next = task.millis;
        try {
            task.work.run();
        } catch (Throwable failure) {
            logFailure(task.name, failure);
            next = task.millisAfterFailure;
        }
        runAfter(next, task);
    }

    private void logFailure(String task, Throwable failure) {
        if (!clock.isShutdown()) { // otherwise, close() interrupted the task
            log.error("work-failed", failure, "task", task);
        }
    }

    /**
     * Interrupts running tasks, but not backups, whose files an interrupt would close. Waits up to one second each for the timer
     * and the tasks, and up to three seconds for a backup, which may need time to terminate its program.
     */
    @Override
    public void close() {
        clock.shutdownNow();
        tasks.shutdownNow();
        backup.shutdown();
        try {
            clock.awaitTermination(1, TimeUnit.SECONDS);
            tasks.awaitTermination(1, TimeUnit.SECONDS);
            backup.awaitTermination(3, TimeUnit.SECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
