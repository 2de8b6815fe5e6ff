package stet.sqlite;

/** Faults of a running database that tests of other rooms bring about. */
public final class Faults {
    private Faults() {
    }

    /** Has SQLite refuse each write of the service, as it does for a read-only file. */
    public static void makeReadOnly(Db db, boolean readOnly) {
        db.writer().lock().lock();
        try {
            db.writer().sql().execute("pragma query_only = " + (readOnly ? "on" : "off"));
        } finally {
            db.writer().lock().unlock();
        }
    }
}
