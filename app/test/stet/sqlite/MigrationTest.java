package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.SQLiteConfig.SynchronousMode;
import stet.base.Log;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Plan;
import stet.dao.Sql;
import stet.dao.StoreException;
import stet.upkeep.Restore;

/** The upgrade mechanism, tested with a step that is in no release. */
class MigrationTest {
    private static final Migrations NEXT = new Migrations(11, List.of("""
            alter table accounts add column tint text not null default 'blue';
            """));
    private static final Migrations FAILING = new Migrations(11, List.of("""
            alter table accounts add column tint text not null default 'blue';
            create table accounts (x)"""));

    @TempDir
    Path folder;

    /** Creates a version 11 database with an account. */
    @BeforeEach
    void fill() {
        try (Db db = Db.serve(folder, Log.none())) {
            db.change(dao -> dao.accounts().add("ada@example.com", Plan.FREE, DbTest.NOW, null, null));
        }
    }

    private Path database() {
        return folder.resolve("stet.db");
    }

    private Path copy(String name) {
        return folder.resolve(name + ".db");
    }

    private void open(Migrations migrations) {
        DatabaseFile.open(DataFolder.at(folder), false, SynchronousMode.FULL, migrations, Log.none(), System::nanoTime).sql().close();
    }

    private static long version(Path file) {
        return number(file, "pragma user_version");
    }

    private static long number(Path file, String query) {
        try (Sql sql = DatabaseFile.connectImmutable(file)) {
            return sql.number(query);
        }
    }

    @Test
    void aStepChangesTheDatabaseAndTheOldFileIsKept() throws IOException {
        open(NEXT);
        assertEquals(12, version(database()));
        assertEquals(1, number(database(), "select count(*) from accounts where tint = 'blue' and name = 'ada@example.com'"));
        assertEquals(11, version(copy("stet-v11")));
        assertEquals(0, folder.resolve("tmp").toFile().list().length);
        assertEquals(1, number(copy("stet-v11"), "select count(*) from accounts"));
        byte[] kept = Files.readAllBytes(copy("stet-v11"));
        open(NEXT);
        assertArrayEquals(kept, Files.readAllBytes(copy("stet-v11")), "opening it again migrates nothing");
    }

    @Test
    void aDatabaseOfANewerVersionIsRejected() {
        open(NEXT);
        assertEquals(database() + " was created by a newer version of Stet (its schema version is 12; this version supports 11); update Stet",
                assertThrows(Refusal.class, () -> Db.serve(folder, Log.none())).getMessage());
    }

    @Test
    void aStepThatFailsLeavesTheOldFile() {
        assertThrows(StoreException.class, () -> open(FAILING));
        assertEquals(11, version(database()));
        assertEquals(0, number(database(), "select count(*) from pragma_table_info('accounts') where name = 'tint'"));
        Db.serve(folder, Log.none()).close();
    }

    /** The old file is restored, with or without a later change, and upgraded again. */
    @ParameterizedTest(name = "changed: {0}")
    @ValueSource(booleans = {false, true})
    void anotherUpgradeKeepsTheStateBeforeItToo(boolean changed) throws IOException {
        byte[] old = Files.readAllBytes(database());
        open(NEXT);
        byte[] kept = Files.readAllBytes(copy("stet-v11"));
        for (int i = 0; i < 2; i++) {
            Files.write(database(), old);
            if (changed) {
                try (Sql sql = DatabaseFile.connect(database(), SynchronousMode.FULL)) {
                    sql.execute("update accounts set name = 'newer'");
                }
            }
            open(NEXT);
            assertArrayEquals(kept, Files.readAllBytes(copy("stet-v11")));
            assertEquals(changed, Files.exists(copy("stet-v11-2")));
            assertFalse(Files.exists(copy("stet-v11-3")));
        }
        assertEquals(changed ? 1 : 0, number(copy(changed ? "stet-v11-2" : "stet-v11"), "select count(*) from accounts where name = 'newer'"));
    }

    /** A downgrade with the old version's commands, as described in run.md. */
    @Test
    void anUpgradeIsUndoneByRestoringTheKeptCopy() throws IOException {
        open(NEXT);
        try (Sql sql = DatabaseFile.connect(database(), SynchronousMode.FULL)) {
            sql.execute("update accounts set name = 'newer'; alter table accounts rename column plan to scheme");
        }
        Restore.Restored done = Restore.into(folder, copy("stet-v11"), DbTest.NOW);
        assertEquals("ada@example.com", done.restored().used().get(0).account());
        assertEquals(12, version(done.previous().orElseThrow().folder().resolve("stet.db")));
        try (Db db = Db.serve(folder, Log.none())) {
            assertEquals(List.of("ada@example.com"), db.read(dao -> dao.accounts().list()).stream().map(Account::name).toList());
        }
        open(NEXT);
        assertEquals(12, version(database()), "upgraded again");
    }

    /** As when another process upgrades it after this one has read its version. */
    @Test
    void aDatabaseThatANewerVersionHasJustUpgradedIsRefused() {
        open(NEXT);
        try (Sql sql = DatabaseFile.connect(database(), SynchronousMode.FULL)) {
            assertEquals(database() + " was created by a newer version of Stet (its schema version is 12; this version supports 11); update Stet",
                    assertThrows(Refusal.class, () -> Migrations.STET.run(sql, DataFolder.at(folder), true, Log.none())).getMessage());
        }
    }

    @Test
    void noCommandUpgradesTheFileOfAServe() throws IOException {
        DataFolder served = DataFolder.at(folder);
        try (Sql lock = served.lockForServe("in use")) {
            assertEquals(0, lock.number("select count(*) from sqlite_schema"));
            assertEquals(served.database() + " is in use by an older version of Stet; stop that process first so that the database can be upgraded",
                    assertThrows(Refusal.class, () -> open(NEXT)).getMessage());
        }
        open(NEXT);
        assertEquals(12, version(database()));
    }
}
