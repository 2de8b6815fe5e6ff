package stet.core;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;

/** Text format 0.0.4 of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats). */
public final class MetricsText {
    public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private final StringBuilder text = new StringBuilder(16 << 10);
    private String name;

    /**
     * Begins a metric, whose samples follow.
     *
     * @param type counter, gauge or histogram
     * @param help a sentence
     */
    public void family(String name, String type, String help) {
        this.name = name;
        text.append("# HELP ").append(name).append(' ').append(help)
                .append("\n# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    /** @param labels a name, its value, and so on */
    public void sample(Number value, String... labels) {
        add("", value, labels);
    }

    /** A metric of one sample. */
    public void single(String name, String type, String help, Number value) {
        family(name, type, help);
        sample(value);
    }

    void histogram(Metrics.Histogram values, String... labels) {
        long count = values.forEach((bound, number) ->
                add("_bucket", number, with(labels, plain(decimal(bound, values.digits)))));
        add("_bucket", count, with(labels, "+Inf"));
        add("_sum", decimal(values.sum(), values.digits), labels);
        add("_count", count, labels);
    }

    /** Nanoseconds as seconds. */
    public static Number seconds(long nanos) {
        return decimal(nanos, 9);
    }

    private static BigDecimal decimal(long number, int digits) {
        return BigDecimal.valueOf(number, digits).stripTrailingZeros();
    }

    private static String plain(Number number) {
        return number instanceof BigDecimal decimal ? decimal.toPlainString() : number.toString();
    }

    private static String[] with(String[] labels, String bound) {
        return Stream.concat(Arrays.stream(labels), Stream.of("le", bound)).toArray(String[]::new);
    }

    private void add(String suffix, Number value, String... labels) {
        text.append(name).append(suffix);
        for (int i = 0; i < labels.length; i += 2) {
            text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"")
                    .append(labels[i + 1].replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n")).append('"');
        }
        text.append(labels.length == 0 ? " " : "} ").append(plain(value)).append('\n');
    }

    /** A constant as the value of a label. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    public byte[] bytes() {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
