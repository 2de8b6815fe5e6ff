package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The number of threads follows the timer's lateness: more on a machine that is busy with other programs. */
class PoolTest {
    private static final int TASKS = 8;
    private static final int CALLS = 51;

    private final AtomicLong nanos = new AtomicLong();
    private final Pool pool = new Pool(TASKS, nanos::get);

    @Test
    void fourThreadsWhileTheTimerIsLateAndOneOtherwise() throws InterruptedException {
        assertEquals(1, atOnce());
        adjust(23);
        assertEquals(4, atOnce());
        assertTrue(Running.comes(() -> {
            adjust(20);
            return pool.use().threads() == 1;
        }));
        assertEquals(1, atOnce());
        pool.close();
    }

    private void adjust(int millis) {
        for (int i = 0; i < CALLS; i++) {
            nanos.addAndGet(millis * 1_000_000L);
            pool.adjust();
        }
    }

    /** Returns how many of several blocking tasks run at the same time; all have ended afterwards. */
    private int atOnce() throws InterruptedException {
        Semaphore started = new Semaphore(0);
        Semaphore end = new Semaphore(0);
        for (int i = 0; i < TASKS; i++) {
            pool.execute(() -> {
                started.release();
                end.acquireUninterruptibly();
            });
        }
        assertTrue(Running.comes(() -> pool.use().waiting() == TASKS - pool.use().threads()));
        int running = pool.use().threads();
        end.release(TASKS);
        started.acquire(TASKS);
        assertTrue(Running.comes(() -> pool.use().busy() == 0));
        return running;
    }
}
