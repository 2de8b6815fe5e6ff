package stet.sqlite;

import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import stet.base.FullDisk;
import stet.dao.Dao;
import stet.dao.StoreException;

/**
 * The database's health. After a failed transaction, checkpoint or read, the database is considered failing until {@link #probe} can write
 * and read. Corruption is reported until restart because a probe touches only a few pages.
 *
 * <pre>
 * ok ── a transaction or read fails ──► failing ── a probe writes and reads, once a second ──► ok
 *                                          └────── corruption ────► failing until restart
 * </pre>
 *
 * <p>Successful transactions do not reset the state, because they may have written nothing.
 */
public final class Health {
    static final String DISK_FULL = "the disk is full";
    static final String NO_INODES = "the disk has no free inodes";
    private static final String READ_ONLY = "the database is read-only";
    private static final String LOCKED = "the database is locked";
    private static final String DISK_FAILED = "the disk failed";
    static final String MALFORMED = "the database is malformed";
    /** Number of free bytes at which a full disk is considered usable again. */
    private static final long FREE_BYTES = 1 << 20;

    /** Number of probes between checks for free inodes; serve probes once a second. */
    private static final int INODE_PROBES = 5;
    private static final int PROBE_BUSY_TIMEOUT_MILLIS = 100;
    /** Maximum time that a probe waits for this process's writes. */
    private static final int PROBE_SECONDS = 10;

    private final Db db;
    private final Path database;
    private final AtomicReference<HealthFailure> failure = new AtomicReference<>();
    private final DataFolder folder;
    private int probes;
    private volatile Supplier<Optional<String>> other = Optional::empty;

    /** Why a request failed, for its response. */
    public enum Cause {
        FULL, READ_ONLY, DISK, LOCKED, GONE, OTHER
    }

    /** A failure. Compared by identity, because reasons may repeat. */
    private record HealthFailure(String reason, boolean lasts) {
    }

    Health(Db db, DataFolder folder) {
        this.db = db;
        this.folder = folder;
        this.database = folder.database();
    }

    /**
     * Short reason why the database or, with {@link #report}, its backups fail, such as "the disk is full"; empty while healthy. Does not
     * access the disk.
     */
    public Optional<String> failing() {
        return Optional.ofNullable(failure.get()).map(HealthFailure::reason)
                .or(() -> other.get());
    }

    /** Lets {@link #failing} report another problem, which is not the database's own. */
    public void report(Supplier<Optional<String>> problem) {
        other = problem;
    }

    /** Records a failure. It lasts until a successful probe or, if the database is malformed, until restart. */
    public void failed(String reason) {
        record(new HealthFailure(reason, reason.equals(MALFORMED)));
    }

    /** Records a failure if the database caused it. Ignores other failures, such as invalid input. @return the same failure */
    public <T extends Throwable> T failed(T cause) {
        if (cause instanceof StoreException store && store.getCause() instanceof SQLException sql) {
            reason(sql).ifPresent(this::failed);
        }
        return cause;
    }

    private void record(HealthFailure next) {
        HealthFailure before = failure.getAndUpdate(current -> current != null && current.lasts ? current : next);
        if (before == null || !before.lasts && !before.reason.equals(next.reason)) {
            db.log().warn("health-failing", "reason", next.reason);
        }
    }

    /**
     * While the database is failing, tries a small synced write, a checkpoint and a read, and clears the failure if all succeed; not while
     * the database is malformed, or the disk is still full. Every few calls, checks whether the disk has free inodes, and records or clears
     * that failure. Called by serve's timer, one call at a time.
     *
     * @throws StoreException if the database still fails
     */
    public void probe() {
        probeInodes();
        HealthFailure probed = failure.get();
        if (probed == null || !isWorthProbing(probed) || !canWrite()) {
            return;
        }
        db.checkpoint();
        db.readForResponse(Dao::probeRead);
        if (failure.compareAndSet(probed, null)) { // false if another failure was recorded during the probe
            db.log().warn("health-restored", "reason", probed.reason);
        }
    }

    /** Whether a write may succeed again. Free inodes are probed separately. */
    private boolean isWorthProbing(HealthFailure failed) {
        boolean isStillFull = failed.reason.equals(DISK_FULL) && isFull(database);
        return !failed.lasts && !isStillFull && !failed.reason.equals(NO_INODES);
    }

    /** Uploads, backups and log rotation need new files, although transactions do not. */
    private void probeInodes() {
        HealthFailure before = failure.get();
        boolean wasLacking = before != null && before.reason.equals(NO_INODES);
        if (before != null && !wasLacking || probes++ % INODE_PROBES != 0) {
            return;
        }
        boolean isLacking = folder.lacksInodes();
        if (isLacking && !wasLacking) {
            failed(NO_INODES);
        } else if (wasLacking && !isLacking && failure.compareAndSet(before, null)) {
            db.log().warn("health-restored", "reason", NO_INODES);
        }
    }

    /** Why a request failed: the disk, the database's files, or anything else. */
    public Cause cause(Throwable failed) {
        if (failed instanceof FullDisk || failed instanceof UncheckedIOException unchecked && FullDisk.isCauseOf(unchecked.getCause())) {
            return Cause.FULL;
        }
        if (failed instanceof StoreException store && store.getCause() instanceof SQLException sql) {
            return switch (reason(sql).orElse("")) {
                case DISK_FULL -> Cause.FULL;
                case READ_ONLY -> Cause.READ_ONLY;
                case DISK_FAILED -> Cause.DISK;
                case LOCKED -> Cause.LOCKED;
                case FileWatch.DATABASE_GONE, FileWatch.LOG_GONE, FileWatch.LOG_TRUNCATED, FileWatch.SHARED_MEMORY_GONE,
                        FileWatch.LOCK_GONE -> Cause.GONE;
                default -> Cause.OTHER;
            };
        }
        return failed instanceof UncheckedIOException unchecked && unchecked.getCause() instanceof FileSystemException system
                && String.valueOf(system.getReason()).contains("Read-only") ? Cause.READ_ONLY : Cause.OTHER;
    }

    /**
     * Tries a small synced write. Waits only briefly for other processes, because requests are waiting.
     *
     * @return false if the write lock is not free in time, this thread is interrupted, or the database is closed
     */
    private boolean canWrite() {
        try {
            if (!db.writer().lock().tryLock(PROBE_SECONDS, TimeUnit.SECONDS)) {
                return false;
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
        try {
            if (db.isClosed()) {
                return false;
            }
            db.writer().sql().retryWhileBusy(PROBE_BUSY_TIMEOUT_MILLIS);
            try {
                db.changeUncached(Dao::probeWrite);
            } finally {
                db.writer().sql().retryWhileBusy(Db.SERVE_BUSY_TIMEOUT_MILLIS);
            }
            return true;
        } finally {
            db.writer().lock().unlock();
        }
    }

    static boolean isFull(Path database) {
        return database.toFile().getUsableSpace() < FREE_BYTES;
    }

    /**
     * Returns the reason, based on SQLite's primary result code (https://sqlite.org/rescode.html); empty if the data or a
     * caller caused the failure. The reason is public, so it never contains the failure's message, which may name a path.
     */
    private Optional<String> reason(SQLException cause) {
        Optional<String> missing = db.file.problem();
        if (missing.isPresent()) {
            return missing;
        }
        return Optional.ofNullable(switch (cause.getErrorCode() & 0xff) {
            case 3, 8 -> READ_ONLY; // PERM, READONLY
            case 5, 6, 15 -> LOCKED; // BUSY, LOCKED, PROTOCOL
            case 7 -> "not enough memory for the database"; // NOMEM
            case 9, 19 -> null; // INTERRUPT, CONSTRAINT
            case 10, 14 -> isFull(database) ? DISK_FULL // IOERR, CANTOPEN
                    : Files.isWritable(database) ? DISK_FAILED : READ_ONLY;
            case 11, 26 -> MALFORMED; // CORRUPT, NOTADB
            case 13 -> DISK_FULL; // FULL
            default -> "the database failed";
        });
    }
}
