package stet;

/**
 * Times of a measurement.
 *
 * @param seconds of load on each side in each round
 * @param rounds  how often the sides take turns
 */
record Pace(int seconds, int rounds) {

    /** In seconds: on two processors that are busy with load as well, the JIT compiler is at work for 6 to 10. */
    int warmUp() {
        return 15;
    }

    /** Of what is measured without turns, in seconds. */
    int whole() {
        return seconds * rounds;
    }
}
