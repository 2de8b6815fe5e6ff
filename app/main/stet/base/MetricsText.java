package stet.base;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/** Prometheus text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats). */
public final class MetricsText {
    public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private final StringBuilder text = new StringBuilder(16 << 10);

    /**
     * Adds a metric.
     *
     * @param type    counter, gauge or histogram
     * @param help    one sentence
     * @param samples pairs of labels (such as {@code area="api",status="200"}, or an empty string) and values (numbers or histograms)
     */
    public void add(String type, String name, String help, Object... samples) {
        text.append("# HELP ").append(name).append(' ').append(help)
                .append("\n# TYPE ").append(name).append(' ').append(type).append('\n');
        for (int i = 0; i < samples.length; i += 2) {
            if (samples[i + 1] instanceof Metrics.Histogram values) {
                histogram(name, (String) samples[i], values);
            } else {
                sample(name, (String) samples[i], samples[i + 1]);
            }
        }
    }

    /** Formats a label and escapes its value. */
    public static String label(String name, String value) {
        return name + "=\"" + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    public static String seconds(long nanos) {
        return decimal(nanos, 9);
    }

    private void histogram(String name, String labels, Metrics.Histogram values) {
        long count = 0;
        for (int i = 0; i < values.buckets().length(); i++) {
            count += values.buckets().get(i);
            String bound = i == values.bounds().length ? "+Inf" : decimal(values.bounds()[i], values.digits());
            sample(name + "_bucket", labels + (labels.isEmpty() ? "" : ",") + label("le", bound), count);
        }
        sample(name + "_sum", labels, decimal(values.sum().get(), values.digits()));
        sample(name + "_count", labels, count);
    }

    private static String decimal(long number, int digits) {
        return BigDecimal.valueOf(number, digits).stripTrailingZeros().toPlainString();
    }

    private void sample(String name, String labels, Object value) {
        text.append(name).append(labels.isEmpty() ? "" : "{" + labels + "}").append(' ').append(value).append('\n');
    }

    public byte[] bytes() {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
