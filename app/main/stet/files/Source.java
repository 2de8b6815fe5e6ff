package stet.files;

import java.io.Closeable;
import java.util.SortedMap;

/** The files of an account's folder, wherever they are. One at a time is in memory. */
public interface Source extends Closeable {
    /** Which files there are; nothing of them is read for it. */
    Contents contents();

    /**
     * The bytes of one of them.
     *
     * @throws stet.core.Refusal naming the path, when it is longer than its place allows, damaged, or gone
     */
    byte[] read(String path);

    @Override
    default void close() {
    }

    /** Files that were made in memory. */
    static Source of(SortedMap<String, byte[]> files) {
        Contents contents = new Contents();
        files.forEach((path, bytes) -> contents.add(path, bytes.length));
        return new Source() {
            @Override
            public Contents contents() {
                return contents;
            }

            @Override
            public byte[] read(String path) {
                return files.get(path);
            }
        };
    }
}
