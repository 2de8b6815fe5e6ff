package stet;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.atomic.AtomicLong;
import stet.core.Log;

/**
 * The machine's clock in milliseconds. A step is logged once, as the counts then go on in another period. The server reads it
 * every second, so that a longer time between two reads is a step, or a machine that slept.
 */
final class WatchedClock extends Clock {
    /** Smaller steps are what keeps a clock right. */
    private static final long STEP = Duration.ofMinutes(1).toMillis();

    private static final long NEVER = Long.MIN_VALUE;

    private final Clock clock;
    private final Log log;
    /** The latest time that was read, since the last step back. */
    private final AtomicLong latest = new AtomicLong(NEVER);

    WatchedClock(Clock clock, Log log) {
        this.log = log;
        this.clock = clock;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }

    @Override
    public long millis() {
        long now = clock.millis();
        long before = latest.get();
        if (now > before) {
            // A read that fails to set it has a neighbour that read almost the same.
            if (latest.compareAndSet(before, now) && now - STEP > before && before != NEVER) {
                log.warn("clock-set-forward", "from", Instant.ofEpochMilli(before), "to", Instant.ofEpochMilli(now));
            }
        } else if (now < before - STEP && latest.compareAndSet(before, now)) {
            log.warn("clock-set-back", "from", Instant.ofEpochMilli(before), "to", Instant.ofEpochMilli(now));
        }
        return now;
    }

    @Override
    public ZoneId getZone() {
        return clock.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return new WatchedClock(clock.withZone(zone), log);
    }
}
