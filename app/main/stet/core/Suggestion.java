package stet.core;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What somebody who asked for an unknown id may have meant. */
public final class Suggestion {
    /** The longest text that is compared; no id is longer. */
    private static final int LONGEST = 64;

    private Suggestion() {
    }

    /** {@code "welcom" is unknown; did you mean "welcome"?}, or null when no id is near. */
    public static String unknown(String id, Collection<String> ids) {
        return nearest(id, ids).map(nearest -> "\"" + id + "\" is unknown; did you mean \"" + nearest + "\"?").orElse(null);
    }

    /** The nearest of these, if it is near: a letter is wrong, and another one for each five. */
    public static Optional<String> nearest(String id, Collection<String> ids) {
        int most = 1 + id.length() / 5;
        return nearest(id, ids, most).filter(nearest -> nearest.length() >= id.length()
                || nearest(id, Set.of(nearest), 1 + nearest.length() / 5).isPresent());
    }

    /** The nearest of these with at most so many wrong letters. */
    public static Optional<String> nearest(String id, Collection<String> ids, int most) {
        String nearest = null;
        int least = most + 1;
        String lower = id.toLowerCase(Locale.ROOT);
        for (String candidate : id.length() > LONGEST ? Set.<String>of() : ids) {
            int distance = Math.abs(id.length() - candidate.length()) >= least ? least
                    : distance(lower, candidate.toLowerCase(Locale.ROOT), least);
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return Optional.ofNullable(nearest);
    }

    /** Letters to add, take away or replace (Levenshtein); any number that is not below the bound when it is not. */
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
