package stet.sqlite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import stet.core.Refusal;
import stet.dao.Sql;

/** A copy of the database in a file beside it, which can be restored any number of times. */
public final class Snapshot {
    private final Db db;
    private final Path copy;
    /** Whether the copy is of another database, whose ids mean other rows. */
    private boolean isOthers;

    private Snapshot(Db db, Path copy) {
        this.db = db;
        this.copy = copy;
    }

    static Snapshot of(Db db, Path copy) {
        db.writer().lock().lock();
        try {
            db.change(dao -> dao.usage().addUp());
            db.writer().sql().closeStatements(); // the drivers of some apps leave one open, beside which SQLite copies nothing
            db.writer().sql().update("vacuum into ?", copy.toString());
        } finally {
            db.writer().lock().unlock();
        }
        return new Snapshot(db, copy);
    }

    /** Restores every row, with ids and the sequences that they come from; all of it or, when it throws, nothing. */
    public void restore() {
        attached(this::copy);
        isOthers = false;
    }

    /** Work while the copy is attached as the schema {@code snapshot}, in one transaction without foreign keys. */
    private void attached(Consumer<Sql> work) {
        Sql sql = db.writer().sql();
        db.withoutForeignKeys(() -> { // tables are replaced one by one, and references hold again at the end
            sql.update("attach database ? as snapshot", copy.toString());
            try {
                db.change(dao -> {
                    dao.usage().addUp(); // an account's counts are then in its rows of usage
                    work.accept(sql);
                });
            } finally {
                sql.execute("detach database snapshot");
            }
            return null;
        });
    }

    /** Copies all tables that the schema lists, with SQLite's own table of sequences, but not those about the file itself. */
    private void copy(Sql sql) {
        List<String> tables = sql.list(String.class, """
                select name from snapshot.sqlite_schema
                where type = 'table' and (name not like 'sqlite!_%' escape '!' or name = 'sqlite_sequence')
                  and name not in ('changes', 'opened', 'retention')
                """);
        for (String table : tables) {
            boolean isSame = table.equals("texts") && !isOthers; // an id has the same text for ever, and texts are most of the data
            sql.execute("delete from main.\"" + table + "\"" + (isSame ? " where id not in (select id from snapshot.texts)" : ""));
            sql.execute("insert into main.\"" + table + "\" select * from snapshot.\"" + table + "\""
                    + (isSame ? " where id not in (select id from main.texts)" : ""));
        }
    }

    /** Puts an account of the database into the copy, in place of one of this name. Keys that others have there are its own then. */
    public void keep(String email) {
        attached(sql -> {
            sql.update("""
                    delete from snapshot.api_keys
                    where hash in (select k.hash from main.api_keys k join main.accounts a on a.id = k.account_id
                                   where a.name = ? and a.deleted_at is null)
                    """, email);
            copy(sql, email, "main", "snapshot");
        });
    }

    /**
     * Restores all rows of one account.
     *
     * @return whether the copy has it
     * @throws Refusal when another account has one of its keys by now
     */
    public boolean restore(String email) {
        boolean[] found = new boolean[1];
        attached(sql -> {
            if (sql.exists("""
                    select 1 from snapshot.accounts a
                    join snapshot.api_keys k on k.account_id = a.id
                    join main.api_keys other on other.hash = k.hash
                    join main.accounts owner on owner.id = other.account_id
                    where a.name = ?1 and a.deleted_at is null and owner.name <> a.name
                    """, email)) {
                throw new Refusal("account", "Another account has a key of " + email + " now: delete or reset that account first");
            }
            found[0] = copy(sql, email, "snapshot", "main");
        });
        return found[0];
    }

    /** Takes the place of this copy's data, for the next {@link #restore()}. @param other a copy of another database */
    public void take(Snapshot other) {
        try {
            Files.copy(other.copy, copy, StandardCopyOption.REPLACE_EXISTING);
            isOthers = true;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A second copy that begins as this one. */
    public Snapshot fork(String name) {
        try {
            return new Snapshot(db, Files.copy(copy, copy.resolveSibling(name), StandardCopyOption.REPLACE_EXISTING));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Replaces an account's rows in one schema by those in another, with their ids, none of which is used twice. Its people are
     * added where they are gone, and stay as they are otherwise, as they may belong to other accounts.
     *
     * @return whether it is in the first
     */
    private static boolean copy(Sql sql, String name, String from, String to) {
        Optional<Long> account = id(sql, name, from);
        if (account.isEmpty()) {
            return false;
        }
        AccountTables tables = new AccountTables(sql);
        id(sql, name, to).filter(other -> !other.equals(account.get())).ifPresent(other -> tables.delete(sql, to, other));
        tables.delete(sql, to, account.get());
        String people = ".people where id in (select person_id from " + from + ".members where account_id = ?1)";
        sql.update("delete from " + to + people + " and deleted_at is not null", account.get());
        sql.update("insert or ignore into " + to + ".people select * from " + from + people, account.get());
        tables.copy(sql, from, to, account.get());
        return true;
    }

    private static Optional<Long> id(Sql sql, String name, String schema) {
        return sql.first(Long.class, "select id from " + schema + ".accounts where name = ? and deleted_at is null", name);
    }
}
