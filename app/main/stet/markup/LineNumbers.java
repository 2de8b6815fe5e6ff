package stet.markup;

/** The lines of a text, counted from 1: asked for places that do not go back, it goes through the text once. */
public final class LineNumbers {
    private final String text;
    private int counted;
    private int line = 1;

    public LineNumbers(String text) {
        this.text = text;
    }

    /** The line that a place lies in. */
    public int of(int place) {
        for (; counted < place; counted++) {
            line += text.charAt(counted) == '\n' ? 1 : 0;
        }
        return line;
    }
}
