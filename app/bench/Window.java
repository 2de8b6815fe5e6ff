package stet;

import java.util.Locale;

/**
 * Answers that a {@link Pacer} saw in a stretch of time.
 *
 * @param answers of 200
 * @param errors  other answers, connections that were lost, and requests without an answer
 * @param p99     of the answers, in ms, each from the moment at which its request was due
 * @param delay   the same from the moment at which its request was sent: without the time for which all connections were busy
 * @param gap     the longest time between two answers, in ms
 * @param pause   the longest time for which the load itself had no processor, in ms: that much of the gap may be its own
 * @param sync    the longest that the disk took for a page, in ms
 * @param first   error, in words, or empty
 */
record Window(long answers, double seconds, long errors, double p99, double delay, double gap, double pause, double sync, String first) {

    /** On one line, for {@link #of}. */
    String line() {
        return String.format(Locale.ROOT, "%d %f %d %f %f %f %f %f %s", answers, seconds, errors, p99, delay, gap, pause, sync, first);
    }

    static Window of(String line) {
        String[] words = line.split(" ", 9);
        return new Window(Long.parseLong(words[0]), Double.parseDouble(words[1]), Long.parseLong(words[2]), Double.parseDouble(words[3]),
                Double.parseDouble(words[4]), Double.parseDouble(words[5]), Double.parseDouble(words[6]), Double.parseDouble(words[7]), words[8]);
    }

    /** Answers a second. */
    double rate() {
        return answers / seconds;
    }

    /** For where nothing may fail. */
    Window withoutErrors() {
        if (errors > 0 || answers == 0) {
            throw new Broken("the load had " + errors + " errors and " + answers + " answers: " + first);
        }
        return this;
    }
}
