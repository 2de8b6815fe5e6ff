package stet.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Clock;
import java.util.List;
import stet.core.Account;
import stet.core.Amount;
import stet.core.Refusal;
import stet.core.TemplateSummary;
import stet.store.Db;
import stet.store.Sweeper.FileSize;

/** The commands that make the database smaller: {@code compact} and {@code template prune}. */
final class Space {
    private final Config config;
    private final Clock clock;
    private final PrintStream out;
    private final PrintStream err;

    Space(Config config, Console console, Clock clock) {
        this.config = config;
        this.clock = clock;
        this.out = console.out();
        this.err = console.err();
    }

    void compact() throws IOException {
        try (Db db = Db.open(config.data(), false)) {
            FileSize size = db.sweeper().compact(clock.instant());
            out.println("before:     " + Amount.megabytes(size.before()));
            out.println("after:      " + Amount.megabytes(size.after()));
            out.println("given back: " + Amount.megabytes(Math.max(0, size.before() - size.after())));
            if (size.waiting() > 0) {
                err.println(Amount.megabytes(size.waiting())
                        + " more are given back when the backup or export that reads them has ended");
            }
        }
    }

    void prune() {
        int keep = config.versionsToKeep();
        try (Db db = Db.open(config.data(), false)) {
            Account account = db.read(dao -> Lookup.account(dao, config.operands().get(0)));
            List<String> ids = ids(db, account);
            long excess = ids.stream().mapToLong(id -> db.read(dao -> dao.versions().excess(account.id(), id, keep))).sum();
            if (excess > 0 && !config.has(Option.YES)) {
                throw new Refusal("This deletes " + Amount.of(excess, "old version") + " for good; --yes does it");
            }
            int removed = ids.stream().mapToInt(id -> db.sweeper().prune(account, id, keep, clock.instant())).sum();
            db.sweep(clock.instant());
            err.println(removed == 0 ? "No template has more than " + Amount.of(keep, "version")
                    : Amount.of(removed, "old version") + (removed == 1 ? " is deleted" : " are deleted"));
        }
    }

    /** The template that is named, or all of the account. */
    private List<String> ids(Db db, Account account) {
        if (config.operands().size() == 1) {
            return db.read(dao -> dao.templates(account.id())).stream().map(TemplateSummary::id).toList();
        }
        String id = config.operands().get(1);
        db.read(dao -> {
            Lookup.checkTemplate(dao, account, id);
            return id;
        });
        return List.of(id);
    }
}
