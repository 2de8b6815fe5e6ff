package stet.core;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still while the one behind it is set back, so that no period begins a second time. Milliseconds. */
public final class SteadyClock extends Clock {
    private final Clock clock;
    private final AtomicLong latest = new AtomicLong(Long.MIN_VALUE);

    public SteadyClock(Clock clock) {
        this.clock = clock;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }

    @Override
    public long millis() {
        return latest.accumulateAndGet(clock.millis(), Math::max);
    }

    @Override
    public ZoneId getZone() {
        return clock.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return new SteadyClock(clock.withZone(zone));
    }
}
