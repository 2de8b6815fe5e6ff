package stet;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Runs the selected benchmark rows, or all of them, and prints one table. */
final class Bench {
    /** In the order the goals were set. */
    private static final List<Row> ROWS = List.of(
            new Row("keys-1000", "format=html, 16 KiB, 32 connections, 1,000 keys of 1,000 accounts, against a bare handler", Throughput::manyKeys),
            new Row("before", "the first row and the default JSON against the Stet that STET_JAR names", Throughput::before),
            new Row("bare-threads", "the same against a bare handler with a thread for each request, not Stet's few", Throughput::manyThreads),
            new Row("program", "the same with Stet started as a program, both with its settings of the JVM", Throughput::asProgram),
            new Row("floor", "the least that a service like Stet has to do, against a bare handler", Throughput::floor),
            new Row("key-1", "format=html, 16 KiB, 32 connections, one key, against a bare handler", Throughput::oneKey),
            new Row("json", "the default JSON against a bare handler with the same body", Throughput::json),
            new Row("variables", "format=variables against a bare handler with the same body", Throughput::variables),
            new Row("not-modified", "304 against 200", Throughput::notModified),
            new Row("connections-1000", "1,000 connections against 32", Throughput::manyConnections),
            new Row("large-database", "100,000 accounts and 1,000,000 templates against the small database, also at the start", Throughput::largeDatabase),
            new Row("html-1mib", "html of 1 MiB against a bare handler", Throughput::mebibyte),
            new Row("nginx", "against nginx with a static file, where it is installed", Throughput::nginx),
            new Row("neighbours", "the first row beside 20 busy loops, against the Stet that STET_JAR names", Neighbours::measure),
            new Row("trace", "the classes, methods and queues that a warm request goes through", Trace::measure),
            new Row("start", "serve to its first 200 against a bare JDK server, with and without the archive of classes; key list", Start::service),
            new Row("restart", "restarts under load: time of refused connections, and requests without an answer", Restart::measure),
            new Row("memory", "resident memory under load, and the first row with -Xmx48m", Memory::measure),
            new Row("page", "the web application's list of 1,000 templates under load", Page::measure),
            new Row("publish", "publishing under load", Publish::measure),
            new Row("beside-work", "half of the first row's load beside imports, exports, checks and deletions, also with -Xmx48m", Beside::measure),
            new Row("fair", "a live check beside 16 checks, publications and searches at a time of another account's writer", Fair::measure),
            new Row("five-years", "1,000 accounts with 73,000 versions and 1.8 million rows of requests: start, pages, backup, check, compact", Aged::measure),
            new Row("growth", "pages, changes and commands with up to 20,000 accounts, 10,000 templates and 5,000 versions, against SQLite alone", Growth::measure),
            new Row("held-connections", "thousands of connections that are held, and a good client beside them", HeldConnections::measure),
            new Row("slow-clients", "one account at work beside another's clients that neither read nor send, also with -Xmx48m",
                    SlowClients::measure));

    private final PrintStream out;
    private final List<Row> rows = new ArrayList<>();
    private final List<String> shortfalls = new ArrayList<>();
    private int seconds = 5;
    private int rounds = 5;
    private boolean fresh;
    private boolean list;

    private Bench(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        Bench bench = new Bench(out);
        try {
            bench.read(arguments);
        } catch (Broken refused) {
            Lab.say(refused.getMessage());
            System.exit(1);
        }
        System.exit(bench.run() ? 0 : 1);
    }

    private void read(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--seconds" -> seconds = number(arguments, ++i);
                case "--rounds" -> rounds = number(arguments, ++i);
                case "--fresh" -> fresh = true;
                case "--list", "--help", "-h" -> list = true;
                default -> rows.add(row(arguments[i]));
            }
        }
    }

    private static Row row(String name) {
        return ROWS.stream().filter(row -> row.name().equals(name)).findFirst()
                .orElseThrow(() -> new Broken("There is no " + (name.startsWith("-") ? "option " : "row ") + name + "; --list lists the rows"));
    }

    private static int number(String[] arguments, int position) {
        if (position == arguments.length || !arguments[position].matches("[1-9][0-9]{0,3}")) {
            throw new Broken(arguments[position - 1] + " needs a number from 1 to 9999");
        }
        return Integer.parseInt(arguments[position]);
    }

    /** @return true if every row ran, whether or not it met its goals */
    private boolean run() throws Exception {
        if (list) {
            out.println("app/bench/run [--fresh] [--seconds N] [--rounds N] [ROW...]");
            ROWS.forEach(row -> out.printf("    %-18s%s%n", row.name(), row.what()));
            return true;
        }
        Lab lab = new Lab(new Pace(seconds, rounds));
        if (fresh) {
            Lab.delete(Lab.FOLDER);
        }
        Files.createDirectories(Lab.FOLDER);
        // This program unpacks SQLite's library here; serve unpacks its own into the data folder.
        System.setProperty("org.sqlite.tmpdir", Lab.FOLDER.toAbsolutePath().toString());
        out.println(Machine.markdown(lab.pace()));
        out.println();
        out.println("| row | what | measured | ratio | goal | falls short |");
        out.println("|---|---|---|---|---|---|");
        boolean worked = true;
        for (Row row : rows.isEmpty() ? ROWS : rows) {
            worked &= measure(row, lab);
        }
        out.println();
        out.println(shortfalls.isEmpty() ? "No goal falls short." : "Falling short: " + String.join("; ", shortfalls) + ".");
        return worked;
    }

    private boolean measure(Row row, Lab lab) {
        Lab.say(row.name() + ": " + row.what());
        try {
            for (Line line : row.measurement().measure(lab)) {
                out.println(line.markdown(row.name()));
                if (line.fallsShort()) {
                    shortfalls.add("`" + row.name() + "` (" + line.what() + ": " + line.shortfall() + ")");
                }
            }
            return true;
        } catch (Exception failure) {
            if (Child.isEnding()) {
                return false;
            }
            String why = failure instanceof Broken ? failure.getMessage() : failure.toString();
            Lab.say("    " + why);
            out.println(new Line("did not work: " + why.lines().findFirst().orElse(""), "", "", "", "no figure").markdown(row.name()));
            shortfalls.add("`" + row.name() + "` (no figure)");
            return false;
        }
    }
}
