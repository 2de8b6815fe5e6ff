package stet.web;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Tries that somebody has: so many at once, then one for each interval that passes. Nobody is ever locked out for good. */
final class Throttle {
    /** Those remembered at most; the longest unseen is forgotten first. */
    private static final int REMEMBERED = 10_000;

    private final int burst;
    private final long intervalMillis;
    /** When all tries are back: each one taken puts it an interval off. */
    private final Map<String, Long> full = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > REMEMBERED;
        }
    };

    Throttle(int burst, Duration interval) {
        this.burst = burst;
        this.intervalMillis = interval.toMillis();
    }

    /** Takes one try. @return 0 when there was one, else the seconds until there is */
    synchronized long take(String who, Instant now) {
        long left = left(who, now);
        if (left == 0) {
            full.put(who, fullAt(who, now) + intervalMillis);
        }
        return left;
    }

    /** What {@link #take} would return, without taking one. */
    synchronized long left(String who, Instant now) {
        long waits = fullAt(who, now) + intervalMillis - (now.toEpochMilli() + burst * intervalMillis);
        return waits > 0 ? (waits + 999) / 1_000 : 0;
    }

    private long fullAt(String who, Instant now) {
        return Math.max(full.getOrDefault(who, 0L), now.toEpochMilli());
    }

    /** Gives a try back that turned out right. */
    synchronized void giveBack(String who) {
        full.computeIfPresent(who, (any, fullAt) -> fullAt - intervalMillis);
    }
}
