package bench;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/** Runs the selected rows, or all of them, and prints one table. */
final class Bench {
    private static final List<Row> ROWS = List.of(
            new Row("keys-1000", "format=html, 16 KiB, 32 connections, 1,000 keys of 1,000 accounts, against a bare handler", Rates::manyKeys),
            new Row("json", "the same with the default JSON", Rates::json),
            new Row("not-modified", "304 against 200", Rates::notModified),
            new Row("before", "keys-1000 and json against the jar that STET_JAR names", Rates::before),
            new Row("start", "serve to its first 200 against the bare handler, with and without the archive of classes; a command", Start::measure),
            new Row("memory", "resident memory under the load of keys-1000, also with -Xmx48m", Memory::measure),
            new Row("slow-clients", "one account at work beside others' clients that neither read nor send, also with -Xmx48m", SlowClients::measure),
            new Row("images", "an image of 100 KB against a bare handler; emails with images against without; the API beside 200 connections of recipients", Recipients::measure),
            new Row("growth", "pages, changes and commands with up to 20,000 accounts, 10,000 templates and 2,000 versions", Growth::measure),
            new Row("editor", "keys, previews and long lists in Chromium", EditorBench::measure),
            new Row("test-double", "start, reset and list of requests of the test double", FixtureBench::measure));
    /** Warm-up of each side in s. With two busy processors, JIT compilation takes 6 to 10 s. */
    static final int WARM_UP = 15;
    /** For the figures in RESULTS.md. */
    private static final Pace RELEASE = new Pace(2, 9);

    private record Row(String name, String what, Measurement measurement) {
    }

    /** @param seconds load per side and round */
    record Pace(int seconds, int rounds) {
    }

    private interface Measurement {
        List<Line> measure(Pace pace) throws Exception;
    }

    private final PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private final List<Row> rows = new ArrayList<>();
    private Pace pace = new Pace(5, 5);
    private boolean list;

    public static void main(String[] arguments) throws Exception {
        try {
            Bench bench = new Bench();
            bench.read(arguments);
            System.exit(bench.run() ? 0 : 1);
        } catch (IllegalStateException refused) {
            Lab.say(refused.getMessage());
            System.exit(1);
        }
    }

    private void read(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--seconds" -> pace = new Pace(number(arguments, ++i), pace.rounds());
                case "--rounds" -> pace = new Pace(pace.seconds(), number(arguments, ++i));
                case "--release" -> pace = RELEASE;
                case "--list", "--help", "-h" -> list = true;
                default -> rows.add(row(arguments[i]));
            }
        }
    }

    private static Row row(String name) {
        return ROWS.stream().filter(row -> row.name.equals(name)).findFirst()
                .orElseThrow(() -> new IllegalStateException("There is no " + (name.startsWith("-") ? "option " : "row ") + name + "; --list lists the rows"));
    }

    private static int number(String[] arguments, int position) {
        if (position == arguments.length || !arguments[position].matches("[1-9][0-9]{0,3}")) {
            throw new IllegalStateException(arguments[position - 1] + " needs a number from 1 to 9999");
        }
        return Integer.parseInt(arguments[position]);
    }

    /** @return true if every row ran, whether or not it met its goals */
    private boolean run() throws Exception {
        if (list) {
            out.println("app/bench/run [--release] [--seconds N] [--rounds N] [ROW...]");
            ROWS.forEach(row -> out.printf("    %-14s%s%n", row.name, row.what));
            return true;
        }
        Files.createDirectories(Lab.FOLDER);
        // This program unpacks SQLite's library here; serve unpacks its own into the data folder.
        System.setProperty("org.sqlite.tmpdir", Lab.FOLDER.toAbsolutePath().toString());
        String commit = Lab.run(List.of("git", "describe", "--always", "--dirty", "--exclude=*")).strip();
        String before = load();
        out.println("| row | what | measured | ratio | goal |");
        out.println("|---|---|---|---|---|");
        boolean worked = true;
        for (Row row : rows.isEmpty() ? ROWS : rows) {
            worked &= measure(row);
        }
        out.println();
        out.println("- Commit " + commit + ", " + LocalDate.now() + ", "
                + pace.rounds + " rounds of " + pace.seconds + " s; load average " + before + " before, " + load() + " after");
        out.println("- " + Runtime.getRuntime().availableProcessors() + " cores (" + processor() + "), Linux "
                + System.getProperty("os.version") + ", OpenJDK " + System.getProperty("java.runtime.version"));
        return worked;
    }

    private boolean measure(Row row) {
        Lab.say(row.name + ": " + row.what);
        try {
            row.measurement.measure(pace).forEach(line -> out.println(line.markdown(row.name)));
            return true;
        } catch (Exception failure) {
            Lab.say("    " + failure);
            out.println(new Line("did not work: " + failure.getMessage(), "", "", "", false).markdown(row.name));
            return false;
        }
    }

    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).split(" ")[0];
    }

    private static String processor() throws IOException {
        return Files.readAllLines(Path.of("/proc/cpuinfo")).stream().filter(line -> line.startsWith("model name")).findFirst()
                .map(line -> line.replaceFirst(".*: ", "")).orElse("?");
    }
}
