package stet.access;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import stet.base.Secret;

/** Limits attempts per client: a burst, then one attempt per interval. No client is ever locked out permanently. */
final class RateLimiter {
    /** Maximum number of entries, at about 200 bytes each. Beyond this number, the least recently used entry is dropped. */
    private static final int MAX_ENTRIES = 10_000;
    /** A backward step longer than this means that the clock was set back. */
    private static final long MAX_STEP_BACK_MILLIS = 60_000;

    private final int burst;
    private final long intervalMillis;
    /** Keys are digests of client names, so their size is bounded. */
    private final Map<String, UsedTries> clients = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, UsedTries> eldest) {
            return size() > MAX_ENTRIES;
        }
    };

    /**
     * A client's state.
     *
     * @param at     epoch milliseconds
     * @param millis delay after {@code at}, in milliseconds, until all attempts are available again
     */
    private record UsedTries(long at, long millis) {
    }

    RateLimiter(int burst, Duration interval) {
        this.burst = burst;
        this.intervalMillis = interval.toMillis();
    }

    /**
     * The result of {@link #take}.
     *
     * @param waitSeconds 0 if the attempt is allowed, otherwise seconds until the next attempt
     * @param usedBefore  share of the attempts that was already used, from 0 (none) to 1 (all)
     */
    record TakenTry(long waitSeconds, double usedBefore) {
    }

    /** Takes an attempt if one is available. */
    synchronized TakenTry take(String who, Instant now) {
        long before = used(who, now);
        long wait = waitSeconds(who, now);
        if (wait == 0) {
            clients.put(key(who), new UsedTries(now.toEpochMilli(), before + intervalMillis));
        }
        return new TakenTry(wait, (double) before / (burst * intervalMillis));
    }

    /** Number of seconds until an attempt is available; 0 if an attempt is available now. */
    synchronized long waitSeconds(String who, Instant now) {
        long waitMillis = used(who, now) + intervalMillis - burst * intervalMillis;
        return waitMillis > 0 ? (waitMillis + 999) / 1_000 : 0;
    }

    /** Number of milliseconds until all attempts are available. Forgets a client's attempts if the clock was set back by over a minute. */
    private long used(String who, Instant now) {
        UsedTries used = clients.computeIfPresent(key(who), (any, before) ->
                before.at - now.toEpochMilli() > MAX_STEP_BACK_MILLIS ? null : before);
        return used == null ? 0 : Math.max(0, used.millis - Math.max(0, now.toEpochMilli() - used.at));
    }

    /** Refunds an attempt after a success. */
    synchronized void refund(String who) {
        clients.computeIfPresent(key(who), (any, used) ->
                used.millis <= intervalMillis ? null : new UsedTries(used.at, used.millis - intervalMillis));
    }

    private static String key(String who) {
        return new String(Secret.sha256(who), StandardCharsets.ISO_8859_1);
    }
}
