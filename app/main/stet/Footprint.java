package stet;

import java.util.concurrent.TimeUnit;

/**
 * Keeps the process as large as its work needs. The JVM begins with 1/64 of the machine's memory as its heap and takes
 * more rather than collect more often; what it took for a moment it keeps. A full collection now and then, only while
 * the heap is many times what is in use, gives it back.
 */
final class Footprint implements Runnable {
    /** How often is looked, in s: a full collection takes some 20 ms, two thousandths of the time at most. */
    private static final int PAUSE = 10;
    /** A heap of this size is left alone, in bytes. */
    private static final long SMALL = 64 << 20;
    /** So many times what was in use after the last full collection the heap may become. */
    private static final int ROOM = 4;

    private final Runtime runtime = Runtime.getRuntime();
    private long bound;

    private Footprint() {
    }

    /** From now on, for as long as the process lives. */
    static void watch() {
        Thread thread = new Thread(new Footprint(), "stet-footprint");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        try {
            while (true) {
                trim();
                TimeUnit.SECONDS.sleep(PAUSE);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void trim() {
        if (runtime.totalMemory() > bound) {
            System.gc();
            bound = Math.max(SMALL, ROOM * (runtime.totalMemory() - runtime.freeMemory()));
        }
    }
}
