package stet.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import stet.base.Amount;
import stet.base.SystemFailure;
import stet.base.Utf8;
import stet.core.ImageNames;
import stet.files.Changes;
import stet.files.Conflict;

/**
 * A push's plan for a pull request on GitHub: Markdown on stdout and in the job's summary, and an annotation on stderr for each problem
 * with a place. All names and sentences are in code spans, so that they contain no links, mentions or HTML.
 */
record GitHub(Cli cli) {
    private static final Pattern PLACE = Pattern.compile("((?:templates|blocks|images)/[^:]*): (?:lines? ([0-9]+))?");

    /** @param target see {@link Target#name} */
    void print(String target, Changes changes) {
        byte[] markdown = Utf8.encode(markdown(target, changes));
        cli.out.writeBytes(markdown);
        cli.out.flush();
        addToSummary(markdown);
        changes.findings().warnings().stream().distinct().forEach(sentence -> annotate(sentence.startsWith("Error: ") ? "error" : "warning", sentence));
        changes.found().preventing().forEach(conflict -> annotate("error", file(path(conflict)), conflict.toString()));
    }

    private String markdown(String target, Changes changes) {
        List<String> lines = new ArrayList<>();
        changes.findings().previews().forEach((id, link) -> // first, because the end may be cut
                lines.add("[Preview of " + code(id) + "](" + link + ")"));
        changes.texts().created().forEach(id -> lines.add(code(id) + " is new"));
        changes.texts().changed().forEach(id -> lines.add(code(id) + " changes"));
        changes.texts().blocks().forEach(name -> lines.add(code(name) + " " + PlanPrinter.kindOf(name) + " changes"));
        changes.removals().templates().forEach(id -> lines.add(code(id) + " moves to the trash" + Optional.ofNullable(changes.removals().reviewLinks().get(id))
                .map(links -> ", and " + Amount.of(links, "review link") + " revoked").orElse("")));
        changes.removals().blocks().forEach(name -> lines.add(code(name) + " " + PlanPrinter.kindOf(name) + " is deleted"));
        changes.texts().published().forEach(id -> lines.add(code(id) + " is published" + Optional.ofNullable(changes.findings().variables().get(id))
                .map(names -> names("needs", names.added()) + names("no longer needs", names.removed())).orElse("")));
        changes.findings().sentences().forEach(sentence -> lines.add(code(sentence)));
        changes.found().all().forEach(conflict -> lines.add("⚠ " + code(conflict.toString())));
        String list = lines.stream().map(line -> "- " + line + "\n").collect(Collectors.joining());
        return "**" + code(target) + "**" + (PushCommands.isDryRun(cli.config) ? ", a dry run" : "") + "\n\n"
                + list + (list.isEmpty() ? "" : "\n") + changes.texts().unchanged() + " unchanged\n";
    }

    private void addToSummary(byte[] markdown) {
        String summary = cli.config.environment().getOrDefault("GITHUB_STEP_SUMMARY", "");
        if (!summary.isEmpty()) {
            try {
                Files.write(Path.of(summary), markdown, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException failure) {
                throw SystemFailure.of("Cannot write the file " + summary, failure);
            }
        }
    }

    private static String path(Conflict conflict) {
        if (ImageNames.isImage(conflict.id())) {
            return conflict.id();
        }
        return (conflict.isBlock() ? "blocks/" : "templates/") + conflict.id() + ".html";
    }

    /** Annotates the place that a sentence names, or the whole run. @param level error or warning */
    void annotate(String level, String sentence) {
        Matcher place = PLACE.matcher(sentence);
        if (!place.find()) {
            annotate(level, "", sentence);
        } else {
            annotate(level, file(place.group(1)) + (place.group(2) == null ? "" : ",line=" + place.group(2)), sentence);
        }
    }

    /** @param properties a file and a line, or empty for the whole run */
    private void annotate(String level, String properties, String sentence) {
        cli.err.writeBytes(Utf8.encode("::" + level + properties + "::" + data(sentence) + "\n"));
        cli.err.flush();
    }

    /** The property with a file's path in the repository, relative to which the command's folder is given. */
    private String file(String path) {
        String folder = cli.operand().replaceFirst("^(\\./+)+", "").replaceFirst("/+$", "");
        return " file=" + property(folder.isEmpty() || folder.equals(".") ? path : folder + "/" + path);
    }

    private static String data(String text) {
        return EscapedOutput.escape(text).replace("%", "%25");
    }

    private static String property(String text) {
        return data(text).replace(":", "%3A").replace(",", "%2C");
    }

    private static String names(String verb, List<String> names) {
        return names.isEmpty() ? "" : "; " + verb + " " + names.stream().map(GitHub::code).collect(Collectors.joining(", "));
    }

    private static String code(String text) {
        return "`" + EscapedOutput.escape(text).replace('`', '\'') + "`";
    }
}
