package stet.dao;

import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.sqlite.BusyHandler;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteConfig;
import stet.base.Json;
import stet.base.Utf8;

/**
 * A connection for one thread at a time. Caches prepared statements and stores instants as milliseconds since 1970. Its own methods use no
 * lambda expressions, each of which would add 0.4 ms to every start.
 */
public final class Sql implements AutoCloseable {
    /** Public so that tests can listen for changes. */
    public final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    public Sql(Connection connection) {
        this.connection = connection;
    }

    /**
     * Opens a file by its URI, because the driver and SQLite would read a path that contains {@code ?} or begins with {@code file:} or
     * {@code :memory:} as something else.
     *
     * @param query the URI's query, such as {@code ?mode=ro}; may be empty
     */
    public static Sql open(SQLiteConfig config, Path file, String query) {
        URI uri = file.toAbsolutePath().toUri();
        String host = uri.getRawAuthority() == null ? "" : "//" + uri.getRawAuthority(); // a Windows share
        try {
            return new Sql(config.createConnection("jdbc:sqlite:file://" + host + uri.getRawPath() + query));
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /** Reads one row of a result. */
    public interface Mapper<T> {
        T map(Row row) throws SQLException;
    }

    /** Runs a query. @param arguments values of the parameters, in order */
    public <T> List<T> list(String sql, Mapper<T> mapper, Object... arguments) {
        try (ResultSet result = bound(sql, arguments).executeQuery()) {
            List<T> rows = new ArrayList<>();
            Row row = new Row(result);
            while (result.next()) {
                rows.add(mapper.map(row));
            }
            return rows;
        } catch (SQLException failure) {
            throw failed(sql, failure);
        }
    }

    /** Reads each row with {@link Row#as}. */
    public <T> List<T> list(Class<T> type, String sql, Object... arguments) {
        return list(sql, row -> row.as(type), arguments);
    }

    /** Maps the first column to the second, both read with {@link Row#value}. The map is sorted by key. */
    public <K, V> Map<K, V> map(Class<K> key, Class<V> value, String sql, Object... arguments) {
        Map<K, V> map = new TreeMap<>();
        list(sql, row -> map.put(key.cast(row.value(key, 1)), value.cast(row.value(value, 2))), arguments);
        return map;
    }

    /** The first row of a query, which should return only a few. */
    public <T> Optional<T> first(String sql, Mapper<T> mapper, Object... arguments) {
        return list(sql, mapper, arguments).stream().findFirst();
    }

    /** The first row, read with {@link Row#as}. */
    public <T> Optional<T> first(Class<T> type, String sql, Object... arguments) {
        return list(type, sql, arguments).stream().findFirst();
    }

    /** The first column of the first row; 0 if there is no row or the column is NULL. */
    public long number(String sql, Object... arguments) {
        try (ResultSet result = bound(sql, arguments).executeQuery()) {
            return result.next() ? result.getLong(1) : 0;
        } catch (SQLException failure) {
            throw failed(sql, failure);
        }
    }

    /** Whether a query returns a row. */
    public boolean exists(String sql, Object... arguments) {
        try (ResultSet result = bound(sql, arguments).executeQuery()) {
            return result.next();
        } catch (SQLException failure) {
            throw failed(sql, failure);
        }
    }

    /** Runs a statement that changes rows. @return the number of changed rows */
    public int update(String sql, Object... arguments) {
        try {
            return bound(sql, arguments).executeUpdate();
        } catch (SQLException failure) {
            throw failed(sql, failure);
        }
    }

    /** Runs a transaction or savepoint statement, such as {@code commit}. */
    public void transaction(String statement) {
        try {
            bound(statement).execute();
        } catch (SQLException failure) {
            throw failed(statement, failure);
        }
    }

    /** Runs one or more statements without arguments. */
    public void execute(String script) {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(script);
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /**
     * Makes statements retry every millisecond while another connection holds the lock. SQLite's own busy handler soon pauses for
     * longer, so it rarely catches the gap between a busy process's commits.
     */
    public void retryWhileBusy(int timeoutMillis) {
        setBusyHandler(new BusyHandler() {
            /** @param retries number of retries so far for this lock @return 1 to retry, 0 to give up */
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
    }

    /** Makes statements fail immediately while another connection holds the lock. */
    public void failWhileBusy() {
        setBusyHandler(null);
    }

    private void setBusyHandler(BusyHandler handler) {
        try {
            BusyHandler.setHandler(connection, handler);
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /**
     * Calls a function regularly on the same thread while a statement runs. The statement fails once the function returns false.
     *
     * @param instructions number of SQLite virtual machine instructions between calls
     *                     (https://sqlite.org/c3ref/progress_handler.html)
     * @param mayContinue  must not throw
     */
    public void whileRunning(int instructions, BooleanSupplier mayContinue) {
        try {
            ProgressHandler.setHandler(connection, instructions, new ProgressHandler() {
                @Override
                protected int progress() {
                    return mayContinue.getAsBoolean() ? 0 : 1;
                }
            });
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /** Closes the cached statements. Later calls prepare them again. */
    public void closeStatements() {
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

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /** Drops a failed statement, because the driver may leave it unusable. The next call prepares the statement again. */
    private StoreException failed(String sql, SQLException failure) {
        PreparedStatement dropped = statements.remove(sql);
        if (dropped != null) {
            try {
                dropped.close();
            } catch (SQLException gone) {
                // The statement is no longer cached, so it is never used again.
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
        } else if (argument instanceof Enum<?> constant) {
            statement.setString(position, word(constant));
        } else {
            statement.setObject(position, argument);
        }
    }

    /** A JSON array for {@code json_each}. */
    static String array(Collection<?> values) {
        return Utf8.text(Json.write(values));
    }

    /** The form in which an enum constant is stored, such as {@code draft-saved}. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
