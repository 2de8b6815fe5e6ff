package stet.markup;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import stet.markup.Problem.Level;

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

    /** Lists a problem, or counts it when the list is full; the first that refuses is always listed. */
    void add(Problem problem) {
        boolean isFirst = levels.add(problem.level());
        if (!isFull()) {
            first.add(problem);
            return;
        }
        more++;
        if (isFirst && problem.level() == Level.REFUSED) {
            first.set(MAX_LISTED - 1, problem);
        }
    }

    /** Counts problems without listing them. */
    void count(Level level, int count) {
        if (count > 0) {
            levels.add(level);
            more += count;
        }
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
            rows.computeIfAbsent(problem.at(0), any -> new Row(problem, new ArrayList<>(1))).lines.add(problem.line());
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
