package stet.markup;

/**
 * Converts positions in a text to line numbers, counted from 1. A series of ascending lookups scans the text only once. Backward
 * lookups are also cheap.
 */
public final class LineNumbers {
    private static final int STEP = 4_096;

    private final String text;
    /** Line number at each multiple of {@link #STEP} chars, up to {@link #counted}. */
    private final int[] lines;
    private int counted;
    private int line = 1;

    public LineNumbers(String text) {
        this.text = text;
        this.lines = new int[text.length() / STEP + 1];
    }

    /** @param place char index */
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
