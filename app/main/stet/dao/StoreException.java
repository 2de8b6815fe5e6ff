package stet.dao;

import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** A database failure, for example because the disk is full, another process holds the lock, or the file is corrupted. */
public final class StoreException extends RuntimeException {
    /** Result code for corruption (https://sqlite.org/rescode.html#corrupt). */
    public static final int CORRUPT = 11;
    private static final int BUSY = 5;
    private static final int READ_ONLY = 8;
    private static final int IO_ERROR = 10;
    private static final int FULL = 13;
    private static final int CANNOT_OPEN = 14;
    private static final int NOT_A_DATABASE = 26;
    private static final long serialVersionUID = 1;

    /** @param sentence explains the failure and becomes the message */
    public StoreException(String sentence) {
        this(new SQLException(sentence));
    }

    public StoreException(SQLException cause) {
        super(cause.getMessage(), cause);
    }

    private StoreException(String sentence, SQLException cause) {
        super(sentence, cause, false, false);
    }

    /** Whether the database, or a text in it, is corrupted. */
    public boolean isCorruption() {
        return resultCode() == CORRUPT || resultCode() == NOT_A_DATABASE;
    }

    /** Whether another connection holds the lock. */
    public boolean isBusy() {
        return resultCode() == BUSY;
    }

    /** Whether the disk failed, is full or is read-only. The data may be intact. */
    public boolean isOfDisk() {
        return switch (resultCode()) {
            case READ_ONLY, IO_ERROR, FULL, CANNOT_OPEN -> true;
            default -> false;
        };
    }

    /**
     * Whether a killed process left an unfinished transaction, which a read-only connection cannot roll back
     * (https://sqlite.org/rescode.html#readonly_rollback).
     */
    public boolean isUnfinished() {
        return getCause() instanceof SQLiteException cause && cause.getResultCode() == SQLiteErrorCode.SQLITE_READONLY_ROLLBACK;
    }

    /** SQLite's primary result code for the failure; 0 if there is none. */
    private int resultCode() {
        return getCause() instanceof SQLException cause ? cause.getErrorCode() & 0xff : 0;
    }

    /** Creates a failure without a stack trace, because the message explains it fully. @param resultCode an SQLite result code */
    public static StoreException of(String sentence, int resultCode) {
        return new StoreException(sentence, new SQLException(sentence, null, resultCode));
    }
}
