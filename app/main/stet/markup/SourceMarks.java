package stet.markup;

import java.util.Arrays;

/**
 * Marks for the preview alone: they tell of each element, text and value of a filled html where it stands in the draft. An
 * element has its mark as an attribute, a text and a value as a comment before it, because comments move nothing.
 *
 * <pre>
 * &lt;p data-NAME="e 0 12" class="a"&gt;&lt;!--NAME t 12 18--&gt;Hello &lt;!--NAME v 18 26--&gt;Ada&lt;br data-NAME="b footer"&gt;
 *      begin and end of its tag          of the text        of its {{tag}}       from this shared block
 * </pre>
 *
 * The name is a secret of one preview, so that no mail can forge marks.
 */
public final class SourceMarks {
    /** More marks than these would make the preview slow. */
    static final int MAX = 10_000;
    public static final SourceMarks NONE = new SourceMarks("", null, null);

    private final String name;
    private final SourceMap map;
    private int[] places = new int[64];
    private String[] marks = new String[64];
    private int count;

    private SourceMarks(String name, String expanded, SourceMap map) {
        this.name = name;
        this.map = map;
        if (expanded != null) {
            read(expanded);
        }
    }

    /**
     * The marks of an expanded draft; {@link #NONE} when there would be too many.
     *
     * @param name lower-case letters and digits
     */
    public static SourceMarks of(String expanded, SourceMap map, String name) {
        SourceMarks marks = new SourceMarks(name, expanded, map);
        return marks.count > MAX ? NONE : marks;
    }

    /** The first mark at a place or behind it; {@link #count} for none. */
    int first(int place) {
        int found = Arrays.binarySearch(places, 0, count, place);
        return found < 0 ? -found - 1 : found;
    }

    int count() {
        return count;
    }

    int place(int i) {
        return places[i];
    }

    String mark(int i) {
        return marks[i];
    }

    private void read(String expanded) {
        for (Html.Token token : Html.in(expanded)) {
            if (count > MAX) {
                return;
            }
            if (token.hidden()) {
                continue;
            }
            if (token.kind() == Html.Kind.START && isEndOfName(expanded.charAt(token.nameEnd()))) {
                add(token.nameEnd(), " data-" + name + "=\"" + source('e', token.start(), token.end()) + '"');
            } else if (token.kind() == Html.Kind.TEXT) {
                text(expanded, token.start(), token.end());
            } else if (token.kind() == Html.Kind.TAG && isValue(expanded, token)) {
                add(token.start(), comment('v', token.start(), token.end()));
            }
        }
    }

    /** Marks the first char of a text that is not blank, and that of each part of it that comes from another source. */
    private void text(String expanded, int start, int end) {
        for (int from = start, to; from < end && count <= MAX; from = to) {
            to = Math.min(end, map.end(from));
            int shown = Tag.skip(expanded, from, to);
            if (shown < to) {
                add(shown, comment('t', shown, to));
            }
        }
    }

    /** Whether an attribute can follow: a tag of Handlebars might go on with the name. */
    private static boolean isEndOfName(char c) {
        return " \t\n\f\r/>".indexOf(c) >= 0;
    }

    private static boolean isValue(String expanded, Html.Token token) {
        return Tag.in(expanded.substring(token.start(), token.end())).iterator().next().kind() == Tag.Kind.VALUE;
    }

    private String comment(char kind, int from, int to) {
        return "<!--" + name + ' ' + source(kind, from, to) + "-->";
    }

    private String source(char kind, int from, int to) {
        Tag block = map.block(from);
        return block != null ? "b " + block.words() : kind + " " + map.draft(from) + ' ' + (map.draft(to - 1) + 1);
    }

    private void add(int place, String mark) {
        if (count == places.length) {
            places = Arrays.copyOf(places, 2 * count);
            marks = Arrays.copyOf(marks, 2 * count);
        }
        places[count] = place;
        marks[count++] = mark;
    }
}
