package stet.markup;

/** Line numbers of places in a text, counted from 1. The places are asked for in their order, so the text is read once. */
public final class LineNumbers {
    private final String text;
    private int counted;
    private int line = 1;

    public LineNumbers(String text) {
        this.text = text;
    }

    /** @param place in chars, not before the last one asked for */
    public int of(int place) {
        for (; counted < place; counted++) {
            line += text.charAt(counted) == '\n' ? 1 : 0;
        }
        return line;
    }
}
