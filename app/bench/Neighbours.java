package stet;

import java.util.ArrayList;
import java.util.List;

/** Benchmark of a busy machine: this jar and STET_JAR beside CPU-bound programs, as on a cheap virtual machine. */
final class Neighbours {
    private static final int LOOPS = 20;
    private static final double GOAL = 1.3;

    private Neighbours() {
    }

    static List<Line> measure(Lab lab) throws Exception {
        if (Lab.JAR.equals(Lab.BUILT)) {
            return List.of(Line.skipped("STET_JAR names no other Stet"));
        }
        Data now = Crowd.copy(lab, Lab.BUILT, "now");
        Data before = Crowd.copy(lab, Lab.JAR, "before");
        List<Child> loops = new ArrayList<>();
        try (Child stet = lab.stet(Lab.BUILT, now); Child other = lab.stet(Lab.JAR, before)) {
            Target target = Throughput.html(now, stet.url());
            Target theirs = Throughput.html(before, other.url());
            for (int i = 0; i < LOOPS; i++) {
                loops.add(Child.start(Lab.log("loop"), List.of("sh", "-c", "while :; do :; done")));
            }
            Comparison comparison = Comparison.of("now", target, "before", theirs, lab.pace());
            return List.of(comparison.rate(GOAL, LOOPS + " busy loops"), comparison.p99(1.2, LOOPS + " busy loops, p99"));
        } finally {
            loops.forEach(Child::close);
        }
    }
}
