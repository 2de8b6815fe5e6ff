package stet.sqlite;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import org.sqlite.ProgressHandler;

/** Counts the instructions that SQLite's virtual machine executes; the count does not depend on the machine's speed. */
public final class SqliteSteps {
    private SqliteSteps() {
    }

    public static long of(Connection connection, Runnable work) throws SQLException {
        AtomicLong count = new AtomicLong();
        ProgressHandler.setHandler(connection, 1, new ProgressHandler() {
            @Override
            protected int progress() {
                count.incrementAndGet();
                return 0;
            }
        });
        try {
            work.run();
        } finally {
            ProgressHandler.clearHandler(connection);
        }
        return count.get();
    }
}
