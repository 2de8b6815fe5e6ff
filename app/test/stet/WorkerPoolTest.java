package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Number of threads, when they are held and when not; the test itself makes the looks. */
class WorkerPoolTest {
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final int KEPT = Math.max(1, PROCESSORS / 2);
    private static final int MOST = 64 + 4 * KEPT;

    private final Set<Thread> others = Thread.getAllStackTraces().keySet();
    private final WorkerPool threads = new WorkerPool(MOST);
    private final CountDownLatch end = new CountDownLatch(1);
    private final Semaphore begun = new Semaphore(0);

    @AfterEach
    void end() throws InterruptedException {
        end.countDown();
        threads.shutdown();
        assertTrue(threads.awaitTermination(10));
    }

    /** Work that holds its thread to the end of the test. */
    private void hold(int times) {
        for (int i = 0; i < times; i++) {
            threads.execute(() -> {
                begun.release();
                try {
                    end.await();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            });
        }
    }

    /** Looks until so many pieces of work have begun, each time once all threads are at work. @return how many looks that took */
    private int looksUntilBegun(int times) {
        int looks = 0;
        while (begun.availablePermits() < times) {
            assertTrue(looks < 100, "not begun after " + looks + " looks: " + begun.availablePermits());
            threads.look();
            looks++;
            assertTrue(Running.comes(() -> begun.availablePermits() >= Math.min(times, threads.size())));
        }
        begun.acquireUninterruptibly(times);
        return looks;
    }

    private boolean isDone() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        threads.execute(done::countDown);
        return done.await(10, TimeUnit.SECONDS);
    }

    @Test
    void asManyAsAreKeptAreThereAtOnce() throws InterruptedException {
        hold(KEPT);
        assertTrue(begun.tryAcquire(KEPT, 10, TimeUnit.SECONDS));
        hold(1);
        assertTrue(threads.areCrowded());
    }

    @Test
    void besideThoseThatAreHeldThereAreOthersWithoutAWait() throws InterruptedException {
        hold(KEPT + 3);
        assertTrue(looksUntilBegun(KEPT + 3) > 0);
        threads.look();
        threads.look();
        for (int i = 0; i < 20; i++) {
            assertTrue(isDone(), "no look in between");
        }
        threads.look();
        threads.look();
        assertTrue(isDone(), "nothing that waits takes none back");
    }

    @Test
    void manyThatAreHeldAreMadeUpForByDoubling() throws InterruptedException {
        hold(MOST - KEPT);
        assertTrue(looksUntilBegun(MOST - KEPT) <= 20);
        threads.look();
        threads.look();
        assertTrue(isDone());
    }

    @Test
    void thereAreNeverMoreThanTheMost() throws InterruptedException {
        hold(MOST + 1);
        looksUntilBegun(MOST);
        for (int i = 0; i < 5; i++) {
            threads.look();
        }
        assertTrue(threads.areCrowded());
        assertFalse(begun.tryAcquire());
    }

    private enum Stall { HEAD, BODY, BYTES }

    /** Work that waits for its client at the socket. @return where it is told that the client was cut off */
    private Semaphore stall(int times, Stall how) {
        Semaphore cut = new Semaphore(0);
        for (int i = 0; i < times; i++) {
            threads.read(() -> {
                try {
                    begun.release();
                    if (how == Stall.HEAD) {
                        wait(end);
                    }
                    WorkerPool.headIsRead();
                    long since = WorkerPool.now();
                    while (how == Stall.BYTES && end.getCount() > 0) {
                        WorkerPool.receive(since, () -> {
                            Thread.yield(); // a byte has come
                            if (Thread.interrupted()) {
                                throw new InterruptedIOException();
                            }
                            return null;
                        });
                    }
                    WorkerPool.atSocket(() -> wait(end));
                } catch (IOException interrupted) {
                    cut.release();
                }
            });
        }
        return cut;
    }

    private static Void wait(CountDownLatch latch) throws IOException {
        try {
            latch.await();
            return null;
        } catch (InterruptedException stopped) {
            throw new InterruptedIOException();
        }
    }

    @ParameterizedTest
    @EnumSource
    void clientsThatStallAreCutOffWhenOthersWaitAndThereCanBeNoMoreThreads(Stall how) throws InterruptedException {
        Semaphore cut = stall(MOST, how);
        looksUntilBegun(MOST);
        CountDownLatch others = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            threads.execute(others::countDown);
        }
        assertTrue(Running.comes(() -> {
            threads.look();
            return others.getCount() == 0;
        }));
        assertTrue(cut.tryAcquire(10, TimeUnit.SECONDS));
        assertTrue(cut.availablePermits() < MOST - 1, "as many as wait are cut off, not all");
    }

    @Test
    void nobodyIsCutOffInTimeOrWhileThereAreThreads() throws InterruptedException {
        Semaphore cut = stall(MOST / 2, Stall.HEAD);
        looksUntilBegun(MOST / 2);
        for (int i = 0; i < 100; i++) {
            threads.look();
        }
        assertTrue(isDone());
        assertEquals(0, cut.availablePermits());
    }

    @Test
    void whatIsNotHeldAnyMoreIsTakenBack() throws InterruptedException {
        hold(20);
        looksUntilBegun(20);
        assertTrue(own() >= 20);
        end.countDown();
        assertTrue(Running.comes(() -> {
            threads.look();
            return own() <= KEPT;
        }));
        assertTrue(isDone());
    }

    /** Threads of this test's own pool. */
    private long own() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("stet-\\d+") && !others.contains(thread)).count();
    }
}
