package stet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Growth baseline: SQLite's time for the same bytes, using plain statements, the same driver, the same durability and a file
 * beside the measured one. The times include no HTTP, no checks and no other process.
 */
final class SqliteAlone implements AutoCloseable {
    private final Path file;
    private final Connection connection;
    private long next;

    /** Creates a table with this many rows of HTML. */
    SqliteAlone(Path folder, int rows) throws Exception {
        this.file = folder.resolve("alone.db");
        for (String end : new String[] {"", "-wal", "-shm"}) {
            Files.deleteIfExists(Path.of(file + end));
        }
        this.connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        execute("pragma journal_mode = wal");
        execute("pragma synchronous = full");
        execute("create table texts (id integer primary key, name text not null, state text not null, note text not null, html blob not null)");
        insert(rows);
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Adds all rows in one transaction. */
    void insert(int rows) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("insert into texts values (?, ?, ?, ?, ?)")) {
            for (int i = 0; i < rows; i++) {
                add(insert);
            }
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    /** Adds each row in its own transaction. */
    void insertEach(int rows) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into texts values (?, ?, ?, ?, ?)")) {
            for (int i = 0; i < rows; i++) {
                add(insert);
            }
        }
    }

    private void add(PreparedStatement insert) throws SQLException {
        insert.setLong(1, ++next);
        insert.setString(2, "Mail mail-" + next);
        insert.setString(3, "published");
        insert.setString(4, "version of 2026-01-31T09:00:00.000Z");
        insert.setBytes(5, Data.html(GrowthData.HTML, next));
        insert.executeUpdate();
    }

    /** Reads all columns except the HTML. */
    void list(int rows) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("select id, name, state, note from texts order by id limit ?")) {
            select.setInt(1, rows);
            try (ResultSet result = select.executeQuery()) {
                while (result.next()) {
                    result.getLong(1);
                    result.getString(2);
                    result.getString(3);
                    result.getString(4);
                }
            }
        }
    }

    /** Reads the HTML. */
    void read(int rows) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("select html from texts order by id limit ?")) {
            select.setInt(1, rows);
            try (ResultSet result = select.executeQuery()) {
                while (result.next()) {
                    result.getBytes(1);
                }
            }
        }
    }

    /** Copies another database. */
    static void copy(Path database, Path to) throws Exception {
        Files.deleteIfExists(to);
        run(database, "vacuum into '" + to + "'");
        Files.delete(to);
    }

    /** Checks another database's pages and indexes. */
    static void check(Path database) throws SQLException {
        run(database, "pragma integrity_check");
    }

    /** Opens another database and reads a row. */
    static void open(Path database) throws SQLException {
        run(database, "select * from accounts limit 1");
    }

    private static void run(Path database, String sql) throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + database); Statement statement = other.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
