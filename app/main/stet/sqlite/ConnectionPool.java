package stet.sqlite;

import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import stet.dao.Dao;
import stet.dao.StoreException;

/** A bounded pool of read connections, opened on demand. */
final class ConnectionPool implements AutoCloseable {
    /**
     * SQLite's result code for an interrupt, which {@link Health} does not treat as a failure
     * (https://sqlite.org/rescode.html#interrupt).
     */
    private static final int INTERRUPTED = 9;

    private final int timeoutMillis;
    private final Supplier<Dao> connect;
    private final Health health;
    private final Semaphore free;
    private final ConcurrentLinkedDeque<Dao> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    /** @param timeoutMillis maximum wait for a free connection */
    ConnectionPool(int size, int timeoutMillis, Supplier<Dao> connect, Health health) {
        this.timeoutMillis = timeoutMillis;
        this.connect = connect;
        this.health = health;
        this.free = new Semaphore(size, true);
    }

    /** Reads a consistent state of the database. @throws StoreException if no connection becomes free in time or reading fails */
    <T> T read(Function<Dao, T> questions) {
        try {
            if (!free.tryAcquire(timeoutMillis, TimeUnit.MILLISECONDS)) {
                throw StoreException.of("all read connections are busy", INTERRUPTED);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw StoreException.of("interrupted while waiting for a read connection", INTERRUPTED);
        }
        try {
            return readWith(Optional.ofNullable(idle.poll()).orElseGet(connect), questions);
        } catch (StoreException failure) {
            throw health.failed(failure);
        } finally {
            free.release();
            if (closed) {
                close();
            }
        }
    }

    /** Reads in a transaction. The connection becomes idle again, or is closed if the transaction could not be begun or ended. */
    private <T> T readWith(Dao reader, Function<Dao, T> questions) {
        boolean usable = false;
        try {
            reader.sql().transaction("begin");
            try {
                return questions.apply(reader);
            } finally {
                reader.sql().transaction("rollback");
                usable = true;
            }
        } finally {
            if (usable) {
                idle.push(reader);
            } else {
                reader.sql().close();
            }
        }
    }

    /** Closes idle connections immediately, and busy connections when they are returned. */
    @Override
    public void close() {
        closed = true;
        for (Dao reader = idle.poll(); reader != null; reader = idle.poll()) {
            reader.sql().close();
        }
    }
}
