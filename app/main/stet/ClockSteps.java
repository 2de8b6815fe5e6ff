package stet;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import stet.core.Log;

/** Logs a step of the machine's clock, as the counts then continue in another period; also the sleep of a machine. */
final class ClockSteps {
    /** Smaller steps are ordinary clock adjustment. */
    private static final Duration STEP = Duration.ofMinutes(1);

    private final Clock clock;
    private final Log log;
    private Instant last;

    ClockSteps(Clock clock, Log log) {
        this.clock = clock;
        this.log = log;
        this.last = clock.instant();
    }

    /** Compares the time with that of the last call; to be called every second, by one thread. */
    void check() {
        Instant now = clock.instant();
        if (now.isAfter(last.plus(STEP))) {
            log.warn("clock-set-forward", "from", last, "to", now);
        } else if (now.isBefore(last.minus(STEP))) {
            log.warn("clock-set-back", "from", last, "to", now);
        }
        last = now;
    }
}
