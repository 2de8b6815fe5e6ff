package stet;

/**
 * How long is measured.
 *
 * @param seconds of load on each side in each round; the warm-up before them is twice as long
 * @param rounds  how often the sides take turns
 */
record Pace(int seconds, int rounds) {
    int warmUp() {
        return 2 * seconds;
    }

    /** Of what is measured without turns, in seconds. */
    int whole() {
        return seconds * rounds;
    }
}
