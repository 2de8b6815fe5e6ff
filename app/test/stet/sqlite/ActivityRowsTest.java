package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.base.Log;
import stet.core.Account;
import stet.core.Activity.ActivityGroup;
import stet.core.Activity.ActivityKind;
import stet.core.Actor;
import stet.core.Plan;
import stet.dao.ActivityDao;
import stet.upkeep.Sweeper;

/** Large amounts of activity are removed in steps, and no page reads all of it. */
class ActivityRowsTest {
    private static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");
    private static final List<ActivityKind> ALL = Arrays.asList(ActivityKind.values());

    @TempDir
    Path folder;

    private static Account account(Db db, String email) {
        return db.write(dao -> dao.accounts().add(email, Plan.PRO, NOW, NOW, null));
    }

    private static void add(Db db, Account account, int rows, String subject, Instant at) {
        db.changeUncached(dao -> {
            for (int i = 0; i < rows; i++) {
                dao.as(Actor.COMMAND_LINE).activity().add(account.id(), ActivityKind.TEMPLATE_RENAMED, subject, "", at);
            }
        });
    }

    private static long rows(Db db) {
        return db.read(dao -> dao.sql().number("select count(*) from activity"));
    }

    @Test
    void rowsOlderThan25MonthsAreRemoved() {
        try (Db db = Db.serve(folder, Log.none())) {
            Instant kept = Instant.parse("2023-12-31T00:00:00Z");
            for (String email : List.of("ada@example.com", "bob@example.com")) {
                Account account = account(db, email);
                add(db, account, 1_050, "old", kept.minusMillis(1));
                add(db, account, 10, "kept", kept);
            }
            db.changeUncached(dao -> dao.sql().update("update activity set account_id = null where id % 7 = 0")); // rows of the installation
            new Sweeper(db).sweep(NOW);
            assertEquals(20, rows(db));
        }
    }

    @Test
    void theRowsOfADeletedAccountAreRemovedInSteps() {
        try (Db db = Db.serve(folder, Log.none())) {
            Account account = account(db, "ada@example.com");
            add(db, account, 5_000, "many", NOW);
            db.change(dao -> dao.accounts().delete(account.id(), NOW));
            db.changeUncached(dao -> dao.garbage().removeSome(NOW));
            assertTrue(rows(db) >= 4_900, "one step removes a few");
            new Sweeper(db).sweep(NOW);
            assertEquals(0, rows(db));
            assertEquals(0, db.read(dao -> dao.accounts().count()).longValue());
        }
    }

    @Test
    void rowsBeyondTheMaximumAreRemovedAtOnceAndThenHourly() {
        try (Db db = Db.serve(folder, Log.none())) {
            Sweeper sweeper = new Sweeper(db);
            Account small = account(db, "ada@example.com");
            add(db, small, 10, "kept", NOW);
            Account account = account(db, "bob@example.com");
            int surplus = 401;
            db.changeUncached(dao -> dao.sql().update("""
                    with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
                    insert into activity (account_id, at, actor, kind, subject)
                    select ?, ?, 'bob', 'draft-saved', i from n
                    """, ActivityGroup.CONTENT.maxRows + surplus, account.id(), NOW));
            sweeper.sweep(NOW);
            assertEquals(ActivityGroup.CONTENT.maxRows + 10, rows(db));
            long oldest = db.read(dao -> dao.sql().number("select min(cast(subject as integer)) from activity where actor = 'bob'"));
            assertEquals(surplus + 1, oldest);
            add(db, account, 1, "more", NOW);
            for (int i = 0; i < Sweeper.SURPLUS_SWEEPS - 1; i++) {
                sweeper.sweep(NOW);
            }
            assertEquals(ActivityGroup.CONTENT.maxRows + 11, rows(db), "within an hour");
            sweeper.sweep(NOW);
            assertEquals(ActivityGroup.CONTENT.maxRows + 10, rows(db));
        }
    }

    private static void fill(Db db, Account account, ActivityKind kind, int rows) {
        db.changeUncached(dao -> dao.sql().update("""
                with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
                insert into activity (account_id, at, actor, kind, subject)
                select ?, ?, 'bob', ?, i from n
                """, rows, account.id(), NOW, kind));
    }

    /** Changes that strangers and writers can repeat remove neither the rows about rights nor those of other groups. */
    @Test
    void eachGroupHasItsOwnMaximum() {
        try (Db db = Db.serve(folder, Log.none())) {
            Account account = account(db, "bob@example.com");
            add(db, account, 2, "first", NOW); // about content, and older than all other rows about content
            fill(db, account, ActivityKind.TOKEN_ADDED, 1);
            fill(db, account, ActivityKind.SIGN_IN_FAILED, ActivityGroup.FAILED_SIGN_INS.maxRows + 30);
            fill(db, account, ActivityKind.PASSWORD_CHANGED, 5);
            fill(db, account, ActivityKind.REVIEW_REQUEST_WITHDRAWN, ActivityGroup.CONTENT.maxRows + 500);
            fill(db, account, ActivityKind.SIGN_IN, 7);
            new Sweeper(db).sweep(NOW);
            assertEquals(List.of("password-changed 5", "review-request-withdrawn " + ActivityGroup.CONTENT.maxRows, "sign-in 7",
                    "sign-in-failed " + ActivityGroup.FAILED_SIGN_INS.maxRows, "token-added 1"), db.read(dao -> dao.sql().list(String.class,
                    "select kind || ' ' || count(*) from activity group by kind order by kind")));
            assertEquals(List.of(30 + 1L, 500 + 1L), db.read(dao -> dao.sql().list(Long.class, "select min(cast(subject as integer)) from activity"
                    + " where kind in ('sign-in-failed', 'review-request-withdrawn') group by kind order by kind desc")), "the oldest are removed");
        }
    }

    /** A page may be short or empty although a later page has more. */
    @Test
    void aFilterReadsALimitedNumberOfRowsPerPage() {
        try (Db db = Db.serve(folder, Log.none())) {
            Account account = account(db, "ada@example.com");
            add(db, account, 1, "rare", NOW);
            add(db, account, 2 * ActivityDao.MAX_SCANNED + 10, "many", NOW);
            add(db, account, 1, "rare", NOW);
            List<Integer> found = new ArrayList<>();
            long before = Long.MAX_VALUE;
            while (before > 0 && found.size() < 4) {
                long from = before;
                ActivityDao.Page page = db.read(dao ->
                        dao.activity().page(account.id(), new ActivityDao.Filter(null, "rare", ALL), from, 50));
                found.add(page.rows().size());
                before = page.before();
            }
            assertEquals(List.of(1, 0, 1), found, "rows by page");
        }
    }
}
