package stet.server;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import stet.base.Log;

/** Logs jumps of the system clock, for example after sleep, because a jump can move requests into another quota period. */
final class ClockSteps {
    /** Minimum size of a jump; smaller steps are ordinary clock adjustments. */
    private static final Duration STEP = Duration.ofMinutes(1);

    private final Clock clock;
    private final Log log;
    private Instant last;
    private long lastNanos = System.nanoTime();

    ClockSteps(Clock clock, Log log) {
        this.clock = clock;
        this.log = log;
        this.last = clock.instant();
    }

    /** Logs a jump since the last call. */
    void check() {
        Instant now = clock.instant();
        long nanos = System.nanoTime();
        Instant expected = last.plusSeconds((nanos - lastNanos) / 1_000_000_000);
        if (now.isAfter(expected.plus(STEP))) {
            log.warn("clock-set-forward", "from", last, "to", now);
        } else if (now.isBefore(expected.minus(STEP))) {
            log.warn("clock-set-back", "from", last, "to", now);
        }
        last = now;
        lastNanos = nanos;
    }
}
