package stet.sqlite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import stet.base.Refusal;
import stet.dao.Sql;

/** A copy of the database, in a separate file, that can be restored repeatedly. */
public final class Snapshot {
    private final Db db;
    private final Path copy;
    /** Whether this is a copy of another database, where the same IDs identify other rows. */
    private boolean isOfOther;

    private Snapshot(Db db, Path copy) {
        this.db = db;
        this.copy = copy;
    }

    /** Copies a database to a new file. */
    static Snapshot of(Db db, Path copy) {
        db.writer().lock().lock();
        try {
            db.writer().sql().closeStatements(); // some apps use a driver that leaves statements open, which would prevent the copy
            db.writer().sql().update("vacuum into ?", copy.toAbsolutePath().toString());
        } finally {
            db.writer().lock().unlock();
        }
        return new Snapshot(db, copy);
    }

    /** Restores all rows, IDs and sequences. If an exception is thrown, nothing is restored. */
    public void restore() {
        attached(this::copyTables);
        isOfOther = false;
    }

    /** Runs work in a transaction with foreign keys off and the copy attached as the schema {@code snapshot}. */
    private void attached(Consumer<Sql> work) {
        Sql sql = db.writer().sql();
        db.withoutForeignKeys(() -> { // references are valid again only after all tables have been replaced
            sql.update("attach database ? as snapshot", copy.toAbsolutePath().toString());
            try {
                db.change(dao -> work.accept(sql));
            } finally {
                sql.execute("detach database snapshot");
            }
            return null;
        });
    }

    /** Copies SQLite's sequences and all tables except those about the file itself. */
    private void copyTables(Sql sql) {
        List<String> tables = sql.list(String.class, """
                select name from snapshot.sqlite_schema
                where type = 'table' and (name not like 'sqlite!_%' escape '!' or name = 'sqlite_sequence')
                  and name not in ('changes', 'opened', 'retention')
                """);
        for (String table : tables) {
            boolean isSame = table.equals("texts") && !isOfOther; // texts, which are most of the data, never change under the same ID
            sql.execute("delete from main.\"" + table + "\"" + (isSame ? " where id not in (select id from snapshot.texts)" : ""));
            sql.execute("insert into main.\"" + table + "\" select * from snapshot.\"" + table + "\""
                    + (isSame ? " where id not in (select id from main.texts)" : ""));
        }
    }

    /**
     * Copies an account, given by its name, to the snapshot. Replaces the snapshot's account with the same name, and removes the copied
     * account's keys from the snapshot's other accounts.
     */
    public void saveAccount(String name) {
        attached(sql -> {
            sql.update("""
                    delete from snapshot.secrets
                    where hash in (select k.hash from main.secrets k join main.accounts a on a.id = k.account_id
                                   where a.name = ? and a.deleted_at is null)
                    """, name);
            copy(sql, name, "main", "snapshot");
        });
    }

    /**
     * Restores all rows of the account that has this name in the copy.
     *
     * @return whether the copy has the account
     * @throws Refusal if another account now has one of the account's keys
     */
    public boolean restore(String name) {
        boolean[] found = new boolean[1];
        attached(sql -> {
            if (sql.exists("""
                    select 1 from snapshot.accounts a
                    join snapshot.secrets k on k.account_id = a.id
                    join main.secrets other on other.hash = k.hash
                    join main.accounts owner on owner.id = other.account_id
                    where a.name = ?1 and a.deleted_at is null and owner.name <> a.name
                    """, name)) {
                throw new Refusal("account", "Another account now uses a key of " + name + "; delete or reset that account first");
            }
            found[0] = copy(sql, name, "snapshot", "main");
        });
        return found[0];
    }

    /** Replaces this copy with another one. @param other a copy of another database */
    public void replaceWith(Snapshot other) {
        try {
            Files.copy(other.copy, copy, StandardCopyOption.REPLACE_EXISTING);
            isOfOther = true;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Creates an independent copy of this snapshot. */
    public Snapshot fork(String name) {
        try {
            return new Snapshot(db, Files.copy(copy, copy.resolveSibling(name), StandardCopyOption.REPLACE_EXISTING));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Replaces an account's rows in one schema with those in another, keeping the IDs. Adds users who are missing and restores
     * deleted ones, but does not change others, because they may also belong to other accounts. If a user was deleted and added again, the
     * account belongs to the new user with this email address.
     *
     * @return whether the account is in the source schema
     */
    private static boolean copy(Sql sql, String name, String from, String to) {
        Optional<Long> account = id(sql, name, from);
        if (account.isEmpty()) {
            return false;
        }
        AccountTables tables = new AccountTables(sql);
        id(sql, name, to).filter(other -> !other.equals(account.get())).ifPresent(other -> tables.delete(sql, to, other));
        tables.delete(sql, to, account.get());
        String users = ".users where id in (select user_id from " + from + ".members where account_id = ?1)";
        sql.update("delete from " + to + users + " and deleted_at is not null", account.get());
        sql.update("insert or ignore into " + to + ".users select * from " + from + users, account.get());
        tables.copy(sql, from, to, account.get());
        sql.update("update " + to + ".members set user_id = (select added.id from " + to + ".users added join " + from + ".users deleted"
                + " on deleted.email = added.email where deleted.id = members.user_id and added.deleted_at is null)"
                + " where account_id = ?1 and user_id not in (select id from " + to + ".users)", account.get());
        return true;
    }

    private static Optional<Long> id(Sql sql, String name, String schema) {
        return sql.first(Long.class, "select id from " + schema + ".accounts where name = ? and deleted_at is null", name);
    }
}
