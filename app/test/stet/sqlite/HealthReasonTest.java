package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sqlite.SQLiteConfig.SynchronousMode;
import stet.base.Refusal;
import stet.core.Actor;
import stet.dao.Dao;
import stet.dao.StoreException;

/** The short reason for each failure, by SQLite's result code. */
class HealthReasonTest {
    @TempDir
    Path folder;

    /** https://sqlite.org/rescode.html; codes above 255 are extended codes. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(textBlock = """
            FULL,           13,   the disk is full
            BUSY,           5,    the database is locked
            BUSY_SNAPSHOT,  517,  the database is locked
            LOCKED,         6,    the database is locked
            PROTOCOL,       15,   the database is locked
            READONLY,       8,    the database is read-only
            PERM,           3,    the database is read-only
            IOERR_WRITE,    778,  the disk failed
            CANTOPEN,       14,   the disk failed
            CORRUPT,        11,   the database is malformed
            NOTADB,         26,   the database is malformed
            NOMEM,          7,    not enough memory for the database
            ERROR,          1,    the database failed
            none of SQLite, 0,    the database failed
            """)
    void eachResultCodeHasItsReason(String name, int code, String reason) {
        try (Db db = Db.open(folder, true)) {
            db.health().failed(StoreException.of("its sentence", code));
            assertEquals(Optional.of(reason), db.health().failing());
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"CONSTRAINT, 19", "INTERRUPT, 9"})
    void aFailedStatementIsNoFailureOfTheDatabase(String name, int code) {
        try (Db db = Db.open(folder, true)) {
            db.health().failed(StoreException.of("its sentence", code));
            assertEquals(Optional.empty(), db.health().failing());
        }
    }

    @Test
    void aRejectedRequestIsNoFailureOfTheDatabase() {
        try (Db db = Db.open(folder, true)) {
            db.health().failed(new Refusal("no"));
            assertTrue(db.health().failing().isEmpty());
        }
    }

    /** Load is not a database failure; otherwise, a monitor would restart a busy server. */
    @Test
    void busyConnectionsAreNoFailure() {
        try (Db db = Db.open(folder, true);
                ConnectionPool pool = new ConnectionPool(1, 1, () -> new Dao(DatabaseFile.connect(folder.resolve("stet.db"),
                        SynchronousMode.FULL), Actor.NONE), db.health())) {
            StoreException busy = pool.read(held -> assertThrows(StoreException.class, () -> pool.read(dao -> null)));
            assertEquals("all read connections are busy", busy.getMessage());
            assertEquals(Optional.empty(), db.health().failing());
        }
    }

    @Test
    void aRemovedFileIsTheReason() throws IOException {
        try (Db db = Db.open(folder, true)) {
            Files.delete(folder.resolve("stet.db"));
            db.health().failed(StoreException.of("disk I/O error", 10));
            assertEquals(Optional.of("the database file was removed or replaced"), db.health().failing());
        }
    }
}
