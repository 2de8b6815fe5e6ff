package stet.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import stet.core.Account;
import stet.core.Refusal;
import stet.core.TemplateSummary;
import stet.store.Db;
import stet.store.FileSize;

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
            out.println("before:     " + megabytes(size.before()));
            out.println("after:      " + megabytes(size.after()));
            out.println("given back: " + megabytes(Math.max(0, size.before() - size.after())));
            if (size.waiting() > 0) {
                err.println(megabytes(size.waiting()) + " more are given back when the backup or export that reads them has ended");
            }
        }
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }

    void prune() {
        int keep = keep();
        try (Db db = Db.open(config.data(), false)) {
            Account account = db.read(dao -> Lookup.account(dao, config.operands().get(0)));
            List<String> ids = ids(db, account);
            long excess = ids.stream().mapToLong(id -> db.read(dao -> dao.versions().excess(account.id(), id, keep))).sum();
            String versions = excess + (excess == 1 ? " old version" : " old versions");
            if (excess > 0 && !config.has(Option.YES)) {
                throw new Refusal("This deletes " + versions + " for good; --yes does it");
            }
            int removed = ids.stream().mapToInt(id -> db.sweeper().prune(account, id, keep, clock.instant())).sum();
            db.sweep(clock.instant());
            err.println(removed == 0 ? "No template has more than " + keep + (keep == 1 ? " version" : " versions")
                    : removed + (removed == 1 ? " old version is deleted" : " old versions are deleted"));
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

    private int keep() {
        String keep = config.required(Option.KEEP);
        if (!keep.matches("[1-9][0-9]{0,8}")) {
            throw new Refusal(config.name(Option.KEEP) + " is \"" + keep + "\", not a whole number from 1 to 999999999");
        }
        return Integer.parseInt(keep);
    }
}
