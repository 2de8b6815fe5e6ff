package stet.base;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The log: one line per event, as text (then any stack trace) or JSON. Characters outside printable ASCII are escaped, so
 * client input cannot forge or hide lines.
 *
 * <pre>
 * 2026-01-31T09:00:00.000Z WARN sign-in-failed address=192.0.2.7 email=ada@example.com
 * {"time":"2026-01-31T09:00:00.000Z", "level": "WARN","event":"sign-in-failed","address":"192.0.2.7","email":"ada@example.com"}
 * </pre>
 *
 * <p>The {@link Output} adds the time and level; this class formats the rest of the line.
 *
 * <p>Repeated failures, and repeated refusals, are counted:
 *
 * <pre>
 * first time: logged with stack trace ── again: counted ── a minute later: "repeated" with the count ── none for a minute: forgotten
 * </pre>
 */
public final class Log {
    /** Minimum number of milliseconds between two lines for the same failure. */
    private static final long INTERVAL = 60_000;
    /** Maximum number of failures, and of refusals, counted separately; further ones share one counter. */
    private static final int MAX_FAILURES = 100;
    private static final int MAX_VALUE_CHARACTERS = 1_000;
    /** Maximum number of stack frames per cause, and of causes. */
    private static final int MAX_FRAMES = 40;
    private static final int MAX_CAUSES = 6;

    public enum LogLevel { INFO, WARN, ERROR }

    /** Writes a line with the time, level and message, as text or JSON. */
    public interface Output {
        void write(LogLevel level, String message);

        /** Called with each failure before it is logged or counted, and with any failure of the logging itself. */
        default void failing(Throwable failure) {
        }
    }

    private final Output output;
    private final Clock clock;
    private final boolean json;
    private final LogLevel lowest;
    private final Map<LoggedFailure, Repetitions> failures = new LinkedHashMap<>();
    /** Apart from the failures, so that clients cannot use up the lines for failures. */
    private final Map<LoggedFailure, Repetitions> refusals = new LinkedHashMap<>();

    private record LoggedFailure(String event, String text) {
        private static final LoggedFailure OTHERS = new LoggedFailure("others", "");
    }

    /** Number of repetitions since a failure was last logged, at a time in ms. */
    private static final class Repetitions {
        private final long since;
        private long times;

        private Repetitions(long since) {
            this.since = since;
        }
    }

    /** @param json whether the output writes JSON objects @param lowest minimum level to log */
    public Log(Output output, Clock clock, boolean json, LogLevel lowest) {
        this.output = output;
        this.clock = clock;
        this.json = json;
        this.lowest = lowest;
    }

    /** A log that discards everything. Many commands use it because they print their own results and failures. */
    public static Log none() {
        return new Log((level, message) -> { }, Clock.systemUTC(), false, LogLevel.ERROR);
    }

    public boolean isJson() {
        return json;
    }

    /**
     * Logs an event that needs no action.
     *
     * @param event  lower-case words with hyphens
     * @param fields alternating keys and values. Keys are words such as {@code account}. Values are never secrets; null values
     *               are omitted with their keys.
     */
    public void info(String event, Object... fields) {
        write(LogLevel.INFO, event, fields, List.of());
    }

    /** Logs an event that an administrator should check. */
    public void warn(String event, Object... fields) {
        write(LogLevel.WARN, event, fields, List.of());
    }

    /** Logs a failure with its stack trace. A repeated failure is only counted. Never throws. */
    public void error(String event, Throwable failure, Object... fields) {
        try {
            output.failing(failure);
            if (add(failures, new LoggedFailure(event, shortened(failure.toString())))) {
                Object[] all = Stream.concat(Stream.of(fields), Stream.of("failure", failure)).toArray();
                write(LogLevel.ERROR, event, all, trace(failure));
            }
        } catch (Throwable unwritten) {
            output.failing(unwritten); // The caller must be able to continue even if logging fails, for example to send an error response.
        }
    }

    /**
     * Logs a refused request. A repeated refusal is only counted, so that clients cannot flood the log.
     *
     * @param repeated identifies repetitions: the reason, and the user, token or address
     */
    public void refused(String event, String repeated, Object... fields) {
        if (add(refusals, new LoggedFailure(event, shortened(repeated)))) {
            write(LogLevel.WARN, event, fields, List.of());
        }
    }

    /** Counts a failure. @return whether it has not been logged yet */
    private boolean add(Map<LoggedFailure, Repetitions> all, LoggedFailure failure) {
        synchronized (all) {
            LoggedFailure counted = all.containsKey(failure) || all.size() < MAX_FAILURES ? failure : LoggedFailure.OTHERS;
            Repetitions known = all.putIfAbsent(counted, new Repetitions(clock.millis()));
            if (known != null) {
                known.times++;
            }
            return known == null;
        }
    }

    /** Logs counts of repeated failures and refusals. @param all true on shutdown, to include unfinished intervals */
    public void sumUp(boolean all) {
        sumUp(LogLevel.ERROR, failures, all);
        sumUp(LogLevel.WARN, refusals, all);
    }

    private void sumUp(LogLevel level, Map<LoggedFailure, Repetitions> repeated, boolean all) {
        List<Object[]> lines = new ArrayList<>();
        synchronized (repeated) {
            long now = clock.millis();
            for (Map.Entry<LoggedFailure, Repetitions> each : List.copyOf(repeated.entrySet())) {
                Repetitions known = each.getValue();
                boolean isOver = now < known.since || now - known.since >= INTERVAL; // the interval also ends if the clock was set back
                if (known.times > 0 && (all || isOver)) {
                    lines.add(new Object[] {"of", each.getKey().event, "failure", each.getKey().text, "times", known.times,
                        "seconds", Math.max(0, (now - known.since) / 1_000)});
                    repeated.put(each.getKey(), new Repetitions(now));
                } else if (isOver) {
                    repeated.remove(each.getKey());
                }
            }
        }
        lines.forEach(line -> write(level, "repeated", line, List.of()));
    }

    private void write(LogLevel level, String event, Object[] fields, List<String> trace) {
        if (level.compareTo(lowest) < 0) {
            return;
        }
        output.write(level, json ? jsonLine(event, fields, trace) : textLine(event, fields, trace));
    }

    private String textLine(String event, Object[] fields, List<String> trace) {
        StringBuilder line = new StringBuilder(200).append(event);
        for (int i = 0; i + 1 < fields.length; i += 2) {
            if (fields[i + 1] != null) {
                line.append(' ').append(fields[i]).append('=').append(text(fields[i + 1]));
            }
        }
        for (String frame : trace) {
            String escaped = quoted(frame);
            line.append("\n    ").append(escaped, 1, escaped.length() - 1);
        }
        return line.toString();
    }

    /** The rest of a JSON object, which the output has begun. */
    private String jsonLine(String event, Object[] fields, List<String> trace) {
        StringBuilder line = new StringBuilder(200).append("\"event\":\"").append(event).append('"');
        for (int i = 0; i + 1 < fields.length; i += 2) {
            if (fields[i + 1] != null) {
                line.append(",\"").append(fields[i]).append("\":").append(text(fields[i + 1]));
            }
        }
        if (!trace.isEmpty()) {
            line.append(",\"trace\":[").append(trace.stream().map(Log::quoted).collect(Collectors.joining(","))).append(']');
        }
        return line.append('}').toString();
    }

    /** A field's value: as it is, or as a JSON string if it could be misread. */
    private String text(Object value) {
        String text = value instanceof Instant instant ? Timestamp.format(instant) : value.toString();
        boolean isPlain = value instanceof Number || value instanceof Boolean || !json && isPlain(text);
        return isPlain && text.length() <= MAX_VALUE_CHARACTERS ? text : quoted(shortened(text));
    }

    /** Whether a text needs no quotes in a text line. */
    private static boolean isPlain(String text) {
        return !text.isEmpty() && text.chars().allMatch(letter -> letter > ' ' && letter < 127 && "\"=\\".indexOf(letter) < 0);
    }

    private static String shortened(String text) {
        return text.length() <= MAX_VALUE_CHARACTERS ? text : Excerpt.start(text, MAX_VALUE_CHARACTERS) + "...";
    }

    /** A JSON string in ASCII (RFC 8259, 7). */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (char letter : text.toCharArray()) {
            if (letter == '"' || letter == '\\') {
                quoted.append('\\').append(letter);
            } else if (letter >= ' ' && letter < 127) {
                quoted.append(letter);
            } else {
                quoted.append("\\u").append(Integer.toHexString(0x10000 | letter), 1, 5);
            }
        }
        return quoted.append('"').toString();
    }

    /** Stack frames of a failure and its causes; empty if the failure has no stack trace. */
    private static List<String> trace(Throwable failure) {
        List<String> lines = new ArrayList<>();
        Throwable cause = failure.getStackTrace().length == 0 ? null : failure;
        for (int causes = 0; cause != null && causes < MAX_CAUSES; causes++) {
            if (cause != failure) {
                lines.add("caused by " + shortened(cause.toString()));
            }
            Stream.of(cause.getStackTrace()).limit(MAX_FRAMES).forEach(frame -> lines.add("at " + frame));
            cause = cause.getCause();
        }
        return lines;
    }
}
