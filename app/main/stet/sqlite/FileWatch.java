package stet.sqlite;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import stet.core.LocalFiles;
import stet.core.Log;
import stet.dao.StoreException;

/** Detects that the open database was removed or replaced. Otherwise, SQLite would keep writing to the unlinked file. */
final class FileWatch {
    private final Log log;
    private final Path file;
    /** Identity of the open file, or null if the file system has no file identities. */
    private final Object key;
    private final AtomicBoolean gone = new AtomicBoolean();

    FileWatch(Path file, Log log) {
        this.log = log;
        this.file = file;
        this.key = LocalFiles.identity(file);
    }

    /** Checks the file, which takes about 2 µs. @throws StoreException if the file is missing or was replaced (logged once per removal) */
    void check() {
        if (isThere()) {
            if (gone.get() && gone.compareAndSet(true, false)) {
                log.warn("database-back", "file", file);
            }
            return;
        }
        String sentence = file + " was removed or replaced while open; nothing is written until the file is put back";
        if (gone.compareAndSet(false, true)) {
            log.warn("database-gone", "file", file, "reason", sentence);
        }
        throw StoreException.of(sentence, 14); // CANTOPEN
    }

    boolean isThere() {
        return key == null || key.equals(LocalFiles.identity(file));
    }
}
