package stet.core;

import java.util.Locale;

/** Formats counts and sizes for display. */
public final class Amount {
    private Amount() {
    }

    /** A count with its noun: {@code 1 version}, {@code 2 versions}. @param noun a noun that forms its plural with s */
    public static String of(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /** A size in the largest fitting unit: {@code 1.5 GiB}. */
    public static String bytes(long bytes) {
        String units = "KMGT";
        int unit = -1;
        double size = bytes;
        while (size >= 1_024 && unit < units.length() - 1) {
            size /= 1_024;
            unit++;
        }
        return unit < 0 ? of(bytes, "byte") : String.format(Locale.ROOT, "%.2f", size).replaceFirst("\\.?0+$", "") + " "
                + units.charAt(unit) + "iB";
    }

    /** A size in MB (1,000,000 bytes). */
    public static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }
}
