package bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import stet.testing.StetFixture;

/** The test double with one account that has 10 (for the list), 100 and 1,000 templates of 16 KiB. */
final class FixtureBench {
    private static final String ACCOUNT = "bench@example.com";
    /** JVM options of the launchers in app/clients. */
    private static final List<String> LAUNCHER = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms64m");
    private static final int STARTS = 9;
    private static final int RESETS = 50;
    private static final int JOURNAL = 10_000;

    private FixtureBench() {
    }

    static List<Line> measure(Bench.Pace pace) throws Exception {
        List<Line> lines = new ArrayList<>();
        Path folder = folder(100);
        List<Double> processes = new ArrayList<>();
        List<Double> starts = new ArrayList<>();
        for (int i = 0; i < STARTS; i++) {
            long begin = System.nanoTime();
            try (Child process = Child.start("double", Lab.java(LAUNCHER, "-jar", Lab.JAR.toString(), "fixture", folder.toString()))) {
                process.url();
                processes.add((System.nanoTime() - begin) / 1e6);
            }
            begin = System.nanoTime();
            StetFixture started = StetFixture.start(folder);
            starts.add((System.nanoTime() - begin) / 1e6);
            started.close();
        }
        lines.add(Line.millis(500, processes, "a launcher's process until ready, 100 templates"));
        lines.add(Line.millis(100, starts, "start in a warm JVM, 100 templates"));
        lines.add(reset(10, 100));
        lines.add(reset(50, 1_000));
        try (StetFixture stet = StetFixture.start(folder(10))) {
            Client client = Client.withKey(stet.url().toString(), Data.key(ACCOUNT));
            Figures.millis(JOURNAL, () -> client.get("/api/v1/templates/t0"));
            lines.add(Line.millis(100, Figures.millis(STARTS, () -> client.get("/_fixture/requests")), "list of 10,000 requests"));
        }
        return lines;
    }

    private static Line reset(int goal, int templates) throws Exception {
        try (StetFixture stet = StetFixture.start(folder(templates))) {
            return Line.millis(goal, Figures.millis(RESETS, stet::reset), "reset of " + String.format(Locale.ROOT, "%,d", templates) + " templates");
        }
    }

    private static Path folder(int templates) throws Exception {
        Path folder = Lab.FOLDER.resolve("double-" + templates);
        Path html = Data.account(folder, ACCOUNT, null);
        for (int i = 0; i < templates; i++) {
            Files.writeString(html.resolve("t" + i + ".html"), "<p>{{name}}</p>" + "x".repeat(Data.HTML));
        }
        return folder;
    }
}
