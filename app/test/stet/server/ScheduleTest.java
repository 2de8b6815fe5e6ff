package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Log;
import stet.harness.Running;

/** A server's periodic work. */
class ScheduleTest {
    private final Schedule schedule = new Schedule(Running.newLog());

    @AfterEach
    void close() {
        schedule.close();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, OutOfMemoryError.class})
    void aTaskThatFailedRunsAgainAndItsFailuresAreCounted(Class<? extends Throwable> failure) throws Exception {
        Throwable injected = failure.getConstructor(String.class).newInstance("injected");
        for (boolean onTimer : new boolean[] {true, false}) {
            CountDownLatch times = new CountDownLatch(5);
            String lines = Running.logged(() -> {
                Log log = Running.newLog();
                try (Schedule failing = new Schedule(log)) {
                    failing.every(1, onTimer ? failing.timer : failing.tasks, "statistics", () -> {
                        times.countDown();
                        ScheduleTest.<RuntimeException>fail(injected);
                    });
                    await(times);
                }
                log.sumUp(true);
            });
            List<String> failures = lines.lines().filter(line -> line.contains(" ERROR ")).toList();
            assertEquals(2, failures.size(), lines);
            assertTrue(failures.get(0).contains(" work-failed task=statistics failure="), lines);
            assertTrue(failures.get(1).contains(" repeated of=work-failed "), lines);
        }
    }

    @Test
    void aTaskMayPauseAfterAFailure() {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch ticks = new CountDownLatch(20);
        schedule.every(1, Integer.MAX_VALUE, schedule.timer, "checkpoint", () -> {
            if (runs.incrementAndGet() == 3) {
                throw new IllegalStateException("injected");
            }
        });
        Running.logged(() -> assertTrue(Running.comes(() -> runs.get() == 3)), "task=checkpoint");
        schedule.every(1, schedule.timer, "pool", ticks::countDown);
        await(ticks);
        assertEquals(3, runs.get(), "it would have run again before these");
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void fail(Throwable failure) throws T {
        throw (T) failure;
    }

    /** The pool grows, commands take effect and other tasks run even while the disk hangs. */
    @Test
    void whatWaitsForTheDiskDelaysNothingElse() {
        CountDownLatch disk = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(3);
        CountDownLatch ticks = new CountDownLatch(20);
        CountDownLatch others = new CountDownLatch(20);
        for (ExecutorService each : List.of(schedule.tasks, schedule.tasks, schedule.backup)) {
            schedule.every(1, each, "held", () -> {
                held.countDown();
                await(disk);
            });
        }
        await(held);
        schedule.every(1, schedule.timer, "pool", ticks::countDown);
        await(ticks);
        schedule.every(1, schedule.tasks, "watch", others::countDown);
        await(others);
        disk.countDown();
    }

    @Test
    void aSlowTaskDoesNotRunTwiceAtOnce() {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch free = new CountDownLatch(1);
        CountDownLatch ticks = new CountDownLatch(20);
        schedule.every(1, schedule.tasks, "slow", () -> {
            runs.incrementAndGet();
            await(free);
        });
        assertTrue(Running.comes(() -> runs.get() == 1));
        schedule.every(1, schedule.timer, "pool", ticks::countDown);
        await(ticks);
        assertEquals(1, runs.get(), "it would have run again before these");
        free.countDown();
    }

    /** An interrupt would close a running backup's files, so the backup is asked to stop instead. */
    @Test
    void theEndInterruptsAllButABackup() {
        CountDownLatch held = new CountDownLatch(2);
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch backup = new CountDownLatch(1);
        schedule.every(1, schedule.tasks, "held", () -> {
            held.countDown();
            try {
                never.await();
            } catch (InterruptedException end) {
                interrupted.countDown();
            }
        });
        boolean[] isInterrupted = {true};
        schedule.every(1, schedule.backup, "backup", () -> {
            held.countDown();
            await(interrupted);
            assertTrue(Running.comes(schedule.backup::isShutdown));
            isInterrupted[0] = Thread.currentThread().isInterrupted();
            backup.countDown();
        });
        await(held);
        schedule.close();
        await(backup);
        assertFalse(isInterrupted[0]);
    }
}
