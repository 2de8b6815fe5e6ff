package stet;

import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Benchmark of publishing under API load: new versions must be served at once and hardly affect the load. */
final class Publish {
    private static final int CONNECTIONS = 32;
    /** Pause between publications, in ms. */
    private static final int PAUSE = 500;
    private static final int GOAL = 100;

    private Publish() {
    }

    static List<Line> measure(Lab lab) throws Exception {
        Data data = lab.small();
        try (Child stet = lab.stet(data)) {
            String url = stet.url();
            Author author = Author.signIn(url, data);
            List<String> keys = Files.readAllLines(data.keys());
            long before = data.used();
            Flow warmUp = flow(url, keys, lab.pace().warmUp());
            warmUp.await();
            Flow quiet = flow(url, keys, lab.pace().whole());
            quiet.await();
            Flow disturbed = flow(url, keys, lab.pace().whole());
            Thread.sleep(Flow.EDGE);
            int published = 0;
            int seen = 0;
            while (disturbed.isRunning()) {
                byte[] html = Data.html(Data.HTML, ThreadLocalRandom.current().nextLong());
                author.save(html);
                author.publish();
                published++;
                seen += author.isServed(html) ? 1 : 0;
                Thread.sleep(PAUSE);
            }
            disturbed.await();
            long answered = warmUp.answers() + quiet.answers() + disturbed.answers() + published;
            long counted = data.used() - before;
            if (counted < answered || counted > answered + 3 * CONNECTIONS) {
                throw new Broken(answered + " requests were answered, but " + counted + " counted");
            }
            Lab.say("    " + Figures.whole(quiet.median() * 100) + " requests a second; while publishing "
                    + Figures.whole(disturbed.median() * 100));
            return List.of(
                    Line.plain("publishing, seen by the next request", seen + " of " + published, "all", seen == published,
                            (published - seen) + " not seen"),
                    Line.plain("publishing, longest time below half of the rate", disturbed.longestDip() + " ms (without publishing "
                            + quiet.longestDip() + " ms)", "at most 100 ms", disturbed.longestDip() <= GOAL,
                            (disturbed.longestDip() - GOAL) + " ms too long"));
        }
    }

    private static Flow flow(String url, List<String> keys, int seconds) {
        return new Flow(url, Throughput.HTML, keys, CONNECTIONS, seconds).start();
    }
}
