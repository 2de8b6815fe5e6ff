package stet.files;

import java.util.function.Supplier;
import stet.base.Refusal;

/** Receives the files of a folder or zip one by one. */
interface Listing {
    /**
     * @param bytes  length of the file
     * @param reader reads the file; throws a {@link Refusal} that names the path if the file is missing or unreadable
     * @return true if the reader may be called later
     */
    boolean add(String path, long bytes, Supplier<byte[]> reader);

    default void addFolder(String path) {
    }

    /** Receives the path of a symbolic link, which could point to any file on this machine. @throws Refusal unless links may be skipped */
    default void addLink(String path) {
        throw new Refusal("This is a symbolic link, which imports do not follow; replace it with a file or folder").in(path);
    }

    /** Receives the path of a file or folder that is not read because it is hidden, belongs to another program or is not a regular file. */
    default void passOver(String path) {
    }
}
