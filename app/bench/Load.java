package stet;

import java.nio.file.Path;
import java.util.List;

/**
 * A wrk measurement of a target. Verifies that every response is as expected and that every request is counted on disk.
 *
 * @param rate   responses per second
 * @param p99    in ms
 * @param errors failed connections and timeouts
 */
record Load(double rate, double p99, long errors) {
    private static final Path SCRIPT = Path.of("app/bench/load.lua");
    /** wrk's response timeout, in s. */
    private static final int TIMEOUT = 10;
    /** Maximum size of a response head in bytes. */
    private static final int HEADERS = 1_000;

    /** @throws Broken if a response was wrong or the count differs */
    static Load on(Target target, int seconds) throws Exception {
        // Two threads, so that one core does not limit the load while another is idle.
        int threads = Math.max(1, Math.min(Math.min(2, Runtime.getRuntime().availableProcessors()), target.connections()));
        long before = target.counted() == null ? 0 : target.counted().usedAtRest();
        String output;
        try (Child wrk = Child.start(Lab.log("wrk"), List.of("wrk", "-t" + threads, "-c" + target.connections(), "-d" + seconds + "s",
                "--timeout", TIMEOUT + "s", "-s", SCRIPT.toString(), target.url(), "--", target.keys().toString(), target.path()))) {
            output = wrk.output(seconds + 3 * TIMEOUT);
        }
        String[] result = output.lines().filter(line -> line.startsWith("RESULT ")).findFirst()
                .orElseThrow(() -> new Broken("wrk gave no result: " + output)).split(" ");
        long requests = Long.parseLong(result[1]);
        if (requests == 0) {
            throw new Broken("no request was answered");
        }
        check(target, requests, Long.parseLong(result[4]), Long.parseLong(result[6]));
        if (target.counted() != null) {
            checkCount(requests, target.counted().usedAtRest() - before, target.connections());
        }
        return new Load(requests * 1e6 / Long.parseLong(result[2]), Long.parseLong(result[3]) / 1e3, Long.parseLong(result[5]));
    }

    /** wrk counts 4xx and 5xx; the byte count distinguishes a 200 with a body from a 304 without. */
    private static void check(Target target, long requests, long bytes, long refused) {
        if (refused > 0) {
            throw new Broken(refused + " of " + requests + " answers were 4xx or 5xx");
        }
        boolean expected = target.bytes() > 0 ? bytes >= requests * target.bytes() : bytes <= requests * HEADERS;
        if (!expected) {
            throw new Broken(requests + " answers had " + bytes + " bytes: these are not the expected ones");
        }
    }

    /** The count may exceed the responses only by requests still in flight at the end. */
    private static void checkCount(long answered, long counted, int connections) {
        if (counted < answered || counted > answered + connections) {
            throw new Broken(answered + " requests were answered, but " + counted + " counted");
        }
    }

    /** Returns this load; fails if it has errors. */
    Load withoutErrors() {
        if (errors > 0) {
            throw new Broken(errors + " connections failed or answers came too late");
        }
        return this;
    }
}
