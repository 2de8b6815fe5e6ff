package stet.core;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;

/** What somebody who asked for an unknown id may have meant. */
public final class Hint {
    /** The longest id that is compared; none that exists is longer. */
    private static final int LONGEST = 64;

    private Hint() {
    }

    /** {@code "welcom" is unknown; did you mean "welcome"?}, or null when no id is near. */
    public static String unknown(String id, Collection<String> ids) {
        String nearest = null;
        int most = 1 + Math.min(id.length(), LONGEST) / 5;
        String lower = id.toLowerCase(Locale.ROOT);
        for (String candidate : id.length() > LONGEST ? Set.<String>of() : ids) {
            int near = Math.min(most, 1 + candidate.length() / 5);
            int distance = Math.abs(id.length() - candidate.length()) > near ? near + 1 : distance(lower, candidate.toLowerCase(Locale.ROOT), near);
            if (distance <= near) {
                most = distance - 1; // another one has to be nearer
                nearest = candidate;
            }
        }
        return nearest != null ? "\"" + id + "\" is unknown; did you mean \"" + nearest + "\"?" : null;
    }

    /** Letters to add, take away or replace (Levenshtein); any number above the most when it is more than that. */
    private static int distance(String a, String b, int most) {
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
            if (least > most) {
                return least;
            }
        }
        return row[b.length()];
    }
}
