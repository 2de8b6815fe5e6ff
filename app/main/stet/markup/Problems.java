package stet.markup;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The first problems of a draft, and how many more there are. */
public final class Problems {
    /** Problems that are kept, at most. */
    static final int LISTED = 1_000;
    /** Problems that one sentence names, at most. */
    private static final int NAMED = 50;

    private final List<Problem> first = new ArrayList<>();
    private final Set<Problem.Level> levels = EnumSet.noneOf(Problem.Level.class);
    private int more;

    /** The first that refuses is always among those that are listed. */
    void add(Problem problem) {
        boolean listed = !isFull();
        if (listed) {
            first.add(problem);
        } else {
            more++;
        }
        if (levels.add(problem.level()) && !listed && problem.level() == Problem.Level.REFUSED) {
            first.set(LISTED - 1, problem);
        }
    }

    /** Whether one more is counted only. */
    boolean isFull() {
        return first.size() == LISTED;
    }

    public List<Problem> first() {
        return first;
    }

    public int more() {
        return more;
    }

    /** Whether there is nothing to publish. */
    public boolean isRefused() {
        return levels.contains(Problem.Level.REFUSED);
    }

    /** Whether the draft is not published. @param force the author wants it with its errors */
    public boolean stops(boolean force) {
        return isRefused() || !force && levels.contains(Problem.Level.ERROR);
    }

    /** Names what stops publishing. @param force the author wants it with its errors */
    public List<Problem> stopping(boolean force) {
        return first.stream().filter(problem -> problem.level() == Problem.Level.REFUSED
                || !force && problem.level() == Problem.Level.ERROR).toList();
    }

    /** Problems in one sentence, or the first of very many. */
    public static String sentence(List<String> problems) {
        return problems.stream().limit(NAMED).collect(Collectors.joining("; "))
                + (problems.size() > NAMED ? "; and " + (problems.size() - NAMED) + " more" : "");
    }
}
