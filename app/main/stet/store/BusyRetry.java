package stet.store;

import java.sql.Connection;
import java.sql.SQLException;
import org.sqlite.BusyHandler;

/**
 * How one process waits while another one writes: it asks every millisecond, where SQLite itself would ask ever more seldom
 * and hardly meet the moment between two commits.
 */
final class BusyRetry extends BusyHandler {
    /** Asked so many times, a millisecond apart, it gives up. */
    private final int most;

    private BusyRetry(int most) {
        this.most = most;
    }

    /** @param most about how many milliseconds it waits */
    static void on(Connection connection, int most) throws SQLException {
        setHandler(connection, new BusyRetry(most));
    }

    /** @param tries so far for the same lock. @return 1 to ask again, 0 to give up */
    @Override
    protected int callback(int tries) {
        try {
            Thread.sleep(1);
            return tries < most ? 1 : 0;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }
}
