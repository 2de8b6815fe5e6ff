package bench;

import bench.Load.Side;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Requests per second, their p99 and the CPU time of each, in alternating rounds of two servers. */
final class Rates {
    static final String JSON = "/api/v1/templates/welcome";
    static final String HTML = JSON + "?format=html";
    private static final double TAIL = 3;

    private Rates() {
    }

    static List<Line> manyKeys(Bench.Pace pace) throws Exception {
        return withBare(pace, HTML, "html of 16 KiB, 1,000 keys");
    }

    static List<Line> json(Bench.Pace pace) throws Exception {
        return withBare(pace, JSON, "the default JSON, 1,000 keys");
    }

    /** Compares Stet with a handler that only responds. */
    private static List<Line> withBare(Bench.Pace pace, String path, String what) throws Exception {
        Data data = Data.accounts(Lab.JAR, "rates");
        try (Child stet = Lab.serve(Lab.JAR, data)) {
            String url = stet.url();
            HttpResponse<byte[]> response = Client.withKey(url, Files.readAllLines(data.keys()).get(0)).success("GET", path, "", null);
            String body = Files.write(Lab.FOLDER.resolve("body"), response.body()).toString();
            String type = response.headers().firstValue("Content-Type").orElseThrow();
            try (Child bare = Child.start("bare", Lab.own(List.of(), Bare.class, body, type, "0"))) {
                return compare(pace, what, 0.85, new Side("Stet", stet, url, path, data.keys(), Data.HTML, data),
                        new Side("bare", bare, bare.url(), path, data.keys(), Data.HTML, null));
            }
        }
    }

    static List<Line> notModified(Bench.Pace pace) throws Exception {
        Data data = Data.accounts(Lab.JAR, "rates");
        try (Child stet = Lab.serve(Lab.JAR, data)) {
            Side full = html("200", stet, data);
            List<String> tagged = new ArrayList<>();
            for (String key : Files.readAllLines(data.keys())) {
                HttpResponse<byte[]> response = Client.withKey(full.url(), key).success("GET", HTML, "", null);
                tagged.add(key + " " + response.headers().firstValue("ETag").orElseThrow());
            }
            Path tags = Files.write(data.folder().resolve("tagged-keys"), tagged);
            return compare(pace, "the html with If-None-Match", 1, new Side("304", stet, full.url(), HTML, tags, 0, data), full);
        }
    }

    static Side html(String name, Child stet, Data data) throws Exception {
        return new Side(name, stet, stet.url(), HTML, data.keys(), Data.HTML, data);
    }

    /** Compares the jar built here with STET_JAR. */
    static List<Line> before(Bench.Pace pace) throws Exception {
        if (Lab.OLDER.isEmpty()) {
            return List.of(new Line("skipped: STET_JAR names no other jar", "", "", "", false));
        }
        Data data = Data.accounts(Lab.JAR, "now");
        Data older = Data.accounts(Lab.OLDER.get(), "before");
        try (Child stet = Lab.serve(Lab.JAR, data); Child before = Lab.serve(Lab.OLDER.get(), older)) {
            Side now = html("now", stet, data);
            Side then = html("before", before, older);
            List<Line> lines = new ArrayList<>(compare(pace, "html of 16 KiB, 1,000 keys", 0.97, now, then));
            lines.addAll(compare(pace, "the default JSON, 1,000 keys", 0.97, now.asking(JSON), then.asking(JSON)));
            return lines;
        }
    }

    /** Loads both sides alternately, so that disturbances of the machine affect both. */
    static List<Line> compare(Bench.Pace pace, String what, double goal, Side ours, Side theirs) throws Exception {
        Load.on(theirs, Bench.WARM_UP);
        Load.on(ours, Bench.WARM_UP);
        List<Load> own = new ArrayList<>();
        List<Load> other = new ArrayList<>();
        for (int round = 1; round <= pace.rounds(); round++) {
            other.add(Load.on(theirs, pace.seconds()));
            own.add(Load.on(ours, pace.seconds()));
            Lab.say("    round " + round + ": " + ours.name() + " " + own.get(round - 1) + "; " + theirs.name() + " " + other.get(round - 1));
        }
        return List.of(
                Line.atLeast(goal, ratios(own, other, Load::rate), what + ", requests per second", ours.name() + " "
                        + Figures.words(median(own, Load::rate)) + ", " + theirs.name() + " " + Figures.words(median(other, Load::rate))),
                Line.atMost(TAIL, ratios(own, other, Load::p99), "the same, p99", ours.name() + " "
                        + Figures.words(median(own, Load::p99)) + " ms, " + theirs.name() + " " + Figures.words(median(other, Load::p99)) + " ms"),
                new Line("the same, CPU time of a request (user + system)", ours.name() + " " + cpu(own) + ", " + theirs.name() + " " + cpu(other),
                        ratios(own, other, Load::cpu).spread(), "", false));
    }

    private static String cpu(List<Load> loads) {
        return String.format(Locale.ROOT, "%.1f us (%.1f + %.1f)", median(loads, Load::cpu), median(loads, Load::user), median(loads, Load::system));
    }

    private static double median(List<Load> loads, ToDoubleFunction<Load> quantity) {
        return new Figures(loads.stream().map(quantity::applyAsDouble).toList()).median();
    }

    private static Figures ratios(List<Load> own, List<Load> other, ToDoubleFunction<Load> quantity) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < own.size(); i++) {
            ratios.add(quantity.applyAsDouble(own.get(i)) / quantity.applyAsDouble(other.get(i)));
        }
        return new Figures(ratios);
    }
}
