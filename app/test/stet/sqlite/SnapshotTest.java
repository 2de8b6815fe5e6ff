package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.base.Log;
import stet.core.Account;
import stet.core.Plan;
import stet.core.User;

/** A snapshot restores one account according to the schema, so it includes new tables and keeps other accounts' rows. */
class SnapshotTest {
    private static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");

    @TempDir
    Path folder;

    @Test
    void oneAccountsRowsOfNewTablesAreRestored() {
        try (Db db = Db.openTemporary(folder, Log.none())) {
            db.writer().sql().execute("""
                    create table campaigns (
                      id         integer primary key autoincrement,
                      account_id integer not null references accounts,
                      name       text    not null
                    ) strict;
                    create table recipients (
                      campaign integer not null references campaigns,
                      number   integer not null,
                      primary key (campaign, number)
                    ) strict;
                    create table bounces (
                      campaign  integer not null,
                      recipient integer not null,
                      foreign key (campaign, recipient) references recipients
                    ) strict""");
            Account ada = db.write(dao -> dao.accounts().add("ada@example.com", Plan.FREE, NOW, NOW, null));
            Account bob = db.write(dao -> dao.accounts().add("bob@example.com", Plan.FREE, NOW, NOW, null));
            fill(db, ada, 1);
            fill(db, bob, 2);
            List<String> before = rows(db);
            Snapshot snapshot = db.snapshot("copy.db");
            db.writer().sql().execute("delete from bounces; delete from recipients where campaign = 1; update campaigns set name = 'other'");
            fill(db, ada, 3);
            assertTrue(snapshot.restore("ada@example.com"));
            assertEquals(List.of("1 bounce of 1", "1 campaign of 1 ada@example.com", "1 recipient 1", "2 campaign of 2 other",
                    "2 recipient 2"), rows(db));
            assertTrue(snapshot.restore("bob@example.com"));
            assertEquals(before, rows(db));
        }
    }

    /** Deleting an account also deletes a user who belongs to no other one. */
    @Test
    void anOwnerWhoWasAddedAgainOwnsTheRestoredAccount() {
        try (Db db = Db.openTemporary(folder, Log.none())) {
            Account ada = db.write(dao -> dao.accounts().add("ada@example.com", Plan.FREE, NOW, NOW, "hash"));
            Snapshot snapshot = db.snapshot("copy.db");
            db.change(dao -> dao.accounts().delete(ada, NOW));
            User added = db.write(dao -> dao.users().add("Ada@example.com", "hash", NOW));
            assertTrue(snapshot.restore("ada@example.com"));
            assertEquals(List.of(added), db.read(dao -> dao.members().list(ada.id()).stream().map(member -> member.user()).toList()));
            assertEquals(List.of(), db.writer().sql().list(String.class, "select \"table\" from pragma_foreign_key_check"));
        }
    }

    private static void fill(Db db, Account account, int number) {
        db.change(dao -> {
            db.writer().sql().update("insert into campaigns (id, account_id, name) values (?, ?, ?)", number, account.id(), account.name());
            db.writer().sql().update("insert into recipients values (?1, ?1)", number);
            db.writer().sql().update("insert into bounces values (?1, ?1)", number);
        });
    }

    private static List<String> rows(Db db) {
        return db.writer().sql().list(String.class, """
                select id || ' campaign of ' || account_id || ' ' || name from campaigns
                union all select campaign || ' recipient ' || number from recipients
                union all select campaign || ' bounce of ' || recipient from bounces
                order by 1""");
    }
}
