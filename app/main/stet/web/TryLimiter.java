package stet.web;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import stet.core.Secret;

/** Tries that somebody has: so many at once, then one for each interval that passes. Nobody is ever locked out for good. */
final class TryLimiter {
    /** Entries kept at most, of about 200 bytes each; the longest unseen is forgotten first. */
    private static final int REMEMBERED = 10_000;

    private final int burst;
    private final long intervalMillis;
    /** When all tries are back: each one taken puts it an interval off. The key is a digest, short whatever was sent. */
    private final Map<String, Long> full = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > REMEMBERED;
        }
    };

    TryLimiter(int burst, Duration interval) {
        this.burst = burst;
        this.intervalMillis = interval.toMillis();
    }

    /** Takes one try. @return 0 when there was one, else the seconds until there is */
    synchronized long take(String who, Instant now) {
        long left = left(who, now);
        if (left == 0) {
            full.put(key(who), now.toEpochMilli() + used(who, now) + intervalMillis);
        }
        return left;
    }

    /** What {@link #take} would return, without taking one. */
    synchronized long left(String who, Instant now) {
        long waits = used(who, now) + intervalMillis - burst * intervalMillis;
        return waits > 0 ? (waits + 999) / 1_000 : 0;
    }

    /** The share of its tries that somebody has used up: 0 for none, 1 for all. */
    synchronized double share(String who, Instant now) {
        return (double) used(who, now) / (burst * intervalMillis);
    }

    /** The time in ms until all tries are back. It is never far more than all of them take, unless the clock was ahead. */
    private long used(String who, Instant now) {
        long used = full.getOrDefault(key(who), 0L) - now.toEpochMilli();
        return used > 2 * burst * intervalMillis ? 0 : Math.max(used, 0);
    }

    /** Gives a try back that turned out right. */
    synchronized void giveBack(String who) {
        full.computeIfPresent(key(who), (any, fullAt) -> fullAt - intervalMillis);
    }

    private static String key(String who) {
        return new String(Secret.sha256(who), StandardCharsets.ISO_8859_1);
    }
}
