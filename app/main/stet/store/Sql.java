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

/** One connection, used by one thread at a time: statements are prepared once, instants go as milliseconds. */
final class Sql implements AutoCloseable {
    /** Not only for the statements here: a test listens to what is written. */
    final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    Sql(Connection connection) {
        this.connection = connection;
    }

    /** Makes a value of the current row. */
    interface Mapper<T> {
        T map(Row row) throws SQLException;
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

        boolean has(String column) throws SQLException {
            return result.getObject(column) != null;
        }

        Instant instant(String column) throws SQLException {
            return Instant.ofEpochMilli(result.getLong(column));
        }
    }

    <T> List<T> list(String sql, Mapper<T> mapper, Object... arguments) {
        try {
            PreparedStatement statement = bound(sql, arguments);
            List<T> rows = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                Row row = new Row(result);
                while (result.next()) {
                    rows.add(mapper.map(row));
                }
            }
            return rows;
        } catch (SQLException failure) {
            throw failed(sql, failure);
        }
    }

    <T> Optional<T> first(String sql, Mapper<T> mapper, Object... arguments) {
        List<T> rows = list(sql, mapper, arguments);
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
    }

    /** The first column of the first row, or 0 where there is no row. */
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

    /** How many rows changed. */
    int update(String sql, Object... arguments) {
        try {
            return bound(sql, arguments).executeUpdate();
        } catch (SQLException failure) {
            throw failed(sql, failure);
        }
    }

    /** Begins, commits or rolls back: one statement, prepared once like any other. */
    void transaction(String statement) {
        try {
            bound(statement).execute();
        } catch (SQLException failure) {
            throw failed(statement, failure);
        }
    }

    /** Runs one or several statements that take no arguments. */
    void execute(String script) {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(script);
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /** From now on asks every millisecond for the lock that another process holds. @param most about how many times */
    void waitPatiently(int most) {
        try {
            BusyRetry.on(connection, most);
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /** Closes its statements with it. */
    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /** A statement that failed is prepared anew the next time, as the driver leaves some of them unusable. */
    private StoreException failed(String sql, SQLException failure) {
        PreparedStatement dropped = statements.remove(sql);
        if (dropped != null) {
            try {
                dropped.close();
            } catch (SQLException gone) {
                // It is not used again.
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
