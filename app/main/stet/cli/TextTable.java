package stet.cli;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import stet.core.Json;
import stet.core.TemplateSummary;
import stet.core.Timestamp;

/** What a command lists: lines with their columns below each other, or JSON for a program. */
final class TextTable {
    private final List<String> fields;
    private final List<Object[]> lines = new ArrayList<>();

    /** @param fields what the columns are called: {@code createdAt} has the title CREATED */
    TextTable(List<String> fields) {
        this.fields = fields;
    }

    /** @param values texts, numbers, instants, states, or null for none */
    void add(Object... values) {
        lines.add(values);
    }

    void print(Config config, PrintStream out) {
        if (config.has(Option.JSON)) {
            printJson(lines.stream().map(this::json).toList(), out);
        } else {
            printTable(out);
        }
    }

    /** One line, which ends with a line feed everywhere. */
    static void printJson(Object value, PrintStream out) {
        out.print(new String(Json.write(value), StandardCharsets.UTF_8) + "\n");
        out.flush();
    }

    private Map<String, Object> json(Object[] line) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < line.length; i++) {
            object.put(fields.get(i), line[i] instanceof Instant instant ? Timestamp.format(instant)
                    : line[i] instanceof TemplateSummary.State state ? state.name().toLowerCase(Locale.ROOT) : line[i]);
        }
        return object;
    }

    private void printTable(PrintStream out) {
        List<String[]> texts = new ArrayList<>();
        texts.add(fields.stream().map(field -> field.replaceFirst("At$", "").toUpperCase(Locale.ROOT)).toArray(String[]::new));
        lines.forEach(line -> texts.add(texts(line)));
        int[] widths = new int[fields.size()];
        for (String[] line : texts) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line[i].length());
            }
        }
        for (String[] line : texts) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                text.append(line[i]).append(" ".repeat(widths[i] - line[i].length() + 2));
            }
            out.println(text.toString().stripTrailing());
        }
    }

    /** A name may hold anything; what would steer the terminal is shown as a question mark. */
    private static String[] texts(Object[] line) {
        String[] texts = new String[line.length];
        for (int i = 0; i < line.length; i++) {
            String text = line[i] == null ? "" : line[i] instanceof Instant instant ? Timestamp.format(instant)
                    : line[i] instanceof TemplateSummary.State state ? state.words() : line[i].toString();
            texts[i] = text.replaceAll("[\\p{Cntrl}\\p{Cf}]", "?");
        }
        return texts;
    }
}
