package stet.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Quota reset (api.md, Quota): every 30 days from creation for Free, monthly from the billing anchor for Pro. */
class PeriodTest {

    @ParameterizedTest(name = "created {0}, at {1}")
    @CsvSource(textBlock = """
            # created,             now,                      start,                end
            2026-01-01T00:00:00Z,  2026-01-01T00:00:00Z,     2026-01-01T00:00:00Z, 2026-01-31T00:00:00Z
            2026-01-01T00:00:00Z,  2026-01-30T23:59:59.999Z, 2026-01-01T00:00:00Z, 2026-01-31T00:00:00Z
            2026-01-01T00:00:00Z,  2026-01-31T00:00:00Z,     2026-01-31T00:00:00Z, 2026-03-02T00:00:00Z
            2024-02-29T12:34:56.789Z, 2024-03-30T12:34:56.788Z, 2024-02-29T12:34:56.789Z, 2024-03-30T12:34:56.789Z
            2024-02-29T12:34:56.789Z, 2024-03-30T12:34:56.789Z, 2024-03-30T12:34:56.789Z, 2024-04-29T12:34:56.789Z
            # across the change of clocks in Europe and America: 30 times 24 hours
            2026-03-28T00:30:00Z,  2026-04-27T00:29:59.999Z, 2026-03-28T00:30:00Z, 2026-04-27T00:30:00Z
            # before the creation, where a clock was set back
            2026-01-01T00:00:00Z,  2025-12-31T23:59:59.999Z, 2025-12-02T00:00:00Z, 2026-01-01T00:00:00Z
            """)
    void aFreePeriodIsThirtyDays(Instant created, Instant now, Instant start, Instant end) {
        assertEquals(new Period(start, end), Period.free(created, now));
    }

    /** The anchor's day in each month, or the last day of a shorter one: https://docs.stripe.com/billing/subscriptions/billing-cycle. */
    @ParameterizedTest(name = "anchor {0}")
    @ValueSource(strings = {"2023-01-29T10:00:00Z", "2023-01-30T10:00:00Z", "2023-01-31T10:00:00Z", "2024-01-31T10:00:00Z",
        "2023-12-31T23:59:59.999Z", "2024-02-29T00:00:00Z", "2023-02-28T00:00:00Z", "2026-10-31T01:30:00Z", "2024-12-30T00:00:00.001Z"})
    void proFollowsTheAnchorFor48Months(Instant anchor) {
        LocalDate day = anchor.atZone(ZoneOffset.UTC).toLocalDate();
        Duration time = Duration.between(day.atStartOfDay(ZoneOffset.UTC).toInstant(), anchor);
        Instant[] boundaries = new Instant[50];
        for (int k = 0; k < boundaries.length; k++) {
            YearMonth month = YearMonth.from(day).plusMonths(k);
            boundaries[k] = month.atDay(Math.min(day.getDayOfMonth(), month.lengthOfMonth()))
                    .atStartOfDay(ZoneOffset.UTC).toInstant().plus(time);
        }
        Random random = new Random(1);
        for (int k = 0; k < 48; k++) {
            Period period = new Period(boundaries[k], boundaries[k + 1]);
            long length = Duration.between(period.start(), period.end()).toMillis();
            assertEquals(period, Period.pro(anchor, period.start()));
            assertEquals(period, Period.pro(anchor, period.end().minusMillis(1)));
            for (int i = 0; i < 20; i++) {
                assertEquals(period, Period.pro(anchor, period.start().plusMillis(random.nextLong(length))));
            }
        }
    }

    @Test
    void everyInstantBelongsToExactlyOnePeriod() {
        Random random = new Random(2);
        long decade = Duration.ofDays(3_653).toMillis();
        Instant base = Instant.parse("2020-01-01T00:00:00Z");
        for (int i = 0; i < 20_000; i++) {
            Instant anchor = base.plusMillis(random.nextLong(decade));
            Instant now = base.plusMillis(random.nextLong(decade)); // also before the anchor
            for (boolean pro : new boolean[] {false, true}) {
                Period period = period(pro, anchor, now);
                assertTrue(!now.isBefore(period.start()) && now.isBefore(period.end()), () -> anchor + " " + now);
                assertEquals(period, period(pro, anchor, period.start()));
                assertEquals(period.start(), period(pro, anchor, period.start().minusMillis(1)).end());
                assertEquals(period.end(), period(pro, anchor, period.end()).start());
                assertTrue(period.secondsLeft(now) >= 1 && period.secondsLeft(now) <= period.seconds());
            }
        }
    }

    private static Period period(boolean pro, Instant anchor, Instant now) {
        return pro ? Period.pro(anchor, now) : Period.free(anchor, now);
    }

    @ParameterizedTest
    @CsvSource({"0, 2592000", "1, 2592000", "999, 2592000", "1000, 2591999", "2591999000, 1", "2591999999, 1"})
    void secondsLeftAreRoundedUp(long millis, long left) {
        Instant created = Instant.parse("2026-01-01T00:00:00Z");
        assertEquals(left, Period.free(created, created).secondsLeft(created.plusMillis(millis)));
    }
}
