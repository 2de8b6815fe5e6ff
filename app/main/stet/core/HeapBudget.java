package stet.core;

/**
 * Shares of the heap. All memory that outlives a request, or that requests at work need at the same time, has a bound
 * here. Together the bounds fit a heap of 256 MB. A smaller heap has smaller shares; a larger one caches more answers.
 *
 * <pre>
 * MB of a heap of                                      256    48
 * code, pages, statements, statistics, sums of counts,
 * lines of the access log, 2 KB each                    30    14
 * answers that are cached                               48     9
 * keys that are cached, 512 bytes each                   8     1
 * previews                                               8     4
 * connections that are kept, 56 KB each                 40     7
 * connections at work, 56 KB each                       26     6
 * requests that wait to be counted, 28 KB each          12     2
 * large answers that are being sent                     16     8
 * one check, one save, one import, one export,
 * one report at a time (a small heap: one of them)      68    24
 * </pre>
 */
public final class HeapBudget {
    private static final long MIB = 1 << 20;
    private static final long HEAP = Runtime.getRuntime().maxMemory();
    /** An open connection: three buffers of 8 KiB in the JDK's server, and one for two slices of an answer. */
    private static final long CONNECTION_BYTES = 56 << 10;
    private static final long SILENT_CONNECTION_BYTES = 2 << 10;
    private static final long ACCESS_LOG_LINE_BYTES = 2 << 10;
    /** Bounds on the connections of each kind, however large or small the heap. */
    private static final int MIN_CONNECTIONS = 64;
    private static final int MAX_CONNECTIONS = 2_048;

    /** Bytes of cached answers. */
    public static final long CACHED_ANSWER_BYTES = Math.max(HEAP / 16 * 3, HEAP / 2 - 80 * MIB);
    /** A cached key. */
    public static final long KEY_BYTES = 512;
    public static final long CACHED_KEYS = HEAP / 32 / KEY_BYTES;
    /** Bytes of the previews of all accounts together. */
    public static final long PREVIEW_BYTES = Math.max(4 * MIB, HEAP / 32);
    /** Lines of the access log that wait to be written. */
    public static final int ACCESS_LOG_LINES = (int) Math.min(4_096, HEAP / 64 / ACCESS_LOG_LINE_BYTES);
    /** Idle connections kept open for a next request. */
    public static final int KEPT_CONNECTIONS = connections(HEAP / 13 * 2);
    /** Connections whose request is being read or answered, each by one thread. */
    public static final int CONNECTIONS_AT_WORK = connections(HEAP / 10);
    /** Requests that were read and wait to be counted and answered. */
    public static final int PENDING_REQUESTS = CONNECTIONS_AT_WORK;
    /** All connections; most may be silent. */
    public static final int CONNECTIONS = (int) Math.min(16_384,
            Math.max(MAX_CONNECTIONS, HEAP / 12 / SILENT_CONNECTION_BYTES));
    /** Bytes of large answers being sent. */
    public static final long LARGE_ANSWER_BYTES = Math.max(8 * MIB, HEAP / 16);
    /** Whether different kinds of heavy work may run at the same time. */
    public static final boolean ALLOWS_PARALLEL_WORK = HEAP >= 128 * MIB;

    private HeapBudget() {
    }

    private static int connections(long bytes) {
        return (int) Math.max(MIN_CONNECTIONS, Math.min(MAX_CONNECTIONS, bytes / CONNECTION_BYTES));
    }
}
