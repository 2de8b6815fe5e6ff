package stet.files;

import java.util.function.Supplier;

/** Takes the files of a folder or zip, one after the other. */
interface Listing {
    /**
     * @param bytes  length of the file
     * @param reader reads the file; throws a {@link stet.core.Refusal} naming the path when that fails
     * @return whether the file may be read later
     */
    boolean add(String path, long bytes, Supplier<byte[]> reader);

    default void addFolder(String path) {
    }

    /** Takes what is never read: hidden files, those of other programs, and what is no file. */
    default void passOver(String path) {
    }
}
