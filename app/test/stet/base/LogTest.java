package stet.base;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each event is one line, whatever it contains, and repeated failures take few lines. */
class LogTest {
    private static final String TIME = "2026-01-31T09:00:00.000Z";

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final AtomicLong now = new AtomicLong(Instant.parse(TIME).toEpochMilli());
    private final Clock clock = new Clock() {
        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(now.get());
        }

        @Override
        public ZoneOffset getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    };
    private Log log;

    private void open(boolean json) {
        log = log(written, json);
    }

    /** Formats lines like slf4j-simple. */
    private Log log(ByteArrayOutputStream to, boolean json) {
        PrintStream out = new PrintStream(to, true, StandardCharsets.UTF_8);
        return new Log((level, message) -> out.print((json ? "{\"time\":\"%s\", \"level\": \"%s\",%s\n" : "%s %s %s\n")
                .formatted(Timestamp.format(clock.instant()), level, message)), clock, json, Log.LogLevel.INFO);
    }

    private String written() {
        String text = written.toString(StandardCharsets.UTF_8);
        written.reset();
        return text;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ada@example.com              | ada@example.com
            /var/lib/stet                | /var/lib/stet
            two words                    | "two words"
            ``                           | ""
            a=b                          | "a=b"
            say "hi" \\                  | "say \\"hi\\" \\\\"
            Ad\u00e9                     | "Ad\\u00e9"
            """)
    void aValueIsWrittenAsItIsOrAsAJsonString(String value, String text) {
        open(false);
        log.info("tested", "value", value);
        assertEquals(TIME + " INFO tested value=" + text + "\n", written());
    }

    /** Line breaks, terminal sequences, text directions, surrogates and quotes. */
    static List<String> hostileValues() {
        return List.of("x\r\n2026-01-31T09:00:00.000Z WARN sign-in-failed address=192.0.2.9", "x\n{\"event\":\"started\"}",
                "\u001b[2J\u001b[31mred", "\u202egnp.exe", "\u0085\u2028\u2029", "\u0000\u0007\b\u007f", "\u009b31m", "\ud800", "\" event=\"forged");
    }

    /** Logs a warning and a failure with a value. @return the lines, which are printable ASCII */
    private List<String> linesWith(String value) {
        log.warn("tested", "value", value, "last", 7);
        log.error("failed", new IllegalStateException(value, new IOException(value)), "value", value);
        log.sumUp(true);
        String text = written();
        assertTrue(text.chars().allMatch(letter -> letter == '\n' || letter >= ' ' && letter < 127), text);
        return text.lines().toList();
    }

    @ParameterizedTest
    @MethodSource("hostileValues")
    void aHostileValueStaysInItsLineOfText(String value) {
        open(false);
        List<String> lines = linesWith(value);
        assertEquals(2, lines.stream().filter(line -> line.startsWith("20")).count(), lines.toString());
        assertTrue(lines.stream().skip(2).allMatch(line -> line.matches(" {4}(?:at|caused by) .*")), lines.toString());
        assertTrue(lines.get(0).endsWith(" last=7"));
    }

    @ParameterizedTest
    @MethodSource("hostileValues")
    void aHostileValueStaysInItsFieldOfJson(String value) throws IOException {
        open(true);
        List<String> lines = linesWith(value);
        assertEquals(2, lines.size());
        JsonNode warning = new ObjectMapper().readTree(lines.get(0));
        assertEquals(List.of("time", "level", "event", "value", "last"), names(warning));
        assertEquals(value, warning.get("value").textValue());
        assertEquals(7, warning.get("last").intValue());
        JsonNode failure = new ObjectMapper().readTree(lines.get(1));
        assertEquals(List.of("time", "level", "event", "value", "failure", "trace"), names(failure));
        assertEquals("java.lang.IllegalStateException: " + value, failure.get("failure").textValue());
        assertTrue(IntStream.range(0, failure.get("trace").size()).mapToObj(failure.get("trace")::get)
                .anyMatch(frame -> frame.textValue().equals("caused by java.io.IOException: " + value)));
    }

    private static List<String> names(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    @Test
    void aJsonLineHasNumbersBooleansAndTimesAndOmitsNulls() {
        open(true);
        log.info("tested", "count", 3, "share", 0.5, "is", true, "none", null, "at", Instant.parse("2026-02-01T00:00:00Z"));
        assertEquals("{\"time\":\"" + TIME + "\", \"level\": \"INFO\",\"event\":\"tested\",\"count\":3,\"share\":0.5,\"is\":true,"
                + "\"at\":\"2026-02-01T00:00:00.000Z\"}\n", written());
    }

    @Test
    void aValueAndATraceAreBounded() {
        open(false);
        Throwable deep = new IllegalStateException("x".repeat(100_000));
        StackTraceElement[] frames = new StackTraceElement[5_000];
        Arrays.fill(frames, new StackTraceElement("A", "a", "A.java", 1));
        Throwable last = deep;
        for (int i = 0; i < 50; i++) {
            last.setStackTrace(frames);
            last.initCause(new IllegalStateException("y".repeat(100_000)));
            last = last.getCause();
        }
        last.setStackTrace(frames);
        log.error("failed", deep, "value", "z".repeat(100_000));
        String text = written();
        assertTrue(text.length() < 20_000, () -> text.length() + " characters");
    }

    // ---- repeated failures

    private static Throwable full() {
        return new IllegalStateException("the disk is full");
    }

    private void pass(int seconds) {
        now.addAndGet(seconds * 1_000L);
        log.sumUp(false);
    }

    @Test
    void aFailureUnderLoadIsALineAndANumberAMinute() throws Exception {
        open(false);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        Callable<Void> failing = () -> {
            for (int i = 0; i < 5_000; i++) {
                log.error("request-failed", full(), "path", "/" + i);
            }
            return null;
        };
        for (Future<Void> done : threads.invokeAll(List.of(failing, failing, failing, failing))) {
            done.get();
        }
        threads.shutdown();
        pass(59);
        String first = written();
        assertEquals(1, first.lines().filter(line -> line.startsWith("20")).count(), first);
        assertTrue(first.length() < 10_000);
        pass(1);
        assertEquals("2026-01-31T09:01:00.000Z ERROR repeated of=request-failed"
                + " failure=\"java.lang.IllegalStateException: the disk is full\" times=19999 seconds=60\n", written());
    }

    @Test
    void aFailureAfterAQuietMinuteHasALineOfItsOwnAgain() {
        open(false);
        log.error("request-failed", full());
        log.error("request-failed", full());
        pass(60);
        written();
        pass(30);
        log.error("request-failed", full());
        pass(29);
        assertEquals("", written());
        pass(1);
        assertTrue(written().endsWith(" times=1 seconds=60\n"));
        pass(60);
        assertEquals("", written());
        log.error("request-failed", full());
        assertTrue(written().startsWith("2026-01-31T09:03:00.000Z ERROR request-failed failure="));
    }

    @Test
    void theEndLogsTheRest() {
        open(false);
        for (int i = 0; i < 3; i++) {
            log.error("request-failed", full());
        }
        written();
        now.addAndGet(5_000);
        log.sumUp(true);
        assertTrue(written().endsWith(" times=2 seconds=5\n"));
    }

    @Test
    void manyDifferentFailuresAreBoundedToo() {
        open(false);
        for (int i = 0; i < 10_000; i++) {
            log.error("request-failed", new IllegalStateException("number " + i));
        }
        String text = written();
        assertEquals(101, text.lines().filter(line -> line.startsWith("20")).count());
        pass(60);
        assertEquals("2026-01-31T09:01:00.000Z ERROR repeated of=others failure=\"\" times=9899 seconds=60\n", written());
    }

    @Test
    void aClockThatIsSetBackEndsTheMinute() {
        open(false);
        log.error("request-failed", full());
        log.error("request-failed", full());
        written();
        pass(-3_600);
        assertTrue(written().endsWith(" times=1 seconds=0\n"));
    }

    @Test
    void warningsAreNeverCounted() {
        open(false);
        for (int i = 0; i < 500; i++) {
            log.warn("sign-in-failed", "address", "192.0.2.1");
        }
        assertEquals(500, written().lines().count());
    }

    @Test
    void twoLogsShareNothing() {
        open(false);
        ByteArrayOutputStream other = new ByteArrayOutputStream();
        Throwable failure = full();
        log.error("request-failed", failure);
        log(other, false).error("request-failed", failure);
        assertEquals(written(), other.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aLogOfWarningsOmitsInformation() {
        List<String> lines = new ArrayList<>();
        Log warnings = new Log((level, message) -> lines.add(level + " " + message), clock, false, Log.LogLevel.WARN);
        warnings.info("sign-in");
        warnings.warn("clock-set-back", "to", Instant.parse("2026-02-01T00:00:00Z"));
        warnings.error("work-failed", new NoTrace());
        assertEquals(List.of("WARN clock-set-back to=2026-02-01T00:00:00.000Z",
                "ERROR work-failed failure=\"" + NoTrace.class.getName() + ": odd\""), lines);
    }

    private static final class NoTrace extends RuntimeException {
        private static final long serialVersionUID = 1;

        NoTrace() {
            super("odd", null, false, false);
        }
    }

    /** The response must still be sent. */
    @Test
    void aFailureThatCannotBeWrittenIsNotThrown() {
        Log broken = new Log((level, message) -> {
            throw new IllegalStateException("no output");
        }, clock, false, Log.LogLevel.INFO);
        assertDoesNotThrow(() -> broken.error("request-failed", full()));
    }
}
