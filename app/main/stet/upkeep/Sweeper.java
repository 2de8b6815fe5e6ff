package stet.upkeep;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;
import stet.base.SystemFailure;
import stet.core.Account;
import stet.core.DailyRequests;
import stet.core.Retention;
import stet.dao.GarbageDao;
import stet.dao.OldVersionDao.Excess;
import stet.sqlite.DataFolder;
import stet.sqlite.Db;
import stet.sqlite.Slices;

/**
 * Removes data that is no longer needed and returns free pages to the disk, in {@link Slices}. Called by one thread at a time.
 *
 * <pre>
 * deleted accounts, removed templates, replaced texts ─ GarbageDao ─────────────┐
 * templates long in the trash, old links, activity and statistics ─ Retention ──┼─► free pages ─ incremental vacuum ─► a shorter file
 * old versions ─ template prune ────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>If the process is killed, the next sweep continues the work; {@link #prune} and {@link #compact} must be called again.
 */
public final class Sweeper {
    /** Age in months at which statistics and activity are removed. */
    private static final int STATISTICS_MONTHS = 25;
    /** Age at which emails are removed; longer than their links are valid, because their rows have the digests of the links' secrets. */
    private static final Duration MAILS_AGE = Duration.ofDays(7);
    /** Number of sweeps between checks for surplus activity. Serve sweeps every 5 seconds. */
    public static final int SURPLUS_SWEEPS = 720;
    /** Number of pages returned to the disk per step; each takes about 60 µs. */
    private static final int STEP_PAGES = 16;
    /** Number of free pages kept for new rows, so that the file does not keep shrinking and growing under a steady load. */
    private static final long SPARE_PAGES = 1_000;
    /** A sweep returns free pages if they are more than this part of the file: one in ten. */
    private static final long SPARE_SHARE = 10;
    /** Maximum number of versions or templates removed per step. */
    private static final int STEP_ROWS = 5;
    /** Attempts to truncate the file, which fail while another process reads. */
    private static final int SHRINK_ATTEMPTS = 20;
    private static final int SHRINK_PAUSE_MILLIS = 100;

    /**
     * File size in bytes before and after {@link #compact}.
     *
     * @param waiting number of free bytes that cannot be truncated until other readers have finished
     */
    public record FileSize(long before, long after, long waiting) {
    }

    private final Db db;
    private final DataFolder folder;
    private final boolean isServe;
    /** Time for which databases are kept after a restore or upgrade; null for no limit. */
    private final Duration replacedKept;
    /** Whether all data that had expired by the horizon has been removed. */
    private boolean isRetentionDone;
    /** Number of sweeps so far, for {@link #SURPLUS_SWEEPS}. */
    private int sweeps;

    /** Keeps replaced databases forever. */
    public Sweeper(Db db) {
        this(db, null);
    }

    /** @param replacedKept how long serve keeps databases after a restore or upgrade; null for no limit */
    public Sweeper(Db db, Duration replacedKept) {
        this.db = db;
        this.folder = db.folder();
        this.isServe = db.isServe();
        this.replacedKept = replacedKept;
    }

    /**
     * Removes deleted accounts and templates, replaced texts and, in serve, expired data. If many pages are free,
     * returns all but {@link #SPARE_PAGES} to the disk. In a command, does nothing while {@code serve} is running.
     */
    public void sweep(Instant now) {
        if (isServe || !folder.isServed()) {
            collectGarbage(now);
            if (isServe && sweeps++ % SURPLUS_SWEEPS == 0) {
                removeSurplusActivity();
            }
            if (isServe) {
                retain(now);
            }
            if (!db.isEnding() && freePages() > Math.max(SPARE_PAGES, allPages() / SPARE_SHARE)) {
                releasePages(SPARE_PAGES);
            }
        }
    }

    /**
     * Returns all free pages to the disk, blocking other work only briefly. If serve is not running, first removes deleted data.
     *
     * @throws SystemFailure if nothing can be written to the folder
     * @throws IOException   if the file size cannot be read
     */
    public FileSize compact(Instant now) throws IOException {
        folder.notWritable().ifPresent(reason -> {
            throw new SystemFailure(reason);
        });
        long before = Files.size(folder.database());
        if (!isServe && !folder.isServed()) {
            collectGarbage(now);
        }
        releasePages(0);
        long waiting = shrink();
        return new FileSize(before, Files.size(folder.database()), waiting);
    }

    /**
     * Removes a template's oldest versions, but never the live version.
     *
     * @param keep number of versions to keep, at least 1
     * @return what was removed
     */
    public Excess prune(Account account, String id, int keep, Instant now) {
        Excess[] sum = {Excess.NONE};
        db.inSlices(dao -> {
            Excess removed = dao.oldVersions().prune(account.id(), id, keep, STEP_ROWS, now);
            sum[0] = sum[0].plus(removed);
            return removed.versions() == STEP_ROWS;
        });
        return sum[0];
    }

    private void collectGarbage(Instant now) {
        if (db.read(dao -> dao.garbage().exists(now))) {
            db.inSlices(dao -> dao.garbage().removeSome(now));
        }
    }

    /** Removes each account's oldest activity rows beyond the maximum of their group, regardless of their age. */
    private void removeSurplusActivity() {
        for (GarbageDao.Surplus surplus : db.read(dao -> dao.garbage().surplus())) {
            AtomicReference<GarbageDao.Surplus> left = new AtomicReference<>(surplus);
            db.inSlices(dao -> {
                left.set(dao.garbage().remove(left.get()).orElse(null));
                return left.get() != null;
            });
        }
    }

    // ---- retention

    /** Advances the horizon if due, about once a day, and removes expired data. */
    private void retain(Instant now) {
        Retention before = db.read(dao -> dao.garbage().retention());
        Retention after = before.advanced(now, db.read(dao -> dao.garbage().oldestAccountCreatedAt()));
        if (!after.equals(before)) {
            db.changeUncached(dao -> dao.garbage().setRetention(after));
            isRetentionDone = false;
        }
        if (!isRetentionDone) {
            isRetentionDone = removeExpired(after.horizon(), now);
        }
    }

    /** Removes everything that expired before the horizon. @return false if the process stopped before the work was finished */
    private boolean removeExpired(Instant horizon, Instant now) {
        if (replacedKept != null) {
            KeptDatabases.in(folder.path("")).deleteBefore(horizon.minus(replacedKept), db.log());
        }
        long day = DailyRequests.day(horizon.atZone(ZoneOffset.UTC).minusMonths(STATISTICS_MONTHS).toInstant());
        boolean isDone = db.inSlices(dao -> dao.trash().removeExpired(horizon, STEP_ROWS, now) == STEP_ROWS)
                && db.inSlices(dao -> dao.garbage().removeExpiredLinksAndPreviews(horizon))
                && db.inSlices(dao -> dao.garbage().removeOldImageRequests(DailyRequests.day(horizon)))
                && db.inSlices(dao -> dao.garbage().removeMailsBefore(horizon.minus(MAILS_AGE)))
                && db.inSlices(dao -> dao.garbage().removeActivityBefore(DailyRequests.start(day)));
        for (long account = nextAccount(0, day); account != 0 && isDone; account = nextAccount(account, day)) {
            long id = account;
            isDone = db.inSlices(dao -> dao.garbage().removeRequestsBefore(id, day));
        }
        return isDone;
    }

    /** The first account after this one with statistics from before the day; 0 if there is none. */
    private long nextAccount(long account, long day) {
        return db.read(dao -> dao.garbage().accountWithRequestsBefore(account, day));
    }

    // ---- free pages

    /** Returns free pages to the disk until only {@code spare} are left. Pages freed meanwhile wait for the next sweep. */
    private void releasePages(long spare) {
        long[] left = {freePages() - spare};
        if (left[0] > 0) {
            db.inSlices(dao -> {
                dao.sql().execute("pragma incremental_vacuum(" + Math.min(left[0], STEP_PAGES) + ")");
                left[0] -= STEP_PAGES;
                return left[0] > 0 && dao.sql().number("pragma freelist_count") > spare;
            });
        }
    }

    private long allPages() {
        return db.read(dao -> dao.sql().number("pragma page_count"));
    }

    private long freePages() {
        return db.read(dao -> dao.sql().number("pragma freelist_count"));
    }

    /** Truncates free pages at the end of the file. @return number of bytes still to be truncated */
    private long shrink() throws IOException {
        for (int attempts = SHRINK_ATTEMPTS; attempts > 0 && !db.shrink() && !db.isEnding(); attempts--) {
            Slices.pause(SHRINK_PAUSE_MILLIS);
        }
        long pageSize = db.read(dao -> dao.sql().number("pragma page_size"));
        return Math.max(0, Files.size(folder.database()) - allPages() * pageSize);
    }
}
