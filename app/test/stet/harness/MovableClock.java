package stet.harness;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.function.Supplier;

/** A clock that is stopped until a test moves it or makes it fail. */
public final class MovableClock extends Clock {
    private volatile Supplier<Instant> now;

    public MovableClock(String instant) {
        set(instant);
    }

    public void set(String instant) {
        Instant standing = Instant.parse(instant);
        now = () -> standing;
    }

    public void advance(Duration by) {
        Instant standing = instant().plus(by);
        now = () -> standing;
    }

    /** Shows a later time to a class and what it calls. */
    public void showLater(Duration by, String reader) {
        Instant standing = instant();
        now = () -> StackWalker.getInstance().walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(reader)))
                ? standing.plus(by) : standing;
    }

    /** Makes each reading fail until the clock is set again. */
    public void fail(Supplier<? extends Throwable> failure) {
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
