package stet.base;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** API timestamps (api.md, The template): ISO 8601 in UTC, always with three fractional digits and a Z. */
public final class Timestamp {
    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final DateTimeFormatter FILE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final Instant EARLIEST = Instant.parse("0000-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

    private Timestamp() {
    }

    /** Formats a time for the API and the database, such as 2026-01-31T09:00:00.000Z; truncated to milliseconds. */
    public static String format(Instant instant) {
        return FORMAT.format(instant);
    }

    /** Formats a time for a file name: 2026-01-31T090000Z. */
    public static String forFile(Instant instant) {
        return FILE.format(instant);
    }

    /** Parses the format of {@link #forFile}. @throws DateTimeException if the text has another format */
    public static Instant ofFile(String text) {
        return FILE.parse(text, Instant::from);
    }

    /** Parses an ISO 8601 time such as 2026-01-31T09:00:00Z, and truncates it to milliseconds. @throws Refusal for any other text */
    public static Instant parse(String field, String text) {
        try {
            Instant instant = Instant.parse(text);
            return Instant.ofEpochMilli(instant.toEpochMilli());
        } catch (DateTimeException | ArithmeticException notAnInstant) {
            throw invalid(field, text);
        }
    }

    /** Like {@link #parse}, but rejects the years before 0 and after 9999, which API timestamps would write with a sign. */
    public static Instant parseFourDigitYear(String field, String text) {
        Instant instant = parse(field, text);
        if (instant.isBefore(EARLIEST) || instant.isAfter(LATEST)) {
            throw invalid(field, text);
        }
        return instant;
    }

    private static Refusal invalid(String field, String text) {
        return new Refusal(field, "\"" + text + "\" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z");
    }
}
