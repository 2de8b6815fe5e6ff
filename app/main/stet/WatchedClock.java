package stet;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.atomic.AtomicLong;
import stet.core.Log;

/** The machine's clock in milliseconds. A step back is logged once, as the counts then go on in an earlier period. */
final class WatchedClock extends Clock {
    /** Smaller steps are what keeps a clock right. */
    private static final long STEP = Duration.ofMinutes(1).toMillis();

    private final Clock clock;
    /** The latest time that was read, since the last step back. */
    private final AtomicLong latest = new AtomicLong(Long.MIN_VALUE);

    WatchedClock(Clock clock) {
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
            latest.compareAndSet(before, now); // who fails has a neighbour that read almost the same
        } else if (now < before - STEP && latest.compareAndSet(before, now)) {
            Log.warn("clock-set-back", "from", Instant.ofEpochMilli(before), "to", Instant.ofEpochMilli(now));
        }
        return now;
    }

    @Override
    public ZoneId getZone() {
        return clock.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return new WatchedClock(clock.withZone(zone));
    }
}
