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
    /** Larger steps back are a clock that was set. */
    private static final long MAX_STEP_BACK_MILLIS = 60_000;

    private final int burst;
    private final long intervalMillis;
    /** By a short digest of the client. */
    private final Map<String, Used> clients = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Used> eldest) {
            return size() > MAX_ENTRIES;
        }
    };

    /** Attempts used at a time: the milliseconds that it took until all of them were back. */
    private record Used(long at, long millis) {
    }

    RateLimiter(int burst, Duration interval) {
        this.burst = burst;
        this.intervalMillis = interval.toMillis();
    }

    /** Takes one attempt. @return 0 when there was one, else the seconds until there is */
    synchronized long take(String who, Instant now) {
        long wait = waitSeconds(who, now);
        if (wait == 0) {
            clients.put(key(who), new Used(now.toEpochMilli(), used(who, now) + intervalMillis));
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

    /** Milliseconds until all attempts are back. A clock that was set back gives all of them back, as its time is not waited for. */
    private long used(String who, Instant now) {
        Used used = clients.computeIfPresent(key(who), (any, before) ->
                before.at - now.toEpochMilli() > MAX_STEP_BACK_MILLIS ? null : before);
        return used == null ? 0 : Math.max(0, used.millis - Math.max(0, now.toEpochMilli() - used.at));
    }

    /** Gives back an attempt that was right. */
    synchronized void giveBack(String who) {
        clients.computeIfPresent(key(who), (any, used) ->
                used.millis <= intervalMillis ? null : new Used(used.at, used.millis - intervalMillis));
    }

    private static String key(String who) {
        return new String(Secret.sha256(who), StandardCharsets.ISO_8859_1);
    }
}
