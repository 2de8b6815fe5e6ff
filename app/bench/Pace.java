package stet;

/**
 * Durations of a measurement.
 *
 * @param seconds load per side and round
 * @param rounds rounds per side
 */
record Pace(int seconds, int rounds) {

    /** In seconds; with two busy processors, JIT compilation takes 6 to 10. */
    int warmUp() {
        return 15;
    }

    /** Duration of a one-sided measurement in s. */
    int whole() {
        return seconds * rounds;
    }
}
