package stet.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.Consumer;

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
                db.change(dao -> work.accept(sql));
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
                  and name not in ('changes', 'opened')
                """);
        for (String table : tables) {
            boolean isSame = table.equals("texts") && !isOthers; // an id has the same text for ever, and texts are most of the data
            sql.execute("delete from main.\"" + table + "\"" + (isSame ? " where id not in (select id from snapshot.texts)" : ""));
            sql.execute("insert into main.\"" + table + "\" select * from snapshot.\"" + table + "\""
                    + (isSame ? " where id not in (select id from main.texts)" : ""));
        }
    }

    /** Puts an account of the database into the copy, where it was not yet. */
    public void keep(String email) {
        attached(sql -> new AccountRows(sql, email).copy("main", "snapshot"));
    }

    /**
     * Restores the rows of one account: all of them but sessions and statistics, which it loses.
     *
     * @return whether the copy has it
     */
    public boolean restore(String email) {
        boolean[] found = new boolean[1];
        attached(sql -> found[0] = new AccountRows(sql, email).copy("snapshot", "main"));
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
}
