package stet.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import stet.base.Amount;
import stet.base.Json;
import stet.base.Refusal;
import stet.base.Timestamp;
import stet.files.AccountFiles;
import stet.files.AppData;
import stet.files.Folder;
import stet.sqlite.Db;
import stet.upkeep.Backup;
import stet.upkeep.Check;
import stet.upkeep.Restore.Contents;
import stet.upkeep.Restore;
import stet.upkeep.Sweeper.FileSize;
import stet.upkeep.Sweeper;

/** The commands for the database as a whole. */
record DatabaseCommands(Cli cli) {
    /** Maximum number of lines printed under each heading. */
    private static final int MAX_LINES = 20;

    /** Prints the findings on a database or an app's data: summaries, and problems with their solutions. @throws Refusal if there are problems */
    void check() throws IOException {
        if (!cli.config.operands().isEmpty() && cli.config.isArgument(Option.DATA) && Files.isRegularFile(cli.config.data())) {
            checkAppData();
            return;
        }
        Path data = cli.config.data();
        List<Check.Finding> findings = cli.config.operands().isEmpty() ? Check.folder(data, cli.now())
                : Check.file(data, Config.path(cli.operand()), cli.now());
        if (cli.config.has(Option.JSON)) {
            cli.printRows(findings.stream().map(finding -> Printer.row(finding.check(), finding.ok(), finding.text())));
        } else {
            findings.forEach(finding -> cli.out.println((finding.ok() ? "ok       " : "problem  ")
                    + finding.check() + ": " + finding.text()));
        }
        long problems = findings.stream().filter(finding -> !finding.ok()).count();
        if (problems > 0) {
            throw new Refusal(Amount.of(problems, "problem") + " found");
        }
    }

    /** Names the variables that an app's data lacks, with --data a JSON file that has an object for each template ID. */
    private void checkAppData() throws IOException {
        Path file = cli.config.data();
        ObjectNode data;
        try {
            data = Json.readObject(Files.readAllBytes(file));
        } catch (Refusal wrong) {
            throw new Refusal(file + ": " + wrong.getMessage());
        }
        List<String> missing;
        try (AccountFiles files = AccountFiles.toImport(Folder.toImport(Config.path(cli.operand())))) {
            missing = AppData.missing(files, data).stream().map(each -> file + ": " + each).toList();
        }
        if (cli.config.has(Option.JSON)) {
            cli.printRows(missing.stream().map(each -> Printer.row("data", false, each)));
        } else {
            missing.forEach(each -> cli.out.println("problem  " + each));
        }
        if (!missing.isEmpty()) {
            throw new Refusal(Amount.of(missing.size(), "problem") + " found");
        } else if (!cli.config.has(Option.JSON)) {
            cli.out.println("ok       " + file + ": all variables of " + Amount.of(data.size(), "template"));
        }
    }

    void compact() throws IOException {
        try (Db db = cli.open()) {
            FileSize size = new Sweeper(db).compact(cli.now());
            cli.out.println("before:     " + Amount.megabytes(size.before()));
            cli.out.println("after:      " + Amount.megabytes(size.after()));
            cli.out.println("freed:      " + Amount.megabytes(Math.max(0, size.before() - size.after())));
            if (size.waiting() > 0) {
                cli.err.println(Amount.megabytes(size.waiting())
                        + " will be freed when the backup, export or replication reading the database ends");
            }
        }
    }

    void backup() throws IOException {
        boolean isStream = cli.operand().equals("-");
        try (Db db = cli.open()) {
            Backup.Made made = isStream ? new Backup(db).to(cli.out) : new Backup(db).to(Config.path(cli.operand()));
            if (!cli.out.checkError()) {
                cli.err.println("Backup " + (isStream ? "" : cli.operand() + " ") + "written and verified: "
                        + Amount.megabytes(made.bytes()) + ", " + Amount.of(made.versions(), "version")
                        + ", " + String.format(Locale.ROOT, "%.1f s", made.millis() / 1000.0)
                        + (isStream ? ", SHA-256 " + made.sha256() : ""));
            }
        }
    }

    void restore() throws IOException {
        Path data = cli.config.data();
        report(cli.operand().equals("-") ? Restore.into(data, cli.in, "The backup on standard input", cli.now())
                : Restore.into(data, Config.path(cli.operand()), cli.now()));
    }

    private void report(Restore.Restored done) {
        Contents restored = done.restored();
        cli.err.println("Restored the database in " + cli.config.data() + ": " + amounts(restored) + "; last change "
                + Timestamp.format(restored.lastChange()));
        if (!done.compared()) {
            cli.err.println("The backup's .sha256 file was not found, so the checksum was not verified. The SHA-256 of the backup is " + done.sha256());
        }
        done.previous().ifPresent(previous -> cli.err.println("The previous database is kept in " + previous.folder()
                + previous.contents().map(before -> ": " + amounts(before) + "; last change " + Timestamp.format(before.lastChange()))
                        .orElse(", but cannot be read")));
        cli.err.println("Plans, passwords, drafts and published versions were replaced with those in the backup. All users must sign in again.");
        done.previous().flatMap(Restore.PreviousDatabase::contents).ifPresentOrElse(before -> printChanges(before, restored), () -> cli.err.println(
                "Keys and deploy tokens deleted since the backup are valid again. Keys, deploy tokens and request counts from after the backup are lost."));
    }

    private static String amounts(Contents contents) {
        return Amount.of(contents.accounts(), "account") + ", " + Amount.of(contents.keys().size(), "valid key") + ", "
                + Amount.of(contents.tokens().size(), "valid deploy token") + ", "
                + Amount.of(contents.templates(), "template") + ", " + Amount.of(contents.versions(), "version");
    }

    private void printChanges(Contents before, Contents restored) {
        Set<String> present = before.used().stream().map(Contents.CountedRequests::account).collect(Collectors.toSet());
        print("Accounts restored",
                restored.used().stream().map(Contents.CountedRequests::account).filter(account -> !present.contains(account)).toList());
        print("Keys valid again", without(restored.keys(), before.keys()));
        print("Keys no longer valid", without(before.keys(), restored.keys()));
        print("Deploy tokens valid again", without(restored.tokens(), before.tokens()));
        print("Deploy tokens no longer valid", without(before.tokens(), restored.tokens()));
        Map<String, Long> requests = restored.used().stream()
                .collect(Collectors.toMap(Contents.CountedRequests::account, Contents.CountedRequests::requests));
        List<String> lower = new ArrayList<>();
        for (Contents.CountedRequests used : before.used()) {
            long counted = requests.getOrDefault(used.account(), 0L);
            if (counted < used.requests()) {
                lower.add(used.account() + ": " + counted + " instead of " + used.requests() + " of " + used.limit());
            }
        }
        print("Request counts lowered by the restore (accounts may exceed their limits this period)", lower);
    }

    private static List<String> without(List<Contents.ValidSecret> secrets, List<Contents.ValidSecret> others) {
        Set<Contents.ValidSecret> known = new HashSet<>(others);
        return secrets.stream().filter(secret -> !known.contains(secret)).map(secret ->
                secret.account() + ": " + secret.name() + " (" + secret.start() + "...)").toList();
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
