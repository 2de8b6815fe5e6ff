package stet.core;

import java.io.PrintStream;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * The log: one line for each event, as text or as a JSON object. Lines are ASCII: all else is escaped, so that nothing that
 * a client sent begins a line, hides one or looks like one.
 *
 * <pre>
 * 2026-01-31T09:00:00.000Z WARN sign-in-failed address=192.0.2.7 email="ada@example.com"
 * {"time":"2026-01-31T09:00:00.000Z","level":"WARN","event":"sign-in-failed","address":"192.0.2.7","email":"ada@example.com"}
 * </pre>
 *
 * <p>A failure that happens again is counted instead of written:
 *
 * <pre>
 * first: line with trace ── again: counted ── a minute later: "repeated", with the number ── a minute without one: forgotten
 * </pre>
 */
public final class Log implements AutoCloseable {
    /** Seconds from one line about a failure to the next. */
    private static final int INTERVAL_SECONDS = 60;
    /** Different failures that are counted at a time; all others are counted as one. */
    private static final int MAX_FAILURES = 100;
    /** Characters of a value, at most. */
    private static final int MAX_CHARACTERS = 1_000;
    private static final int MAX_FRAMES = 40;
    private static final int MAX_CAUSES = 5;

    private enum Level { INFO, WARN, ERROR }

    /** The log of this process: warnings and failures on stderr, until a serve opens its own. */
    private static volatile Log current = new Log(() -> System.err, Clock.systemUTC(), false, Level.WARN, null);

    private final Supplier<PrintStream> out;
    private final Clock clock;
    private final boolean json;
    private final Level lowest;
    /** The log that this one stands in for, or null. */
    private final Log before;
    private final Map<Failure, Repeated> failures = new LinkedHashMap<>();

    private record Failure(String event, String text) {
        static final Failure OTHERS = new Failure("others", "");
    }

    /** A failure that was written. */
    private static final class Repeated {
        /** Time of its last line, in ms. */
        long since;
        /** Times that it happened after that. */
        long times;

        Repeated(long since) {
            this.since = since;
        }

        /** A clock that was set back ends the minute. */
        boolean isDue(long now) {
            return now < since || now - since >= INTERVAL_SECONDS * 1_000L;
        }
    }

    private Log(Supplier<PrintStream> out, Clock clock, boolean json, Level lowest, Log before) {
        this.out = out;
        this.clock = clock;
        this.json = json;
        this.lowest = lowest;
        this.before = before;
    }

    /**
     * Makes a stream the log of this process, with all its events, until the result is closed.
     *
     * @param json whether each line is a JSON object
     */
    public static Log open(PrintStream out, Clock clock, boolean json) {
        Log opened = new Log(() -> out, clock, json, Level.INFO, current);
        current = opened;
        Libraries.adopt();
        return opened;
    }

    /**
     * Writes an event, whether or not it is expected.
     *
     * @param event         its name, of lower-case words with hyphens
     * @param keysAndValues a key, its value, and so on; keys are words such as {@code account}, no value is a secret, and one
     *                      that is null is left out with its key
     */
    public static void info(String event, Object... keysAndValues) {
        current.write(Level.INFO, event, null, keysAndValues);
    }

    /** Writes an event that an operator should look at. */
    public static void warn(String event, Object... keysAndValues) {
        current.write(Level.WARN, event, null, keysAndValues);
    }

    /** Writes a failure with its stack trace, or counts it when it was written less than a minute ago. */
    public static void error(String event, Throwable failure, Object... keysAndValues) {
        Log log = current;
        if (log.isFirst(new Failure(event, shortened(failure.toString())))) {
            log.write(Level.ERROR, event, failure, keysAndValues);
        }
    }

    /** Writes the numbers of repeated failures that are due; to be called every second. */
    public static void tick() {
        current.sumUp(false);
    }

    /** Writes the numbers of all repeated failures, before the last line of a run. */
    public static void sumUp() {
        current.sumUp(true);
    }

    /** Whether each line is a JSON object. */
    public static boolean isJson() {
        return current.json;
    }

    /** Writes the numbers of all repeated failures, and gives the log back. */
    @Override
    public void close() {
        sumUp(true);
        if (current == this) {
            current = before;
        }
    }

    // ---- repeated failures

    private boolean isFirst(Failure failure) {
        synchronized (failures) {
            boolean isOther = !failures.containsKey(failure) && failures.size() >= MAX_FAILURES;
            Failure kept = isOther ? Failure.OTHERS : failure;
            Repeated known = failures.putIfAbsent(kept, new Repeated(clock.millis()));
            if (known != null) {
                known.times++;
            }
            return known == null;
        }
    }

    private void sumUp(boolean all) {
        List<Object[]> lines = new ArrayList<>();
        synchronized (failures) {
            long now = clock.millis();
            failures.values().removeIf(known -> known.times == 0 && (all || known.isDue(now)));
            failures.forEach((failure, known) -> {
                if (all || known.isDue(now)) {
                    lines.add(new Object[] {"of", failure.event, "failure", failure.text, "times", known.times,
                        "seconds", Math.max(0, (now - known.since) / 1_000)});
                    known.times = 0;
                    known.since = now;
                }
            });
        }
        lines.forEach(line -> write(Level.ERROR, "repeated", null, line));
    }

    // ---- lines

    private void write(Level level, String event, Throwable failure, Object... keysAndValues) {
        if (level.compareTo(lowest) < 0) {
            return;
        }
        StringBuilder line = new StringBuilder(200);
        if (json) {
            line.append("{\"time\":\"").append(Timestamp.format(clock.instant()))
                    .append("\",\"level\":\"").append(level).append('"');
            add(line, "event", event);
        } else {
            line.append(Timestamp.format(clock.instant())).append(' ').append(level).append(' ').append(event);
        }
        for (int i = 0; i + 1 < keysAndValues.length; i += 2) {
            if (keysAndValues[i + 1] != null) {
                add(line, (String) keysAndValues[i], keysAndValues[i + 1]);
            }
        }
        if (failure != null) {
            add(line, "failure", failure.toString());
            if (failure.getStackTrace().length > 0) { // else it was made without one: its text says all
                addTrace(line, failure);
            }
        }
        line.append(json ? "}\n" : "\n");
        PrintStream stream = out.get();
        synchronized (stream) {
            stream.print(line);
            stream.flush();
        }
    }

    private void add(StringBuilder line, String key, Object value) {
        line.append(json ? ",\"" : " ").append(key).append(json ? "\":" : "=");
        String text = value instanceof Instant instant ? Timestamp.format(instant) : value.toString();
        if (value instanceof Number || value instanceof Boolean || !json && isPlain(text)) {
            line.append(text);
        } else {
            line.append(quoted(shortened(text)));
        }
    }

    private static boolean isPlain(String text) {
        return !text.isEmpty() && text.length() <= MAX_CHARACTERS
                && text.chars().allMatch(letter -> letter > ' ' && letter < 127
                && letter != '"' && letter != '=' && letter != '\\');
    }

    private static String shortened(String text) {
        return text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS) + "...";
    }

    /** A JSON string of ASCII characters (RFC 8259, 7). */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
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

    /** Appends the frames of a failure and its causes: as lines that begin with blanks, or as a list of texts. */
    private void addTrace(StringBuilder line, Throwable failure) {
        List<String> trace = new ArrayList<>();
        Throwable cause = failure;
        for (int causes = 0; cause != null && causes <= MAX_CAUSES; causes++) {
            if (causes > 0) {
                trace.add("caused by " + shortened(cause.toString()));
            }
            StackTraceElement[] frames = cause.getStackTrace();
            Stream.of(frames).limit(MAX_FRAMES).forEach(frame -> trace.add("at " + frame));
            if (frames.length > MAX_FRAMES) {
                trace.add("at " + (frames.length - MAX_FRAMES) + " more");
            }
            cause = cause.getCause();
        }
        List<String> quoted = trace.stream().map(Log::quoted).toList();
        if (json) {
            line.append(",\"trace\":[").append(String.join(",", quoted)).append(']');
        } else {
            quoted.forEach(each -> line.append("\n    ").append(each, 1, each.length() - 1));
        }
    }

    /** Warnings of the JDK and of libraries, as lines of the log. */
    private static final class Libraries extends Handler {
        private static boolean adopted;

        static synchronized void adopt() {
            if (!adopted && System.getProperty("java.util.logging.config.file") == null) {
                adopted = true;
                Logger root = Logger.getLogger("");
                List.of(root.getHandlers()).forEach(root::removeHandler);
                root.addHandler(new Libraries());
            }
        }

        @Override
        public void publish(LogRecord logged) {
            if (logged.getLevel().intValue() < java.util.logging.Level.WARNING.intValue()) {
                return;
            }
            if (logged.getThrown() != null) {
                error("library", logged.getThrown(), "name", logged.getLoggerName(), "message", logged.getMessage());
            } else {
                warn("library", "name", logged.getLoggerName(), "message", logged.getMessage());
            }
        }

        @Override
        public void flush() {
            // Each line is written at once.
        }

        @Override
        public void close() {
            // The stream is its opener's.
        }
    }
}
