package stet.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.atomic.AtomicBoolean;
import stet.core.Log;
import stet.dao.StoreException;

/** Notices that the open database was removed or replaced: SQLite would go on writing into a file that nobody can find. */
final class FileWatch {
    private final Log log;
    private final Path file;
    /** Identity of the open file; null where the file system has none. */
    private final Object key;
    private final AtomicBoolean gone = new AtomicBoolean();

    FileWatch(Path file, Log log) {
        this.log = log;
        this.file = file;
        this.key = identity(file);
    }

    /** Takes 2 µs. @throws StoreException while another file, or none, has the name; logged once */
    void check() {
        if (isThere()) {
            if (gone.get() && gone.compareAndSet(true, false)) {
                log.warn("database-back", "file", file);
            }
            return;
        }
        String sentence = file + " was removed or replaced while it is open; nothing is written until the same file is back";
        if (gone.compareAndSet(false, true)) {
            log.warn("database-gone", "file", file, "reason", sentence);
        }
        throw StoreException.of(sentence, 14); // CANTOPEN
    }

    /** Tells one file from another of the same name; null where there is none, or the system has no such key. */
    private static Object identity(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException missing) {
            return null;
        }
    }

    boolean isThere() {
        return key == null || key.equals(identity(file));
    }
}
