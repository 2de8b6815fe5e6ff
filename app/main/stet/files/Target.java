package stet.files;

/** Where an export goes, one file after the other. */
public interface Target {
    /** @throws java.io.UncheckedIOException when it cannot be written */
    void write(String path, byte[] bytes);
}
