package stet.sqlite;

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

/**
 * Failed sign-ins of known people, for the owners of their accounts: counted in memory, and written once a minute. So a flood
 * takes the lock on the writing connection once a minute, and leaves few rows.
 */
public final class FailedSignIns {
    static final Duration INTERVAL = Duration.ofMinutes(1);
    /** Rows of an account a minute. */
    static final int MAX_ROWS = 10;
    /** People and addresses counted in a minute, some 200 bytes each. The log alone tells of more. */
    static final int MAX_COUNTED = 1_000;
    /** Rows of one transaction, so that no count waits long for it. */
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

    /** Writes them, where the last time was a minute ago. The log alone has those that the database refuses. */
    public synchronized void write(Instant now) {
        if (now.isBefore(written) || !now.isBefore(written.plus(INTERVAL))) {
            writeNow(now);
        }
    }

    /** Writes them at the end of the server. */
    public synchronized void close(Clock clock) {
        if (!counts.isEmpty()) { // else a clock that fails would fail the end
            writeNow(clock.instant());
        }
    }

    private void writeNow(Instant now) {
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
            // The log has them.
        }
    }

    /** Each account has a row for each person and address. Those with the fewest tries share one where there would be too many. */
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
