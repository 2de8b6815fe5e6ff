package stet.store;

import java.sql.Connection;
import java.sql.SQLException;
import org.sqlite.BusyHandler;

/**
 * How a command waits for its turn beside a serve that writes without pause: it asks every millisecond, where SQLite
 * itself would ask ever more seldom and hardly meet the moment between two commits.
 */
final class Patience extends BusyHandler {
    /** Asked so many times, a millisecond apart, it gives up. */
    private static final int TRIES = 30_000;

    private Patience() {
    }

    static void on(Connection connection) throws SQLException {
        setHandler(connection, new Patience());
    }

    /** @param tries so far for the same lock. @return 1 to ask again, 0 to give up */
    @Override
    protected int callback(int tries) {
        try {
            Thread.sleep(1);
            return tries < TRIES ? 1 : 0;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }
}
