package stet.sqlite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import stet.base.Refusal;
import stet.dao.Sql;

/**
 * Compares a database's tables, indexes and triggers with schema.sql. Versions before the first release changed the schema without a new
 * number, and their databases would fail later, at the first request that misses a table.
 *
 * <p>SQLite keeps the text of each {@code create} statement. Comments, case and the amount of whitespace do not matter. Other objects, such
 * as Litestream's tables, are allowed. Uses no regular expressions, whose classes would delay each start.
 */
public final class Schema {
    private static final String[] BEGINNINGS = {"create table ", "create unique index ", "create index ", "create trigger "};

    private Schema() {
    }

    /**
     * A table, index or trigger that a database does not have as in schema.sql.
     *
     * @param object type and name, such as {@code table accounts}
     */
    public record SchemaDifference(String object, boolean isMissing) {
        /** For example {@code table accounts differs}. */
        public String text() {
            return object + (isMissing ? " is missing" : " differs");
        }
    }

    /**
     * Finds the differences from the latest schema.
     *
     * @param version the database's version
     * @return the objects that are missing or differ, in the order of schema.sql; none for another version, whose schema is not known
     */
    public static List<SchemaDifference> differences(Sql sql, long version) {
        String schema;
        try {
            schema = normal(DatabaseFile.schema());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        if (!schema.endsWith("pragma user_version = " + version + ";")) {
            return List.of();
        }
        Map<String, String> expected = statements(schema);
        Map<String, String> found = new LinkedHashMap<>();
        for (String statement : sql.list(String.class, "select sql from sqlite_schema where sql is not null")) {
            String text = normal(statement) + ";";
            name(text).ifPresent(name -> found.put(name, text));
        }
        List<SchemaDifference> differences = new ArrayList<>();
        expected.forEach((name, text) -> {
            String other = found.get(name);
            if (other == null || !text.startsWith(other)) {
                differences.add(new SchemaDifference(name, other == null));
            }
        });
        return differences;
    }

    /** @throws Refusal if the database, whose version is known, has another schema */
    public static void check(Sql sql, long version, Path database) {
        List<SchemaDifference> differences = differences(sql, version);
        if (!differences.isEmpty()) {
            String more = differences.size() == 1 ? "" : ", and " + (differences.size() - 1) + " more";
            throw new Refusal(database + " does not have the tables of this version of Stet (the " + differences.get(0).text() + more
                    + "), so an unreleased version created or changed it. Restore a backup, or use another folder; to keep the templates,"
                    + " export them with the version that created the database, and import them");
        }
    }

    /** Number of objects in the latest schema. */
    public static int size() throws IOException {
        return statements(normal(DatabaseFile.schema())).size();
    }

    /** The statements that create something, with whatever follows them, by type and name. */
    private static Map<String, String> statements(String schema) {
        Map<String, String> statements = new LinkedHashMap<>();
        int begin = schema.indexOf("create ");
        while (begin >= 0) {
            int next = schema.indexOf(";create ", begin);
            String statement = next < 0 ? schema.substring(begin) : schema.substring(begin, next + 1);
            name(statement).ifPresent(name -> statements.put(name, statement));
            begin = next < 0 ? -1 : next + 1;
        }
        return statements;
    }

    /** The type and name of what a statement creates, such as {@code index versions_text}. */
    private static Optional<String> name(String statement) {
        for (String beginning : BEGINNINGS) {
            if (statement.startsWith(beginning)) {
                int begin = beginning.length();
                int end = begin;
                while (end < statement.length() && (Character.isLetterOrDigit(statement.charAt(end)) || statement.charAt(end) == '_')) {
                    end++;
                }
                return Optional.of(beginning.substring(beginning.lastIndexOf(' ', begin - 2) + 1) + statement.substring(begin, end));
            }
        }
        return Optional.empty();
    }

    /**
     * Replaces comments and whitespace by one space, or by nothing at the start, at the end and after a semicolon, and writes words outside
     * quotation marks in lower case.
     */
    private static String normal(String sql) {
        StringBuilder normal = new StringBuilder(sql.length());
        char quote = 0;
        boolean isSpace = false;
        for (int i = 0; i < sql.length(); i++) {
            char c = sql.charAt(i);
            if (quote != 0) {
                normal.append(c);
                quote = c == quote ? 0 : quote;
            } else if (c == '-' && i + 1 < sql.length() && sql.charAt(i + 1) == '-') {
                i = sql.indexOf('\n', i);
                i = i < 0 ? sql.length() : i;
                isSpace = true;
            } else if (c <= ' ') {
                isSpace = true;
            } else {
                if (isSpace && normal.length() > 0 && normal.charAt(normal.length() - 1) != ';') {
                    normal.append(' ');
                }
                isSpace = false;
                quote = c == '\'' || c == '"' ? c : 0;
                normal.append(c >= 'A' && c <= 'Z' ? (char) (c + 32) : c);
            }
        }
        return normal.toString();
    }
}
