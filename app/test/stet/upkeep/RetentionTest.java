package stet.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;

/** Data is removed when its retention period ends, and not before, whatever happens to the clock and the service. */
class RetentionTest {
    private static final Duration DAY = Duration.ofDays(1);

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);

    private void delete(String id) {
        stet.template(ada, id, "<p>Hi</p>");
        stet.db.change(dao -> dao.trash().delete(ada.id(), id, stet.now()));
    }

    private boolean isKept(String id) {
        return stet.db.read(dao -> dao.trash().has(ada.id(), id));
    }

    /** Days until a deleted template is gone, with a sweep per step. */
    private int daysInTrash(String id, Duration step, boolean restarting) {
        delete(id);
        for (int days = 1; days <= 100; days++) {
            for (Duration done = Duration.ZERO; done.compareTo(DAY) < 0; done = done.plus(step)) {
                stet.clock.advance(step);
                stet.sweep();
            }
            if (restarting) {
                stet.restart();
                stet.sweep();
            }
            if (!isKept(id)) {
                return days;
            }
        }
        return Integer.MAX_VALUE;
    }

    @ParameterizedTest(name = "swept each {0}, restarted daily: {1}")
    @CsvSource({"PT1H, false", "PT1H, true", "PT24H, true", "PT8H, true"})
    void theTrashIsEmptiedAfterThirtyDays(Duration step, boolean restarting) {
        stet.sweep();
        int days = daysInTrash("welcome", step, restarting);
        assertTrue(days >= 30 && days <= 32, days + " days");
        String activity = Browser.of(stet, ada).get("/data/activity?kind=template-deleted-permanently").text();
        assertTrue(activity.contains("after 30 days in the trash"), activity);
        assertEquals(201, Browser.of(stet, ada).post("/data/templates", "{\"id\":\"welcome\",\"name\":\"New\"}").status());
    }

    private Path replaced() {
        return stet.folder.resolve("replaced-2026-01-31T090000Z");
    }

    private Path upgraded() {
        return stet.folder.resolve("stet-v9.db");
    }

    /** Adds databases as left by a restore and an upgrade. */
    private void keepDatabases() throws IOException {
        Files.writeString(Files.createDirectory(replaced()).resolve("stet.db"), "x".repeat(250_000));
        Files.writeString(upgraded(), "x".repeat(150_000));
        for (Path kept : List.of(replaced(), upgraded())) {
            Files.setLastModifiedTime(kept, FileTime.from(stet.now()));
        }
    }

    /** The day on which both databases are gone, or 0 if that takes more than 40 days. */
    private int dayOfDeletion() {
        stet.sweep();
        for (int day = 1; day <= 40; day++) {
            stet.clock.advance(DAY);
            stet.sweep();
            if (Files.notExists(replaced()) && Files.notExists(upgraded())) {
                return day;
            }
        }
        return 0;
    }

    @Test
    void databasesFromBeforeARestoreAreListed() throws IOException {
        keepDatabases();
        assertTrue(new Terminal(stet.folder).run("check").out().contains("ok       kept: databases kept after restores or upgrades, 0.4 MB:"
                + " replaced-2026-01-31T090000Z (0.3 MB), stet-v9.db (0.2 MB)\n"));
    }

    /** They go with the second daily mark after their end at the latest. */
    @Test
    void databasesFromBeforeARestoreAreKeptAsLongAsTheOptionSays() throws IOException {
        keepDatabases();
        List<Path> others = List.of(Files.createDirectory(stet.folder.resolve("replaced-mine")), Files.createFile(stet.folder.resolve("stet-vx.db")));
        for (Path other : others) {
            Files.setLastModifiedTime(other, FileTime.from(stet.now()));
        }
        stet.replacedKept = Duration.ofDays(10);
        stet.restart();
        int day = dayOfDeletion();
        assertTrue(day >= 10 && day <= 12, "deleted on day " + day);
        others.forEach(other -> assertTrue(Files.exists(other), other::toString));
    }

    @Test
    void withoutTheOptionDatabasesFromBeforeARestoreAreKept() throws IOException {
        keepDatabases();
        assertEquals(0, dayOfDeletion());
        assertTrue(Files.exists(replaced()) && Files.exists(upgraded()));
    }

    @ParameterizedTest(name = "{0} ahead")
    @ValueSource(strings = {"PT20H", "P2D", "P40D", "P3650D"})
    void aClockThatIsWrongForAnHourRemovesNothing(Duration ahead) {
        delete("welcome");
        stet.sweep();
        for (int day = 0; day < 29; day++) {
            stet.clock.advance(DAY);
            stet.sweep();
        }
        stet.clock.advance(Duration.ofHours(20));
        stet.clock.advance(ahead);
        for (int minutes = 0; minutes < 60; minutes += 5) {
            stet.clock.advance(Duration.ofMinutes(5));
            stet.sweep();
            if (minutes == 30) {
                stet.restart();
            }
        }
        stet.clock.advance(ahead.negated());
        stet.sweep();
        assertTrue(isKept("welcome"));
        assertEquals(200, Browser.of(stet, ada).post("/data/deletions/welcome/restore", "{}").status());
        int days = daysInTrash("welcome", DAY, false);
        assertTrue(days >= 30 && days <= 33, days + " days afterwards");
    }

    /** The horizon moves by at most two days a day, so three days with a wrong clock shorten the 30 days by about three at most. */
    @Test
    void aClockThatIsWrongForDaysDeletesOnlyDaysEarly() {
        stet.sweep();
        delete("welcome");
        stet.clock.advance(Duration.ofDays(365));
        for (int day = 0; day < 3; day++) {
            stet.clock.advance(DAY);
            stet.sweep();
        }
        assertTrue(isKept("welcome"));
        stet.clock.advance(Duration.ofDays(-365));
        int days = 3;
        for (; isKept("welcome"); days++) {
            stet.clock.advance(DAY);
            stet.sweep();
        }
        assertTrue(days >= 26 && days <= 33, days + " days");
    }

    /** The horizon catches up by two days a day, so that 30 days take about 16. */
    @Test
    void afterAPauseExpiredDataIsRemoved() {
        stet.sweep();
        delete("welcome");
        stet.clock.advance(Duration.ofDays(60));
        stet.restart();
        int days = 0;
        for (; isKept("welcome"); days++) {
            stet.clock.advance(DAY);
            stet.sweep();
        }
        assertTrue(days >= 10 && days <= 32, days + " days");
    }

    /** A wrong clock deletes neither open invitations nor activity early. */
    @Test
    void linksAndActivityAreKeptDespiteAWrongClock() {
        stet.sweep();
        assertEquals(201, browser.post("/data/invitations", "{\"role\":\"writer\"}").status());
        long rows = rows("activity");
        stet.clock.advance(Duration.ofDays(3650));
        stet.sweep();
        stet.sweep();
        stet.clock.advance(Duration.ofDays(-3650));
        stet.sweep();
        assertEquals(1, rows("links"));
        assertEquals(rows, rows("activity"));
        for (int day = 0; day < 6; day++) {
            stet.clock.advance(DAY);
            stet.sweep();
        }
        assertEquals(0, rows("links"), "expired after 72 hours");
    }

    private long rows(String table) {
        return Long.parseLong(Rows.of(stet.folder, "select count(*) from " + table).get(0));
    }
}
