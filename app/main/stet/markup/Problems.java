package stet.markup;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import stet.markup.Problem.Level;

/** The first problems of a draft, and the number of the others. */
public final class Problems {
    static final int MAX_LISTED = 1_000;
    /** Problems that one sentence names, at most. */
    private static final int MAX_NAMED = 50;

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
    public List<Problem> stopping(boolean force) {
        Set<Level> stopping = force ? Set.of(Level.REFUSED) : Set.of(Level.REFUSED, Level.ERROR);
        return first.stream().filter(problem -> stopping.contains(problem.level())).toList();
    }

    /** Problems in one sentence, or the first of very many. */
    public static String sentence(List<String> problems) {
        return problems.stream().limit(MAX_NAMED).collect(Collectors.joining("; "))
                + (problems.size() > MAX_NAMED ? "; and " + (problems.size() - MAX_NAMED) + " more" : "");
    }
}
