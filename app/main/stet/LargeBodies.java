package stet;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import stet.core.HeapBudget;

/** Limits the memory used by large bodies being sent. A body being sent to several clients counts once. */
final class LargeBodies {
    private static final int LARGE = 64 << 10;
    private static final int WAIT_SECONDS = 10;

    /** In KiB. */
    private final Pool.Room room = new Pool.Room((int) Math.min(Integer.MAX_VALUE, HeapBudget.LARGE_BYTES >> 10));
    /** Number of clients receiving each body; arrays are compared by identity. */
    private final Map<byte[], Integer> bodies = new ConcurrentHashMap<>();

    /** Waits for free memory before work that may create a large body. @return false on timeout */
    boolean await() {
        try {
            if (!room.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
                return false;
            }
            room.release();
            return true;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * For a large body that is not being sent yet, waits until some memory is free, then reserves the body's size until {@link #leave}.
     *
     * @return false on timeout
     */
    boolean enter(byte[] body) {
        if (body.length >= LARGE && !bodies.containsKey(body) && !await()) {
            return false;
        }
        take(body);
        return true;
    }

    /** Reserves memory for an existing body, even if no memory is free. */
    void take(byte[] body) {
        if (body.length >= LARGE) {
            bodies.compute(body, (any, clients) -> {
                if (clients == null) {
                    room.reducePermits(body.length >> 10);
                }
                return clients == null ? 1 : clients + 1;
            });
        }
    }

    void leave(byte[] body) {
        if (body.length >= LARGE) {
            bodies.computeIfPresent(body, (any, clients) -> {
                if (clients == 1) {
                    room.release(body.length >> 10);
                }
                return clients == 1 ? null : clients - 1;
            });
        }
    }
}
