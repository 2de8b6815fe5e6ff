package stet.store;

import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** Reading connections, opened when they are wanted: a bounded number, as each has files, statements and pages of its own. */
final class Readers implements AutoCloseable {
    /** The longest wait for a connection, in s. */
    private static final int PATIENCE = 10;

    private final Supplier<Dao> connect;
    private final Semaphore free;
    private final ConcurrentLinkedDeque<Dao> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    /** @param most connections at once */
    Readers(int most, Supplier<Dao> connect) {
        this.connect = connect;
        this.free = new Semaphore(most, true);
    }

    /** Answers all questions from one state of the database. @throws StoreException when no connection becomes free */
    <T> T read(Function<Dao, T> questions) {
        try {
            if (!free.tryAcquire(PATIENCE, TimeUnit.SECONDS)) {
                throw new StoreException(new SQLException("all reading connections are busy"));
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new StoreException(new SQLException("stopped while waiting for a reading connection"));
        }
        try {
            return readWith(Optional.ofNullable(idle.poll()).orElseGet(connect), questions);
        } finally {
            free.release();
            if (closed) {
                close();
            }
        }
    }

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

    /** Closes the idle connections; the others follow when they are given back. */
    @Override
    public void close() {
        closed = true;
        for (Dao reader = idle.poll(); reader != null; reader = idle.poll()) {
            reader.sql().close();
        }
    }
}
