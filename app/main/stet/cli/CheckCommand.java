package stet.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import stet.core.Amount;
import stet.core.Refusal;
import stet.store.Check;

/** The command {@code check}: a line for each thing that was looked at, and for each that is wrong what to do. */
record CheckCommand(Config config, PrintStream out) {
    /** @throws Refusal when something is wrong, after all lines are printed */
    void run(Instant now) {
        Path data = config.data();
        List<Check.Finding> findings = config.operands().isEmpty() ? Check.folder(data, now)
                : Check.file(data, Config.path(config.operands().get(0)), now);
        if (config.has(Option.JSON)) {
            new Printer(config, out).printRows(findings.stream()
                    .map(finding -> Printer.row(finding.check(), finding.ok(), finding.text())));
        } else {
            findings.forEach(finding -> out.println((finding.ok() ? "ok       " : "problem  ")
                    + Printer.printable(finding.check() + ": " + finding.text())));
        }
        long problems = findings.stream().filter(finding -> !finding.ok()).count();
        if (problems > 0) {
            throw new Refusal(Amount.of(problems, "problem") + (problems == 1 ? " was found" : " were found"));
        }
    }
}
