package stet.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.sqlite.BusyHandler;
import org.sqlite.SQLiteConnection;

/** One connection, used by one thread at a time. Statements are prepared once; instants are stored as milliseconds. */
final class Sql implements AutoCloseable {
    /** Also for a test that listens to changes. */
    final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    Sql(Connection connection) {
        this.connection = connection;
    }

    /** Makes a value from the current row. */
    interface Mapper<T> {
        T map(Row row) throws SQLException;
    }

    /** Takes the current row. */
    interface Visitor {
        void visit(Row row) throws SQLException;
    }

    /** The current row of a result, by column name. */
    record Row(ResultSet result) {
        String text(String column) throws SQLException {
            return result.getString(column);
        }

        byte[] bytes(String column) throws SQLException {
            return result.getBytes(column);
        }

        long number(String column) throws SQLException {
            return result.getLong(column);
        }

        int integer(String column) throws SQLException {
            return result.getInt(column);
        }

        Instant instant(String column) throws SQLException {
            return Instant.ofEpochMilli(result.getLong(column));
        }

        /** Returns null for a null. */
        Long optionalNumber(String column) throws SQLException {
            long number = result.getLong(column);
            return result.wasNull() ? null : number;
        }

        Integer optionalInteger(String column) throws SQLException {
            int integer = result.getInt(column);
            return result.wasNull() ? null : integer;
        }

        Instant optionalInstant(String column) throws SQLException {
            Long millis = optionalNumber(column);
            return millis == null ? null : Instant.ofEpochMilli(millis);
        }
    }

    <T> List<T> list(String sql, Mapper<T> mapper, Object... arguments) {
        List<T> rows = new ArrayList<>();
        each(sql, row -> rows.add(mapper.map(row)), arguments);
        return rows;
    }

    /** Visits the rows one by one, as many as there are. */
    void each(String sql, Visitor visitor, Object... arguments) {
        try {
            PreparedStatement statement = bound(sql, arguments);
            try (ResultSet result = statement.executeQuery()) {
                Row row = new Row(result);
                while (result.next()) {
                    visitor.visit(row);
                }
            }
        } catch (SQLException failure) {
            throw failed(sql, failure);
        }
    }

    <T> Optional<T> first(String sql, Mapper<T> mapper, Object... arguments) {
        List<T> rows = list(sql, mapper, arguments);
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
    }

    /** Returns the first column of the first row, or 0 where there is no row. */
    long number(String sql, Object... arguments) {
        try {
            PreparedStatement statement = bound(sql, arguments);
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? result.getLong(1) : 0;
            }
        } catch (SQLException failure) {
            throw failed(sql, failure);
        }
    }

    /** Whether a query has rows. */
    boolean exists(String sql, Object... arguments) {
        try {
            PreparedStatement statement = bound(sql, arguments);
            try (ResultSet result = statement.executeQuery()) {
                return result.next();
            }
        } catch (SQLException failure) {
            throw failed(sql, failure);
        }
    }

    /** @return number of changed rows */
    int update(String sql, Object... arguments) {
        try {
            return bound(sql, arguments).executeUpdate();
        } catch (SQLException failure) {
            throw failed(sql, failure);
        }
    }

    /** Runs one statement without arguments, prepared once: begins, commits or rolls back. */
    void transaction(String statement) {
        try {
            bound(statement).execute();
        } catch (SQLException failure) {
            throw failed(statement, failure);
        }
    }

    /** Runs one or several statements without arguments. */
    void execute(String script) {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(script);
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /**
     * Has each statement retry every millisecond while another process holds the lock. SQLite's own busy handler retries ever
     * more seldom, and hardly meets the moment between two commits of a busy process.
     */
    void retryWhileBusy(int timeoutMillis) {
        try {
            BusyHandler.setHandler(connection, new BusyHandler() {
                /** @param retries so far for the same lock. @return 1 to retry, 0 to give up */
                @Override
                protected int callback(int retries) {
                    try {
                        Thread.sleep(1);
                        return retries < timeoutMillis ? 1 : 0;
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                        return 0;
                    }
                }
            });
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /** Runs transactions without foreign keys. Not to be called inside one, where it has no effect. */
    <T> T withoutForeignKeys(Supplier<T> transactions) {
        try {
            execute("pragma foreign_keys = off");
            return transactions.get();
        } finally {
            execute("pragma foreign_keys = on");
        }
    }

    /** Has no statement wait for another connection's lock. */
    void waitForNobody() {
        try {
            BusyHandler.clearHandler(connection);
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /** Makes the statement that runs on another thread fail. */
    void interrupt() {
        try {
            connection.unwrap(SQLiteConnection.class).getDatabase().interrupt();
        } catch (SQLException closed) {
            // Nothing runs.
        }
    }

    /** Drops the statements; the next calls prepare them anew. */
    void closeStatements() {
        try {
            for (PreparedStatement statement : statements.values()) {
                statement.close();
            }
        } catch (SQLException failure) {
            throw new StoreException(failure);
        } finally {
            statements.clear();
        }
    }

    /** Closes the statements too. */
    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /** Drops a failed statement, as the driver leaves some of them unusable; the next call prepares it anew. */
    private StoreException failed(String sql, SQLException failure) {
        PreparedStatement dropped = statements.remove(sql);
        if (dropped != null) {
            try {
                dropped.close();
            } catch (SQLException gone) {
                // It is not used any more.
            }
        }
        return new StoreException(failure);
    }

    private PreparedStatement bound(String sql, Object... arguments) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        for (int i = 0; i < arguments.length; i++) {
            bind(statement, i + 1, arguments[i]);
        }
        return statement;
    }

    private static void bind(PreparedStatement statement, int position, Object argument) throws SQLException {
        if (argument instanceof Long number) {
            statement.setLong(position, number);
        } else if (argument instanceof Instant instant) {
            statement.setLong(position, instant.toEpochMilli());
        } else if (argument instanceof byte[] bytes) {
            statement.setBytes(position, bytes);
        } else {
            statement.setObject(position, argument);
        }
    }
}
