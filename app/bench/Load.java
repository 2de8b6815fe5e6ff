package bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A load by wrk. Verifies that every response is as expected and that every request is counted on disk.
 *
 * @param rate responses per second
 * @param p99  in ms
 * @param user CPU time of the server for a response, in us; {@code system} likewise
 */
record Load(double rate, double p99, double user, double system) {
    private static final int CONNECTIONS = 32;
    /** Maximum size of a response head in bytes. */
    private static final int HEAD = 1_000;

    /**
     * A server to load, and what its responses are checked against.
     *
     * @param keys  file with the keys for requests
     * @param bytes minimum size of each body; 0 for responses without a body
     * @param data  where requests are counted; null if the server does not count
     */
    record Side(String name, Child server, String url, String path, Path keys, int bytes, Data data) {
        Side asking(String other) {
            return new Side(name, server, url, other, keys, bytes, data);
        }
    }

    /** @throws IllegalStateException if a response was wrong, late or missing, or the count differs */
    static Load on(Side side, int seconds) throws Exception {
        // Two threads, so that one core does not limit the load while another is idle.
        int threads = Math.min(2, Runtime.getRuntime().availableProcessors());
        long counted = side.data == null ? 0 : side.data.counted();
        Child.Cpu before = side.server.cpu();
        String output = Lab.run(List.of("wrk", "-t" + threads, "-c" + CONNECTIONS, "-d" + seconds + "s", "--timeout", "10s",
                "-s", "app/bench/load.lua", side.url, "--", side.keys.toString(), side.path));
        Child.Cpu cpu = side.server.cpu();
        String[] result = output.lines().filter(line -> line.startsWith("RESULT ")).findFirst().orElseThrow().split(" ");
        long requests = Long.parseLong(result[1]);
        check(side, requests, Long.parseLong(result[4]), Long.parseLong(result[5]) + Long.parseLong(result[6]));
        if (side.data != null) {
            checkCount(requests, side.data.counted() - counted);
        }
        return new Load(requests * 1e6 / Long.parseLong(result[2]), Long.parseLong(result[3]) / 1e3,
                (cpu.user() - before.user()) * 1e3 / requests, (cpu.system() - before.system()) * 1e3 / requests);
    }

    /** The byte count distinguishes a 200 with a body from a 304 without. */
    private static void check(Side side, long requests, long bytes, long errors) {
        boolean expected = side.bytes > 0 ? bytes >= requests * side.bytes : bytes <= requests * HEAD;
        if (requests == 0 || errors > 0 || !expected) {
            throw new IllegalStateException(requests + " answers with " + bytes + " bytes; " + errors + " were 4xx or 5xx, late or lost");
        }
    }

    /** The count may exceed the responses only by requests still in flight at the end. */
    private static void checkCount(long answered, long counted) {
        if (counted < answered || counted > answered + CONNECTIONS) {
            throw new IllegalStateException(answered + " requests were answered, but " + counted + " counted");
        }
    }

    double cpu() {
        return user + system;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,.0f/s, p99 %.2f ms, CPU %.1f us", rate, p99, cpu());
    }
}
