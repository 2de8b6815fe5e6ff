package stet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Benchmark with a five-year-old database: start-up, pages, and commands that process all data. */
final class Aged {
    private static final int STARTS = 5;
    private static final int TIMES = 11;
    /** Command timeout, in s. */
    private static final int LIMIT = 900;
    private static final List<String> PAGES = List.of("templates", "keys", "usage", "templates/welcome", "templates/welcome/versions");

    private final Lab lab;
    private final Data data;
    private final List<Line> lines = new ArrayList<>();

    private Aged(Lab lab) throws Exception {
        this.lab = lab;
        this.data = FiveYears.copy();
    }

    static List<Line> measure(Lab lab) throws Exception {
        Aged aged = new Aged(lab);
        aged.size();
        aged.start();
        try (Child stet = lab.program(aged.data)) {
            String url = stet.url();
            aged.pages(Signed.in(url, Data.AUTHOR));
            for (String command : List.of("backup", "check", "compact")) {
                aged.command(command);
            }
        } finally {
            Lab.delete(aged.data.folder());
        }
        return aged.lines;
    }

    private void add(String what, String measured) {
        Lab.say("    " + what + ": " + measured);
        lines.add(new Line(what, measured, "", "", ""));
    }

    private String megabytes() throws Exception {
        return Figures.whole(Files.size(data.stet().resolve("stet.db")) / 1e6) + " MB";
    }

    private void size() throws Exception {
        add("data", Figures.whole(number("select count(*) from accounts")) + " accounts, "
                + Figures.whole(number("select count(*) from versions")) + " versions, "
                + Figures.whole(number("select count(*) from requests")) + " rows of requests, " + megabytes());
    }

    private void start() throws Exception {
        List<Double> times = new ArrayList<>();
        for (int i = 0; i <= STARTS; i++) {
            double time = Start.untilAnswer(port -> lab.serve(data, port, List.of()), data.authorKey());
            if (i > 0) {
                times.add(time);
            }
        }
        Figures figures = new Figures(times);
        add("start to the first 200", "median " + Figures.whole(figures.median()) + " ms, at most "
                + Figures.whole(figures.highest()) + " ms, of " + STARTS);
    }

    /** Measures page loads while serve removes old statistics. */
    private void pages(Signed browser) throws Exception {
        for (String page : PAGES) {
            List<Double> times = new ArrayList<>();
            for (int i = 0; i < TIMES; i++) {
                long begin = System.nanoTime();
                browser.get("/data/" + page);
                times.add((System.nanoTime() - begin) / 1e6);
            }
            add("page /data/" + page, "first " + Figures.two(times.get(0)) + " ms, median "
                    + Figures.two(new Figures(times).median()) + " ms, of " + TIMES);
        }
    }

    /** Measures a command while serve is idle. */
    private void command(String name) throws Exception {
        if (!Scene.hasCommand(name)) {
            add(name, "there is no such command");
            return;
        }
        Path copy = data.folder().resolve("copy.db");
        String before = megabytes();
        List<String> words = new ArrayList<>(List.of(Lab.JAR.toAbsolutePath().toString(), name));
        if (name.equals("backup")) {
            words.add(copy.toString());
        }
        words.addAll(List.of("--data", data.stet().toString()));
        long begin = System.nanoTime();
        try (Child child = Child.start(Lab.log("command"), words)) {
            child.output(LIMIT);
            double seconds = (System.nanoTime() - begin) / 1e9;
            if (child.exitCode() != 0) {
                throw new Broken(name + " ended with " + child.exitCode() + ": " + child.lastWords());
            }
            add(name + ", beside an idle serve", "took " + Figures.two(seconds) + " s, " + before + " before, "
                    + megabytes() + " after");
        }
        Files.deleteIfExists(copy);
    }

    private long number(String sql) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + data.stet().resolve("stet.db"));
                Statement statement = connection.createStatement()) {
            statement.execute("pragma query_only = on");
            try (ResultSet result = statement.executeQuery(sql)) {
                return result.next() ? result.getLong(1) : 0;
            }
        }
    }
}
