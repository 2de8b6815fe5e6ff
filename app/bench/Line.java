package stet;

/**
 * A line of the table.
 *
 * @param measured in words, with units
 * @param ratio    the figure that the goal is about, or empty where the goal is about what was measured itself
 * @param shortfall what falls short, or empty
 */
record Line(String what, String measured, String ratio, String goal, String shortfall) {

    /** A ratio that shall be at least so high. */
    static Line atLeast(double goal, Figures ratios, String what, String measured) {
        return new Line(what, measured, ratios.spread(), "at least " + goal,
                ratios.median() < goal ? Figures.two(goal - ratios.median()) + " too low" : "");
    }

    /** A ratio that shall be at most so high. */
    static Line atMost(double goal, Figures ratios, String what, String measured) {
        return new Line(what, measured, ratios.spread(), "at most " + goal,
                ratios.median() > goal ? Figures.two(ratios.median() - goal) + " too high" : "");
    }

    /** Something that either is so or falls short in the way that is said. */
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
