package stet.access;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import stet.core.Person;
import stet.dao.ActivityDao.FailedSignInRow;
import stet.dao.Dao;
import stet.dao.StoreException;
import stet.sqlite.Db;

/**
 * Counts failed sign-ins of known users in memory and adds the counts to the activity of the users' accounts once a minute. A flood
 * of attempts therefore hardly delays other writes and adds few rows.
 */
public final class FailedSignIns {
    public static final Duration INTERVAL = Duration.ofMinutes(1);
    /** Maximum number of rows added per account in one write. */
    public static final int MAX_ROWS = 10;
    /**
     * Maximum number of user and address pairs counted between two writes, at about 200 bytes each. Further attempts appear only in the
     * log.
     */
    public static final int MAX_COUNTED = 1_000;
    /** Number of rows per transaction, kept low so as not to delay request counting. */
    private static final int BATCH_ROWS = 100;

    private final Db db;
    private final Map<Failure, Integer> counts = new ConcurrentHashMap<>();
    private Instant written = Instant.MIN;

    private record Failure(Person person, String address) {
    }

    public FailedSignIns(Db db) {
        this.db = db;
    }

    public void note(Person person, String address) {
        Failure failure = new Failure(person, address);
        if (counts.size() < MAX_COUNTED || counts.containsKey(failure)) {
            counts.merge(failure, 1, Integer::sum);
        }
    }

    /** Writes the counts if a minute has passed since the last write. If writing fails, the attempts appear only in the log. */
    public void write(Instant now) {
        write(now, false);
    }

    /** Writes the counts on shutdown, after any write by a timer. */
    public synchronized void close(Clock clock) {
        if (!counts.isEmpty()) { // uses the clock only if necessary, because a failing clock would make the shutdown fail
            write(clock.instant(), true);
        }
    }

    /** Synchronized because the shutdown may write while a timer does. */
    private synchronized void write(Instant now, boolean atOnce) {
        if (!atOnce && !now.isBefore(written) && now.isBefore(written.plus(INTERVAL))) {
            return;
        }
        Map<Failure, Integer> taken = new LinkedHashMap<>();
        counts.keySet().forEach(failure -> taken.put(failure, counts.remove(failure)));
        if (taken.isEmpty()) {
            return;
        }
        written = now;
        try {
            List<FailedSignInRow> rows = db.read(dao -> rows(dao, taken));
            for (int begin = 0; begin < rows.size(); begin += BATCH_ROWS) {
                List<FailedSignInRow> some = rows.subList(begin, Math.min(begin + BATCH_ROWS, rows.size()));
                db.writeLater(dao -> some.forEach(row -> dao.activity().addFailedSignIns(row, now)));
            }
        } catch (StoreException full) {
            // The log still contains the attempts.
        }
    }

    /**
     * Returns one row per account, user and address. If an account has too many rows, those with the fewest attempts are merged into one.
     */
    private static List<FailedSignInRow> rows(Dao dao, Map<Failure, Integer> counts) {
        Map<Person, List<Long>> accounts = new HashMap<>();
        Map<Long, List<FailedSignInRow>> rows = new LinkedHashMap<>();
        counts.forEach((failure, times) -> accounts
                .computeIfAbsent(failure.person, person -> dao.activity().accounts(person.id()))
                .forEach(account -> rows.computeIfAbsent(account, any -> new ArrayList<>())
                        .add(new FailedSignInRow(account, failure.person.email(), failure.address, times))));
        return rows.values().stream().map(FailedSignIns::few).flatMap(List::stream).collect(Collectors.toList());
    }

    private static List<FailedSignInRow> few(List<FailedSignInRow> rows) {
        if (rows.size() <= MAX_ROWS) {
            return rows;
        }
        rows.sort((one, other) -> other.times() - one.times());
        List<FailedSignInRow> few = new ArrayList<>(rows.subList(0, MAX_ROWS - 1));
        List<FailedSignInRow> others = rows.subList(MAX_ROWS - 1, rows.size());
        few.add(new FailedSignInRow(rows.get(0).account(), "", "", others.stream().mapToInt(FailedSignInRow::times).sum()));
        return few;
    }
}
