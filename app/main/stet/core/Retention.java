package stet.core;

import java.time.Duration;
import java.time.Instant;

/**
 * The progress of data retention. The age of data is measured from the horizon, which lags behind the clock.
 *
 * <pre>
 * a day after the mark ─► the horizon moves to the mark, by at most two days ─► the mark moves to now
 * </pre>
 *
 * <p>A clock that is wrong for less than a day therefore causes no early deletion. A clock that is wrong for longer moves the
 * horizon by at most two days per day. After a long downtime, the horizon catches up.
 *
 * @param horizon  time from which the age of data is measured; never later than the clock
 * @param markedAt the mark: time of the last update; the epoch before the first update
 */
public record Retention(Instant horizon, Instant markedAt) {
    private static final Duration DAY = Duration.ofDays(1);

    /** Advances the horizon and the mark if a day has passed. @param oldest start of the oldest data that could be deleted */
    public Retention advanced(Instant now, Instant oldest) {
        if (markedAt.equals(Instant.EPOCH)) {
            return new Retention(now, now);
        }
        if (now.isBefore(markedAt)) { // the clock was set back
            return new Retention(earlier(horizon, now), now);
        }
        if (now.isBefore(markedAt.plus(DAY))) {
            return this;
        }
        Instant begin = horizon.isBefore(oldest) ? earlier(oldest, markedAt) : horizon;
        return new Retention(earlier(markedAt, begin.plus(DAY).plus(DAY)), now);
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }
}
