package stet.markup;

/** Line numbers of places in a text, counted from 1. Places in their order are found in one reading. */
public final class LineNumbers {
    private final String text;
    private int counted;
    private int line = 1;

    public LineNumbers(String text) {
        this.text = text;
    }

    /** @param place in chars */
    public int of(int place) {
        if (place < counted) {
            counted = 0;
            line = 1;
        }
        for (; counted < place; counted++) {
            line += text.charAt(counted) == '\n' ? 1 : 0;
        }
        return line;
    }
}
