package stet;

import java.nio.file.Path;
import java.util.List;

/**
 * Measurement of a target by wrk, checked twice: each answer was the expected one, and each is counted on disk.
 *
 * @param rate   answers a second
 * @param p99    in ms
 * @param errors connections that failed and answers that came too late
 */
record Load(double rate, double p99, long errors) {
    private static final Path SCRIPT = Path.of("app/bench/load.lua");
    /** Limit of wrk's wait for an answer, in s. */
    private static final int TIMEOUT = 10;
    /** Bytes of an answer's status line and headers, at most. */
    private static final int HEADERS = 1_000;

    /** @throws Broken when an answer was not the expected one, or the count is not that of the answers */
    static Load on(Target target, int seconds) throws Exception {
        // Two threads, so that the load is not limited by one core while the server leaves another idle.
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

    /** wrk tells 4xx and 5xx from the rest; a 200 with a body from a 304 without is told by the bytes. */
    private static void check(Target target, long requests, long bytes, long refused) {
        if (refused > 0) {
            throw new Broken(refused + " of " + requests + " answers were 4xx or 5xx");
        }
        boolean expected = target.bytes() > 0 ? bytes >= requests * target.bytes() : bytes <= requests * HEADERS;
        if (!expected) {
            throw new Broken(requests + " answers had " + bytes + " bytes: these are not the expected ones");
        }
    }

    /** More may be counted than were answered only by what was under way at the end. */
    private static void checkCount(long answered, long counted, int connections) {
        if (counted < answered || counted > answered + connections) {
            throw new Broken(answered + " requests were answered, but " + counted + " counted");
        }
    }

    /** For targets where nothing may fail. */
    Load withoutErrors() {
        if (errors > 0) {
            throw new Broken(errors + " connections failed or answers came too late");
        }
        return this;
    }
}
