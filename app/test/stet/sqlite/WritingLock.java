package stet.sqlite;

/** The lock on writing to a database, which tests of other rooms wait for. */
public final class WritingLock {
    private WritingLock() {
    }

    /** Whether a transaction has it, and so waits for another process while that one writes. */
    public static boolean isHeld(Db db) {
        return db.writer().lock().isLocked();
    }

    /** Whether a transaction waits for another one of this process. */
    public static boolean isWaitedFor(Db db) {
        return db.writer().lock().hasQueuedThreads();
    }

    /** Transactions that wait for another one of this process. */
    public static int waiting(Db db) {
        return db.writer().lock().getQueueLength();
    }

    /** Has every transaction of other threads wait. */
    public static void hold(Db db) {
        db.writer().lock().lock();
    }

    public static void release(Db db) {
        db.writer().lock().unlock();
    }
}
