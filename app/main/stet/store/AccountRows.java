package stet.store;

import java.util.List;
import java.util.Optional;

/**
 * The rows of one account in a database and in a copy of it that is attached. Ids that are used only once stay the same;
 * templates get new row numbers, as theirs may be another's by now.
 */
final class AccountRows {
    private static final String OF_ACCOUNT = "account_id = ?1";
    /** Tables with a column account_id whose rows are copied as they are. */
    private static final List<String> PLAIN = List.of("api_keys", "texts", "blocks", "includes", "members");
    /** Tables whose rows belong to a template. */
    private static final List<String> OF_TEMPLATE = List.of("samples", "versions", "version_blocks");
    /** Statistics, which are not copied, by account. */
    private static final List<String> STATISTICS = List.of("requests", "misses");

    private final Sql sql;
    private final String name;

    AccountRows(Sql sql, String name) {
        this.sql = sql;
        this.name = name;
    }

    /** Replaces the account's rows in one schema by those in another. @return whether it is in the first */
    boolean copy(String from, String to) {
        Optional<Long> account = id(from);
        if (account.isEmpty()) {
            return false;
        }
        id(to).filter(other -> !other.equals(account.get())).ifPresent(other -> delete(to, other));
        delete(to, account.get());
        insert(from, to, "accounts", "id = ?1", account.get(), null);
        sql.update("insert or ignore into " + to + ".people select * from " + from + ".people where id in (select person_id from "
                + from + ".members where account_id = ?1)", account.get());
        PLAIN.forEach(table -> insert(from, to, table, OF_ACCOUNT, account.get(), null));
        Long offset = sql.number("select coalesce(max(row), 0) from " + to + ".templates");
        insert(from, to, "templates", OF_ACCOUNT, account.get(), offset);
        OF_TEMPLATE.forEach(table -> insert(from, to, table, "template in (select row from " + from
                + ".templates where account_id = ?1)",
                account.get(), offset));
        sql.update("insert into " + to + ".usage (account_id, plan, period_start, used)"
                + " select account_id, plan, period_start, used + coalesce((select sum(l.used) from " + from
                + ".usage_log l where l.usage_id = u.id), 0) from " + from + ".usage u where account_id = ?1", account.get());
        return true;
    }

    private Optional<Long> id(String schema) {
        return sql.first("select id from " + schema + ".accounts where name = ?", row -> row.number("id"), name);
    }

    private void delete(String schema, long account) {
        String templates = "template in (select row from " + schema + ".templates where account_id = ?1)";
        sql.update("delete from " + schema + ".usage_log where usage_id in (select id from " + schema
                + ".usage where account_id = ?1)", account);
        sql.update("delete from " + schema + ".key_uses where key_id in (select id from " + schema
                + ".api_keys where account_id = ?1)", account);
        for (String table : List.of("template_uses", "samples", "version_blocks", "versions")) {
            sql.update("delete from " + schema + "." + table + " where " + templates, account);
        }
        for (String table : List.of("templates", "usage")) {
            sql.update("delete from " + schema + "." + table + " where " + OF_ACCOUNT, account);
        }
        PLAIN.forEach(table -> sql.update("delete from " + schema + "." + table + " where " + OF_ACCOUNT, account));
        STATISTICS.forEach(table -> sql.update("delete from " + schema + "." + table + " where " + OF_ACCOUNT, account));
        sql.update("delete from " + schema + ".accounts where id = ?1", account);
    }

    /** @param offset that is added to the row numbers of templates, or null where there are none */
    private void insert(String from, String to, String table, String where, long account, Long offset) {
        List<String> columns = sql.list(String.class, "select name from pragma_table_info(?)", table);
        List<String> values = columns.stream().map(column -> offset != null
                && column.equals(table.equals("templates") ? "row" : "template")
                ? column + " + ?2" : column).toList();
        sql.update("insert into " + to + "." + table + " (" + String.join(", ", columns) + ") select " + String.join(", ", values)
                + " from " + from + "." + table + " where " + where, offset == null ? new Object[] {account}
                : new Object[] {account, offset});
    }
}
