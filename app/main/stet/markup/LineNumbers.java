package stet.markup;

/** Line numbers of places in a text, counted from 1. Places in their order are found in one reading, another one in a few steps. */
public final class LineNumbers {
    private static final int STEP = 4_096;

    private final String text;
    /** The line at each place that is a multiple of the step, up to what was counted. */
    private final int[] lines;
    private int counted;
    private int line = 1;

    public LineNumbers(String text) {
        this.text = text;
        this.lines = new int[text.length() / STEP + 1];
    }

    /** @param place in chars */
    public int of(int place) {
        if (place < counted) {
            counted = place - place % STEP;
            line = lines[place / STEP];
        }
        for (; counted < place; counted++) {
            if (counted % STEP == 0) {
                lines[counted / STEP] = line;
            }
            line += text.charAt(counted) == '\n' ? 1 : 0;
        }
        return line;
    }
}
