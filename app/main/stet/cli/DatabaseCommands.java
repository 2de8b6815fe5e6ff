package stet.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import stet.core.Amount;
import stet.core.Refusal;
import stet.core.Timestamp;
import stet.sqlite.Backup;
import stet.sqlite.Check;
import stet.sqlite.Db;
import stet.sqlite.Restore;
import stet.sqlite.Restore.Contents;
import stet.sqlite.Sweeper.FileSize;

/** The commands on the database as a whole. */
record DatabaseCommands(Cli cli) {
    /** Lines of one kind that are printed at most. */
    private static final int MAX_LINES = 20;

    /** A line for each thing that was looked at, and for each that is wrong what to do. @throws Refusal when something is wrong */
    void check() {
        Path data = cli.config.data();
        List<Check.Finding> findings = cli.config.operands().isEmpty() ? Check.folder(data, cli.now())
                : Check.file(data, Config.path(cli.name()), cli.now());
        if (cli.config.has(Option.JSON)) {
            cli.printRows(findings.stream().map(finding -> Printer.row(finding.check(), finding.ok(), finding.text())));
        } else {
            findings.forEach(finding -> cli.out.println((finding.ok() ? "ok       " : "problem  ")
                    + Printer.printable(finding.check() + ": " + finding.text())));
        }
        long problems = findings.stream().filter(finding -> !finding.ok()).count();
        if (problems > 0) {
            throw new Refusal(Amount.of(problems, "problem") + (problems == 1 ? " was found" : " were found"));
        }
    }

    void compact() throws IOException {
        try (Db db = cli.open()) {
            FileSize size = db.sweeper().compact(cli.now());
            cli.out.println("before:     " + Amount.megabytes(size.before()));
            cli.out.println("after:      " + Amount.megabytes(size.after()));
            cli.out.println("given back: " + Amount.megabytes(Math.max(0, size.before() - size.after())));
            if (size.waiting() > 0) {
                cli.err.println(Amount.megabytes(size.waiting())
                        + " more are given back once the backup, export or replication that still reads them is done with them");
            }
        }
    }

    void backup() throws IOException {
        boolean isStream = cli.name().equals("-");
        try (Db db = cli.open()) {
            Backup.Made made = isStream ? db.backup().to(cli.out) : db.backup().to(Config.path(cli.name()));
            if (!cli.out.checkError()) {
                cli.err.println("The backup " + (isStream ? "" : cli.name() + " ") + "is made and verified: "
                        + Amount.megabytes(made.bytes()) + ", " + Amount.of(made.versions(), "version")
                        + ", " + String.format(Locale.ROOT, "%.1f s", made.millis() / 1000.0)
                        + (isStream ? ", SHA-256 " + made.sha256() : ""));
            }
        }
    }

    void restore() throws IOException {
        Path data = cli.config.data();
        report(cli.name().equals("-") ? Restore.into(data, cli.in, "The copy on standard input", cli.now())
                : Restore.into(data, Config.path(cli.name()), cli.now()));
    }

    private void report(Restore.Done done) {
        Contents now = done.restored();
        cli.err.println("The database in " + cli.config.data() + " is restored: " + numbers(now) + "; its last change is of "
                + Timestamp.format(now.lastChange()));
        if (!done.compared()) {
            cli.err.println("There was no FILE.sha256 beside the copy to compare its SHA-256 with, which is " + done.sha256());
        }
        if (done.kept() == null) {
            return;
        }
        cli.err.println("The one that was there is kept in " + done.kept()
                + done.before().map(before -> ": " + numbers(before) + "; its last change is of "
                        + Timestamp.format(before.lastChange()))
                        .orElse(", and cannot be read"));
        cli.err.println("Plans, passwords, drafts and published versions are those of the copy, and everybody must sign in again.");
        done.before().ifPresentOrElse(before -> compare(before, now), () -> cli.err.println(
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
        print("Keys that are valid again", without(now.keys(), before.keys()));
        print("Keys that are not valid any more", without(before.keys(), now.keys()));
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

    private static List<String> without(List<Contents.ValidKey> keys, List<Contents.ValidKey> others) {
        Set<Contents.ValidKey> known = new HashSet<>(others);
        return keys.stream().filter(key -> !known.contains(key)).map(key ->
                key.account() + ": " + Printer.printable(key.name()) + " (" + key.start() + "...)").toList();
    }

    private void print(String heading, List<String> lines) {
        if (!lines.isEmpty()) {
            cli.err.println(heading + ":");
            lines.stream().limit(MAX_LINES).forEach(line -> cli.err.println("  " + line));
            if (lines.size() > MAX_LINES) {
                cli.err.println("  and " + (lines.size() - MAX_LINES) + " more");
            }
        }
    }
}
