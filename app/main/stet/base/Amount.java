package stet.base;

import java.util.Locale;
import java.util.function.LongFunction;

/** Formats counts and sizes for display. */
public final class Amount {
    private Amount() {
    }

    /** A count with its noun: {@code 1 version}, {@code 2 versions}. @param noun a noun that forms its plural with s */
    public static String of(long count, String noun) {
        return of(count, noun, noun + "s");
    }

    /** A count with a noun in its singular or plural form. */
    public static String of(long count, String one, String more) {
        return count + " " + (count == 1 ? one : more);
    }

    /** A size in the largest fitting unit: {@code 1.5 GiB}. */
    public static String bytes(long bytes) {
        if (bytes < 1_024) {
            return of(bytes, "byte");
        }
        String units = "KMGT";
        int unit = 0;
        double size = bytes / 1_024.0;
        while (size >= 1_023.995 && unit < units.length() - 1) { // would be shown as 1024
            size /= 1_024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.2f", size).replaceFirst("\\.?0+$", "") + " " + units.charAt(unit) + "iB";
    }

    /**
     * A size beside another: with all its digits if both would read the same. The size itself if they are equal.
     *
     * @return such as {@code 97.66 KiB (100,001 bytes)}
     */
    public static String bytes(long bytes, long beside) {
        return beside(bytes, beside, Amount::bytes);
    }

    /** As {@link #bytes(long, long)}, in MB. */
    public static String megabytes(long bytes, long beside) {
        return beside(bytes, beside, Amount::megabytes);
    }

    private static String beside(long bytes, long beside, LongFunction<String> format) {
        String shown = format.apply(bytes);
        boolean isAlike = bytes != beside && shown.equals(format.apply(beside));
        return isAlike ? String.format(Locale.ROOT, "%s (%,d bytes)", shown, bytes) : shown;
    }

    /** A size in MB (1,000,000 bytes). */
    public static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }
}
