package stet.core;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;

/**
 * A quota period with an inclusive start and an exclusive end (api.md, Quota).
 *
 * <pre>
 * Free  created ─ 30 days ─┬─ 30 days ─┬─ 30 days ─┬─ …
 * Pro   Jan 31 ─── Feb 28 ─── Mar 31 ─── Apr 30 ─── …   always counted from the anchor itself
 * </pre>
 */
public record Period(Instant start, Instant end) {
    /** Maximum length of a period. */
    public static final Duration LONGEST = Duration.ofDays(31);
    private static final Duration FREE_PERIOD = Duration.ofDays(30);

    /** The current window of 30 days (24 hours each), counted from account creation. */
    public static Period free(Instant created, Instant now) {
        long number = Math.floorDiv(now.toEpochMilli() - created.toEpochMilli(), FREE_PERIOD.toMillis());
        Instant start = created.plus(FREE_PERIOD.multipliedBy(number));
        return new Period(start, start.plus(FREE_PERIOD));
    }

    /** The current billing month. In a month without the anchor's day, the period starts on the last day of the month. */
    public static Period pro(Instant anchor, Instant now) {
        ZonedDateTime first = anchor.atZone(ZoneOffset.UTC);
        // MONTHS.between is off by one if the day was clamped to a month's end; two loops correct this.
        long number = ChronoUnit.MONTHS.between(first, now.atZone(ZoneOffset.UTC));
        while (!first.plusMonths(number + 1).toInstant().isAfter(now)) {
            number++;
        }
        while (first.plusMonths(number).toInstant().isAfter(now)) {
            number--;
        }
        return new Period(first.plusMonths(number).toInstant(), first.plusMonths(number + 1).toInstant());
    }

    /** Length in whole seconds. */
    public long seconds() {
        return Duration.between(start, end).toSeconds();
    }

    /** Seconds from {@code now} to the end, rounded up: at least 1 within the period. */
    public long secondsLeft(Instant now) {
        return Math.floorDiv(Duration.between(now, end).toMillis() + 999, 1_000);
    }
}
