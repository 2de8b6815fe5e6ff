package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.harness.Running;

/** The cache never returns a value read before a change, however reading and writing threads interleave. */
class CacheTest {
    private static final long ACCOUNT = 7;

    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private volatile String committed = "old";

    /** Blocks the writer's thread before or after it records a change for the account. */
    private final class HoldingMap extends ConcurrentHashMap<Long, Long> {
        private static final long serialVersionUID = 1;
        private final boolean before;

        HoldingMap(boolean before) {
            this.before = before;
        }

        @Override
        public Long put(Long account, Long number) {
            if (before) {
                hold();
            }
            Long last = super.put(account, number);
            if (!before) {
                hold();
            }
            return last;
        }
    }

    private void hold() {
        held.countDown();
        await(go);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
    }

    @ParameterizedTest(name = "the writer is held before it records the change: {0}; the value is read before the commit: {1}")
    @CsvSource({"true, true", "false, true", "true, false", "false, false"})
    void noOldValueIsKept(boolean before, boolean isReadBefore) throws InterruptedException {
        Generations generations = new Generations(new HoldingMap(before));
        Cache<String, String> cache = new Cache<>(generations, 10);
        Thread writer = new Thread(() -> {
            committed = "new";
            generations.changed(ACCOUNT);
        });
        cache.make("key", () -> {
            String read = isReadBefore ? committed : null;
            writer.start();
            await(held);
            return read != null ? read : committed;
        }, any -> ACCOUNT, String::length);
        go.countDown();
        writer.join();
        assertNotEquals("old", cache.get("key"));
        assertEquals("new", cache.make("key", () -> committed, any -> ACCOUNT, String::length));
        assertEquals("new", cache.get("key"));
    }
}
