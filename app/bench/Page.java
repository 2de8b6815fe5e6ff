package stet;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Benchmark of the web application's template list, with 1,000 templates, while the API is under load. */
final class Page {
    private static final double GOAL = 100;
    /** Pause between requests, in ms. */
    private static final int PAUSE = 10;

    private Page() {
    }

    static List<Line> measure(Lab lab) throws Exception {
        Data data = lab.small();
        try (Child stet = lab.stet(data)) {
            Target target = Throughput.html(data, stet.url());
            Author author = Author.signIn(target.url(), data);
            Load.on(target, lab.pace().warmUp()).withoutErrors();
            author.list();
            CompletableFuture<Void> load = Background.run(() -> {
                Load measured = Load.on(target, lab.pace().whole()).withoutErrors();
                Lab.say("    meanwhile " + Figures.whole(measured.rate()) + " API requests a second");
            });
            List<Double> times = new ArrayList<>();
            while (!load.isDone()) {
                long begin = System.nanoTime();
                author.list();
                times.add((System.nanoTime() - begin) / 1e6);
                Thread.sleep(PAUSE);
            }
            Background.await(load);
            Figures figures = new Figures(times);
            return List.of(Line.plain("list of 1,000 templates under load", "p99 " + Figures.whole(figures.p99()) + " ms, median "
                    + Figures.whole(figures.median()) + " ms, of " + figures.count(), "p99 under 100 ms", figures.p99() < GOAL,
                    Figures.whole(figures.p99() - GOAL) + " ms too slow"));
        }
    }
}
