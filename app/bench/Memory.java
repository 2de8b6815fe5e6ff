package stet;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The row of the resident memory: with no flags, and what comes of it with a small heap. The JVM sizes its heap by the
 * machine's memory, so machines of the usual small sizes are stood in for: MaxRAM has the JVM take the machine for one
 * of that size, and on less than 1,792 MiB it takes the serial collector by itself.
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

    /** The first row with a small heap on both sides, which has to be enough. */
    private static List<Line> small(Lab lab, Data data, Child stet, List<String> flags, String how) throws Exception {
        Lab.say("    with " + SMALL + ", " + how);
        List<Line> lines = Throughput.rateAndTail(Throughput.manyKeys(lab, data, stet, flags), "1,000 keys with " + SMALL + ", " + how);
        if (Files.readString(Lab.log("stet")).contains("OutOfMemoryError")) {
            throw new Broken("with " + SMALL + " the memory was not enough: " + stet.lastWords());
        }
        return lines;
    }

    /** The most that it holds from the start of the load to its end, and what is left right after it. */
    private static Line resident(Lab lab, Data data, Child stet, String name) throws Exception {
        Target target = Throughput.html(data, stet.url());
        double idle = stet.residentMegabytes();
        CompletableFuture<Void> load = Background.run(() -> {
            Load.on(target, lab.pace().warmUp()).withoutErrors();
            Load.on(target, lab.pace().whole()).withoutErrors();
        });
        double most = 0;
        while (!load.isDone()) {
            most = Math.max(most, stet.residentMegabytes());
            TimeUnit.MILLISECONDS.sleep(100);
        }
        Background.await(load);
        double after = stet.residentMegabytes();
        Lab.say("    " + name + ": at the start " + Figures.whole(idle) + " MB, at most " + Figures.whole(most) + " MB, after it "
                + Figures.whole(after) + " MB");
        return Line.plain("resident memory, no flags, " + name, "at most " + Figures.whole(most) + " MB under load, "
                + Figures.whole(after) + " MB after it", "at most " + Figures.whole(GOAL) + " MB",
                most <= GOAL, Figures.whole(most - GOAL) + " MB too much");
    }
}
