package stet.store;

import java.nio.file.Path;
import java.util.List;

/** A database as it was at one moment, in a file beside it, for going back there any number of times. */
public final class Snapshot {
    private final Db db;
    private final Path copy;

    Snapshot(Db db, Path copy) {
        this.db = db;
        this.copy = copy;
    }

    /** Every row as it was, ids and the sequences they come from included; all of it or, when it throws, nothing. */
    public void restore() {
        Sql sql = db.writer().sql();
        db.writing().lock();
        try {
            // Rows go table by table: what refers to what holds again at the end, and nothing is to cascade before.
            sql.execute("pragma foreign_keys = off");
            sql.update("attach database ? as snapshot", copy.toString());
            try {
                db.change(dao -> copy(sql));
            } finally {
                sql.execute("detach database snapshot");
            }
        } finally {
            sql.execute("pragma foreign_keys = on");
            db.writing().unlock();
        }
    }

    /** The tables are asked for, so that none is forgotten; among them is SQLite's own with the sequences. */
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
