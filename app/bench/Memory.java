package stet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Benchmark of resident memory, with default flags and with a small heap. The JVM derives its heap size from the machine's
 * memory; MaxRAM simulates small machines. Below 1,792 MiB, the JVM selects the serial collector.
 */
final class Memory {
    private static final double GOAL = 150;
    private static final String SMALL = "-Xmx48m";

    private record Size(String name, String... flags) {
    }

    private static final List<Size> SIZES = List.of(new Size("this machine"),
            new Size("as on 2 GiB", "-XX:MaxRAM=2g"), new Size("as on 1 GiB", "-XX:MaxRAM=1g", "-XX:+UseSerialGC"));

    private Memory() {
    }

    static List<Line> measure(Lab lab) throws Exception {
        List<Line> lines = new ArrayList<>();
        Data data = lab.small();
        try (Child stet = lab.program(data)) {
            lines.add(resident(lab, data, stet, "stet.jar serve"));
        }
        for (Size size : SIZES) {
            try (Child stet = lab.stet(data, size.flags)) {
                lines.add(resident(lab, data, stet, "java -jar stet.jar serve, " + size.name));
            }
            lines.add(bare(lab, data, size));
        }
        List<String> flags = new ArrayList<>(Lab.programSettings());
        flags.add(SMALL);
        try (Child stet = lab.program(data, SMALL)) {
            lines.addAll(small(lab, data, stet, flags, "started as a program"));
        }
        try (Child stet = lab.stet(data, SMALL)) {
            lines.addAll(small(lab, data, stet, List.of(SMALL), "java -jar"));
        }
        return lines;
    }

    /** Measures the first row with a small heap on both sides. */
    private static List<Line> small(Lab lab, Data data, Child stet, List<String> flags, String how) throws Exception {
        Lab.say("    with " + SMALL + ", " + how);
        List<Line> lines = Throughput.rateAndTail(Throughput.manyKeys(lab, data, stet, flags), "1,000 keys with " + SMALL + ", " + how);
        if (stet.ranOutOfMemory()) {
            throw new Broken("with " + SMALL + " the memory was not enough: " + stet.lastWords());
        }
        return lines;
    }

    /** Compares the resident memory with the goal. */
    private static Line resident(Lab lab, Data data, Child stet, String name) throws Exception {
        Held held = held(lab, stet, Throughput.html(data, stet.url()), name);
        return Line.plain("resident memory, no flags, " + name, held.words(), "at most " + Figures.whole(GOAL) + " MB",
                held.most <= GOAL, Figures.whole(held.most - GOAL) + " MB too much");
    }

    /** Measures the memory of the JVM and the JDK's server alone. */
    private static Line bare(Lab lab, Data data, Size size) throws Exception {
        Path body = Files.write(Lab.FOLDER.resolve("body"), new byte[Data.HTML]);
        try (Child bare = lab.bare(new Lab.BareSettings(List.of(size.flags), "stet"), body, "text/html; charset=utf-8")) {
            String name = "the bare handler, " + size.name;
            Held held = held(lab, bare, Throughput.html(data, bare.url()).uncounted(), name);
            return new Line("resident memory, no flags, " + name, held.words(), "", "", "");
        }
    }

    /** @param most maximum memory during the load, in MB @param after memory right after the load, in MB */
    private record Held(double most, double after) {
        String words() {
            return "at most " + Figures.whole(most) + " MB under load, " + Figures.whole(after) + " MB after it";
        }
    }

    private static Held held(Lab lab, Child server, Target target, String name) throws Exception {
        double idle = server.residentMegabytes();
        CompletableFuture<Void> load = Background.run(() -> {
            Load.on(target, lab.pace().warmUp()).withoutErrors();
            Load.on(target, lab.pace().whole()).withoutErrors();
        });
        double most = 0;
        while (!load.isDone()) {
            most = Math.max(most, server.residentMegabytes());
            TimeUnit.MILLISECONDS.sleep(100);
        }
        Background.await(load);
        Held held = new Held(most, server.residentMegabytes());
        Lab.say("    " + name + ": at the start " + Figures.whole(idle) + " MB, " + held.words());
        return held;
    }
}
