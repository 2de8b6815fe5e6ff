package stet.store;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import stet.core.Account;
import stet.core.Period;

/** A counter, and tickets for it that write down what became of them. */
final class Counting {
    static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");

    final QuotaCounter counter;
    final List<String> ends = new CopyOnWriteArrayList<>();
    final Account account;
    private final long limit;

    Counting(Db db, Account account, long limit) {
        this(db, account, limit, () -> false);
    }

    /** @param crowded whether more requests are at the door */
    Counting(Db db, Account account, long limit, BooleanSupplier crowded) {
        this.counter = new QuotaCounter(db, Clock.fixed(NOW, ZoneOffset.UTC), Runnable::run, crowded);
        this.account = account;
        this.limit = limit;
    }

    /** Counts one request. @return how it ended */
    String count() {
        count(ticket());
        return ends.get(ends.size() - 1);
    }

    /** Counts a request as the handler does. */
    void count(QuotaCounter.PendingRequest ticket) {
        counter.count(ticket);
        counter.settle();
    }

    /** What would be charged for it. */
    Charge charge() {
        return new Charge(new UsageKey(account.id(), account.plan().word(), Period.free(account.createdAt(), NOW).start()), limit);
    }

    PendingRequest ticket() {
        return new PendingRequest();
    }

    class PendingRequest implements QuotaCounter.PendingRequest {
        @Override
        public Charge charge(Instant now) {
            return Counting.this.charge();
        }

        @Override
        public void granted(long used, Instant now) {
            ends.add("granted " + used);
        }

        @Override
        public void refused(Instant now) {
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
