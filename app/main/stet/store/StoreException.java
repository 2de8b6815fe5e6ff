package stet.store;

import java.sql.SQLException;

/** The database did not do what it was asked: its disk is full, another process holds it, it is damaged. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public StoreException(SQLException cause) {
        super(cause.getMessage(), cause);
    }
}
