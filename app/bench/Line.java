package stet;

/**
 * A table line.
 *
 * @param measured  figures with units, as text
 * @param ratio     figure to compare with the goal; empty if {@code measured} contains it
 * @param shortfall how the goal was missed, or empty
 */
record Line(String what, String measured, String ratio, String goal, String shortfall) {

    /** A ratio with a minimum. */
    static Line atLeast(double goal, Figures ratios, String what, String measured) {
        return new Line(what, measured, ratios.spread(), "at least " + goal,
                ratios.median() < goal ? Figures.two(goal - ratios.median()) + " too low" : "");
    }

    /** A ratio with a maximum. */
    static Line atMost(double goal, Figures ratios, String what, String measured) {
        return new Line(what, measured, ratios.spread(), "at most " + goal,
                ratios.median() > goal ? Figures.two(ratios.median() - goal) + " too high" : "");
    }

    /** A yes-or-no goal, with the shortfall to report. */
    static Line plain(String what, String measured, String goal, boolean reached, String shortfall) {
        return new Line(what, measured, "", goal, reached ? "" : shortfall);
    }

    static Line skipped(String why) {
        return new Line("skipped: " + why, "", "", "", "");
    }

    boolean fallsShort() {
        return !shortfall.isEmpty();
    }

    String markdown(String row) {
        return "| `" + row + "` | " + what + " | " + measured + " | " + ratio + " | " + goal + " | "
                + (fallsShort() ? "**" + shortfall + "**" : "") + " |";
    }
}
