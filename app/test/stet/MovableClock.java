package stet;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.function.Supplier;

/** A clock that is stopped until a test moves it or makes it fail. */
final class MovableClock extends Clock {
    private volatile Supplier<Instant> now;

    MovableClock(String instant) {
        set(instant);
    }

    void set(String instant) {
        Instant standing = Instant.parse(instant);
        now = () -> standing;
    }

    void advance(Duration by) {
        Instant standing = instant().plus(by);
        now = () -> standing;
    }

    /** Makes each reading fail until the clock is set again. */
    void fail(Supplier<? extends Throwable> failure) {
        now = () -> MovableClock.<RuntimeException, Instant>sneak(failure.get());
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable, R> R sneak(Throwable failure) throws T {
        throw (T) failure;
    }

    @Override
    public Instant instant() {
        return now.get();
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
