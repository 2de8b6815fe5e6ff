package stet.files;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import stet.base.Utf8;
import stet.core.ImageNames;

/**
 * Differences between two account folders as a unified diff. {@code patch} rebuilds one side from the other byte for byte, except for
 * images: only LF ends a line, and a CR is part of its line.
 */
public final class Difference {
    private static final int CONTEXT = 3;
    /** Maximum size, in cells, of the table used to find common lines. Parts that need more cells are treated as completely changed. */
    private static final long MAX_CELLS = 4_000_000;
    private static final String NO_FILE = "/dev/null";

    private final String there;
    private final String here;
    private final List<OfFile> files = new ArrayList<>();

    private Difference(String there, String here) {
        this.there = there;
        this.here = here;
    }

    /**
     * The difference of a file.
     *
     * @param path   in both folders
     * @param change {@code added}, {@code removed} or {@code changed}
     * @param lines  in the format of {@code git diff}, beginning with both names, or a line about them
     */
    public record OfFile(String path, String change, List<String> lines) {
        private static OfFile of(String path, boolean isOld, boolean isNew, List<String> lines) {
            return new OfFile(path, !isOld ? "added" : isNew ? "changed" : "removed", lines);
        }
    }

    /** @param there name of {@code before} in the output @param here name of {@code after} @return the files that differ */
    public static List<OfFile> of(AccountFiles before, String there, AccountFiles after, String here) {
        Difference difference = new Difference(there, here);
        differing(before.blockDigests(), after.blockDigests()).forEach(name -> {
            if (ImageNames.isImage(name)) {
                difference.addImage(name, before.blocks().containsKey(name), after.blocks().containsKey(name));
            } else {
                difference.addTexts(block(before, name), block(after, name));
            }
        });
        differing(before.digests(), after.digests()).forEach(id -> difference.addTexts(before.texts(id), after.texts(id)));
        return difference.files;
    }

    /** The names with another digest, or with none on one side. */
    private static List<String> differing(Map<String, String> before, Map<String, String> after) {
        return union(before.keySet(), after.keySet()).stream().filter(name -> !Objects.equals(before.get(name), after.get(name))).toList();
    }

    private static Set<String> union(Set<String> one, Set<String> other) {
        Set<String> all = new TreeSet<>(one);
        all.addAll(other);
        return all;
    }

    private static SortedMap<String, String> block(AccountFiles files, String name) {
        return !files.blocks().containsKey(name) ? new TreeMap<>()
                : new TreeMap<>(Map.of(AccountPath.ofBlock(name), Utf8.text(files.block(name))));
    }

    private void addImage(String name, boolean isOld, boolean isNew) {
        files.add(OfFile.of(name, isOld, isNew, List.of("Binary files " + (isOld ? there + "/" + name : NO_FILE) + " and "
                + (isNew ? here + "/" + name : NO_FILE) + " differ")));
    }

    /** Adds the texts that differ. @param before texts by path @param after likewise */
    private void addTexts(SortedMap<String, String> before, SortedMap<String, String> after) {
        for (String path : union(before.keySet(), after.keySet())) {
            List<String> hunks = hunks(before.getOrDefault(path, ""), after.getOrDefault(path, ""));
            if (!hunks.isEmpty()) {
                boolean isOld = before.containsKey(path);
                boolean isNew = after.containsKey(path);
                List<String> lines = new ArrayList<>();
                if (isOld && isNew && UnseenChanges.areEqualLines(before.get(path), after.get(path))) {
                    lines.add("Only line endings changed:"); // patch ignores lines before the names
                }
                String tab = path.contains(" ") ? "\t" : ""; // ends a name with spaces, as in git
                lines.add("--- " + (isOld ? there + "/" + path + tab : NO_FILE));
                lines.add("+++ " + (isNew ? here + "/" + path + tab : NO_FILE));
                lines.addAll(hunks);
                files.add(OfFile.of(path, isOld, isNew, lines));
            }
        }
    }

    // ---- one text

    /** A line that is kept (sign {@code ' '}), removed ({@code '-'}) or added ({@code '+'}). */
    private record Edit(char sign, String line) {
        boolean isKept() {
            return sign == ' ';
        }
    }

    /** Hunks that turn a text into another; empty if they are equal. */
    static List<String> hunks(String before, String after) {
        List<Edit> edits = edits(lines(before), lines(after));
        List<String> hunks = new ArrayList<>();
        int oldLine = 0;
        int newLine = 0;
        int from = 0;
        while (from < edits.size()) {
            int begin = begin(edits, from);
            int end = end(edits, begin);
            oldLine += count(edits.subList(from, begin), '+');
            newLine += count(edits.subList(from, begin), '-');
            List<Edit> hunk = edits.subList(begin, end);
            if (!hunk.isEmpty()) {
                int oldLines = count(hunk, '+');
                int newLines = count(hunk, '-');
                hunks.add("@@ -" + range(oldLine, oldLines) + " +" + range(newLine, newLines) + " @@");
                hunk.forEach(edit -> addLine(hunks, edit));
                oldLine += oldLines;
                newLine += newLines;
            }
            from = end;
        }
        return hunks;
    }

    /** The text's lines, each with the LF that ends it. */
    private static List<String> lines(String text) {
        return List.of(text.split("(?<=\n)")).stream().filter(line -> !line.isEmpty()).toList();
    }

    /** Start of the next hunk: the first change, with its context before it; the number of edits if there is none. */
    private static int begin(List<Edit> edits, int from) {
        int first = from;
        while (first < edits.size() && edits.get(first).isKept()) {
            first++;
        }
        return first == edits.size() ? first : Math.max(from, first - CONTEXT);
    }

    /** End of a hunk: the context of one hunk neither overlaps nor touches that of the next. */
    private static int end(List<Edit> edits, int begin) {
        int last = begin - 1; // the last change; the context at the start is shorter than the distance at which a hunk ends
        for (int i = begin; i < edits.size() && i - last <= 2 * CONTEXT + 1; i++) {
            last = edits.get(i).isKept() ? last : i;
        }
        return Math.min(edits.size(), last + 1 + CONTEXT);
    }

    /** Number of lines on one side. @param other sign of the lines that are only on the other side */
    private static int count(List<Edit> edits, char other) {
        return (int) edits.stream().filter(edit -> edit.sign != other).count();
    }

    /** A hunk's lines on one side, as its header names them. @param above number of lines above it */
    private static String range(int above, int lines) {
        return (lines == 0 ? above : above + 1) + (lines == 1 ? "" : "," + lines);
    }

    private static void addLine(List<String> hunks, Edit edit) {
        if (edit.line.endsWith("\n")) {
            hunks.add(edit.sign + edit.line.substring(0, edit.line.length() - 1));
        } else {
            hunks.add(edit.sign + edit.line);
            hunks.add("\\ No newline at end of file");
        }
    }

    /**
     * Classifies all lines as kept, removed or added, using the longest common subsequence of the lines between the common prefix and
     * suffix.
     */
    private static List<Edit> edits(List<String> before, List<String> after) {
        int start = 0;
        while (start < before.size() && start < after.size() && before.get(start).equals(after.get(start))) {
            start++;
        }
        int tail = 0;
        while (tail < before.size() - start && tail < after.size() - start
                && before.get(before.size() - 1 - tail).equals(after.get(after.size() - 1 - tail))) {
            tail++;
        }
        List<Edit> edits = new ArrayList<>();
        add(edits, ' ', before.subList(0, start));
        addMiddle(before.subList(start, before.size() - tail), after.subList(start, after.size() - tail), edits);
        add(edits, ' ', before.subList(before.size() - tail, before.size()));
        return edits;
    }

    private static void add(List<Edit> edits, char sign, List<String> lines) {
        lines.forEach(line -> edits.add(new Edit(sign, line)));
    }

    private static void addMiddle(List<String> before, List<String> after, List<Edit> edits) {
        if ((long) before.size() * after.size() > MAX_CELLS) {
            add(edits, '-', before);
            add(edits, '+', after);
            return;
        }
        int[][] common = common(before, after);
        int i = 0;
        int j = 0;
        while (i < before.size() && j < after.size()) {
            if (before.get(i).equals(after.get(j))) {
                edits.add(new Edit(' ', before.get(i++)));
                j++;
            } else if (common[i + 1][j] >= common[i][j + 1]) {
                edits.add(new Edit('-', before.get(i++)));
            } else {
                edits.add(new Edit('+', after.get(j++)));
            }
        }
        add(edits, '-', before.subList(i, before.size()));
        add(edits, '+', after.subList(j, after.size()));
    }

    /** Length of the longest common subsequence of both texts' lines from line i and j on, by i and j. */
    private static int[][] common(List<String> before, List<String> after) {
        int[][] common = new int[before.size() + 1][after.size() + 1];
        for (int i = before.size() - 1; i >= 0; i--) {
            for (int j = after.size() - 1; j >= 0; j--) {
                common[i][j] = before.get(i).equals(after.get(j)) ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        return common;
    }
}
