package stet.store;

import java.sql.SQLException;

/** A failure of the database: its disk is full, another process holds it, or it is damaged. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param sentence explains the failure; it is the message */
    public StoreException(String sentence) {
        this(new SQLException(sentence));
    }

    public StoreException(SQLException cause) {
        super(cause.getMessage(), cause);
    }
}
