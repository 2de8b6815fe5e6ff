import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import stet.cli.Command;
import stet.cli.Option;

/**
 * Writes the man page and the shell completions from the tables of commands and options, in each package build:
 * {@code java -cp target/stet.jar app/package/Documents.java FOLDER VERSION DATE}.
 */
final class Documents {
    private static final List<Command> COMMANDS = List.of(Command.values());

    private Documents() {
    }

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        Instant date = Instant.parse(arguments[2]);
        String man = man(arguments[1], date.toString().substring(0, 10));
        Files.writeString(folder.resolve("stet.1"), man);
        Files.write(folder.resolve("stet.1.gz"), zipped(man));
        Files.write(folder.resolve("changelog.gz"), zipped(changelog(arguments[1], date)));
        Files.writeString(folder.resolve("stet.bash"), bash());
        Files.writeString(folder.resolve("_stet"), zsh());
        Files.writeString(folder.resolve("stet.fish"), fish());
    }

    private static List<Option> options(Command command) {
        return command.options().stream().filter(option -> !option.isVariableOnly()).toList();
    }

    /** First words of all commands, in order, such as {@code account}. */
    private static List<String> groups() {
        return COMMANDS.stream().map(command -> command.words().split(" ")[0]).distinct().toList();
    }

    private static List<Command> of(String group) {
        return COMMANDS.stream().filter(command -> command.words().split(" ")[0].equals(group)).toList();
    }

    /** Second words of the commands that share a first word; empty for a one-word command. */
    private static List<String> endings(String group) {
        return of(group).stream().map(Command::words).filter(words -> words.contains(" ")).map(words -> words.split(" ")[1]).toList();
    }

    /** Maintainer in Debian's format; by default from control/control, with an invalid domain. */
    private static String maintainer() {
        String name = System.getenv("DEBFULLNAME");
        String address = System.getenv("DEBEMAIL");
        return name != null && address != null ? name + " <" + address + ">" : "The Stet authors <stet@stet.invalid>";
    }

    private static String changelog(String version, Instant date) {
        return "stet (" + version + ") stable; urgency=medium\n\n  * See /docs/changes of a running service for what changed.\n\n -- "
                + maintainer() + "  " + DateTimeFormatter.RFC_1123_DATE_TIME.format(date.atOffset(ZoneOffset.UTC)).replace("GMT", "+0000") + "\n";
    }

    /** Compresses like "gzip -9n", including the header byte that marks best compression. */
    private static byte[] zipped(String text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(out) {
            {
                def.setLevel(Deflater.BEST_COMPRESSION);
            }
        }) {
            zip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        byte[] bytes = out.toByteArray();
        bytes[8] = 2;
        return bytes;
    }

    // ---- man

    private static String man(String version, String date) {
        StringBuilder page = new StringBuilder(".TH STET 1 " + date + " \"Stet " + version + "\" \"User Commands\"\n"
                + ".SH NAME\nstet \\- store email templates and serve published versions over HTTP\n"
                + ".SH SYNOPSIS\n.B stet\n[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR]\n"
                + ".SH DESCRIPTION\nThe default command is \\fBserve\\fR. As a package, Stet runs as the service \\fBstet\\fR on"
                + " /var/lib/stet. Root's commands use that folder as the user stet, so files that they read or write must be"
                + " accessible to that user. Other users have separate data: \\fB\\-\\-data\\fR \\fIDIR\\fR.\n.SH COMMANDS\n");
        for (Command command : COMMANDS) {
            page.append(".SS \"").append(roff(command.wholeUsage())).append("\"\n").append(roff(sentence(command.help()))).append('\n');
            for (Option option : options(command)) {
                page.append(".TP\n.B ").append(roff(option.usage())).append('\n').append(roff(sentence(command.help(option)))).append('\n');
            }
        }
        page.append(".SH ENVIRONMENT\nEach option is also a variable; the option takes precedence. The package sets variables in"
                + " /etc/default/stet.\n");
        Stream.of(Option.values()).forEach(option -> page.append(".TP\n.B ").append(option.variable()).append('\n')
                .append(option.isVariableOnly() ? roff(sentence(option.help())) : "As " + roff(option.word()) + ".").append('\n'));
        return page.append(".TP\n.B JAVA\nThe java to run instead of the system's.\n"
                + ".TP\n.B JAVA_OPTS\nJVM flags, such as \\-Xmx1g; the default heap is 256 MB.\n"
                + ".SH EXIT STATUS\n0 success, 1 failed or problem found, 2 system error, 3 out of memory, 143 stopped by SIGTERM.\n"
                + ".SH FILES\n.TP\n.I /etc/default/stet\nThe options of the service.\n"
                + ".TP\n.I /var/lib/stet\nAll data. Purging the package keeps it.\n"
                + ".SH SEE ALSO\nA running service serves the documentation at /docs.\n").toString();
    }

    private static String sentence(String help) {
        return Character.toUpperCase(help.charAt(0)) + help.substring(1) + ".";
    }

    private static String roff(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-").replaceAll("^([.'])", "\\\\&$1").replace("\"", "\\(dq");
    }

    // ---- shells

    private static String bash() {
        StringBuilder script = new StringBuilder("""
                # bash completion of stet
                _stet() {
                  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} first=${COMP_WORDS[1]} words=
                  case "$before" in
                """);
        script.append("    ").append(valued()).append(") compopt -o default; return ;;\n  esac\n")
                .append("  case \"$first ${COMP_WORDS[2]}\" in\n");
        for (Command command : COMMANDS) {
            String pattern = command.words().contains(" ") ? "\"" + command.words() + "\"" : command.words() + "\\ *";
            script.append("    ").append(pattern).append(") words=\"")
                    .append(options(command).stream().map(Option::word).collect(Collectors.joining(" "))).append("\" ;;\n");
        }
        script.append("  esac\n  if [ \"$COMP_CWORD\" = 1 ]; then\n    words=\"").append(String.join(" ", groups()))
                .append("\"\n  elif [ \"$COMP_CWORD\" = 2 ]; then\n    case \"$first\" in\n");
        for (String group : groups()) {
            if (!endings(group).isEmpty()) {
                script.append("      ").append(group).append(") words=\"").append(String.join(" ", endings(group))).append("\" ;;\n");
            }
        }
        return script.append("""
                      help) words="$words %s" ;;
                    esac
                  fi
                  COMPREPLY=($(compgen -W "$words" -- "$current"))
                  [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default
                }
                complete -F _stet stet
                """.formatted(String.join(" ", groups()))).toString();
    }

    /** Shell pattern that matches the options with a value. */
    private static String valued() {
        return Stream.of(Option.values()).filter(option -> !option.isVariableOnly() && !option.isFlag()).map(Option::word)
                .collect(Collectors.joining(" | "));
    }

    private static String zsh() {
        StringBuilder script = new StringBuilder("#compdef stet\nlocal -a commands endings\n"
                + "if (( CURRENT == 2 )); then\n  commands=(\n");
        for (String group : groups()) {
            String help = of(group).stream().map(Command::help).findFirst().orElseThrow();
            script.append("    ").append(quoted(group + ":" + (endings(group).isEmpty() ? help : String.join(", ", endings(group))))).append('\n');
        }
        script.append("  )\n  _describe command commands\n  return\nfi\nif (( CURRENT == 3 )); then\n  case \"$words[2]\" in\n");
        for (String group : groups()) {
            if (!endings(group).isEmpty()) {
                script.append("    ").append(group).append(") endings=(");
                of(group).forEach(command -> script.append(' ').append(quoted(command.words().split(" ")[1] + ":" + command.help())));
                script.append(" ) ;;\n");
            }
        }
        script.append("    help) endings=(").append(String.join(" ", groups()))
                .append(") ;;\n  esac\n  if (( $#endings )); then\n    _describe command endings\n    return\n  fi\nfi\n"
                + "case \"$words[2] $words[3]\" in\n");
        for (Command command : COMMANDS) {
            String pattern = command.words().contains(" ") ? "\"" + command.words() + "\"" : command.words() + "\\ *";
            script.append("  ").append(pattern).append(") _arguments '*:file:_files'");
            for (Option option : options(command)) {
                String help = command.help(option).replaceAll("[\\[\\]:]", " ");
                script.append(" \\\n    ").append(quoted(option.word() + (option.isFlag() ? "" : "=") + "[" + help + "]"
                        + (option.isFlag() ? "" : ":value:_files")));
            }
            script.append(" ;;\n");
        }
        return script.append("esac\n").toString();
    }

    private static String fish() {
        StringBuilder script = new StringBuilder("# fish completion of stet\n");
        for (String group : groups()) {
            String help = of(group).stream().map(Command::help).findFirst().orElseThrow();
            script.append("complete -c stet -n __fish_use_subcommand -f -a ").append(group).append(" -d ")
                    .append(fishQuoted(endings(group).isEmpty() ? help : String.join(", ", endings(group)))).append('\n');
        }
        for (Command command : COMMANDS) {
            String[] words = command.words().split(" ");
            String seen = "__fish_seen_subcommand_from " + words[0];
            if (words.length > 1) {
                script.append("complete -c stet -n '").append(seen).append("; and not __fish_seen_subcommand_from ")
                        .append(String.join(" ", endings(words[0]))).append("' -f -a ").append(words[1])
                        .append(" -d ").append(fishQuoted(command.help())).append('\n');
                seen += "; and __fish_seen_subcommand_from " + words[1];
            }
            for (Option option : options(command)) {
                script.append("complete -c stet -n '").append(seen).append("' -l ").append(option.word().substring(2))
                        .append(option.isFlag() ? "" : " -r").append(" -d ").append(fishQuoted(command.help(option))).append('\n');
            }
        }
        return script.toString();
    }

    /** Quotes text in single quotes for sh and zsh. */
    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    /** Quotes text in single quotes for fish. */
    private static String fishQuoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
