package stet.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import stet.base.LocalFiles;
import stet.base.Log;
import stet.dao.Sql;
import stet.dao.StoreException;

/**
 * Detects that an open file of the database was removed, replaced or truncated. Otherwise, SQLite would keep writing to files that the
 * next start does not find.
 *
 * <pre>
 * removed or replaced    the files' identities, unless the folder's change time shows that nothing in it was; before each transaction and after
 *                        each synced one
 * log truncated          its header is missing, or it is shorter than the number of pages in shared memory; after each synced transaction
 * folder moved           another folder, or none, is at the path
 * </pre>
 *
 * <p>A commit is thus never confirmed if the next start would not find it. Checking the folder takes 1.3 µs, instead of 1 µs for each
 * of the four files. With many requests per second, the check after one transaction is also the one before the next.
 */
final class FileWatch implements AutoCloseable {
    /** Health's reasons, which are public. */
    static final String DATABASE_GONE = "the database file was removed or replaced";
    static final String LOG_GONE = "the write-ahead log was removed or replaced";
    static final String LOG_TRUNCATED = "the write-ahead log was truncated";
    static final String SHARED_MEMORY_GONE = "the file stet.db-shm was removed or replaced";
    static final String LOCK_GONE = "the file serve.lock was removed or replaced";
    /** https://sqlite.org/fileformat2.html#the_write_ahead_log */
    private static final int LOG_HEADER_BYTES = 32;
    private static final int FRAME_HEADER_BYTES = 24;
    /** The first three bytes of a log; the last bit of the fourth byte is the byte order of its checksums. */
    private static final int LOG_MAGIC = 0x377f0682;
    /** Number of times that a short log is confirmed, because another process may truncate an empty log at any time. */
    private static final int CONFIRMATIONS = 3;
    /** Precision of the coarsest change times, those of FAT. Of two changes within it, only the first may be visible. */
    private static final long TIME_NANOS = 2_000_000_000L;
    /** Time for which a check also counts for the next transaction. What changes meanwhile is detected after it, like what changes during it. */
    private static final long RECENT_NANOS = 1_000_000;

    /** @param key identity of the open file, or null if the file system has no file identities @param reason why health fails */
    private record Watched(Path file, Object key, String reason) {
        static Watched of(Path file, String reason) {
            return new Watched(file, LocalFiles.identity(file), reason);
        }

        boolean isThere() {
            return key == null || key.equals(LocalFiles.identity(file));
        }
    }

    /**
     * The folder at one change time.
     *
     * @param state     its identity and change time; null if it is missing or the system has no change times
     * @param since     when the state was first seen, in nanoseconds
     * @param isChecked whether all files were in place at a time when any later change would change the state
     */
    private record WatchedFolder(Map<String, Object> state, long since, boolean isChecked) {
    }

    private final Log log;
    private final LongSupplier nanoTime;
    private final Path database;
    /** The folder of the files; null if the database's path is a link to another folder. */
    private final Path path;
    /** The database comes first. */
    private volatile List<Watched> watched;
    private volatile WatchedFolder folder;
    /** When the last {@link #checkFolder} that found the files in place began, in nanoseconds. */
    private volatile long checked;
    /** The open log, or null in a command. SQLite locks the log's neighbours, but not the log, so closing it is harmless. */
    private volatile FileChannel walFile;
    private long pageSize;
    private volatile long longest;
    private volatile boolean truncated;
    private final AtomicBoolean gone = new AtomicBoolean();

    /** @param nanoTime as {@link System#nanoTime} */
    FileWatch(Path database, Log log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
        this.database = database;
        this.path = Files.isSymbolicLink(database) ? null : database.toAbsolutePath().getParent();
        this.watched = List.of(Watched.of(database, DATABASE_GONE));
        this.checked = nanoTime.getAsLong() - RECENT_NANOS;
    }

    /** Also watches the files beside the database, which exist from now on until serve stops. @param sql an open connection */
    void watchAll(Sql sql, Path lock) {
        Path wal = DataFolder.log(database);
        pageSize = sql.number("pragma page_size");
        watched = List.of(watched.get(0), Watched.of(wal, LOG_GONE), Watched.of(DataFolder.beside(database, "-shm"), SHARED_MEMORY_GONE),
                Watched.of(lock, LOCK_GONE));
        folder = null;
        try {
            walFile = FileChannel.open(wal);
        } catch (IOException unreadable) {
            // The first check reports a log that is missing.
        }
    }

    /** Checks that the files are in place. @throws StoreException if one is not the open file (logged once) */
    void check() {
        check(missing());
    }

    /** Logs once that a file is missing or the log truncated, and once that all are in place again. @throws StoreException in the first case */
    private void check(Optional<Watched> missing) {
        if (missing.isEmpty() && !truncated) {
            if (gone.get() && gone.compareAndSet(true, false)) {
                log.warn("database-back", "file", database);
            }
            return;
        }
        Path file = missing.map(Watched::file).orElseGet(() -> DataFolder.log(database));
        String sentence = missing.isEmpty() ? file + " was truncated while open; nothing is written until serve is restarted"
                : file + " was removed or replaced while open; nothing is written until the file is put back"
                + (file.equals(database) ? "" : " or serve is restarted");
        if (gone.compareAndSet(false, true)) {
            log.warn("database-gone", "file", file, "reason", sentence);
        }
        throw StoreException.of(sentence, 14); // CANTOPEN
    }

    /** Checks the files before a transaction, unless that was done within {@link #RECENT_NANOS}. @throws StoreException as {@link #check()} does */
    void checkBefore() {
        if (truncated || nanoTime.getAsLong() - checked >= RECENT_NANOS) {
            checkFolder();
        }
    }

    /** Checks the files as {@link #check()} does, unless nothing in their folder has been added, removed or replaced since it was checked. */
    private void checkFolder() {
        long began = nanoTime.getAsLong();
        WatchedFolder last = folder;
        Map<String, Object> state = state();
        boolean isSame = last != null && state != null && state.equals(last.state);
        if (!isSame || !last.isChecked || truncated) {
            long since = isSame ? last.since : nanoTime.getAsLong();
            boolean isOld = state != null && nanoTime.getAsLong() - since > TIME_NANOS;
            check();
            folder = new WatchedFolder(state, since, isOld);
        }
        checked = began;
    }

    private Map<String, Object> state() {
        try {
            return path == null ? null : Files.readAttributes(path, "unix:dev,ino,ctime");
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException unknown) {
            return null;
        }
    }

    /**
     * Checks the files, and that nobody has truncated the log. Takes about 2 µs. Called by the thread that uses the connection, outside
     * transactions.
     *
     * @throws StoreException as {@link #check()} does
     */
    void check(Sql sql) {
        checkFolder();
        if (walFile != null && isTruncated(sql)) {
            truncated = true;
            check();
        }
    }

    /** Whether the log is truncated. Asks SQLite only if the log has become shorter or has no header; false if the log cannot be read. */
    private boolean isTruncated(Sql sql) {
        try {
            long bytes = walFile.size();
            boolean isWhole = bytes >= longest && bytes > 0 && hasHeader();
            longest = bytes;
            return !isWhole && isShort(sql);
        } catch (IOException unreadable) {
            return false;
        }
    }

    private boolean hasHeader() throws IOException {
        ByteBuffer magic = ByteBuffer.allocate(4);
        return walFile.read(magic, 0) == 4 && (magic.getInt(0) & ~1) == LOG_MAGIC;
    }

    /** Whether the log is shorter than the pages that SQLite expects in it. */
    private boolean isShort(Sql sql) throws IOException {
        for (int left = CONFIRMATIONS; left > 0; left--) {
            long pages = sql.first("pragma wal_checkpoint(noop)", row -> row.number("log")).orElse(0L);
            if (pages <= 0 || walFile.size() >= LOG_HEADER_BYTES + pages * (pageSize + FRAME_HEADER_BYTES) && hasHeader()) {
                return false;
            }
        }
        return true;
    }

    private Optional<Watched> missing() {
        for (Watched file : watched) {
            if (!file.isThere()) {
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }

    /** Short reason for {@link Health}; empty if all files are in place. */
    Optional<String> problem() {
        return missing().map(Watched::reason).or(() -> truncated ? Optional.of(LOG_TRUNCATED) : Optional.empty());
    }

    /** Whether {@link #check()} would find no problem. */
    boolean isThere() {
        return missing().isEmpty() && !truncated;
    }

    /** Whether a checkpoint would write missing pages to the database. */
    boolean isTruncated() {
        return truncated;
    }

    /** Whether the open log can be saved by writing it to the database, although the next start would not find it. */
    boolean isSavable() {
        return !truncated && watched.get(0).isThere();
    }

    @Override
    public void close() {
        if (walFile != null) {
            try {
                walFile.close();
            } catch (IOException closed) {
                // nothing was written
            }
        }
    }
}
