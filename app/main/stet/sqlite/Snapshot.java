package stet.sqlite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import stet.dao.Sql;

/** A copy of the database in a file beside it, which can be restored any number of times. */
public final class Snapshot {
    private static final String OF_ACCOUNT = "account_id = ?1";
    /** Tables with a column account_id whose rows are copied as they are. */
    private static final List<String> PLAIN = List.of("api_keys", "texts", "blocks", "includes", "members");
    /** Tables whose rows belong to a template. */
    private static final List<String> OF_TEMPLATE = List.of("samples", "versions", "version_blocks");

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
                  and name not in ('changes', 'opened', 'retention')
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
        attached(sql -> copy(sql, email, "main", "snapshot"));
    }

    /**
     * Restores the rows of one account: all of them but sessions and statistics, which it loses.
     *
     * @return whether the copy has it
     */
    public boolean restore(String email) {
        boolean[] found = new boolean[1];
        attached(sql -> found[0] = copy(sql, email, "snapshot", "main"));
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
     * Replaces an account's rows in one schema by those in another. Ids that are used only once stay the same; templates get new
     * row numbers, as theirs may be another's by now.
     *
     * @return whether it is in the first
     */
    private static boolean copy(Sql sql, String name, String from, String to) {
        Optional<Long> account = id(sql, name, from);
        if (account.isEmpty()) {
            return false;
        }
        id(sql, name, to).filter(other -> !other.equals(account.get())).ifPresent(other -> delete(sql, to, other));
        delete(sql, to, account.get());
        insert(sql, from, to, "accounts", "id = ?1", account.get(), null);
        sql.update("insert or ignore into " + to + ".people select * from " + from + ".people where id in (select person_id from "
                + from + ".members where account_id = ?1)", account.get());
        PLAIN.forEach(table -> insert(sql, from, to, table, OF_ACCOUNT, account.get(), null));
        Long offset = sql.number("select coalesce(max(row), 0) from " + to + ".templates");
        insert(sql, from, to, "templates", OF_ACCOUNT, account.get(), offset);
        OF_TEMPLATE.forEach(table -> insert(sql, from, to, table,
                "template in (select row from " + from + ".templates where account_id = ?1)", account.get(), offset));
        sql.update("insert into " + to + ".usage (account_id, plan, period_start, used)"
                + " select account_id, plan, period_start, used + coalesce((select sum(l.used) from " + from
                + ".usage_log l where l.usage_id = u.id), 0) from " + from + ".usage u where account_id = ?1", account.get());
        return true;
    }

    private static Optional<Long> id(Sql sql, String name, String schema) {
        return sql.first(Long.class, "select id from " + schema + ".accounts where name = ? and deleted_at is null", name);
    }

    private static void delete(Sql sql, String schema, long account) {
        String templates = "template in (select row from " + schema + ".templates where account_id = ?1)";
        sql.update("delete from " + schema + ".usage_log where usage_id in (select id from " + schema
                + ".usage where account_id = ?1)", account);
        sql.update("delete from " + schema + ".key_uses where key_id in (select id from " + schema
                + ".api_keys where account_id = ?1)", account);
        for (String table : List.of("template_uses", "samples", "version_blocks", "versions")) {
            sql.update("delete from " + schema + "." + table + " where " + templates, account);
        }
        Stream.concat(Stream.of("templates", "usage", "requests", "misses"), PLAIN.stream())
                .forEach(table -> sql.update("delete from " + schema + "." + table + " where " + OF_ACCOUNT, account));
        sql.update("delete from " + schema + ".accounts where id = ?1", account);
    }

    /** @param offset that is added to the row numbers of templates, or null where there are none */
    private static void insert(Sql sql, String from, String to, String table, String where, long account, Long offset) {
        List<String> columns = sql.list(String.class, "select name from pragma_table_info(?)", table);
        List<String> values = columns.stream().map(column -> offset != null
                && column.equals(table.equals("templates") ? "row" : "template")
                ? column + " + ?2" : column).toList();
        sql.update("insert into " + to + "." + table + " (" + String.join(", ", columns) + ") select " + String.join(", ", values)
                + " from " + from + "." + table + " where " + where, offset == null ? new Object[] {account}
                : new Object[] {account, offset});
    }
}
