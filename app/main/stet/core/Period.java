package stet.core;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;

/**
 * A period of a quota, start included, end excluded (api.md, Quota).
 *
 * <pre>
 * Free  created ─ 30 days ─┬─ 30 days ─┬─ 30 days ─┬─ …
 * Pro   Jan 31 ─── Feb 28 ─── Mar 31 ─── Apr 30 ─── …   always counted from the anchor itself
 * </pre>
 */
public record Period(Instant start, Instant end) {
    /** No period is longer. */
    public static final Duration LONGEST = Duration.ofDays(31);
    private static final Duration FREE_PERIOD = Duration.ofDays(30);

    /** The window of 30 times 24 hours, counted from the account's creation, that {@code now} lies in. */
    public static Period free(Instant created, Instant now) {
        long number = Math.floorDiv(now.toEpochMilli() - created.toEpochMilli(), FREE_PERIOD.toMillis());
        Instant start = created.plus(FREE_PERIOD.multipliedBy(number));
        return new Period(start, start.plus(FREE_PERIOD));
    }

    /** The month of the billing cycle that {@code now} lies in. In a shorter month it begins on the last day. */
    public static Period pro(Instant anchor, Instant now) {
        ZonedDateTime first = anchor.atZone(ZoneOffset.UTC);
        // MONTHS.between is off by one where a month's end was clamped, so two loops correct it.
        long number = ChronoUnit.MONTHS.between(first, now.atZone(ZoneOffset.UTC));
        while (!first.plusMonths(number + 1).toInstant().isAfter(now)) {
            number++;
        }
        while (first.plusMonths(number).toInstant().isAfter(now)) {
            number--;
        }
        return new Period(first.plusMonths(number).toInstant(), first.plusMonths(number + 1).toInstant());
    }

    /** Its length in whole seconds. */
    public long seconds() {
        return Duration.between(start, end).toSeconds();
    }

    /** Whole seconds from {@code now} to the end, rounded up: at least 1 inside the period. */
    public long secondsLeft(Instant now) {
        return Math.floorDiv(Duration.between(now, end).toMillis() + 999, 1_000);
    }
}
