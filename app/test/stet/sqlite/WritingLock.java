package stet.sqlite;

/** The database's writing lock, for tests in other packages. */
public final class WritingLock {
    private WritingLock() {
    }

    /** Returns whether a transaction holds the lock; that transaction may be waiting for another process. */
    public static boolean isHeld(Db db) {
        return db.writer().lock().isLocked();
    }

    /** Returns whether a transaction is waiting for another one in this process. */
    public static boolean isWaitedFor(Db db) {
        return db.writer().lock().hasQueuedThreads();
    }

    /** Returns the number of transactions waiting for another one in this process. */
    public static int waiting(Db db) {
        return db.writer().lock().getQueueLength();
    }

    /** Makes all transactions of other threads wait. */
    public static void hold(Db db) {
        db.writer().lock().lock();
    }

    public static void release(Db db) {
        db.writer().lock().unlock();
    }
}
