package stet.core;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The log: one line for each event, as text or as a JSON object. Lines are ASCII: all else is escaped, so that nothing that a
 * client sent begins a line, hides one or looks like one.
 *
 * <pre>
 * 2026-01-31T09:00:00.000Z WARN sign-in-failed address=192.0.2.7 email=ada@example.com
 * {"time":"2026-01-31T09:00:00.000Z", "level": "WARN","event":"sign-in-failed","address":"192.0.2.7","email":"ada@example.com"}
 * </pre>
 *
 * <p>Its output writes the time and the level, and what follows them here.
 *
 * <p>A failure that is repeated is counted instead of written:
 *
 * <pre>
 * first: line with trace ── again: counted ── a minute later: "repeated", with the number ── a minute without one: forgotten
 * </pre>
 */
public final class Log {
    /** Milliseconds between two lines about the same failure. */
    private static final long INTERVAL = 60_000;
    /** Different failures that are counted at a time; all others are counted as one. */
    private static final int MAX_FAILURES = 100;
    private static final int MAX_VALUE_CHARACTERS = 1_000;
    private static final int MAX_FRAMES = 40;
    private static final int MAX_CAUSES = 6;

    public enum Level { INFO, WARN, ERROR }

    /** Writes a line: the time, the level, and this message, in the form that was asked for. */
    public interface Output {
        void write(Level level, String message);
    }

    private final Output output;
    private final Clock clock;
    private final boolean json;
    private final Level lowest;
    private final Map<Failure, Repetitions> failures = new LinkedHashMap<>();

    private record Failure(String event, String text) {
        private static final Failure OTHERS = new Failure("others", "");
    }

    /** Repetitions of a failure after its last line. */
    private static final class Repetitions {
        private long since;
        private long times;

        private Repetitions(long since) {
            this.since = since;
        }
    }

    /** @param json whether the output writes JSON objects @param lowest the level from which on events are logged */
    public Log(Output output, Clock clock, boolean json, Level lowest) {
        this.output = output;
        this.clock = clock;
        this.json = json;
        this.lowest = lowest;
    }

    /** A log of nothing, for commands: they print their own results and failures. */
    public static Log none() {
        return new Log((level, message) -> { }, Clock.systemUTC(), false, Level.ERROR);
    }

    /** Whether each line is a JSON object. */
    public boolean isJson() {
        return json;
    }

    /**
     * Logs an event, whether or not it is expected.
     *
     * @param event  its name, of lower-case words with hyphens
     * @param fields a key, its value, and so on; keys are words such as {@code account}, no value is a secret, and one that is
     *               null is left out with its key
     */
    public void info(String event, Object... fields) {
        write(Level.INFO, event, fields, List.of());
    }

    /** Logs an event that an administrator should look at. */
    public void warn(String event, Object... fields) {
        write(Level.WARN, event, fields, List.of());
    }

    /** Logs a failure with its stack trace, or counts it when it is repeated. Throws nothing. */
    public void error(String event, Throwable failure, Object... fields) {
        try {
            if (isFirst(new Failure(event, shortened(failure.toString())))) {
                Object[] all = Stream.concat(Stream.of(fields), Stream.of("failure", failure)).toArray();
                write(Level.ERROR, event, all, trace(failure));
            }
        } catch (Throwable unwritten) {
            // The caller's own work goes on, such as an answer that reports the failure.
        }
    }

    // ---- repeated failures

    private boolean isFirst(Failure failure) {
        synchronized (failures) {
            Failure counted = failures.containsKey(failure) || failures.size() < MAX_FAILURES ? failure : Failure.OTHERS;
            Repetitions known = failures.putIfAbsent(counted, new Repetitions(clock.millis()));
            if (known != null) {
                known.times++;
            }
            return known == null;
        }
    }

    /** Logs the numbers of repeated failures. @param all also of those whose minute has not passed: at the end of a run */
    public void sumUp(boolean all) {
        List<Object[]> lines = new ArrayList<>();
        synchronized (failures) {
            long now = clock.millis();
            for (Map.Entry<Failure, Repetitions> each : List.copyOf(failures.entrySet())) {
                Repetitions known = each.getValue();
                boolean isOver = now < known.since || now - known.since >= INTERVAL; // a clock that is set back ends the interval
                if (known.times > 0 && (all || isOver)) {
                    lines.add(new Object[] {"of", each.getKey().event, "failure", each.getKey().text, "times", known.times,
                        "seconds", Math.max(0, (now - known.since) / 1_000)});
                    failures.put(each.getKey(), new Repetitions(now));
                } else if (isOver) {
                    failures.remove(each.getKey());
                }
            }
        }
        lines.forEach(line -> write(Level.ERROR, "repeated", line, List.of()));
    }

    // ---- lines

    private void write(Level level, String event, Object[] fields, List<String> trace) {
        if (level.compareTo(lowest) < 0) {
            return;
        }
        StringBuilder line = new StringBuilder(200).append(json ? "\"event\":\"" + event + "\"" : event);
        for (int i = 0; i + 1 < fields.length; i += 2) {
            if (fields[i + 1] != null) {
                line.append(json ? ",\"" : " ").append(fields[i]).append(json ? "\":" : "=").append(text(fields[i + 1]));
            }
        }
        if (!trace.isEmpty()) {
            line.append(json ? ",\"trace\":[" : "\n    ").append(trace.stream().map(Log::quoted)
                    .map(each -> json ? each : each.substring(1, each.length() - 1))
                    .collect(Collectors.joining(json ? "," : "\n    "))).append(json ? "]" : "");
        }
        output.write(level, line.append(json ? "}" : "").toString());
    }

    private String text(Object value) {
        String text = value instanceof Instant instant ? Timestamp.format(instant) : value.toString();
        boolean isPlain = value instanceof Number || value instanceof Boolean || !json && !text.isEmpty()
                && text.chars().allMatch(letter -> letter > ' ' && letter < 127 && "\"=\\".indexOf(letter) < 0);
        return isPlain && text.length() <= MAX_VALUE_CHARACTERS ? text : quoted(shortened(text));
    }

    private static String shortened(String text) {
        return text.length() <= MAX_VALUE_CHARACTERS ? text : text.substring(0, MAX_VALUE_CHARACTERS) + "...";
    }

    /** A JSON string of ASCII characters (RFC 8259, 7). */
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

    /** The frames of a failure and of its causes; empty for one that was made without a stack trace. */
    private static List<String> trace(Throwable failure) {
        return failure.getStackTrace().length == 0 ? List.of()
                : Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(MAX_CAUSES).flatMap(cause -> Stream.concat(
                        cause == failure ? Stream.empty() : Stream.of("caused by " + shortened(cause.toString())),
                        Stream.of(cause.getStackTrace()).limit(MAX_FRAMES).map(frame -> "at " + frame))).toList();
    }
}
