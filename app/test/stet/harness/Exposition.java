package stet.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A strict parser for Prometheus's text format 0.0.4, with OpenMetrics 1.0's rules for names, units and histograms. */
public final class Exposition {
    private static final Pattern HELP = Pattern.compile("# HELP ([a-z][a-z0-9_]*) ([A-Z][^\\\\]*\\.)");
    private static final Pattern TYPE = Pattern.compile("# TYPE ([a-z][a-z0-9_]*) (counter|gauge|histogram)");
    private static final Pattern SAMPLE = Pattern.compile("([a-z][a-z0-9_]*)(?:\\{(.+)})? (-?[0-9]+(?:\\.[0-9]+)?)");
    private static final Pattern LABEL = Pattern.compile("([a-z][a-z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\"\\\\n])*)\"(?:,|$)");
    /** Metrics that count something and therefore have no unit. */
    private static final Set<String> UNITLESS = Set.of("stet_webhook_tries_total", "stet_build_info", "stet_healthy", "stet_http_requests_total", "stet_http_slow_clients_total",
            "stet_http_requests_in_flight",
            "stet_http_requests_waiting", "stet_threads", "stet_commit_requests", "stet_cache_hits_total", "stet_cache_misses_total",
            "stet_accounts", "stet_accounts_at_limit", "stet_access_log_dropped_total", "stet_after_backup_failed", "process_open_fds");

    /** Types by name. */
    public final Map<String, String> types = new LinkedHashMap<>();
    /** Values by name and labels, as written: {@code stet_threads{state="busy"}}. */
    public final Map<String, BigDecimal> values = new LinkedHashMap<>();
    private final Map<String, TreeMap<BigDecimal, BigDecimal>> buckets = new LinkedHashMap<>();

    public Exposition(String text) {
        assertTrue(text.endsWith("\n") && !text.contains("\r") && !text.contains("\n\n"), text);
        String helped = null;
        String name = null;
        for (String line : text.split("\n")) {
            Matcher help = HELP.matcher(line);
            Matcher type = TYPE.matcher(line);
            if (help.matches()) {
                assertNull(helped, line);
                helped = help.group(1);
            } else if (type.matches()) {
                name = type.group(1);
                assertEquals(helped, name, line);
                helped = null;
                assertNull(types.put(name, type.group(2)), () -> "twice: " + line);
            } else {
                assertNull(helped, line);
                sample(name, line);
            }
        }
        types.forEach(this::checkName);
        types.keySet().stream().filter(each -> types.get(each).equals("histogram")).forEach(this::checkHistogram);
    }

    private void sample(String name, String line) {
        Matcher sample = SAMPLE.matcher(line);
        assertTrue(sample.matches(), line);
        String type = types.get(name);
        assertNotNull(type, line);
        String suffix = sample.group(1).substring(Math.min(name.length(), sample.group(1).length()));
        assertEquals(name + suffix, sample.group(1), line);
        assertTrue(type.equals("histogram") ? Set.of("_bucket", "_sum", "_count").contains(suffix) : suffix.isEmpty(), line);
        Map<String, String> labels = labels(sample.group(2));
        BigDecimal value = new BigDecimal(sample.group(3));
        if (!type.equals("gauge")) {
            assertTrue(value.signum() >= 0, line);
        }
        String bound = labels.remove("le");
        assertEquals(suffix.equals("_bucket"), bound != null, line);
        String key = sample.group(1) + labels;
        if (bound != null) {
            BigDecimal le = bound.equals("+Inf") ? BigDecimal.valueOf(Long.MAX_VALUE) : new BigDecimal(bound);
            TreeMap<BigDecimal, BigDecimal> series = buckets.computeIfAbsent(key, none -> new TreeMap<>());
            assertTrue(series.isEmpty() || series.lastKey().compareTo(le) < 0 && series.lastEntry().getValue().compareTo(value) <= 0, line);
            series.put(le, value);
        } else {
            assertNull(values.put(sample.group(1) + (sample.group(2) == null ? "" : "{" + sample.group(2) + "}"), value), () -> "twice: " + line);
        }
    }

    private static Map<String, String> labels(String written) {
        Map<String, String> labels = new TreeMap<>();
        int end = 0;
        Matcher label = LABEL.matcher(written == null ? "" : written);
        while (label.find()) {
            assertEquals(end, label.start(), written);
            assertNull(labels.put(label.group(1), label.group(2)), written);
            end = label.end();
        }
        assertEquals(written == null ? 0 : written.length(), end, written);
        return labels;
    }

    private void checkName(String name, String type) {
        assertEquals(type.equals("counter"), name.endsWith("_total"), name);
        for (String reserved : List.of("_count", "_sum", "_bucket", "_created", "_milliseconds", "_ms", "_kilobytes", "_percent")) {
            assertFalse(name.endsWith(reserved), name);
        }
        String base = name.replaceFirst("_total$", "");
        assertTrue(UNITLESS.contains(name) || base.endsWith("_seconds") || base.endsWith("_bytes"), () -> name + " has no unit");
    }

    private void checkHistogram(String name) {
        List<String> series = new ArrayList<>(new TreeSet<>(buckets.keySet()).stream().filter(key -> key.startsWith(name + "_bucket{")).toList());
        assertFalse(series.isEmpty(), name);
        for (String each : series) {
            String labels = each.substring((name + "_bucket").length()).replaceAll("([a-z]+)=([^,}]+)", "$1=\"$2\"").replace(", ", ",");
            String key = labels.equals("{}") ? "" : labels;
            Map.Entry<BigDecimal, BigDecimal> last = buckets.get(each).lastEntry();
            assertEquals(BigDecimal.valueOf(Long.MAX_VALUE), last.getKey(), each + " has no +Inf");
            assertEquals(values.get(name + "_count" + key), last.getValue(), each);
            assertNotNull(values.get(name + "_sum" + key), each);
        }
    }

    /** Returns a value, which must exist. @param sample name with labels, as written */
    public long value(String sample) {
        assertNotNull(values.get(sample), () -> sample + " is not in " + values);
        return values.get(sample).longValue();
    }

    /** All names for queries, with a histogram's suffixes. */
    public Set<String> names() {
        Set<String> names = new TreeSet<>();
        types.forEach((name, type) -> {
            if (type.equals("histogram")) {
                names.addAll(List.of(name + "_bucket", name + "_sum", name + "_count"));
            } else {
                names.add(name);
            }
        });
        return names;
    }
}
