package stet.cli;

import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import stet.core.Activity;
import stet.core.Refusal;
import stet.core.Timestamp;
import stet.store.Db;

/** The command {@code activity}: who did what in an account, or in the whole installation, the newest first. */
record ActivityCommand(Config config, PrintStream out) {
    private static final int MAX_ROWS = 100_000;
    private static final int DEFAULT_ROWS = 100;

    void run() {
        int limit = config.parse(Option.LIMIT, this::limit).orElse(DEFAULT_ROWS);
        Instant since = config.parse(Option.SINCE, text -> Timestamp.parse("since", text)).orElse(Instant.EPOCH);
        try (Db db = Db.open(config.data(), false)) {
            List<Activity> rows = db.read(dao -> dao.activity().since(
                    config.operands().isEmpty() ? null : Lookup.account(dao, config.operands().get(0)).id(), since, limit));
            new Printer(config, out).printRows(rows.stream().map(row -> Printer.row(Timestamp.format(row.at()), row.actor(),
                    row.kind().word(), row.subject(), row.detail(), row.address(), row.email())));
        }
    }

    private int limit(String text) {
        if (!text.matches("[1-9][0-9]{0,4}|" + MAX_ROWS)) {
            throw new Refusal(config.name(Option.LIMIT) + " is \"" + text + "\", not a whole number from 1 to " + MAX_ROWS);
        }
        return Integer.parseInt(text);
    }
}
