package stet.upkeep;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;
import stet.base.FullDisk;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.dao.Sql;
import stet.dao.StoreException;
import stet.sqlite.DataFolder;
import stet.sqlite.DatabaseFile;
import stet.sqlite.Db;

/**
 * Creates a verified copy of the database in a single file, while others read and write.
 *
 * <pre>
 * stet.db ─ vacuum into ─► FILE.N.part ─ verified ─ synced ─ renamed ─► FILE, and then FILE.sha256
 * </pre>
 *
 * <p>The copy is a consistent snapshot of everything committed before the backup started. If the process is killed, FILE
 * is either the old or the new file, and FILE.sha256 is missing or contains that file's {@link Checksum}.
 */
public final class Backup {
    private static final long SYNC_INTERVAL_NANOS = 20_000_000;
    /** Number of SQLite instructions between checks, enough to copy a few rows. */
    private static final int INSTRUCTIONS = 10;

    private final DataFolder folder;
    private final Supplier<Sql> connect;
    /** Test hook, called before each text or version is verified. */
    private final Runnable step;
    private final int instructions;
    private volatile boolean stopped;

    public Backup(Db db) {
        this(db, INSTRUCTIONS, () -> { });
    }

    /**
     * @param instructions number of SQLite instructions between checks for a stop request
     * @param step         called before each text or version is verified
     */
    Backup(Db db, int instructions, Runnable step) {
        this.instructions = instructions;
        this.folder = db.folder();
        this.connect = db::connect;
        this.step = step;
    }

    /** @param sha256 the file's SHA-256, in hex */
    public record Made(long bytes, long versions, long millis, String sha256) {
    }

    /**
     * Writes a backup. Replaces an existing file only if that file is empty or a Stet database without a log.
     *
     * @throws Refusal        if the file must not be replaced, or its folder does not exist
     * @throws SystemFailure  if the file cannot be written
     * @throws FullDisk       if the disk has too little space
     * @throws StoreException if the database cannot be read or is corrupted, or the backup is stopped
     */
    public Made to(Path file) {
        checkTarget(file);
        try {
            // Only the owner can access this file.
            Path part = folder.ownInside(Files.createTempFile(file.toAbsolutePath().getParent(), file.getFileName() + ".", ".part"));
            return make(part, sha256 -> Checksum.rename(part, file, sha256));
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot write the backup " + file, failure);
        }
    }

    /**
     * Writes a verified copy to a stream, using temporary space in the data folder or, if nothing can be written there, in the system's folder.
     *
     * @throws FullDisk       if there is too little temporary space
     * @throws StoreException if the database cannot be read or is corrupted, or the backup is stopped
     */
    public Made to(OutputStream out) throws IOException {
        boolean isTight = folder.notWritable().isPresent() || FullDisk.isFull(folder.path(""));
        Path part = isTight ? Files.createTempFile("stet", ".tmp") : folder.temporaryFile();
        return make(part, sha256 -> {
            Files.copy(part, out);
            out.flush();
        });
    }

    /** Moves or sends the verified copy. */
    private interface Handover {
        void run(String sha256) throws IOException;
    }

    /** Makes a verified copy and hands it over. @param part an empty file for the copy, which is deleted in any case */
    private Made make(Path part, Handover handover) throws IOException {
        long begin = System.nanoTime();
        try {
            copyTo(part);
            long versions = verify(part);
            long bytes = Files.size(part);
            String sha256 = Checksum.of(part);
            handover.run(sha256);
            return new Made(bytes, versions, (System.nanoTime() - begin) / 1_000_000, sha256);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Stops a backup running on another thread and makes all later backups fail. */
    public void stop() {
        stopped = true;
    }

    boolean isStopped() {
        return stopped;
    }

    private void checkNotStopped() {
        if (stopped) {
            throw new StoreException("the backup was stopped");
        }
    }

    /** @throws Refusal if a backup cannot or must not be written to this file */
    private void checkTarget(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        if (parent == null || Files.isDirectory(file)) {
            throw new Refusal(file + " is a folder; choose a file name");
        }
        if (!Files.isDirectory(parent)) {
            throw new Refusal("The backup folder " + parent + " does not exist; create it first");
        }
        if (folder.holds(file)) {
            throw new Refusal(file + " is one of the database's files; choose another name");
        }
        if (Files.exists(file) && !DatabaseFile.isStetOrEmpty(file)) {
            throw new Refusal(file + " exists and is not a Stet backup; choose another name");
        }
        Checksum.read(file); // a file with this name that is no checksum is not replaced
        if (Files.exists(DataFolder.log(file))) {
            throw new Refusal(file + " may be a database in use (its log " + DataFolder.log(file) + " exists); choose another name");
        }
    }

    /** Copies the database and gives the copy another number than the database has. */
    private void copyTo(Path part) throws IOException {
        try (Sql sql = connect.get(); FileChannel file = FileChannel.open(part, StandardOpenOption.WRITE)) {
            long bytes = sql.number("""
                    select (page_count - freelist_count) * page_size
                    from pragma_page_count, pragma_freelist_count, pragma_page_size
                    """);
            FullDisk.check(part.getParent(), bytes); // a full disk would also affect serve if it uses the same disk
            Syncing syncing = new Syncing(file);
            sql.whileRunning(instructions, () -> {
                syncing.sync();
                return !stopped;
            });
            try {
                checkNotStopped();
                sql.update("vacuum into ?", part.toAbsolutePath().toString());
            } catch (StoreException failure) {
                throw failure.isOfDisk() && FullDisk.isFull(part.getParent()) ? new FullDisk(part.getParent(), bytes) : failure;
            }
        }
        try (Sql sql = DatabaseFile.connectPrivately(part)) {
            sql.update("update opened set number = random()"); // so that no log of the original counts as the copy's
        }
    }

    /** @return the number of versions in the copy @throws StoreException if the copy is corrupted or the backup is stopped */
    private long verify(Path part) {
        try (Sql sql = DatabaseFile.connectImmutable(part)) {
            sql.whileRunning(instructions, () -> !stopped);
            Integrity.problems(sql, () -> {
                step.run();
                checkNotStopped();
            }).ifPresent(problems -> {
                throw StoreException.of("no backup was made because the database is corrupted: " + problems, StoreException.CORRUPT);
            });
            return sql.number("select count(*) from versions");
        }
    }

    /** Syncs a growing file in small steps, because a single sync at the end would delay the syncs of counted requests. */
    private static final class Syncing {
        private final FileChannel file;
        private long last = System.nanoTime();

        Syncing(FileChannel file) {
            this.file = file;
        }

        void sync() {
            if (System.nanoTime() - last > SYNC_INTERVAL_NANOS) {
                try {
                    file.force(false);
                } catch (IOException failure) {
                    // The copy will probably fail for the same reason.
                }
                last = System.nanoTime();
            }
        }
    }
}
