package stet.base;

/**
 * Memory limits as shares of the heap. They cover everything whose number or size depends on clients; everything else is limited by
 * small constants in other classes.
 *
 * <pre>
 * MB of a heap of                                         256    48
 * cached responses and keys                                56    10
 * concurrent requests, 32 KB each                          90    17
 * idle connections, 56 KB each, a quarter as many          40     7
 * large bodies being sent, short bodies received           16     8
 * cached images                                             8     2
 * heavy work, previews, code, database pages               46    22
 * </pre>
 *
 * <p>The shares are never fully used at the same time, so a heap of 48 MB is enough.
 */
public final class HeapBudget {
    private static final long MIB = 1 << 20;
    private static final long HEAP = Runtime.getRuntime().maxMemory();
    /** Memory per request for the JDK server's four buffers and request-header parser. */
    private static final long REQUEST_BYTES = 32 << 10;
    private static final long SILENT_CONNECTION_BYTES = 2 << 10;

    /** Maximum total size of cached responses and keys, in bytes. */
    public static final long CACHE_BYTES = Math.max(HEAP / 9 * 2, HEAP / 2 - 72 * MIB);
    /** Maximum number of open connections, most of them idle. */
    public static final int CONNECTIONS = (int) between(2_048, HEAP / 12 / SILENT_CONNECTION_BYTES, 16_384);
    /** Maximum number of concurrent requests, and therefore of threads. */
    public static final int REQUESTS = (int) between(512, HEAP / 20 * 7 / REQUEST_BYTES, 4_096);
    /** Maximum total size of cached images, in bytes; enough for one of the largest. */
    public static final long IMAGE_CACHE_BYTES = Math.max(2 * MIB + (4 << 10), HEAP / 32);
    /** Maximum number of images being sent, and of requests for images that wait, beside other requests. */
    public static final int RECIPIENTS = REQUESTS / 8;
    /** Maximum total size of large bodies being sent, in bytes. */
    public static final long LARGE_BYTES = Math.max(8 * MIB, HEAP / 16);

    private HeapBudget() {
    }

    private static long between(long least, long wanted, long most) {
        return Math.max(least, Math.min(wanted, most));
    }
}
