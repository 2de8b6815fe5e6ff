package stet.markup;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The first problems of a draft, and the number of the others. */
public final class Problems {
    static final int MAX_LISTED = 1_000;
    /** Problems that one sentence names, at most. */
    private static final int MAX_NAMED = 50;
    /** Lines that one sentence names, at most. */
    private static final int MAX_LINES_NAMED = 4;

    private final List<Problem> first = new ArrayList<>();
    private final Set<Level> levels = EnumSet.noneOf(Level.class);
    private int more;

    /** Effect of a problem on publishing. */
    public enum Level {
        /** There is nothing to publish. */
        REFUSED,
        /** The mail will break at the caller: published only when the author says so. */
        ERROR,
        /** It may look wrong. */
        WARNING;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A fault or possible fault of a draft.
     *
     * @param block the shared block that it was found in, or null for the draft itself
     * @param field {@code subject} or {@code html}
     * @param line  counted from 1
     */
    public record Problem(Level level, String block, String field, int line, String sentence) {
    }

    /** Lists a problem, or counts it when the list is full; the first that refuses is always listed. */
    void add(Level level, String block, String field, int line, String sentence) {
        Problem problem = new Problem(level, block, field, line, sentence);
        boolean isFirst = levels.add(level);
        if (!isFull()) {
            first.add(problem);
            return;
        }
        more++;
        if (isFirst && level == Level.REFUSED) {
            first.set(MAX_LISTED - 1, problem);
        }
    }

    /** Counts a problem without listing it. */
    void count(Level level) {
        levels.add(level);
        more++;
    }

    /** Whether further problems are only counted. */
    boolean isFull() {
        return first.size() == MAX_LISTED;
    }

    public List<Problem> first() {
        return first;
    }

    public int more() {
        return more;
    }

    /** Whether there is nothing to publish. */
    public boolean isRefused() {
        return levels.contains(Level.REFUSED);
    }

    /** Whether the draft is not published. @param force the author wants it with its errors */
    public boolean stops(boolean force) {
        return isRefused() || !force && levels.contains(Level.ERROR);
    }

    /** The listed problems that stop publishing. @param force the author wants it with its errors */
    public List<Row> stopping(boolean force) {
        Set<Level> stopping = force ? Set.of(Level.REFUSED) : Set.of(Level.REFUSED, Level.ERROR);
        return rows().stream().filter(row -> stopping.contains(row.problem().level())).toList();
    }

    /** Equal problems, which differ in their lines alone, as one row each, in the order of the first of them. */
    public List<Row> rows() {
        Map<Problem, Row> rows = new LinkedHashMap<>();
        for (Problem problem : first) {
            Problem anywhere = new Problem(problem.level, problem.block, problem.field, 0, problem.sentence);
            rows.computeIfAbsent(anywhere, any -> new Row(problem, new ArrayList<>(1))).lines.add(problem.line);
        }
        return List.copyOf(rows.values());
    }

    /**
     * Equal problems of several lines.
     *
     * @param problem the first of them
     * @param lines   of all of them, in their order; a line that has several stands there as often
     */
    public record Row(Problem problem, List<Integer> lines) {
        /** The lines in words: {@code line 3}, {@code lines 1, 2, 3 and 22 more}. */
        public String place() {
            List<Integer> distinct = lines.stream().distinct().toList();
            if (distinct.size() == 1) {
                return "line " + distinct.get(0) + (lines.size() == 1 ? "" : " (" + lines.size() + " times)");
            }
            int named = distinct.size() <= MAX_LINES_NAMED ? distinct.size() - 1 : MAX_LINES_NAMED - 1;
            int more = distinct.size() - named;
            return "lines " + distinct.stream().limit(named).map(String::valueOf).collect(Collectors.joining(", "))
                    + " and " + (more == 1 ? distinct.get(named) : more + " more");
        }

        /** The sentence with its places: {@code line 3: there is no shared block "footer"}. */
        @Override
        public String toString() {
            String place = problem.block() != null ? "shared block \"" + problem.block() + "\", "
                    : problem.field().equals("subject") ? "subject, " : "";
            return place + place() + ": " + problem.sentence();
        }
    }

    /** Problems in one sentence, or the first of very many. */
    public static String sentence(List<String> problems) {
        return problems.stream().limit(MAX_NAMED).collect(Collectors.joining("; "))
                + (problems.size() > MAX_NAMED ? "; and " + (problems.size() - MAX_NAMED) + " more" : "");
    }
}
