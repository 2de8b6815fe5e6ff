package stet;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The values that one figure had in several rounds. */
final class Figures {
    private final double[] sorted;

    Figures(List<Double> values) {
        sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            throw new Broken("nothing was measured");
        }
    }

    static Figures of(double... values) {
        return new Figures(Arrays.stream(values).boxed().toList());
    }

    double median() {
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    double p99() {
        return sorted[(int) Math.ceil(sorted.length * 0.99) - 1];
    }

    double highest() {
        return sorted[sorted.length - 1];
    }

    int count() {
        return sorted.length;
    }

    /** Formats the median, and the range if there are several values. */
    String spread() {
        String median = two(median());
        return count() == 1 ? median : median + " (" + two(sorted[0]) + " to " + two(highest()) + ")";
    }

    static String two(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    /** Formats a whole number with thousands separators. */
    static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }
}
