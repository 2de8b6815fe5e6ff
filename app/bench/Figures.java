package bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The values that one figure had in several rounds. */
final class Figures {
    private final double[] sorted;

    Figures(List<Double> values) {
        sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    }

    /** A step to time. */
    interface Step {
        void run() throws Exception;
    }

    /** Returns a step's time in ms. */
    static double millis(Step step) throws Exception {
        long begin = System.nanoTime();
        step.run();
        return (System.nanoTime() - begin) / 1e6;
    }

    /** Returns the times in ms of several runs of a step. */
    static List<Double> millis(int count, Step step) throws Exception {
        List<Double> times = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            times.add(millis(step));
        }
        return times;
    }

    double median() {
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    double p99() {
        return sorted[(int) Math.ceil(sorted.length * 0.99) - 1];
    }

    int count() {
        return sorted.length;
    }

    /** Formats the median, the lowest and the highest. */
    String spread() {
        return String.format(Locale.ROOT, count() == 1 ? "%.2f" : "%.2f (%.2f to %.2f)", median(), sorted[0], sorted[count() - 1]);
    }

    /** Formats with thousands separators, and with a decimal below 100. */
    static String words(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%,.0f", value);
    }
}
