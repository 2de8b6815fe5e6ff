package stet;

/**
 * Durations of a measurement.
 *
 * @param seconds load per side and round
 * @param rounds  number of alternations
 */
record Pace(int seconds, int rounds) {

    /** In seconds; with two busy processors, JIT compilation takes 6 to 10. */
    int warmUp() {
        return 15;
    }

    /** Duration in s of measurements that do not alternate between sides. */
    int whole() {
        return seconds * rounds;
    }
}
