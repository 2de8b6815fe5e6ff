package stet.markup;

import java.util.Locale;

/**
 * A fault or possible fault of a draft.
 *
 * @param block the shared block that it was found in, or null for the draft itself
 * @param field {@code subject} or {@code html}
 * @param line  counted from 1
 */
public record Problem(Level level, String block, String field, int line, String sentence) {

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

    /** The same problem on another line. */
    Problem at(int other) {
        return new Problem(level, block, field, other, sentence);
    }
}
