package stet;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import stet.core.HeapBudget;

/** Limits the memory of large bodies being sent. A body sent to several clients is counted once. */
final class LargeBodies {
    private static final int LARGE = 64 << 10;
    private static final int WAIT_SECONDS = 10;

    /** In KiB. */
    private final Pool.Room room = new Pool.Room((int) Math.min(Integer.MAX_VALUE, HeapBudget.LARGE_BYTES >> 10));
    /** Number of clients that each body is being sent to. */
    private final Map<byte[], Integer> bodies = new IdentityHashMap<>();

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

    /** Waits for free memory, then reserves it for a body until {@link #leave}. @return false on timeout */
    boolean enter(byte[] body) {
        if (body.length >= LARGE && !isOnItsWay(body) && !await()) {
            return false;
        }
        take(body);
        return true;
    }

    private synchronized boolean isOnItsWay(byte[] body) {
        return bodies.containsKey(body);
    }

    /** Reserves memory for a body that already exists, even if none is free. */
    void take(byte[] body) {
        count(body, 1);
    }

    void leave(byte[] body) {
        count(body, -1);
    }

    private void count(byte[] body, int clients) {
        if (body.length < LARGE) {
            return;
        }
        synchronized (this) {
            int now = bodies.merge(body, clients, Integer::sum);
            if (now == 0) {
                bodies.remove(body);
                room.release(body.length >> 10);
            } else if (now == 1 && clients == 1) {
                room.reducePermits(body.length >> 10);
            }
        }
    }
}
