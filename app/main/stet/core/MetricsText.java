package stet.core;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/** Text format 0.0.4 of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats). */
public final class MetricsText {
    public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private final StringBuilder text = new StringBuilder(16 << 10);
    private String name;

    /** Begins a metric, whose samples follow. @param type counter, gauge or histogram @param help a sentence */
    public void family(String name, String type, String help) {
        this.name = name;
        text.append("# HELP ").append(name).append(' ').append(help)
                .append("\n# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    /** Adds a gauge. @param samples labels, such as {@code state="busy"} or none, their value, and so on */
    public void gauge(String name, String help, Object... samples) {
        family(name, "gauge", help);
        for (int i = 0; i < samples.length; i += 2) {
            sample((String) samples[i], (Number) samples[i + 1]);
        }
    }

    public void counter(String name, String help, Number value) {
        family(name, "counter", help);
        sample("", value);
    }

    /** @param labels such as {@code area="api",status="200"} */
    public void sample(String labels, Number value) {
        sample("", labels, value);
    }

    /** A label with its value, escaped. */
    public static String label(String name, String value) {
        return name + "=\"" + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    /** Nanoseconds as seconds. */
    public static Number seconds(long nanos) {
        return decimal(nanos, 9);
    }

    void histogram(String labels, Metrics.Histogram values) {
        String before = labels.isEmpty() ? "" : labels + ",";
        long count = 0;
        for (int i = 0; i < values.buckets().length(); i++) {
            count += values.buckets().get(i);
            String bound = i == values.bounds().length ? "+Inf" : decimal(values.bounds()[i], values.digits()).toPlainString();
            sample("_bucket", before + "le=\"" + bound + "\"", count);
        }
        sample("_sum", labels, decimal(values.sum().get(), values.digits()));
        sample("_count", labels, count);
    }

    private static BigDecimal decimal(long number, int digits) {
        return BigDecimal.valueOf(number, digits).stripTrailingZeros();
    }

    private void sample(String suffix, String labels, Number value) {
        text.append(name).append(suffix).append(labels.isEmpty() ? "" : "{" + labels + "}").append(' ')
                .append(value instanceof BigDecimal decimal ? decimal.toPlainString() : value).append('\n');
    }

    public byte[] bytes() {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
