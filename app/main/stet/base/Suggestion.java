package stet.base;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToIntFunction;

/** Suggests a similar ID for an unknown one. */
public final class Suggestion {
    /** Maximum length of an ID; longer strings are not compared. */
    private static final int MAX_CHARACTERS = 64;

    private Suggestion() {
    }

    /** A message such as {@code "welcom" is unknown; did you mean "welcome"?}, or null if no ID is similar. */
    public static String unknown(String id, Collection<String> ids) {
        return nearest(id, ids)
                .map(nearest -> "\"" + id + "\" is unknown; did you mean \"" + nearest + "\"?").orElse(null);
    }

    /** The most similar ID; may differ by at most one edit, plus one for every five characters of the shorter of the two. */
    public static Optional<String> nearest(String id, Collection<String> ids) {
        return nearest(id, ids, candidate -> 1 + Math.min(id.length(), candidate.length()) / 5);
    }

    /** The most similar ID within {@code most} edits. */
    public static Optional<String> nearest(String id, Collection<String> ids, int most) {
        return nearest(id, ids, candidate -> most);
    }

    /** @param most maximum number of edits to a candidate */
    private static Optional<String> nearest(String id, Collection<String> ids, ToIntFunction<String> most) {
        if (id.length() > MAX_CHARACTERS) {
            return Optional.empty();
        }
        String nearest = null;
        int least = Integer.MAX_VALUE;
        String lower = id.toLowerCase(Locale.ROOT);
        for (String candidate : ids) {
            int bound = Math.min(least, most.applyAsInt(candidate) + 1);
            int distance = Math.abs(id.length() - candidate.length()) >= bound ? bound
                    : distance(lower, candidate.toLowerCase(Locale.ROOT), bound);
            if (distance < bound) {
                least = distance;
                nearest = candidate;
            }
        }
        return Optional.ofNullable(nearest);
    }

    /** The Levenshtein distance; at or above the bound, any number that is not below it. */
    private static int distance(String a, String b, int bound) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            int least = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
                least = Math.min(least, row[j]);
            }
            if (least >= bound) {
                return least;
            }
        }
        return row[b.length()];
    }
}
