package stet.core;

import java.util.Locale;

/** Numbers in sentences for people. */
public final class Amount {
    private Amount() {
    }

    /** A number of things: {@code 1 version}, {@code 2 versions}. @param noun whose plural ends in s */
    public static String of(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /** A size in MB of 1,000,000 bytes. */
    public static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }
}
