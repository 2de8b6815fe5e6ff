package stet;

import java.util.Locale;

/**
 * A {@link Pacer}'s results over a period.
 *
 * @param answers number of 200 responses
 * @param errors  other responses, lost connections and timeouts
 * @param p99     99th percentile of the response times in ms, from when each request was due
 * @param delay   the same, but from when each request was sent, without the wait for a connection
 * @param gap     longest time between two responses, in ms
 * @param pause   longest stall of the load itself, in ms; this much of the gap may be due to it
 * @param sync    longest time to sync a page to disk, in ms
 * @param first   first error message, or empty
 */
record Window(long answers, double seconds, long errors, double p99, double delay, double gap, double pause, double sync, String first) {

    /** Formats the results as one line, which {@link #of} parses. */
    String line() {
        return String.format(Locale.ROOT, "%d %f %d %f %f %f %f %f %s", answers, seconds, errors, p99, delay, gap, pause, sync, first);
    }

    static Window of(String line) {
        String[] words = line.split(" ", 9);
        return new Window(Long.parseLong(words[0]), Double.parseDouble(words[1]), Long.parseLong(words[2]), Double.parseDouble(words[3]),
                Double.parseDouble(words[4]), Double.parseDouble(words[5]), Double.parseDouble(words[6]), Double.parseDouble(words[7]), words[8]);
    }

    /** Returns the number of responses per second. */
    double rate() {
        return answers / seconds;
    }

    /** Returns this window; fails if it has errors. */
    Window withoutErrors() {
        if (errors > 0 || answers == 0) {
            throw new Broken("the load had " + errors + " errors and " + answers + " answers: " + first);
        }
        return this;
    }
}
