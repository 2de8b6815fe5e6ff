package stet.markup;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Marks that link the preview to the draft: they give the source of each element, text and value in the filled HTML. An attribute marks an
 * element. A preceding comment marks a text or value, because comments do not affect layout.
 *
 * <pre>
 * &lt;p data-NAME="e 0 12" class="a"&gt;&lt;!--NAME t 12 18--&gt;Hello &lt;!--NAME v 18 26--&gt;Ada&lt;br data-NAME="b footer"&gt;
 *      begin and end of its tag          of the text        of its {{tag}}       from this shared block
 * </pre>
 *
 * NAME is random for each preview, so that an email cannot forge marks.
 */
public final class SourceMarks {
    /** Maximum number of marks. More marks would slow down the preview. */
    static final int MAX = 10_000;
    public static final SourceMarks NONE = new SourceMarks("", null);

    private final String name;
    private final SourceMap map;
    private final TreeMap<Integer, String> marks = new TreeMap<>();

    private SourceMarks(String name, SourceMap map) {
        this.name = name;
        this.map = map;
    }

    /**
     * Creates the marks for an expanded draft; returns {@link #NONE} if there are too many.
     *
     * @param name lower-case letters and digits
     */
    public static SourceMarks of(String expanded, SourceMap map, String name) {
        SourceMarks marks = new SourceMarks(name, map);
        marks.read(expanded);
        return marks.count() > MAX ? NONE : marks;
    }

    int count() {
        return marks.size();
    }

    /** The marks in a range of the expanded draft, by position. */
    Set<Map.Entry<Integer, String>> in(int from, int to) {
        return marks.subMap(from, to).entrySet();
    }

    private void read(String expanded) {
        for (Html.Token token : Html.in(expanded)) {
            if (count() > MAX) {
                return;
            }
            if (token.hidden()) {
                continue;
            }
            if (token.kind() == Html.HtmlKind.START && isEndOfName(expanded.charAt(token.nameEnd()))) {
                marks.put(token.nameEnd(), " data-" + name + "=\"" + source('e', token.start(), token.end()) + '"');
            } else if (token.kind() == Html.HtmlKind.TEXT) {
                text(expanded, token.start(), token.end());
            } else if (token.tagKind() == Tag.TagKind.VALUE) {
                marks.put(token.start(), comment('v', token.start(), token.end()));
            }
        }
    }

    /** Splits a text by source and marks the first visible char of each part. */
    private void text(String expanded, int start, int end) {
        int from = start;
        while (from < end && count() <= MAX) {
            int to = Math.min(end, map.end(from));
            int shown = Tag.skip(expanded, from, to);
            if (shown < to) {
                marks.put(shown, comment('t', shown, to));
            }
            from = to;
        }
    }

    /** True if this char ends an element name. Braces do not, because a Handlebars tag could continue the name. */
    private static boolean isEndOfName(char c) {
        return " \t\n\f\r/>".indexOf(c) >= 0;
    }

    private String comment(char kind, int from, int to) {
        return "<!--" + name + ' ' + source(kind, from, to) + "-->";
    }

    /** A mark's content: its kind and its range in the draft, or the block from which the range comes. */
    private String source(char kind, int from, int to) {
        Tag block = map.block(from);
        return block != null ? "b " + block.included() : kind + " " + map.draft(from) + ' ' + (map.draft(to - 1) + 1);
    }
}
