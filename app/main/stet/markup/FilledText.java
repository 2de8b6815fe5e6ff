package stet.markup;

/** A text that is being made of parts of another one, with the marks that stand in them, and of values. */
final class FilledText {
    /** Whether something was left out, because the text would get too long. */
    boolean isCut;
    private final StringBuilder filled = new StringBuilder();
    private final int maxChars;
    private final String source;
    private final SourceMarks marks;

    /** @param source of the parts */
    FilledText(int maxChars, String source, SourceMarks marks) {
        this.maxChars = maxChars;
        this.source = source;
        this.marks = marks;
    }

    boolean hasRoom() {
        return filled.length() < maxChars;
    }

    /** Copies a part of the source with its marks. */
    void copy(int from, int to) {
        int copied = from;
        for (int i = marks.first(from); i < marks.count() && marks.place(i) < to; i++) {
            append(source, copied, marks.place(i));
            append(marks.mark(i));
            copied = marks.place(i);
        }
        append(source, copied, to);
    }

    /** Puts in the mark of a place of the source, if it has one. */
    void mark(int place) {
        int i = marks.first(place);
        if (i < marks.count() && marks.place(i) == place) {
            append(marks.mark(i));
        }
    }

    void append(String value) {
        append(value, 0, value.length());
    }

    private void append(String text, int from, int to) {
        int room = maxChars - filled.length();
        isCut |= to - from > room;
        filled.append(text, from, Math.min(to, from + room));
    }

    @Override
    public String toString() {
        return filled.toString();
    }
}
