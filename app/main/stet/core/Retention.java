package stet.core;

import java.time.Duration;
import java.time.Instant;

/**
 * How far retention has come. What is kept for a time is removed when that time has passed before the horizon.
 *
 * <pre>
 * a day after the mark ─► the horizon moves to the mark, by two days at most ─► the mark moves to now
 * </pre>
 *
 * <p>So a clock that is wrong for less than a day removes nothing early, and one that is wrong for longer two days a day at most.
 * A service that was off for long catches up.
 *
 * @param horizon  is never after the time of the clock
 * @param markedAt time of the clock at the last move; the epoch before the first one
 */
public record Retention(Instant horizon, Instant markedAt) {
    private static final Duration DAY = Duration.ofDays(1);

    /** Retention at a time of the clock. @param oldest time before which there is nothing that could be removed */
    public Retention at(Instant now, Instant oldest) {
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
