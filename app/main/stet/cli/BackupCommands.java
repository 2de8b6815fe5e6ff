package stet.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import stet.core.Amount;
import stet.core.Timestamp;
import stet.store.Backup;
import stet.store.Db;
import stet.store.Restore;
import stet.store.Restore.Contents;

/** The commands {@code backup} and {@code restore}. */
final class BackupCommands {
    /** Lines of one kind that are printed at most. */
    private static final int MAX_LINES = 20;

    private final Config config;
    private final Clock clock;
    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;
    private final String file;

    BackupCommands(Config config, Console console, Clock clock) {
        this.config = config;
        this.clock = clock;
        this.in = console.in();
        this.out = console.out();
        this.err = console.err();
        this.file = config.operands().get(0);
    }

    void run() throws IOException {
        if (config.command() == Command.BACKUP) {
            backup();
        } else {
            restore();
        }
    }

    private void backup() throws IOException {
        boolean isStream = file.equals("-");
        try (Db db = Db.open(config.data(), false)) {
            Backup.Made made = isStream ? db.backup().to(out) : db.backup().to(Config.path(file));
            if (!out.checkError()) {
                err.println("The backup " + (isStream ? "" : file + " ") + "is made and verified: " + Amount.megabytes(made.bytes())
                        + ", " + Amount.of(made.versions(), "version")
                        + ", " + String.format(Locale.ROOT, "%.1f s", made.millis() / 1000.0));
            }
        }
    }

    private void restore() throws IOException {
        if (file.equals("-")) {
            report(Restore.into(config.data(), in, "The copy on standard input", clock.instant()));
            return;
        }
        report(Restore.into(config.data(), Config.path(file), clock.instant()));
    }

    private void report(Restore.Done done) {
        Contents now = done.restored();
        err.println("The database in " + config.data() + " is restored: " + numbers(now) + "; its last change is of "
                + Timestamp.format(now.lastChange()));
        if (done.kept() == null) {
            return;
        }
        err.println("The one that was there is kept in " + done.kept()
                + done.before().map(before -> ": " + numbers(before) + "; its last change is of "
                        + Timestamp.format(before.lastChange()))
                        .orElse(", and cannot be read"));
        err.println("Plans, passwords, drafts and published versions are those of the copy, and everybody must sign in again.");
        done.before().ifPresentOrElse(before -> compare(before, now), () -> err.println(
                "Keys that were deleted since are valid again, and requests that were counted since are not counted."));
    }

    private static String numbers(Contents contents) {
        return Amount.of(contents.accounts(), "account") + ", " + Amount.of(contents.keys().size(), "valid key") + ", "
                + Amount.of(contents.templates(), "template") + ", " + Amount.of(contents.versions(), "version");
    }

    private void compare(Contents before, Contents now) {
        Set<String> present = before.used().stream().map(Contents.Used::account).collect(Collectors.toSet());
        print("Accounts that are back",
                now.used().stream().map(Contents.Used::account).filter(account -> !present.contains(account)).toList());
        Set<Contents.ValidKey> known = new HashSet<>(before.keys());
        print("Keys that are valid again",
                now.keys().stream().filter(key -> !known.contains(key)).map(BackupCommands::name).toList());
        Set<Contents.ValidKey> restored = new HashSet<>(now.keys());
        print("Keys that are not valid any more",
                before.keys().stream().filter(key -> !restored.contains(key)).map(BackupCommands::name).toList());
        Map<String, Long> requests = now.used().stream()
                .collect(Collectors.toMap(Contents.Used::account, Contents.Used::requests));
        List<String> lower = new ArrayList<>();
        for (Contents.Used used : before.used()) {
            long counted = requests.getOrDefault(used.account(), 0L);
            if (counted < used.requests()) {
                lower.add(used.account() + ": " + counted + " instead of " + used.requests() + " of " + used.limit());
            }
        }
        print("Counts of this period that go down, so that it may grant more than its limit", lower);
    }

    private static String name(Contents.ValidKey key) {
        return key.account() + ": " + key.name().replaceAll("[\\p{Cntrl}\\p{Cf}]", "?") + " (" + key.start() + "...)";
    }

    private void print(String heading, List<String> lines) {
        if (!lines.isEmpty()) {
            err.println(heading + ":");
            lines.stream().limit(MAX_LINES).forEach(line -> err.println("  " + line));
            if (lines.size() > MAX_LINES) {
                err.println("  and " + (lines.size() - MAX_LINES) + " more");
            }
        }
    }
}
