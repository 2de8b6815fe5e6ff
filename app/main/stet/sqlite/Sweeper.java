package stet.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.function.ToIntFunction;
import stet.core.Account;
import stet.core.DailyRequests;
import stet.dao.Dao;
import stet.dao.GarbageDao;
import stet.dao.TrashDao;

/**
 * Removes what is not needed any more, and gives free pages back to the disk, in short transactions with pauses. One thread at a
 * time calls it.
 *
 * <pre>
 * deleted accounts and templates, replaced texts ─ GarbageDao ─┐
 * templates long in the trash ─ TrashDao ──────────────────────┤
 * old statistics and activity ─ once a day ────────────────────┼─► free pages ─ incremental vacuum ─► a shorter file
 * old versions ─ template prune ───────────────────────────────┘
 * </pre>
 *
 * <p>A kill in between leaves the rest to the next time.
 */
public final class Sweeper {
    /** Age of statistics and activity that are removed. */
    private static final int STATISTICS_MONTHS = 25;
    /** Sweeps of serve from one look for surplus activity to the next: an hour of them. */
    static final int SURPLUS_SWEEPS = 720;
    /** Sweeps of serve, one each 5 seconds for a day, before the clock is believed, and the longest time between two of them. */
    static final int STEADY_SWEEPS = 17_280;
    private static final Duration MAX_STEP = Duration.ofHours(6);
    /** Length of a pause beside a serve's requests, in multiples of a transaction's time. */
    private static final long PAUSE_FACTOR = 10;
    private static final long NO_PAUSE = 0;
    /** Pages given back by one transaction, some 60 us each. */
    private static final int STEP_PAGES = 64;
    /** Free pages that are kept for new rows: a steady load shall not shrink and grow the file on and on. */
    private static final long SPARE_PAGES = 1_000;
    private static final long SPARE_SHARE = 10;
    /** Versions removed by one transaction. */
    private static final int MAX_VERSIONS = 25;
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
    /** Statistics of days before this one are removed already. */
    private long oldestDay = Long.MIN_VALUE;
    private Instant seen = Instant.EPOCH;
    private int steadySweeps;
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
     * Removes deleted accounts and templates and replaced texts; in serve also old statistics, old activity and templates that
     * were long in the trash. Gives pages back when many are free. The pauses leave most of the time to others. A command
     * leaves all of it to a running serve.
     */
    public void sweep(Instant now) {
        if (isServe || !folder.isServed()) {
            long pause = isServe ? PAUSE_FACTOR : NO_PAUSE;
            collectGarbage(now, pause);
            if (isServe && sweeps++ % SURPLUS_SWEEPS == 0) {
                removeSurplusActivity(pause);
            }
            if (isServe && isBelieved(now)) {
                emptyTrash(now, pause);
                removeOldStatistics(now, pause);
            }
            giveBackSome(pause);
        }
    }

    /**
     * Gives all free pages back, beside others. Where no serve runs, removes deleted data first.
     *
     * @throws IOException when the size of the file cannot be read
     */
    public FileSize compact(Instant now) throws IOException {
        long before = Files.size(folder.database());
        if (!isServed()) {
            collectGarbage(now, NO_PAUSE);
        }
        giveBack(0, pause());
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
        return repeat(dao -> dao.versions().prune(account.id(), id, keep, MAX_VERSIONS, now), MAX_VERSIONS, pause());
    }

    private boolean isServed() {
        return isServe || folder.isServed();
    }

    private long pause() {
        return isServed() ? PAUSE_FACTOR : NO_PAUSE;
    }

    private void collectGarbage(Instant now, long pause) {
        while (!db.isEnding() && db.read(dao -> dao.garbage().exists(now))) {
            db.writePaced(dao -> dao.garbage().removeSome(now), pause);
        }
    }

    /** Whether the clock has gone on steadily for a day: an operator has so much time to mend one that is wrong. */
    boolean isBelieved(Instant now) {
        boolean steady = !now.isBefore(seen) && now.isBefore(seen.plus(MAX_STEP));
        steadySweeps = steady ? Math.min(steadySweeps + 1, STEADY_SWEEPS) : 0;
        seen = now;
        return steadySweeps == STEADY_SWEEPS;
    }

    /** Leaves the rows to the next collection of garbage. */
    private void emptyTrash(Instant now, long pause) {
        if (db.read(dao -> dao.trash().hasExpired(now))) {
            repeat(dao -> dao.trash().removeExpired(now, TrashDao.STEP_ROWS), TrashDao.STEP_ROWS, pause);
        }
    }

    /** Looks at all accounts once a day. */
    private void removeOldStatistics(Instant now, long pause) {
        long day = DailyRequests.day(now.atZone(ZoneOffset.UTC).minusMonths(STATISTICS_MONTHS).toInstant());
        if (day == oldestDay) {
            return;
        }
        if (replacedKept != null) {
            KeptDatabases.in(folder.path("")).deleteBefore(now.minus(replacedKept), db.log());
        }
        Instant time = DailyRequests.start(day);
        if (db.read(dao -> dao.garbage().hasActivityBefore(time))) {
            repeat(dao -> dao.garbage().removeActivityBefore(time), GarbageDao.MAX_ROWS, pause);
        }
        for (long account = next(0, day); account != 0 && !db.isEnding(); account = next(account, day)) {
            long of = account;
            repeat(dao -> dao.garbage().removeRequestsBefore(of, day), GarbageDao.MAX_ROWS, pause);
        }
        if (!db.isEnding()) {
            oldestDay = day;
        }
    }

    private long next(long account, long day) {
        return db.read(dao -> dao.garbage().accountWithRequestsBefore(account, day));
    }

    /** Bounds the rows of each account, whatever the clock says. */
    private void removeSurplusActivity(long pause) {
        for (var surplus = surplus(); surplus.isPresent() && !db.isEnding(); surplus = surplus()) {
            GarbageDao.Surplus rows = surplus.get();
            repeat(dao -> dao.garbage().remove(rows), GarbageDao.MAX_ROWS, pause);
        }
    }

    private Optional<GarbageDao.Surplus> surplus() {
        return db.read(dao -> dao.garbage().surplus());
    }

    /** Repeats a step until it does less than it can, or the process ends. @return sum of the steps */
    private int repeat(ToIntFunction<Dao> step, int most, long pause) {
        int[] done = {most};
        int sum = 0;
        while (done[0] == most && !db.isEnding()) {
            db.writePaced(dao -> done[0] = step.applyAsInt(dao), pause);
            sum += done[0];
        }
        return sum;
    }

    // ---- free pages

    private void giveBackSome(long pause) {
        if (!db.isEnding() && free() > Math.max(SPARE_PAGES, pages() / SPARE_SHARE)) {
            giveBack(SPARE_PAGES, pause);
        }
    }

    /** Gives pages back until so many are free; what others free meanwhile is left to the next time. */
    private void giveBack(long spare, long pause) {
        for (long left = free() - spare; left > 0 && !db.isEnding() && free() > spare; left -= STEP_PAGES) {
            long pages = Math.min(left, STEP_PAGES);
            db.writePaced(dao -> dao.sql().execute("pragma incremental_vacuum(" + pages + ")"), pause);
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
            Db.pause(SHRINK_PAUSE_MILLIS);
        }
        long pageSize = db.read(dao -> dao.sql().number("pragma page_size"));
        return Math.max(0, Files.size(folder.database()) - pages() * pageSize);
    }
}
