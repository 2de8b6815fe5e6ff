package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One at a time, the lowest rank first, and the last of a crowd sent away. */
class WorkQueueTest {
    private static final int WAITING = 16;
    private final WorkQueue turns = new WorkQueue("work", Thread.NORM_PRIORITY, WAITING);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch busy = new CountDownLatch(1);
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());
    private Future<Optional<String>> first;

    /** Work under way, until the latch opens. */
    @BeforeEach
    void begin() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        first = threads.submit(() -> turns.run(9, () -> {
            begun.countDown();
            try {
                busy.await();
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            }
            return "first";
        }));
        begun.await();
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    /** Returns once the work waits; a full queue stays as long as it is. */
    private Future<Optional<String>> come(double rank, String name) {
        int waiting = turns.waiting();
        Future<Optional<String>> turn = threads.submit(() -> turns.run(rank, () -> {
            done.add(name);
            return name;
        }));
        while (turns.waiting() == waiting && waiting < WAITING) {
            Thread.onSpinWait();
        }
        return turn;
    }

    @Test
    void theLowestRankGoesNextAmongEqualsTheFirstToCome() throws Exception {
        List<Future<Optional<String>>> all = List.of(first, come(1, "stranger"), come(1.5, "one that tried before"), come(1, "other stranger"),
                come(0.1, "known"), come(0, "best known"));
        busy.countDown();
        for (Future<Optional<String>> turn : all) {
            turn.get();
        }
        assertEquals(List.of("best known", "known", "stranger", "other stranger", "one that tried before"), done);
    }

    @Test
    void ofACrowdTheLastIsSentAwayAtOnce() throws Exception {
        List<Future<Optional<String>>> crowd = new ArrayList<>();
        for (int i = 0; i < WAITING; i++) {
            crowd.add(come(1, "stranger " + i));
        }
        assertEquals(Optional.empty(), come(1, "too late").get());
        Future<Optional<String>> known = come(0, "known");
        assertEquals(Optional.empty(), crowd.remove(WAITING - 1).get());
        assertEquals(WAITING, turns.waiting());
        busy.countDown();
        assertEquals(Optional.of("known"), known.get());
        for (Future<Optional<String>> turn : crowd) {
            turn.get().orElseThrow();
        }
        assertEquals("known", done.get(0));
        assertEquals(WAITING, done.size());
    }

    @Test
    void workThatFailsOrIsInterruptedGivesItsTurnOn() throws Exception {
        CompletableFuture<Thread> waiting = new CompletableFuture<>();
        Future<Optional<String>> interrupted = threads.submit(() -> {
            waiting.complete(Thread.currentThread());
            return turns.run(0, () -> "never");
        });
        waiting.join().interrupt();
        assertEquals(Optional.empty(), interrupted.get());
        assertEquals(0, turns.waiting());
        busy.countDown();
        first.get();
        assertThrows(IllegalStateException.class, () -> turns.run(0, () -> {
            throw new IllegalStateException();
        }));
        assertEquals(Optional.of("next"), turns.run(0, () -> "next"));
    }
}
