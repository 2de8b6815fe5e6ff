package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Plan;
import stet.core.SecretGrant;
import stet.harness.Running;

/** Statistics that wait to be written. */
class StatisticsTest {
    /** More than two batches. */
    private static final int TEMPLATES = 250;

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final byte[] key = Secret.sha256(stet.key(ada));
    private final SecretGrant grant = stet.db.read(dao -> dao.keys().access(key).orElseThrow());
    private final Statistics statistics = new Statistics(stet.db);

    private void count() {
        for (int i = 0; i < TEMPLATES; i++) {
            statistics.counted(grant, ada.period(stet.now()).start(), "t" + i, 200, true, stet.now());
        }
    }

    @Test
    void aWriteWritesAllThatWasCountedBeforeItWhileMoreIsCounted() throws InterruptedException {
        count();
        ReentrantLock lock = stet.db.writer().lock();
        Thread writing = new Thread(statistics::write);
        lock.lock();
        try {
            writing.start();
            assertTrue(Running.comes(() -> lock.hasQueuedThread(writing)));
            count(); // also the templates of the batch that waits
        } finally {
            lock.unlock();
        }
        writing.join(Running.PATIENCE.toMillis());
        long written = stet.db.read(dao -> dao.sql().number("select count(distinct template) from requests"));
        assertEquals(TEMPLATES, written);
    }
}
