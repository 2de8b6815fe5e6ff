package stet.markup;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A text's tags, their nesting, and the whitespace that Handlebars 4.7 removes around them: {@code ~} strips all of it, and lines that
 * contain only a section tag or comment are removed.
 *
 * <pre>
 * {{#if a}} text {{else if b}} text {{else}} text {{/if}}
 *   next ──────────► next ───────────► next ──────► none
 * </pre>
 *
 * <p>Tags are stored in numeric arrays, because a list of objects would need much more memory.
 */
final class Outline {
    private static final Tag.TagKind[] KINDS = Tag.TagKind.values();
    // How much whitespace to remove before or after a tag; if two rules apply, the higher value wins.
    /** For a tag alone on its line: the indentation before the tag, or the spaces and line break after the tag. */
    private static final byte LINE = 1;
    private static final byte ALL = 2;

    final String text;
    final int count;
    private final int[] starts;
    private final int[] ends;
    /** For a section's opening tag or {@code {{else}}}, the section's next tag; 0 for all other tags and in unclosed sections. */
    private final int[] next;
    private final byte[] kinds;
    private final byte[] before;
    private final byte[] behind;
    private final Partials partials;

    Outline(String text) {
        this.text = text;
        this.partials = Partials.in(text);
        int most = 0;
        for (int at = text.indexOf("{{"); at >= 0; at = text.indexOf("{{", at + 2)) {
            most++;
        }
        this.starts = new int[most];
        this.ends = new int[most];
        this.next = new int[most];
        this.kinds = new byte[most];
        this.before = new byte[most];
        this.behind = new byte[most];
        int i = 0;
        for (Tag tag : Tag.in(text)) {
            starts[i] = tag.start();
            ends[i] = tag.end();
            kinds[i++] = (byte) tag.kind().ordinal();
        }
        this.count = i;
        nest(new int[most], new int[most]);
    }

    Tag.TagKind kind(int i) {
        return KINDS[kinds[i]];
    }

    Tag tag(int i) {
        return new Tag(kind(i), text, starts[i], ends[i]);
    }

    /** For an opening tag or {@code {{else}}}, the section's next tag; 0 for all other tags and in unclosed sections. */
    int next(int i) {
        return next[i];
    }

    int length(int i) {
        return ends[i] - starts[i];
    }

    /** Number of chars between consecutive tags. @param from a tag, or -1 for the start @param to a tag, or {@link #count} for the end */
    int gap(int from, int to) {
        return (to == count ? text.length() : starts[to]) - (from < 0 ? 0 : ends[from]);
    }

    /** Where the visible text before a tag ends. @param i a tag, or {@link #count} for the end of the text */
    int end(int i) {
        if (i == count) {
            return text.length();
        }
        int end = starts[i];
        boolean isLine = before[i] == LINE;
        if (isLine || before[i] == ALL) {
            while (end > 0 && (isLine ? isSpaceOrTab(text.charAt(end - 1)) : Tag.isBlank(text.charAt(end - 1)))) {
                end--;
            }
        }
        // Two backslashes before a tag show one backslash and do not escape the tag.
        return kind(i) != Tag.TagKind.ESCAPED && end > 1 && end == starts[i] && text.startsWith("\\\\", end - 2) ? end - 1 : end;
    }

    /** Where the visible text after a tag begins. @param i a tag, or -1 for the start of the text */
    int begin(int i) {
        int begin = i < 0 ? 0 : ends[i];
        int stripped = i < 0 ? 0 : behind[i];
        if (stripped == ALL) {
            return Tag.skip(text, begin, text.length());
        }
        if (stripped == LINE) {
            while (begin < text.length() && isSpaceOrTab(text.charAt(begin))) {
                begin++;
            }
            begin += text.startsWith("\r", begin) ? 1 : 0;
            begin += text.startsWith("\n", begin) ? 1 : 0;
        }
        return begin;
    }

    /** Inline partials: numbers of their tags by name, by the number of the tag that begins the section of the definition, or -1. */
    Map<Integer, Map<String, Integer>> inlines() {
        Map<Integer, Map<String, Integer>> inlines = new HashMap<>();
        Deque<Integer> open = new ArrayDeque<>(List.of(-1));
        for (int i = 0; i < count && partials.hasDefinitions(); i++) {
            if (kind(i) == Tag.TagKind.CLOSE && open.size() > 1) {
                open.pop();
            } else if (kind(i) == Tag.TagKind.ELSE && open.size() > 1) {
                open.pop();
                open.push(i);
            } else if (kind(i) == Tag.TagKind.OPEN || kind(i) == Tag.TagKind.PARTIAL_BLOCK) {
                String name = Partials.defined(tag(i));
                if (name != null && next(i) > 0 && kind(next(i)) == Tag.TagKind.CLOSE) {
                    inlines.computeIfAbsent(open.element(), any -> new HashMap<>()).put(name, i);
                }
                open.push(i);
            }
        }
        return inlines;
    }

    /** The indentation that Handlebars adds to each line of an inline partial that is shown by a tag alone on its line. */
    String indent(int i) {
        return before[i] == LINE ? text.substring(end(i), starts[i]) : "";
    }

    /** Marks a tag, so that the whitespace before or after it is stripped. @param side {@link #before} or {@link #behind} @param what {@link #LINE} or {@link #ALL} */
    private static void strip(byte[] side, int i, byte what) {
        side[i] = (byte) Math.max(side[i], what);
    }

    /**
     * Links each section's tags, and marks the whitespace that Handlebars removes around all tags.
     *
     * @param opened buffer for the open sections
     * @param last   buffer for each open section's last tag
     */
    private void nest(int[] opened, int[] last) {
        int depth = 0;
        for (int i = 0; i < count; i++) {
            switch (kind(i)) {
                case OPEN, PARTIAL_BLOCK -> {
                    opened[depth] = i;
                    last[depth++] = i;
                }
                case ELSE -> {
                    if (depth > 0) {
                        next[last[depth - 1]] = i;
                        last[depth - 1] = i;
                    }
                }
                case CLOSE -> {
                    if (depth > 0) {
                        next[last[--depth]] = i;
                        stripAround(opened[depth], i);
                    }
                }
                case COMMENT, DELIMITERS -> stripLine(i, !tag(i).isDecorator());
                case BLOCK -> {
                    if (partials.isInline(tag(i))) {
                        stripLine(i, true);
                    }
                }
                case VALUE -> stripByTildes(i);
                default -> { }
            }
        }
        while (depth > 0) { // unclosed
            for (int i = opened[--depth], then = next[i]; then != 0; i = then, then = next[i]) {
                next[i] = 0;
            }
        }
    }

    /** Strips the whitespace that a tag's tildes ask for. @param mayBeStandalone whether a tag that is alone on its line takes the line with it */
    private void stripLine(int i, boolean mayBeStandalone) {
        stripByTildes(i);
        if (mayBeStandalone && isFirstOnLine(i) && isLastOnLine(i)) {
            strip(before, i, LINE);
            strip(behind, i, LINE);
        }
    }

    private void stripByTildes(int i) {
        if (hasTildeBefore(i)) {
            strip(before, i, ALL);
        }
        if (hasTildeBehind(i)) {
            strip(behind, i, ALL);
        }
    }

    /**
     * Strips the whitespace around a section's tags. Starts with the last {@code {{else if}}} because Handlebars nests each branch
     * in the previous one.
     */
    private void stripAround(int open, int close) {
        int[] tags = new int[4];
        int size = 0;
        for (int i = open; i != close; i = next[i]) {
            tags = size == tags.length ? Arrays.copyOf(tags, 2 * size) : tags;
            tags[size++] = i;
        }
        for (int i = size - 1; i > 0; i--) {
            if (!tag(tags[i]).words().isEmpty()) {
                stripInside(tags[i], i == 1 ? close : tags[i], tags[i], next[tags[i]], close);
            }
        }
        boolean isSwapped = size > 1 && kind(open) == Tag.TagKind.OPEN && tag(open).isInverted();
        int first = isSwapped ? next[open] : open;
        int second = size == 1 ? close : isSwapped ? open : next[open];
        stripInside(open, close, first, second, close);
        if (hasTildeBehind(close)) {
            strip(behind, close, ALL);
        }
        if (hasTildeBefore(open)) {
            strip(before, open, ALL);
        }
        if (isLastOnLine(first) && isFirstOnLine(open)) {
            strip(behind, first, LINE);
            strip(before, open, LINE);
        }
        int lastBranch = size == 1 ? open : second;
        if (isFirstOnLine(next[lastBranch]) && isLastOnLine(close)) {
            strip(behind, close, LINE);
            if (size == 1 || tag(next[open]).words().isEmpty()) {
                strip(before, next[lastBranch], LINE);
            }
        }
    }

    /**
     * Strips the whitespace inside a condition and its alternative.
     *
     * @param open   the condition's tag
     * @param end    tag whose leading {@code ~} applies to the end of the condition
     * @param first  the tag that begins the branch shown if the condition holds, or the section's only branch
     * @param second the tag that begins the other branch; {@code close} if there is no other branch
     */
    private void stripInside(int open, int end, int first, int second, int close) {
        if (hasTildeBehind(open)) {
            strip(behind, first, ALL);
        }
        if (second == close) {
            if (hasTildeBefore(end)) {
                strip(before, next[first], ALL);
            }
            return;
        }
        int otherwise = next[open];
        if (hasTildeBefore(otherwise)) {
            strip(before, next[first], ALL);
        }
        if (hasTildeBehind(otherwise)) {
            strip(behind, second, ALL);
        }
        if (hasTildeBefore(end)) {
            strip(before, next[second], ALL);
        }
        if (isFirstOnLine(next[first]) && isLastOnLine(second)) {
            strip(before, next[first], LINE);
            strip(behind, second, LINE);
        }
    }

    private boolean hasTildeBefore(int i) {
        return text.startsWith("~", starts[i] + 2);
    }

    private boolean hasTildeBehind(int i) {
        return text.charAt(ends[i] - 3) == '~';
    }

    /** True if only whitespace precedes a tag on its line. */
    private boolean isFirstOnLine(int i) {
        int from = i == 0 ? 0 : ends[i - 1];
        for (int at = starts[i] - 1; at >= from; at--) {
            char c = text.charAt(at);
            if (c == '\n' || !Tag.isBlank(c)) {
                return c == '\n';
            }
        }
        return i == 0;
    }

    /** True if only whitespace follows a tag on its line. */
    private boolean isLastOnLine(int i) {
        int to = i + 1 == count ? text.length() : starts[i + 1];
        for (int at = ends[i]; at < to; at++) {
            char c = text.charAt(at);
            if (c == '\n' || !Tag.isBlank(c)) {
                return c == '\n';
            }
        }
        return i + 1 == count;
    }

    private static boolean isSpaceOrTab(char c) {
        return c == ' ' || c == '\t';
    }
}
