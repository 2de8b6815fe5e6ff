package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.core.Account;
import stet.core.Activity;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Samples;
import stet.core.Template;

/** Templates in the trash are removed after 30 days of a clock that is believed, in bounded steps. */
class TrashDaysTest {
    private static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");
    private static final int TEMPLATES = 250;

    @TempDir
    Path folder;

    /** A day of sweeps: a clock that is wrong for less empties nothing. */
    private static void sweepADay(Db db, Instant now) {
        for (int i = 0; i < Sweeper.STEADY_SWEEPS; i++) {
            db.sweeper().isBelieved(now);
        }
        db.sweep(now);
    }

    private static List<String> ids(Db db, Account account) {
        return db.read(dao -> dao.trash().list(account.id())).stream().map(Template.Deleted::id).sorted().toList();
    }

    @Test
    void afterThirtyDaysItIsEmptied() {
        try (Db db = Db.serve(folder)) {
            Account account = db.write(dao -> dao.accounts().add("ada@example.com", Plan.FREE, NOW, NOW, null));
            db.change(dao -> {
                for (int i = 0; i <= TEMPLATES; i++) {
                    dao.save(account.id(), new Draft("t" + i, "T", "", new byte[] {65}, Samples.NONE), NOW);
                    assertTrue(dao.trash().delete(account.id(), "t" + i, i == 0 ? NOW.plusSeconds(1) : NOW));
                }
            });
            Instant end = NOW.plus(Duration.ofDays(30));
            db.sweep(end.plus(Duration.ofDays(3_650)));
            assertEquals(TEMPLATES + 1, ids(db, account).size(), "a clock that is ten years ahead for a moment");
            sweepADay(db, end.minusMillis(1));
            assertEquals(TEMPLATES + 1, ids(db, account).size());
            sweepADay(db, end);
            assertEquals(List.of("t0"), ids(db, account));
            assertEquals(List.of("for good, after 30 days in the trash by Stet"), db.read(dao -> dao.activity().since(account.id(), end, 1_000))
                    .stream().filter(each -> each.kind() == Activity.Kind.TEMPLATE_DELETED)
                    .map(each -> each.detail() + " by " + each.actor()).distinct().toList());
            db.change(dao -> dao.save(account.id(), new Draft("t1", "New", "", new byte[0], Samples.NONE), end));
            db.sweep(end);
            assertEquals(2, db.read(dao -> dao.sql().number("select count(*) from templates")).intValue(), "the new one and t0");
            assertEquals(2, db.read(dao -> dao.sql().number("select count(*) from texts")).intValue());
            sweepADay(db, end.plusSeconds(1));
            assertEquals(List.of(), ids(db, account));
        }
    }
}
