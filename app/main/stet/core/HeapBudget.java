package stet.core;

/**
 * Bounds on memory, as parts of the heap. All that a client can make many or large is in one of these; small constants bound
 * the rest where it is used.
 *
 * <pre>
 * MB of a heap of                                         256    48
 * answers and keys that are cached                         56    10
 * requests inside, 32 KB each                              90    17
 * idle connections, 56 KB each, a fourth as many           40     7
 * large bodies on their way to clients                     16     8
 * heavy work, previews, code, pages of the database        54    24
 * </pre>
 *
 * <p>They are never all used at the same time, so that 48 MB are enough.
 */
public final class HeapBudget {
    private static final long MIB = 1 << 20;
    private static final long HEAP = Runtime.getRuntime().maxMemory();
    /** Four buffers of the JDK's server, and what it reads a head with. */
    private static final long REQUEST_BYTES = 32 << 10;
    private static final long SILENT_CONNECTION_BYTES = 2 << 10;

    /** Bytes of cached answers and keys. */
    public static final long CACHE_BYTES = Math.max(HEAP / 9 * 2, HEAP / 2 - 72 * MIB);
    /** Open connections, most of them silent. */
    public static final int CONNECTIONS = (int) between(2_048, HEAP / 12 / SILENT_CONNECTION_BYTES, 16_384);
    /** Requests that are read, counted or answered at the same time, and so threads. */
    public static final int REQUESTS = (int) between(512, HEAP / 20 * 7 / REQUEST_BYTES, 4_096);
    /** Bytes of large bodies on their way to clients. */
    public static final long LARGE_BYTES = Math.max(8 * MIB, HEAP / 16);

    private HeapBudget() {
    }

    private static long between(long least, long wanted, long most) {
        return Math.max(least, Math.min(wanted, most));
    }
}
