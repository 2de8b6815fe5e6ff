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
 * Health of the database: failing from a transaction, checkpoint or read that failed until {@link #probe} has written and read.
 * Damage stays until the next start, as a probe touches only a few pages.
 *
 * <pre>
 * ok ── a transaction or read fails ──► failing ── a probe writes and reads, once a second ──► ok
 *                                          └────── damage found ──► failing until the next start
 * </pre>
 *
 * <p>Success is not noted, so it costs nothing: an ordinary commit may have written no byte.
 */
public final class Health {
    static final String DISK_FULL = "the disk is full";
    static final String MALFORMED = "the database is malformed";
    /** Free space from which on a disk that was full is taken for one that is not, in bytes. */
    private static final long FREE_BYTES = 1 << 20;

    private static final int PROBE_BUSY_TIMEOUT_MILLIS = 100;
    /** Longest wait of a probe for writes of this process. */
    private static final int PROBE_SECONDS = 10;

    private final Db db;
    private final Path database;
    private final AtomicReference<Failure> failure = new AtomicReference<>();

    /** One failure; the next one is another object, also where its reason is the same. */
    private record Failure(String reason, boolean lasts) {
    }

    Health(Db db, Path database) {
        this.db = db;
        this.database = database;
    }

    /** Reason in a few words, such as "the disk is full"; empty while healthy. Touches no disk. */
    public Optional<String> failing() {
        return Optional.ofNullable(failure.get()).map(Failure::reason)
                .or(() -> db.backups().flatMap(Backups::problem));
    }

    /** Notes a failure that ends with the next probe that works. */
    public void failed(String reason) {
        note(new Failure(reason, reason.equals(MALFORMED)));
    }

    /** Notes a failure of the database. Any other one, such as a refusal, is not its own. @return the same failure */
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
     * While the database is failing, tries a small synced write and a read, and ends the failure when both work. A database that
     * is well is not touched. Serve's timer calls it, from one thread.
     *
     * @throws StoreException when the database still fails
     */
    public void probe() {
        Failure probed = failure.get();
        if (probed == null || probed.lasts || probed.reason.equals(DISK_FULL) && isFull(database) || !canWrite()) {
            return;
        }
        db.checkpoint();
        db.readForAnswer(Dao::probe);
        if (failure.compareAndSet(probed, null)) { // else there was another one since
            db.log().warn("health-restored", "reason", probed.reason);
        }
    }

    /** Waits for other processes only shortly, as requests wait for it. @return false when this process writes all the time */
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
                db.writeUncached(dao -> dao.usage().probe());
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
     * Reason by SQLite's primary result code (https://sqlite.org/rescode.html); empty where the data or a caller is at fault.
     * Always one of these few: the message of the failure may name a path, and anybody may read the reason.
     */
    private Optional<String> reason(SQLException cause) {
        if (!db.file.isThere()) {
            return Optional.of("the database file is gone");
        }
        return Optional.ofNullable(switch (cause.getErrorCode() & 0xff) {
            case 3, 8 -> "the database is read-only"; // PERM, READONLY
            case 5, 6, 15 -> "the database is locked"; // BUSY, LOCKED, PROTOCOL
            case 7 -> "there is no memory for the database"; // NOMEM
            case 9, 19 -> null; // INTERRUPT, CONSTRAINT
            case 10, 14 -> isFull(database) ? DISK_FULL // IOERR, CANTOPEN
                    : Files.isWritable(database) ? "the disk failed" : "the database is read-only";
            case 11, 26 -> MALFORMED; // CORRUPT, NOTADB
            case 13 -> DISK_FULL; // FULL
            default -> "the database failed";
        });
    }
}
