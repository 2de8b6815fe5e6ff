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

    private StoreException(String sentence, SQLException cause) {
        super(sentence, cause, false, false);
    }

    /** A failure that its sentence tells whole: a stack trace would say nothing more. @param resultCode of SQLite */
    static StoreException of(String sentence, int resultCode) {
        return new StoreException(sentence, new SQLException(sentence, null, resultCode));
    }
}
