package stet.cli;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import stet.base.Json;
import stet.base.Timestamp;

/** Prints lists as tables or JSON, and prints help. */
record Printer(Config config, PrintStream out) {
    /** The values of the command's fields, each a value that {@code Json} can write. */
    static Object[] row(Object... values) {
        return values;
    }

    /** Formats a time for a row. @param time may be null */
    static String time(Instant time) {
        return time == null ? null : Timestamp.format(time);
    }

    /** Prints a table or, with --json, an array of objects. */
    void printRows(Stream<Object[]> rows) {
        if (config.has(Option.JSON)) {
            printJson(rows.map(this::object).toList());
            return;
        }
        List<String[]> lines = new ArrayList<>();
        lines.add(config.command().fields().stream()
                .map(field -> field.replaceFirst("At$", "").replaceAll("(?=[A-Z])", " ").toUpperCase(Locale.ROOT)).toArray(String[]::new));
        rows.map(row -> Stream.of(row).map(Printer::printable).toArray(String[]::new)).forEach(lines::add);
        int[] widths = IntStream.range(0, lines.get(0).length)
                .map(column -> lines.stream().mapToInt(line -> line[column].length()).max().orElseThrow()).toArray();
        StringBuilder text = new StringBuilder();
        for (String[] line : lines) {
            text.append(padded(line, widths)).append(System.lineSeparator());
        }
        out.print(text); // a single call, because a line-flushing stream makes one system call per line
        out.flush();
    }

    private static String padded(String[] line, int[] widths) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < line.length; i++) {
            text.append(line[i]).append(" ".repeat(widths[i] - line[i].length() + 2));
        }
        return text.toString().stripTrailing();
    }

    /** A value's text for a part of a line, escaped, such as a table's cell before its width is measured; empty for null. */
    static String printable(Object value) {
        return value == null ? "" : EscapedOutput.escape(value.toString());
    }

    /** Prints one row as a JSON object. */
    void printObject(Object[] row) {
        printJson(object(row));
    }

    private Map<String, Object> object(Object[] row) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < row.length; i++) {
            object.put(config.command().fields().get(i), row[i]);
        }
        return object;
    }

    /** Prints a value as one line of JSON, which ends with a line feed on every operating system. */
    void printJson(Object value) {
        out.print(new String(Json.write(value), StandardCharsets.UTF_8) + "\n");
        out.flush();
    }

    /** Lists the commands whose names begin with the operands, or explains a single command in full. */
    void printHelp() {
        List<Command> commands = Command.of(config.operands());
        if (commands.isEmpty()) {
            throw CommandLine.unknownCommand(config.operands());
        }
        if (commands.size() > 1) {
            out.println("java -jar stet.jar [COMMAND] [OPTIONS]");
            out.println();
            commands.forEach(command -> printLine(command.usage(), command.help()));
            out.println();
            out.println("\"help COMMAND\" lists the options of a command."
                    + " Each option can also be set by an environment variable, such as STET_DATA for --data.");
            out.println();
            out.println("Exit codes: 0 success, 1 rejected or problem found, 2 system error, 3 out of memory,"
                    + " 4 changes found (--exit-code), 143 stopped by SIGTERM.");
            out.println("While serve or demo is running, the documentation is at"
                    + " /docs, /docs/run, /docs/commands, /docs/api and /docs/test-double.");
        } else {
            Command command = commands.get(0);
            out.println("java -jar stet.jar " + command.wholeUsage());
            out.println();
            out.println("    " + command.help());
            out.println();
            command.options().forEach(option -> printLine(option.isVariableOnly() ? "" : option.usage(),
                    command.help(option) + jsonHelp(command, option) + "; " + option.variable()));
        }
    }

    private static String jsonHelp(Command command, Option option) {
        if (option != Option.JSON || command.fields().isEmpty()) {
            return "";
        }
        String shape = command == Command.USAGE ? "an object" : "an array of objects";
        return ", " + shape + " with " + String.join(", ", command.fields()) + "; times look like 2026-01-31T09:00:00.000Z";
    }

    private void printLine(String usage, String help) {
        out.println(String.format("    %-32s  %s", usage, help));
    }
}
