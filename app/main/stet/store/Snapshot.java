package stet.store;

import java.nio.file.Path;
import java.util.List;

/** A copy of the database in a file beside it, which can be restored any number of times. */
public final class Snapshot {
    private final Db db;
    private final Path copy;

    private Snapshot(Db db, Path copy) {
        this.db = db;
        this.copy = copy;
    }

    static Snapshot of(Db db, Path copy) {
        db.writer().lock().lock();
        try {
            db.writer().sql().update("vacuum into ?", copy.toString());
        } finally {
            db.writer().lock().unlock();
        }
        return new Snapshot(db, copy);
    }

    /** Restores every row, with ids and the sequences that they come from; all of it or, when it throws, nothing. */
    public void restore() {
        Sql sql = db.writer().sql();
        db.withoutForeignKeys(() -> { // tables are replaced one by one, and references hold again at the end
            sql.update("attach database ? as snapshot", copy.toString());
            try {
                db.change(dao -> copy(sql));
            } finally {
                sql.execute("detach database snapshot");
            }
            return null;
        });
    }

    /** Copies all tables that the schema lists, with SQLite's own table of sequences. */
    private static void copy(Sql sql) {
        List<String> tables = sql.list("""
                select name from snapshot.sqlite_schema
                where type = 'table' and (name not like 'sqlite!_%' escape '!' or name = 'sqlite_sequence')
                """, row -> row.text("name"));
        for (String table : tables) {
            sql.execute("delete from main.\"" + table + "\"");
            sql.execute("insert into main.\"" + table + "\" select * from snapshot.\"" + table + "\"");
        }
    }
}
