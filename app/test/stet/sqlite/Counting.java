package stet.sqlite;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import stet.core.Account;
import stet.core.Period;
import stet.dao.UsageKey;

/** A counter, and requests for it that write down how they ended. */
final class Counting {
    static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");

    final QuotaCounter counter;
    final List<String> ends = new CopyOnWriteArrayList<>();
    final Account account;
    private final long limit;

    /** Commits and answers on the thread that counts first, one after the other. */
    Counting(Db db, Account account, long limit) {
        this(db, account, limit, new OneThread());
    }

    private static final class OneThread implements Executor {
        private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean busy = new AtomicBoolean();

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
            while (!tasks.isEmpty() && busy.compareAndSet(false, true)) {
                for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
                    next.run();
                }
                busy.set(false);
            }
        }
    }

    Counting(Db db, Account account, long limit, Executor pool) {
        this.counter = new QuotaCounter(db, Clock.fixed(NOW, ZoneOffset.UTC), pool, pool, wait -> { }, () -> { });
        this.account = account;
        this.limit = limit;
    }

    /** Counts one request. @return how it ended */
    String count() {
        counter.count(request());
        return ends.get(ends.size() - 1);
    }

    PendingRequest request() {
        return new PendingRequest();
    }

    class PendingRequest implements QuotaCounter.PendingRequest {
        @Override
        public UsageKey key(Instant now) {
            return new UsageKey(account, Period.free(account.createdAt(), NOW));
        }

        @Override
        public long limit() {
            return limit;
        }

        @Override
        public void granted(long used) {
            ends.add("granted " + used);
        }

        @Override
        public void refused() {
            ends.add("refused");
        }

        @Override
        public void uncounted() {
            ends.add("uncounted");
        }

        @Override
        public void failed(Throwable cause) {
            ends.add("failed " + cause.getMessage());
        }
    }
}
