package stet.web;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import stet.core.Secret;

/** Attempts of each client: a burst at once, then one for each interval that passes. Nobody is ever locked out for good. */
final class RateLimiter {
    /** Entries kept at most, of about 200 bytes each; the least recently used is forgotten first. */
    private static final int MAX_ENTRIES = 10_000;

    private final int burst;
    private final long intervalMillis;
    /** Times in ms at which all attempts are back; each one taken moves it by an interval. The key is a short digest. */
    private final Map<String, Long> refilled = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MAX_ENTRIES;
        }
    };

    RateLimiter(int burst, Duration interval) {
        this.burst = burst;
        this.intervalMillis = interval.toMillis();
    }

    /** Takes one attempt. @return 0 when there was one, else the seconds until there is */
    synchronized long take(String who, Instant now) {
        long wait = waitSeconds(who, now);
        if (wait == 0) {
            refilled.put(key(who), now.toEpochMilli() + used(who, now) + intervalMillis);
        }
        return wait;
    }

    /** As {@link #take}, without taking one. */
    synchronized long waitSeconds(String who, Instant now) {
        long waitMillis = used(who, now) + intervalMillis - burst * intervalMillis;
        return waitMillis > 0 ? (waitMillis + 999) / 1_000 : 0;
    }

    /** The share of its attempts that a client has used up: 0 for none, 1 for all. */
    synchronized double usedShare(String who, Instant now) {
        return (double) used(who, now) / (burst * intervalMillis);
    }

    /** Milliseconds until all attempts are back. Far more than all of them take means that the clock was ahead. */
    private long used(String who, Instant now) {
        long used = refilled.getOrDefault(key(who), 0L) - now.toEpochMilli();
        return used > 2 * burst * intervalMillis ? 0 : Math.max(used, 0);
    }

    /** Gives back an attempt that was right. */
    synchronized void giveBack(String who) {
        refilled.computeIfPresent(key(who), (any, time) -> time - intervalMillis);
    }

    private static String key(String who) {
        return new String(Secret.sha256(who), StandardCharsets.ISO_8859_1);
    }
}
