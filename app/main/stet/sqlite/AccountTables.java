package stet.sqlite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import stet.dao.Sql;

/**
 * The tables that hold an account's rows, read from SQLite's catalogue so that new tables are included: {@code accounts},
 * tables with an {@code account_id}, and tables that reference any of these. A nullable {@code account_id} that is not a
 * foreign key, as in sessions, is ignored.
 */
final class AccountTables {
    /**
     * Conditions that select an account's rows, by table; {@code ?1} is the account's ID. Each table comes after the tables that its
     * condition reads.
     */
    private final Map<String, RowCondition> conditions = new LinkedHashMap<>();

    /** Copied last, because triggers update this table while the others are copied. */
    private static final String COUNTED = "storage";

    /** A condition on a table's rows in one of the connection's schemas, such as {@code main}. */
    private interface RowCondition {
        String in(String schema);
    }

    /** A foreign key. Columns are separated by commas. */
    private record ForeignKey(String columns, String target, String targetColumns) {
    }

    AccountTables(Sql sql) {
        conditions.put("accounts", schema -> "id = ?1");
        Set<String> others = new TreeSet<>(sql.list(String.class, """
                select name from main.sqlite_schema
                where type = 'table' and name not like 'sqlite!_%' escape '!' and name <> 'accounts'
                """));
        others.stream().filter(table -> sql.exists("""
                select 1 from pragma_table_info(?1)
                where name = 'account_id'
                  and ("notnull" or exists (select 1 from pragma_foreign_key_list(?1) where "from" = 'account_id'))
                """, table)).forEach(table -> conditions.put(table, schema -> "account_id = ?1"));
        others.removeAll(conditions.keySet());
        while (others.removeIf(table -> addIfReferencing(sql, table))) {
            // The next round finds tables that reference a table found in this round.
        }
    }

    /** Adds a table if it references one of the tables found so far. @return whether it does */
    private boolean addIfReferencing(Sql sql, String table) {
        for (ForeignKey reference : references(sql, table)) {
            RowCondition target = conditions.get(reference.target);
            if (target != null) {
                conditions.put(table, schema -> "(" + reference.columns + ") in (select " + reference.targetColumns + " from " + schema + "."
                        + reference.target + " where " + target.in(schema) + ")");
                return true;
            }
        }
        return false;
    }

    /** A table's foreign keys in declaration order. The schema must declare the reference to the parent row before references to texts. */
    private static List<ForeignKey> references(Sql sql, String table) {
        return sql.list(ForeignKey.class, """
                select group_concat(f."from", ', ') as columns, f."table" as target,
                  group_concat(coalesce(f."to", k.name), ', ') as target_columns
                from pragma_foreign_key_list(?) f
                left join pragma_table_info(f."table") k on k.pk = f.seq + 1
                group by f.id, f."table"
                order by f.id desc
                """, table);
    }

    private static List<String> columns(Sql sql, String table) {
        return sql.list(String.class, "select name from pragma_table_info(?)", table);
    }

    /** Deletes an account's rows from all tables of a schema. */
    void delete(Sql sql, String schema, long account) {
        List<String> names = new ArrayList<>(conditions.keySet());
        for (int i = names.size() - 1; i >= 0; i--) { // in reverse, because conditions read earlier tables
            sql.update("delete from " + schema + "." + names.get(i) + " where " + conditions.get(names.get(i)).in(schema), account);
        }
    }

    /** Copies an account's rows from one schema to another, which must not have any of them. */
    void copy(Sql sql, String from, String to, long account) {
        List<String> tables = new ArrayList<>(conditions.keySet());
        tables.remove(COUNTED);
        tables.add(COUNTED);
        for (String table : tables) {
            String columns = String.join(", ", columns(sql, table));
            sql.update((table.equals(COUNTED) ? "insert or replace" : "insert") + " into " + to + "." + table + " (" + columns
                    + ") select " + columns + " from " + from + "." + table + " where " + conditions.get(table).in(from), account);
        }
    }
}
