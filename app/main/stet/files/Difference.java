package stet.files;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
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

    private Difference() {
    }

    /**
     * The difference of a file.
     *
     * @param path   in both folders
     * @param change {@code added}, {@code removed} or {@code changed}
     * @param lines  in the format of {@code git diff}, beginning with both names, or a line about them
     */
    public record OfFile(String path, String change, List<String> lines) {
    }

    /** @param there name of {@code before} in the output @return the files that differ */
    public static List<OfFile> of(AccountFiles before, String there, AccountFiles after, String here) {
        List<OfFile> files = new ArrayList<>();
        BiConsumer<SortedMap<String, String>, SortedMap<String, String>> add = (old, now) -> {
            for (String path : union(old.keySet(), now.keySet())) {
                String oldText = old.get(path);
                String newText = now.get(path);
                List<String> hunks = hunks(lines(oldText), lines(newText));
                if (!hunks.isEmpty()) {
                    List<String> lines = new ArrayList<>();
                    if (oldText != null && newText != null && UnseenChanges.areEqualLines(oldText, newText)) {
                        lines.add("Only line endings changed:"); // patch ignores lines before the names
                    }
                    String tab = path.contains(" ") ? "\t" : ""; // ends a name with spaces, as in git
                    lines.add("--- " + (old.containsKey(path) ? there + "/" + path + tab : "/dev/null"));
                    lines.add("+++ " + (now.containsKey(path) ? here + "/" + path + tab : "/dev/null"));
                    lines.addAll(hunks);
                    files.add(new OfFile(path, !old.containsKey(path) ? "added" : now.containsKey(path) ? "changed" : "removed", lines));
                }
            }
        };
        Map<String, String> oldBlocks = before.blockDigests();
        Map<String, String> newBlocks = after.blockDigests();
        for (String name : union(oldBlocks.keySet(), newBlocks.keySet())) {
            boolean isChanged = !Objects.equals(oldBlocks.get(name), newBlocks.get(name));
            if (isChanged && ImageNames.isImage(name)) {
                boolean isNew = !oldBlocks.containsKey(name);
                boolean isGone = !newBlocks.containsKey(name);
                files.add(new OfFile(name, isNew ? "added" : isGone ? "removed" : "changed", List.of("Binary files "
                        + (isNew ? "/dev/null" : there + "/" + name) + " and " + (isGone ? "/dev/null" : here + "/" + name) + " differ")));
            } else if (isChanged) {
                add.accept(block(before, name), block(after, name));
            }
        }
        Map<String, String> oldDrafts = before.digests();
        Map<String, String> newDrafts = after.digests();
        for (String id : union(oldDrafts.keySet(), newDrafts.keySet())) {
            if (!Objects.equals(oldDrafts.get(id), newDrafts.get(id))) {
                add.accept(before.texts(id), after.texts(id));
            }
        }
        return files;
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

    /** Hunks that turn a text into another; empty if they are equal. */
    static List<String> hunks(String old, String now) {
        return hunks(lines(old), lines(now));
    }

    private static List<String> lines(String text) {
        return text == null || text.isEmpty() ? List.of() : List.of(text.split("(?<=\n)", -1)).stream().filter(line -> !line.isEmpty()).toList();
    }

    private record Edit(char sign, String line) {
    }

    private static List<String> hunks(List<String> old, List<String> now) {
        List<Edit> edits = edits(old, now);
        List<String> hunks = new ArrayList<>();
        int[] place = {0, 0};
        for (int i = 0; i < edits.size();) {
            int first = i;
            while (first < edits.size() && edits.get(first).sign == ' ') {
                first++;
            }
            if (first == edits.size()) {
                break;
            }
            int begin = Math.max(i, first - CONTEXT);
            int end = first;
            for (int same = 0; end < edits.size() && same <= 2 * CONTEXT; end++) {
                same = edits.get(end).sign == ' ' ? same + 1 : 0;
            }
            while (end > first && edits.get(end - 1).sign == ' ') {
                end--;
            }
            end = Math.min(edits.size(), end + CONTEXT);
            edits.subList(i, begin).forEach(edit -> advance(place, edit));
            int[] from = place.clone();
            List<String> lines = new ArrayList<>();
            for (Edit edit : edits.subList(begin, end)) {
                advance(place, edit);
                boolean isEnded = edit.line.endsWith("\n");
                lines.add(edit.sign + (isEnded ? edit.line.substring(0, edit.line.length() - 1) : edit.line));
                if (!isEnded) {
                    lines.add("\\ No newline at end of file");
                }
            }
            hunks.add("@@ -" + range(from[0], place[0]) + " +" + range(from[1], place[1]) + " @@");
            hunks.addAll(lines);
            i = end;
        }
        return hunks;
    }

    private static void advance(int[] place, Edit edit) {
        place[0] += edit.sign == '+' ? 0 : 1;
        place[1] += edit.sign == '-' ? 0 : 1;
    }

    private static String range(int from, int to) {
        return (to == from ? from : from + 1) + (to - from == 1 ? "" : "," + (to - from));
    }

    /**
     * Classifies all lines as kept, removed or added, using the longest common subsequence of the lines between the common prefix and
     * suffix.
     */
    private static List<Edit> edits(List<String> old, List<String> now) {
        int start = 0;
        while (start < old.size() && start < now.size() && old.get(start).equals(now.get(start))) {
            start++;
        }
        int tail = 0;
        while (tail < old.size() - start && tail < now.size() - start
                && old.get(old.size() - 1 - tail).equals(now.get(now.size() - 1 - tail))) {
            tail++;
        }
        List<Edit> edits = new ArrayList<>();
        old.subList(0, start).forEach(line -> edits.add(new Edit(' ', line)));
        addMiddle(old.subList(start, old.size() - tail), now.subList(start, now.size() - tail), edits);
        old.subList(old.size() - tail, old.size()).forEach(line -> edits.add(new Edit(' ', line)));
        return edits;
    }

    private static void addMiddle(List<String> old, List<String> now, List<Edit> edits) {
        boolean isSmall = (long) old.size() * now.size() <= MAX_CELLS;
        int[][] common = new int[isSmall ? old.size() + 1 : 0][now.size() + 1];
        for (int i = old.size() - 1; isSmall && i >= 0; i--) {
            for (int j = now.size() - 1; j >= 0; j--) {
                common[i][j] = old.get(i).equals(now.get(j)) ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        int i = 0;
        int j = 0;
        while (i < old.size() || j < now.size()) {
            if (isSmall && i < old.size() && j < now.size() && old.get(i).equals(now.get(j))) {
                edits.add(new Edit(' ', old.get(i++)));
                j++;
            } else if (i < old.size() && (j == now.size() || !isSmall || common[i + 1][j] >= common[i][j + 1])) {
                edits.add(new Edit('-', old.get(i++)));
            } else {
                edits.add(new Edit('+', now.get(j++)));
            }
        }
    }
}
