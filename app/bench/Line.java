package bench;

import java.util.List;
import java.util.Locale;

/**
 * A line of the table.
 *
 * @param measured figures with units, as text
 * @param ratio    the figure to compare with the goal; empty if {@code measured} contains it
 * @param goal     empty without a goal
 */
record Line(String what, String measured, String ratio, String goal, boolean missed) {

    static Line atLeast(double goal, Figures ratios, String what, String measured) {
        return new Line(what, measured, ratios.spread(), "at least " + goal, ratios.median() < goal);
    }

    static Line atMost(double goal, Figures ratios, String what, String measured) {
        return new Line(what, measured, ratios.spread(), "at most " + goal, ratios.median() > goal);
    }

    /** Compares the median of times in ms with a maximum. */
    static Line millis(int goal, List<Double> times, String what) {
        double median = new Figures(times).median();
        return new Line(what, Figures.words(median) + " ms", "", String.format(Locale.ROOT, "at most %,d ms", goal), median > goal);
    }

    /** Formats the line for a table in Markdown; a missed goal is bold. */
    String markdown(String row) {
        return "| " + String.join(" | ", "`" + row + "`", what, measured, ratio, missed ? "**" + goal + "**" : goal) + " |";
    }
}
