package stet.core;

/**
 * Shares of the heap. All memory that outlives a request, and all that requests at work may need at once, has a bound
 * here, and the bounds together fit a heap of 256 MB. A smaller heap has smaller shares, a larger one keeps more answers.
 *
 * <pre>
 * MB of a heap of                                      256    48
 * code, pages, statements, statistics, sums of counts   30    14
 * answers that are cached                               48     9
 * keys that are cached, 512 bytes each                   8     1
 * previews                                               8     4
 * connections that are kept, 56 KB each                 40     7
 * connections at work, 56 KB each                       26     6
 * large answers that are being sent                     16     8
 * one check, one save, one import, one export,
 * one report at a time (a small heap: one of them)      68    24
 * </pre>
 */
public final class HeapBudget {
    private static final long MIB = 1 << 20;
    private static final long HEAP = Runtime.getRuntime().maxMemory();
    /** Bytes of a connection: the JDK's server keeps three buffers of 8 KiB for each, and one of two slices of an answer. */
    private static final long CONNECTION = 56 << 10;
    /** Bytes of a connection over which nothing has come yet. */
    private static final long SILENT_CONNECTION = 2 << 10;
    private static final long KEY = 512;
    /** Connections of each kind that are worth their memory on a large heap. */
    private static final long MOST_CONNECTIONS = 2_048;
    private static final long FEWEST_CONNECTIONS = 64;

    private HeapBudget() {
    }

    /** Bytes of the answers that are cached. */
    public static long cachedAnswers() {
        return Math.max(HEAP / 16 * 3, HEAP / 2 - 80 * MIB);
    }

    /** Keys that are cached. */
    public static long cachedKeys() {
        return HEAP / 32 / KEY;
    }

    /** Bytes of the previews of all accounts together. */
    public static long previews() {
        return Math.max(4 * MIB, HEAP / 32);
    }

    /** Connections that are kept for a next request. */
    public static int keptConnections() {
        return connections(HEAP / 13 * 2);
    }

    /** Connections whose request is being read or answered: one thread each. */
    public static int connectionsAtWork() {
        return connections(HEAP / 10);
    }

    /** Connections altogether, most of them silent. */
    public static int connections() {
        return (int) Math.min(16_384, Math.max(2_048, HEAP / 12 / SILENT_CONNECTION));
    }

    private static int connections(long bytes) {
        return (int) Math.max(FEWEST_CONNECTIONS, Math.min(MOST_CONNECTIONS, bytes / CONNECTION));
    }

    /** Bytes of the large answers that are being sent. */
    public static long largeAnswers() {
        return Math.max(8 * MIB, HEAP / 16);
    }

    /** Whether different kinds of heavy work may be done at the same time. */
    public static boolean allowsParallelWork() {
        return HEAP >= 128 * MIB;
    }
}
