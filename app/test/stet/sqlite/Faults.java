package stet.sqlite;

/** Causes faults in a running database, for tests in other packages. */
public final class Faults {
    private Faults() {
    }

    /** Makes SQLite reject the service's writes, as if the file were read-only. */
    public static void makeReadOnly(Db db, boolean readOnly) {
        db.writer().lock().lock();
        try {
            db.writer().sql().execute("pragma query_only = " + (readOnly ? "on" : "off"));
        } finally {
            db.writer().lock().unlock();
        }
    }
}
