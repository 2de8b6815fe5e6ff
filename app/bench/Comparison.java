package stet;

import java.util.ArrayList;
import java.util.List;

/** Loads two targets alternately, so that disturbances of the machine affect both. */
final class Comparison {
    private final List<Load> ours = new ArrayList<>();
    private final List<Load> theirs = new ArrayList<>();
    private final String us;
    private final String them;

    private Comparison(String us, String them) {
        this.us = us;
        this.them = them;
    }

    /** @param us label of our side @param them label of the other side */
    static Comparison of(String us, Target ours, String them, Target theirs, Pace pace) throws Exception {
        Comparison comparison = new Comparison(us, them);
        Lab.say("    warm-up");
        Load.on(theirs, pace.warmUp());
        Load.on(ours, pace.warmUp());
        for (int round = 1; round <= pace.rounds(); round++) {
            Load other = Load.on(theirs, pace.seconds());
            Load own = Load.on(ours, pace.seconds());
            comparison.theirs.add(other);
            comparison.ours.add(own);
            Lab.say("    round " + round + ": " + us + " " + words(own) + "; " + them + " " + words(other));
        }
        return comparison;
    }

    private static String words(Load load) {
        return Figures.whole(load.rate()) + "/s, p99 " + Figures.two(load.p99()) + " ms"
                + (load.errors() == 0 ? "" : ", " + load.errors() + " errors");
    }

    long errors() {
        return ours.stream().mapToLong(Load::errors).sum();
    }

    /** Checks that the rate ratio is at least the goal and nothing failed. */
    Line rate(double goal, String what) {
        theirs.forEach(Load::withoutErrors);
        ours.forEach(Load::withoutErrors);
        return rateInSpiteOfErrors(goal, what);
    }

    /** Reports the rate ratio without a goal. */
    Line rate(String what) {
        Line line = rate(0, what);
        return new Line(line.what(), line.measured(), line.ratio(), "", "");
    }

    Line rateInSpiteOfErrors(double goal, String what) {
        return Line.atLeast(goal, ratios(Load::rate), what, us + " " + Figures.whole(median(ours, Load::rate)) + "/s, "
                + them + " " + Figures.whole(median(theirs, Load::rate)) + "/s");
    }

    /** Checks that the ratio of the 99th percentiles is at most the goal. */
    Line p99(double goal, String what) {
        return Line.atMost(goal, ratios(Load::p99), what, us + " " + Figures.two(median(ours, Load::p99)) + " ms, "
                + them + " " + Figures.two(median(theirs, Load::p99)) + " ms");
    }

    private interface Quantity {
        double of(Load load);
    }

    private static double median(List<Load> loads, Quantity quantity) {
        return new Figures(loads.stream().map(quantity::of).toList()).median();
    }

    private Figures ratios(Quantity quantity) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            ratios.add(quantity.of(ours.get(i)) / quantity.of(theirs.get(i)));
        }
        return new Figures(ratios);
    }
}
