package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import stet.Running;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.core.Account;
import stet.core.Plan;
import stet.dao.UsageKey;

/** The count itself: batches, limits, and requests that fail. */
class QuotaCounterTest {
    @TempDir
    Path folder;

    private Db db;
    private Account account;

    @BeforeEach
    void open() {
        db = Db.serve(folder);
        account = db.write(dao -> dao.accounts().add("a@b", Plan.FREE, Counting.NOW, null, null));
    }

    @AfterEach
    void close() {
        db.close();
    }

    private long used() {
        return db.read(dao -> dao.usage().used(account, account.createdAt()));
    }

    /** Has all requests but the first wait for one transaction, by keeping the lock until all are there. */
    private static void together(Db db, Counting counting, List<? extends QuotaCounter.PendingRequest> requests) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        db.writer().lock().lock();
        Thread first;
        try {
            first = new Thread(() -> {
                begun.countDown();
                counting.counter.count(requests.get(0));
            });
            first.start();
            assertTrue(begun.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
            while (!db.writer().lock().hasQueuedThread(first)) {
                Thread.onSpinWait();
            }
            for (QuotaCounter.PendingRequest request : requests.subList(1, requests.size())) {
                counting.counter.count(request); // goes away again: the first one commits for it
            }
        } finally {
            db.writer().lock().unlock();
        }
        first.join();
    }

    @Test
    void aBatchOverTheLimitIsGrantedOneByOne() throws InterruptedException {
        Counting counting = new Counting(db, account, 3);
        List<Counting.PendingRequest> requests = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            requests.add(counting.request());
        }
        together(db, counting, requests);
        assertEquals(List.of("granted 1", "granted 2", "granted 3", "refused", "refused", "refused"), counting.ends);
        assertEquals(3, used());
    }

    @Test
    void moreThanABatchIsAnsweredToTheLast() throws InterruptedException {
        Counting counting = new Counting(db, account, 1_000);
        List<Counting.PendingRequest> requests = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            requests.add(counting.request());
        }
        together(db, counting, requests);
        assertEquals(600, counting.ends.stream().distinct().count());
        assertEquals(600, used());
    }

    @Test
    void aRequestThatFailsTakesNoOtherWithIt() throws InterruptedException {
        Counting counting = new Counting(db, account, 100);
        Counting.PendingRequest broken = counting.new PendingRequest() {
            @Override
            public UsageKey key(Instant now) {
                throw new IllegalStateException("broken");
            }
        };
        Counting.PendingRequest gone = counting.new PendingRequest() {
            @Override
            public UsageKey key(Instant now) {
                return null;
            }
        };
        together(db, counting, List.of(counting.request(), counting.request(), broken, gone, counting.request()));
        assertEquals(List.of("failed broken", "granted 1", "granted 2", "granted 3", "uncounted"),
                counting.ends.stream().sorted().toList());
        assertEquals(3, used());
    }

    /** Two requests an account and batch, so that a limit comes between them; the period before has its own count. */
    @Test
    void manyAccountsInOneBatchAreEachCountedForThemselves() throws InterruptedException {
        List<Account> accounts = new ArrayList<>();
        List<Counting> countings = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            String email = i + "@many";
            accounts.add(db.write(dao -> dao.accounts().add(email, Plan.FREE, Counting.NOW, null, null)));
            countings.add(new Counting(db, accounts.get(i), i % 4 * 2 - 1)); // -1, 1, 3 and 5
        }
        Instant before = Counting.NOW.minus(30, ChronoUnit.DAYS);
        db.change(dao -> accounts.forEach(each -> dao.usage().set(each, before, 1)));
        Counting patient = new Counting(db, accounts.get(3), 1_000); // the same account, another limit
        for (int round = 1; round <= 3; round++) {
            List<QuotaCounter.PendingRequest> requests = new ArrayList<>();
            countings.forEach(counting -> requests.addAll(List.of(counting.request(), counting.request())));
            if (round == 3) {
                requests.add(patient.request());
            }
            together(db, countings.get(0), requests);
        }
        for (int i = 0; i < 100; i++) {
            Account each = accounts.get(i);
            int limit = Math.max(0, i % 4 * 2 - 1);
            List<String> expected = new ArrayList<>();
            for (int request = 1; request <= 6; request++) {
                expected.add(request <= limit ? "granted " + request : "refused");
            }
            assertEquals(expected, countings.get(i).ends);
            assertEquals(limit + (i == 3 ? 1 : 0), (long) db.read(dao -> dao.usage().used(each, each.createdAt())));
            assertEquals(1L, (long) db.read(dao -> dao.usage().used(each, before)));
        }
        assertEquals(List.of("granted 6"), patient.ends);
    }

    /** The pool's queue as it is while all of its threads are busy. */
    @Test
    void requestsThatAreReadBeforeTheCommitsTurnShareItAndAClientThatDoesNotReadHoldsUpNoOther() {
        Deque<Runnable> queue = new ArrayDeque<>();
        Counting counting = new Counting(db, account, 100, queue::add);
        counting.counter.count(counting.new PendingRequest() {
            @Override
            public void granted(long used) {
                assertEquals(3, used());
                assertEquals(List.of(), counting.ends);
                counting.counter.count(counting.request());
                while (!queue.isEmpty()) { // another thread, while this client does not read
                    queue.remove().run();
                }
                super.granted(used);
            }
        });
        counting.counter.count(counting.request());
        counting.counter.count(counting.request());
        assertEquals(1, queue.size(), "one commit for all");
        queue.remove().run();
        assertEquals(List.of("granted 2", "granted 3", "granted 4", "granted 1"), counting.ends);
        assertEquals(4, used());
        assertEquals(0, queue.size());
    }

    @Test
    void aFailedTransactionCountsNothingAndTheNextOneWorks() {
        Counting counting = new Counting(db, account, 100);
        assertEquals("granted 1", counting.count());
        db.change(dao -> dao.sql().execute("alter table usage rename to lost"));
        assertTrue(counting.count().contains("no such table"), counting.ends::toString);
        assertTrue(counting.count().contains("no such table"), counting.ends::toString);
        db.change(dao -> dao.sql().execute("alter table lost rename to usage"));
        assertEquals("granted 2", counting.count());
        assertEquals(2, used());
    }

    /** The insert fails, and nothing but the failure tells that what is known in memory is wrong. */
    @Test
    void whatATransactionThatFailedHadCountedIsForgotten() throws InterruptedException {
        Counting counting = new Counting(db, account, 4);
        assertEquals("granted 1", counting.count());
        db.writeUncached(dao -> dao.sql().execute("create trigger full before insert on usage_log begin select raise(abort, 'full'); end"));
        together(db, counting, List.of(counting.request(), counting.request(), counting.request()));
        assertEquals(4, counting.ends.size());
        assertTrue(counting.ends.subList(1, 4).stream().allMatch(end -> end.startsWith("failed ") && end.contains("full")),
                counting.ends::toString);
        db.writeUncached(dao -> dao.sql().execute("drop trigger full"));
        assertEquals("granted 2", counting.count());
        assertEquals(2, used());
    }

    /** A row that a failed transaction entered is not there, and its number may become another account's. */
    @Test
    void aFirstRequestThatFailsTakesNoOtherAccountsSum() {
        Counting counting = new Counting(db, account, 100);
        Counting other = new Counting(db, db.write(dao -> dao.accounts().add("other@b", Plan.FREE, Counting.NOW, null, null)), 100);
        db.writeUncached(dao -> dao.sql().execute("create trigger full before insert on usage_log begin select raise(abort, 'full'); end"));
        assertTrue(counting.count().contains("full"), counting.ends::toString);
        db.writeUncached(dao -> dao.sql().execute("drop trigger full"));
        assertEquals("granted 1", other.count());
        assertEquals("granted 1", counting.count());
        assertEquals("granted 2", counting.count());
        assertEquals(2, used());
        assertEquals(1L, db.read(dao -> dao.usage().used(other.account, other.account.createdAt())).longValue());
    }

    private long logged() {
        return db.read(dao -> dao.sql().number("select count(*) from usage_log"));
    }

    private List<Counting> ofAccounts(int number) {
        List<Counting> countings = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            String email = i + "@many";
            countings.add(new Counting(db, db.write(dao -> dao.accounts().add(email, Plan.FREE, Counting.NOW, null, null)), 1_000));
        }
        return countings;
    }

    /** One request of each. */
    private void round(List<Counting> countings) throws InterruptedException {
        together(db, countings.get(0), countings.stream().map(Counting::request).toList());
    }

    private void assertUsed(long used, List<Counting> countings) {
        for (Counting counting : countings) {
            assertEquals("granted " + used, counting.ends.get(counting.ends.size() - 1));
            assertEquals(used, (long) db.read(dao -> dao.usage().used(counting.account, counting.account.createdAt())));
        }
    }

    @Test
    void theLogIsAddedUpEverySoOften() throws InterruptedException {
        List<Counting> countings = ofAccounts(200);
        long most = 0;
        for (int round = 1; round <= 120; round++) {
            round(countings);
            most = Math.max(most, logged());
        }
        assertTrue(most > 5_000 && most < 11_000 && logged() < most, () -> "log of " + logged());
        assertUsed(120, countings);
    }

    @Test
    void anAddingUpThatFailsLosesNothing() throws InterruptedException {
        List<Counting> countings = ofAccounts(200);
        db.writeUncached(dao -> dao.sql().execute("create trigger full before delete on usage_log begin select raise(abort, 'full'); end"));
        int rounds = 0;
        while (rounds < 60 && countings.get(0).ends.size() == rounds && !countings.get(0).ends.toString().contains("failed")) {
            round(countings);
            rounds++;
        }
        long granted = rounds - 1;
        assertTrue(granted > 40 && granted < 60, () -> countings.get(0).ends.toString());
        round(countings);
        countings.forEach(counting -> assertEquals(List.of(true, true),
                counting.ends.subList((int) granted, counting.ends.size()).stream().map(end -> end.contains("full")).toList()));
        db.writeUncached(dao -> dao.sql().execute("drop trigger full"));
        round(countings);
        assertUsed(granted + 1, countings);
    }

    @Test
    void twoCountersOnOneDatabaseCountAsOne() {
        Counting one = new Counting(db, account, 3);
        Counting two = new Counting(db, account, 3);
        assertEquals(List.of("granted 1", "granted 2", "granted 3", "refused"), List.of(one.count(), two.count(), one.count(), two.count()));
    }

    @Test
    void noAccountHasADeletedOnesIdAgain() {
        Counting counting = new Counting(db, account, 3);
        assertEquals(List.of("granted 1", "granted 2"), List.of(counting.count(), counting.count()));
        try (Db other = Db.open(folder, false)) {
            other.change(dao -> dao.accounts().delete(account.id(), Counting.NOW));
            db.sweep(Counting.NOW);
            assertNotEquals(account.id(), other.write(dao -> dao.accounts().add("b@c", Plan.FREE, Counting.NOW, null, null)).id());
        }
        assertEquals(0, used());
    }

    @Test
    void whatIsOnlyInTheLogCountsAfterARestart() {
        Counting counting = new Counting(db, account, 3);
        assertEquals(List.of("granted 1", "granted 2"), List.of(counting.count(), counting.count()));
        assertEquals(2, logged());
        db.close();
        db = Db.serve(folder);
        assertEquals(2, used());
        Counting after = new Counting(db, account, 3);
        assertEquals(List.of("granted 3", "refused"), List.of(after.count(), after.count()));
        assertEquals(3, used());
    }

    @Test
    void whatAnotherProcessWritesIsWhereTheCountGoesOn() {
        Counting counting = new Counting(db, account, 100);
        assertEquals("granted 1", counting.count());
        try (Db other = Db.open(folder, false)) {
            assertEquals(1L, (long) other.read(dao -> dao.usage().used(account, account.createdAt())));
            other.change(dao -> dao.usage().set(account, account.createdAt(), 98));
            assertEquals(List.of("granted 99", "granted 100", "refused"), List.of(counting.count(), counting.count(), counting.count()));
            assertEquals(100L, (long) other.read(dao -> dao.usage().used(account, account.createdAt())));
            other.change(dao -> dao.usage().forget(account.id(), Plan.FREE, account.createdAt()));
            assertEquals(0, used());
            assertEquals("granted 1", counting.count());
        }
    }

    /** As many periods of one account stand for many accounts. */
    @Test
    void whatIsKnownIsForgottenBeforeItIsTooMuch() throws InterruptedException {
        List<QuotaCounter.PendingRequest> requests = new ArrayList<>();
        Counting counting = new Counting(db, account, 2);
        AtomicInteger first = new AtomicInteger();
        for (int i = 0; i <= 100_000; i++) {
            UsageKey key = new UsageKey(account.id(), "free", Instant.ofEpochMilli(i));
            requests.add(counting.new PendingRequest() {
                @Override
                public UsageKey key(Instant now) {
                    return key;
                }

                @Override
                public void granted(long used) {
                    if (used == 1) {
                        first.incrementAndGet();
                    } else {
                        super.granted(used);
                    }
                }
            });
        }
        together(db, counting, requests);
        assertEquals(100_001, first.get());
        counting.counter.count(requests.get(0));
        assertEquals(1, logged(), "all else was added up before it was forgotten");
        counting.counter.count(requests.get(100_000));
        counting.counter.count(requests.get(0));
        assertEquals(List.of("granted 2", "granted 2", "refused"), counting.ends);
    }

    @Test
    void eachLimitAndPlanIsItsOwn() {
        Account other = db.write(dao -> dao.accounts().add("c@d", Plan.FREE, Counting.NOW, null, null));
        Counting one = new Counting(db, account, 1);
        Counting two = new Counting(db, other, 2);
        assertEquals(List.of("granted 1", "granted 1", "refused", "granted 2", "refused"),
                List.of(one.count(), two.count(), one.count(), two.count(), two.count()));
        assertEquals("refused", new Counting(db, account, 0).count());
        assertEquals("granted 2", new Counting(db, account, 2).count());
    }
}
