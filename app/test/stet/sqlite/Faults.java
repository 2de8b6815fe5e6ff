package stet.sqlite;

/** Causes faults of a running database, for tests in other packages. */
public final class Faults {
    private Faults() {
    }

    /** Makes SQLite refuse the service's writes, as for a read-only file. */
    public static void makeReadOnly(Db db, boolean readOnly) {
        db.writer().lock().lock();
        try {
            db.writer().sql().execute("pragma query_only = " + (readOnly ? "on" : "off"));
        } finally {
            db.writer().lock().unlock();
        }
    }
}
