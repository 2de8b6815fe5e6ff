package stet.cli;

import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import stet.base.Amount;
import stet.core.ImageNames;
import stet.files.Changes;
import stet.files.Conflict;

/** Prints a push's plan as text, one change a line, each with a sign. */
record PlanPrinter(PrintStream out) {
    /** @param target see {@link Target#name} */
    void print(String target, boolean isDryRun, Changes changes) {
        out.println(Printer.printable(target) + (isDryRun ? ", a dry run:" : ":"));
        changes.texts().created().forEach(id -> printLine("+", id, ""));
        changes.texts().changed().forEach(id -> printLine("~", id, ""));
        changes.texts().blocks().forEach(name -> printLine("~", name, " " + kindOf(name)));
        changes.removals().templates().forEach(id -> printLine("-", id, Optional.ofNullable(changes.removals().reviewLinks().get(id))
                .map(links -> " (" + Amount.of(links, "review link") + " revoked)").orElse("")));
        changes.removals().blocks().forEach(name -> printLine("-", name, " " + kindOf(name)));
        changes.texts().published().forEach(id -> printLine("^", id, " published"
                + Optional.ofNullable(changes.findings().variables().get(id)).map(PlanPrinter::inWords).orElse("")));
        changes.findings().sentences().forEach(sentence -> printLine("?", sentence, ""));
        changes.found().all().map(Conflict::toString).forEach(sentence -> printLine("!", sentence, ""));
        changes.findings().previews().forEach((id, link) -> printLine(">", id, " " + link));
        printLine("=", Integer.toString(changes.texts().unchanged()), " unchanged");
    }

    /** Says in parentheses whether a name in a plan is that of an image or of a shared block. */
    static String kindOf(String block) {
        return ImageNames.isImage(block) ? "(image)" : "(shared block)";
    }

    /** @param rest follows the text without a space */
    void printLine(String sign, String text, String rest) {
        out.println(sign + " " + Printer.printable(text) + Printer.printable(rest));
    }

    private static String inWords(Changes.VariableChanges variables) {
        return inWords("needs", variables.added()) + inWords("no longer needs", variables.removed());
    }

    private static String inWords(String verb, List<String> names) {
        return names.isEmpty() ? "" : "; " + verb + " " + String.join(", ", names);
    }
}
