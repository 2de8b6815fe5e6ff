package stet;

import java.nio.file.Path;

/**
 * A server to load, and what its responses are checked against.
 *
 * @param keys    file with the keys for requests
 * @param bytes   minimum size of each body; 0 for responses without a body
 * @param counted data folder where requests are counted; null if the server does not count
 */
record Target(String url, String path, Path keys, int connections, int bytes, Data counted) {
    Target withConnections(int other) {
        return new Target(url, path, keys, other, bytes, counted);
    }

    Target asking(String other) {
        return new Target(url, other, keys, connections, bytes, counted);
    }

    /** Returns the same target on another server. */
    Target at(String other) {
        return new Target(other, path, keys, connections, bytes, counted);
    }

    /** Returns the same target without the check of the count. */
    Target uncounted() {
        return new Target(url, path, keys, connections, bytes, null);
    }
}
