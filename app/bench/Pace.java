package stet;

/**
 * Durations of a measurement.
 *
 * @param seconds load per side and round
 * @param rounds rounds per side
 */
record Pace(int seconds, int rounds) {

    /** Returns the warm-up in s. With two busy processors, JIT compilation takes 6 to 10 s. */
    int warmUp() {
        return 15;
    }

    /** Returns the duration of a one-sided measurement, in s. */
    int whole() {
        return seconds * rounds;
    }
}
