package stet.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
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
    static final String MALFORMED = "the database is malformed";
    /** Number of free bytes at which a full disk is considered usable again. */
    private static final long FREE_BYTES = 1 << 20;

    private static final int PROBE_BUSY_TIMEOUT_MILLIS = 100;
    /** Maximum time that a probe waits for this process's writes. */
    private static final int PROBE_SECONDS = 10;

    private final Db db;
    private final Path database;
    private final AtomicReference<Failure> failure = new AtomicReference<>();

    /** A failure. Compared by identity, because reasons may repeat. */
    private record Failure(String reason, boolean lasts) {
    }

    Health(Db db, Path database) {
        this.db = db;
        this.database = database;
    }

    /** Short reason why the database or its backups fail, such as "the disk is full"; empty while healthy. Does not access the disk. */
    public Optional<String> failing() {
        return Optional.ofNullable(failure.get()).map(Failure::reason)
                .or(() -> db.backups().flatMap(Backups::problem));
    }

    /** Records a failure. It lasts until a successful probe or, if the database is malformed, until restart. */
    public void failed(String reason) {
        note(new Failure(reason, reason.equals(MALFORMED)));
    }

    /** Records a failure if the database caused it. Ignores other failures, such as invalid input. @return the same failure */
    <T extends Throwable> T failed(T cause) {
        if (cause instanceof StoreException store && store.getCause() instanceof SQLException sql) {
            reason(sql).ifPresent(this::failed);
        }
        return cause;
    }

    private void note(Failure next) {
        Failure before = failure.getAndUpdate(current -> current != null && current.lasts ? current : next);
        if (before == null || !before.lasts && !before.reason.equals(next.reason)) {
            db.log().warn("health-failing", "reason", next.reason);
        }
    }

    /**
     * While the database is failing, tries a small synced write, a checkpoint and a read, and clears the failure if all succeed. Does
     * nothing while the database is healthy or malformed, or the disk is still full. Called by serve's timer, one call at a time.
     *
     * @throws StoreException if the database still fails
     */
    public void probe() {
        Failure probed = failure.get();
        if (probed == null || probed.lasts || probed.reason.equals(DISK_FULL) && isFull(database) || !canWrite()) {
            return;
        }
        db.checkpoint();
        db.readForAnswer(Dao::probe);
        if (failure.compareAndSet(probed, null)) { // false if another failure was recorded during the probe
            db.log().warn("health-restored", "reason", probed.reason);
        }
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
                db.changeUncached(dao -> dao.usage().probe());
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
            case 3, 8 -> "the database is read-only"; // PERM, READONLY
            case 5, 6, 15 -> "the database is locked"; // BUSY, LOCKED, PROTOCOL
            case 7 -> "not enough memory for the database"; // NOMEM
            case 9, 19 -> null; // INTERRUPT, CONSTRAINT
            case 10, 14 -> isFull(database) ? DISK_FULL // IOERR, CANTOPEN
                    : Files.isWritable(database) ? "the disk failed" : "the database is read-only";
            case 11, 26 -> MALFORMED; // CORRUPT, NOTADB
            case 13 -> DISK_FULL; // FULL
            default -> "the database failed";
        });
    }
}
