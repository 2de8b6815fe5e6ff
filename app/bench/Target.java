package stet;

import java.nio.file.Path;

/**
 * A server that is put under load, and what its answers are known by.
 *
 * @param keys    the file of keys that the requests carry
 * @param bytes   of the body of each answer, at least; 0 for answers without one
 * @param counted whose requests are counted on disk, or null for a server that counts none
 */
record Target(String url, String path, Path keys, int connections, int bytes, Data counted) {
    Target withConnections(int other) {
        return new Target(url, path, keys, other, bytes, counted);
    }

    Target asking(String other) {
        return new Target(url, other, keys, connections, bytes, counted);
    }

    /** The same of another server. */
    Target at(String other) {
        return new Target(other, path, keys, connections, bytes, counted);
    }

    /** The same of a server that counts nothing. */
    Target uncounted() {
        return new Target(url, path, keys, connections, bytes, null);
    }
}
