package stet;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The row of the resident memory: with no flags, and what comes of it with a small heap. */
final class Memory {
    private static final double GOAL = 150;
    private static final String SMALL = "-Xmx48m";

    private Memory() {
    }

    static List<Line> measure(Lab lab) throws Exception {
        List<Line> lines = new ArrayList<>();
        Data data = lab.small();
        lines.add(withoutFlags(lab, data));
        try (Child stet = lab.stet(data, SMALL)) {
            Lab.say("    with " + SMALL);
            lines.addAll(Throughput.rateAndTail(Throughput.withBare(lab, data, stet.url(), data.keys(), Throughput.HTML),
                    "1,000 keys with " + SMALL));
            String log = Files.readString(Lab.log("stet"));
            if (log.contains("OutOfMemoryError")) {
                throw new Broken("with " + SMALL + " the memory was not enough: " + stet.lastWords());
            }
        }
        return lines;
    }

    /** The most that it holds while the load runs, once warmed up, and what is left right after it. */
    private static Line withoutFlags(Lab lab, Data data) throws Exception {
        try (Child stet = lab.stet(data)) {
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
            Lab.say("    at the start " + Figures.whole(idle) + " MB, at most " + Figures.whole(most) + " MB, after it "
                    + Figures.whole(after) + " MB");
            return Line.plain("resident memory, no flags", "at most " + Figures.whole(most) + " MB under load, "
                    + Figures.whole(after) + " MB after it", "at most " + Figures.whole(GOAL) + " MB", most <= GOAL, Figures.whole(most - GOAL) + " MB too much");
        }
    }
}
