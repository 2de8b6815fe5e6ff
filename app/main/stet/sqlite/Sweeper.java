package stet.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import stet.core.Account;
import stet.core.DailyRequests;
import stet.core.Retention;
import stet.dao.GarbageDao;

/**
 * Removes what is not needed any more, and gives free pages back to the disk, in {@link Slices}. One thread at a time calls it.
 *
 * <pre>
 * deleted accounts, removed templates, replaced texts ─ GarbageDao ─────────────┐
 * templates long in the trash, old links, activity and statistics ─ Retention ──┼─► free pages ─ incremental vacuum ─► a shorter file
 * old versions ─ template prune ────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>A kill in between leaves the rest to the next time.
 */
public final class Sweeper {
    /** Age of statistics and activity that are removed. */
    private static final int STATISTICS_MONTHS = 25;
    /** Sweeps of serve, one each 5 seconds, between two checks for surplus activity. */
    static final int SURPLUS_SWEEPS = 720;
    /** Pages given back by one step, some 60 us each. */
    private static final int STEP_PAGES = 16;
    /** Free pages that are kept for new rows: a steady load shall not shrink and grow the file on and on. */
    private static final long SPARE_PAGES = 1_000;
    private static final long SPARE_SHARE = 10;
    /** Versions and templates that one step removes. */
    private static final int STEP_ROWS = 5;
    private static final int SHRINK_ATTEMPTS = 20;
    private static final int SHRINK_PAUSE_MILLIS = 100;

    /**
     * Bytes of the database file before and after {@link #compact}.
     *
     * @param waiting at its end that are free, but are cut off only when others have read to their end
     */
    public record FileSize(long before, long after, long waiting) {
    }

    private final Db db;
    private final DataFolder folder;
    private final boolean isServe;
    private final Checkpointer checkpointer;
    /** How long databases from before a restore or an upgrade are kept; null for good. */
    private volatile Duration replacedKept;
    /** Whether all that was kept long enough before the horizon is removed. */
    private boolean retained;
    private int sweeps;

    Sweeper(Db db, DataFolder folder, boolean isServe, Checkpointer checkpointer) {
        this.db = db;
        this.folder = folder;
        this.isServe = isServe;
        this.checkpointer = checkpointer;
    }

    /** Has a serve delete databases from before a restore or an upgrade after some time. */
    public void keepReplaced(Duration time) {
        replacedKept = time;
    }

    /**
     * Removes deleted accounts and templates and replaced texts; in serve also what was kept long enough. Gives pages back when
     * many are free. A command leaves all of it to a running serve.
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
            if (!db.isEnding() && free() > Math.max(SPARE_PAGES, pages() / SPARE_SHARE)) {
                giveBack(SPARE_PAGES);
            }
        }
    }

    /**
     * Gives all free pages back, beside others. Where no serve runs, removes deleted data first.
     *
     * @throws IOException when the size of the file cannot be read
     */
    public FileSize compact(Instant now) throws IOException {
        long before = Files.size(folder.database());
        if (!isServe && !folder.isServed()) {
            collectGarbage(now);
        }
        giveBack(0);
        long waiting = shrink();
        return new FileSize(before, Files.size(folder.database()), waiting);
    }

    /**
     * Removes a template's oldest versions, but not the live one.
     *
     * @param keep number of versions that stay, at least 1
     * @return how many are removed
     */
    public int prune(Account account, String id, int keep, Instant now) {
        int[] sum = {0};
        db.inSlices(dao -> {
            int removed = dao.versions().prune(account.id(), id, keep, STEP_ROWS, now);
            sum[0] += removed;
            return removed == STEP_ROWS;
        });
        return sum[0];
    }

    private void collectGarbage(Instant now) {
        if (db.read(dao -> dao.garbage().exists(now))) {
            db.inSlices(dao -> dao.garbage().removeSome(now));
        }
    }

    /** Bounds the rows of each account, whatever the clock says. */
    private void removeSurplusActivity() {
        for (var surplus = surplus(); surplus.isPresent() && !db.isEnding(); surplus = surplus()) {
            GarbageDao.Surplus rows = surplus.get();
            db.inSlices(dao -> dao.garbage().remove(rows));
        }
    }

    private Optional<GarbageDao.Surplus> surplus() {
        return db.read(dao -> dao.garbage().surplus());
    }

    // ---- what is kept for a time

    /** Moves the horizon once a day, and removes what was kept long enough before it. */
    private void retain(Instant now) {
        Retention before = db.read(dao -> dao.garbage().retention());
        Retention after = before.at(now, db.read(dao -> dao.garbage().oldest()));
        if (!after.equals(before)) {
            db.writeUncached(dao -> dao.garbage().setRetention(after));
            retained = false;
        }
        if (!retained) {
            retained = removeKept(after.horizon(), now);
        }
    }

    /** @return false when the process ended before */
    private boolean removeKept(Instant horizon, Instant now) {
        if (replacedKept != null) {
            KeptDatabases.in(folder.path("")).deleteBefore(horizon.minus(replacedKept), db.log());
        }
        long day = DailyRequests.day(horizon.atZone(ZoneOffset.UTC).minusMonths(STATISTICS_MONTHS).toInstant());
        boolean isDone = db.inSlices(dao -> dao.trash().removeExpired(horizon, STEP_ROWS, now) == STEP_ROWS)
                && db.inSlices(dao -> dao.garbage().removeLinksBefore(horizon))
                && db.inSlices(dao -> dao.garbage().removeActivityBefore(DailyRequests.start(day)));
        for (long account = next(0, day); account != 0 && isDone; account = next(account, day)) {
            long of = account;
            isDone = db.inSlices(dao -> dao.garbage().removeRequestsBefore(of, day));
        }
        return isDone;
    }

    private long next(long account, long day) {
        return db.read(dao -> dao.garbage().accountWithRequestsBefore(account, day));
    }

    // ---- free pages

    /** Gives pages back until so many are free; what others free meanwhile is left to the next time. */
    private void giveBack(long spare) {
        long[] left = {free() - spare};
        if (left[0] > 0) {
            db.inSlices(dao -> {
                dao.sql().execute("pragma incremental_vacuum(" + Math.min(left[0], STEP_PAGES) + ")");
                left[0] -= STEP_PAGES;
                return left[0] > 0 && dao.sql().number("pragma freelist_count") > spare;
            });
        }
    }

    private long pages() {
        return db.read(dao -> dao.sql().number("pragma page_count"));
    }

    private long free() {
        return db.read(dao -> dao.sql().number("pragma freelist_count"));
    }

    /** Cuts the free end off the file. @return bytes that are still to be cut off */
    private long shrink() throws IOException {
        for (int attempts = SHRINK_ATTEMPTS; attempts > 0 && !checkpointer.shrink() && !db.isEnding(); attempts--) {
            Slices.pause(SHRINK_PAUSE_MILLIS);
        }
        long pageSize = db.read(dao -> dao.sql().number("pragma page_size"));
        return Math.max(0, Files.size(folder.database()) - pages() * pageSize);
    }
}
