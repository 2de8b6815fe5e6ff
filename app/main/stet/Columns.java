package stet;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Lines of a list, with its columns below each other. */
final class Columns {
    private final List<String[]> lines = new ArrayList<>();

    Columns(String... titles) {
        lines.add(titles);
    }

    /** A name may hold anything; what would steer the terminal is shown as a question mark. */
    void add(Object... values) {
        String[] line = new String[values.length];
        for (int i = 0; i < values.length; i++) {
            line[i] = String.valueOf(values[i]).replaceAll("[\\p{Cntrl}\\p{Cf}]", "?");
        }
        lines.add(line);
    }

    void print(PrintStream out) {
        int[] widths = new int[lines.get(0).length];
        for (String[] line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line[i].length());
            }
        }
        for (String[] line : lines) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                text.append(line[i]).append(" ".repeat(widths[i] - line[i].length() + 2));
            }
            out.println(text.toString().stripTrailing());
        }
    }
}
