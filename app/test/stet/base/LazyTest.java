package stet.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import stet.harness.Running;

/** A value is created once, by the first call that succeeds. */
class LazyTest {
    private final AtomicInteger created = new AtomicInteger();

    @Test
    void theFirstOfSeveralThreadsCreatesTheValue() throws Exception {
        CountDownLatch creating = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Lazy<Integer> lazy = new Lazy<>(() -> {
            creating.countDown();
            try {
                assertTrue(go.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
            return created.incrementAndGet();
        });
        List<FutureTask<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(new FutureTask<>(lazy::get));
            new Thread(threads.get(i)).start();
        }
        assertTrue(creating.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        go.countDown();
        for (FutureTask<Integer> thread : threads) {
            assertEquals(1, thread.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
    }

    @Test
    void aFailureIsThrownAndTheNextCallTriesAgain() {
        Lazy<Integer> lazy = new Lazy<>(() -> {
            switch (created.incrementAndGet()) {
                case 1: throw new NoClassDefFoundError("gone");
                case 2: throw new Refusal("no");
                default: return created.get();
            }
        });
        assertEquals("gone", assertThrows(NoClassDefFoundError.class, lazy::get).getMessage());
        assertEquals("no", assertThrows(Refusal.class, lazy::get).getMessage());
        assertEquals(3, lazy.get());
        assertEquals(3, lazy.get());
    }
}
