package stet.markup;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import stet.markup.Publisher.Origin;

/** A draft's first problems, and a count of the rest. */
public final class Problems {
    static final int MAX_LISTED = 1_000;
    /** Maximum number of problems listed in one sentence. */
    private static final int MAX_NAMED = 50;
    /** Maximum number of lines listed for one problem. */
    private static final int MAX_LINES_NAMED = 4;

    private final List<Problem> first = new ArrayList<>();
    private final Set<Level> levels = EnumSet.noneOf(Level.class);
    private int more;

    Problems() {
    }

    /** A copy, to which other problems are added. */
    Problems(Problems others) {
        first.addAll(others.first);
        levels.addAll(others.levels);
        more = others.more;
    }

    /** Effects of a problem on publishing, most severe first. */
    public enum Level {
        /** Publishing is impossible. */
        REFUSED("Blocks publishing"),
        /** The email would be broken, for example because its variables cannot be filled in; publishing requires {@code force}. */
        ERROR("Error"),
        /** The email may look wrong. */
        WARNING("Warning");

        private final String label;

        Level(String label) {
            this.label = label;
        }

        /** Shown to users; must match {@code problems.js}. */
        public String label() {
            return label;
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * An actual or possible mistake in a draft.
     *
     * @param block name of the shared block that {@code line} refers to; null for the draft
     * @param field {@code subject} or {@code html}
     * @param line  counted from 1
     * @param quote the tag that begins the sentence, in quotation marks, or empty; the page groups problems that differ only in the quote
     * @param words the rest of the sentence
     */
    public record Problem(Level level, String block, String field, int line, String quote, String words) {
        public String sentence() {
            return quote + words;
        }
    }

    /** Lists a problem, or only counts it if the list is full. The first problem at {@link Level#REFUSED} is always listed. */
    void add(Problem problem) {
        boolean isFirst = levels.add(problem.level);
        if (!isFull()) {
            first.add(problem);
            return;
        }
        more++;
        if (isFirst && problem.level == Level.REFUSED) {
            first.set(MAX_LISTED - 1, problem);
        }
    }

    /** Warns about a position of an expanded draft. @param origins maps positions in the draft to their source */
    void warn(IntFunction<Origin> origins, int place, String quote, String words) {
        if (isFull()) {
            count(Level.WARNING);
        } else {
            Origin origin = origins.apply(place);
            add(new Problem(Level.WARNING, origin.block(), "html", origin.line(), quote, words));
        }
    }

    /** Counts a problem without listing it. */
    void count(Level level) {
        levels.add(level);
        more++;
    }

    /** True if the list is full. */
    boolean isFull() {
        return first.size() == MAX_LISTED;
    }

    public List<Problem> first() {
        return first;
    }

    public int more() {
        return more;
    }

    /** True if the draft cannot be published, even with {@code force}. */
    public boolean isRefused() {
        return levels.contains(Level.REFUSED);
    }

    /** True if problems prevent publishing. @param force whether to publish despite errors */
    public boolean stops(boolean force) {
        return isRefused() || !force && levels.contains(Level.ERROR);
    }

    /** The listed problems that prevent publishing. @param force whether to publish despite errors */
    public List<ProblemRow> stopping(boolean force) {
        Set<Level> stopping = force ? Set.of(Level.REFUSED) : Set.of(Level.REFUSED, Level.ERROR);
        return rows().stream().filter(row -> stopping.contains(row.problem().level())).toList();
    }

    /** Merges problems that differ only in line number, and sorts them by severity, then by first occurrence. */
    public List<ProblemRow> rows() {
        Map<Problem, ProblemRow> rows = new LinkedHashMap<>();
        for (Problem problem : first) {
            Problem anywhere = new Problem(problem.level, problem.block, problem.field, 0, problem.quote, problem.words);
            rows.computeIfAbsent(anywhere, any -> new ProblemRow(problem, new ArrayList<>(1))).lines.add(problem.line);
        }
        return rows.values().stream().sorted(Comparator.comparing(row -> row.problem.level)).toList();
    }

    /**
     * A problem and the lines on which it occurs.
     *
     * @param problem the first occurrence
     * @param lines   the lines of all occurrences, in order
     */
    public record ProblemRow(Problem problem, List<Integer> lines) {
        /** The lines as text, such as {@code line 3} or {@code lines 1, 2, 3 and 22 more}. */
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

        /** The location and the message, such as {@code line 3: shared block "footer" not found}. */
        @Override
        public String toString() {
            String place = problem.block() != null ? "shared block \"" + problem.block() + "\", "
                    : problem.field().equals("subject") ? "subject, " : "";
            return place + place() + ": " + problem.sentence();
        }
    }

    /** Joins problems, up to a limit, into one sentence. */
    public static String sentence(List<String> problems) {
        return problems.stream().limit(MAX_NAMED).collect(Collectors.joining("; "))
                + (problems.size() > MAX_NAMED ? "; and " + (problems.size() - MAX_NAMED) + " more" : "");
    }
}
