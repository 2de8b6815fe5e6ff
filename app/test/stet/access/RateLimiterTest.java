package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A burst of attempts, then one attempt per interval. */
class RateLimiterTest {
    private final RateLimiter limiter = new RateLimiter(3, Duration.ofSeconds(60));
    private Instant now = Instant.parse("2026-01-31T09:00:00Z");

    private long take(String who) {
        return limiter.take(who, now).waitSeconds();
    }

    private void takeAll(String who) {
        for (int i = 0; i < 3; i++) {
            assertEquals(0, take(who));
        }
    }

    @Test
    void afterTheBurstThereIsOneAttemptPerInterval() {
        takeAll("ada");
        assertEquals(60, take("ada"));
        assertEquals(60, take("ada"), "a refused attempt costs nothing");
        now = now.plusMillis(1);
        assertEquals(60, take("ada"));
        now = now.plusMillis(59_000);
        assertEquals(1, take("ada"));
        now = now.plusMillis(999);
        assertEquals(0, take("ada"));
        assertEquals(60, take("ada"));
    }

    @Test
    void eachClientHasItsOwnAttempts() {
        takeAll("ada");
        assertEquals(0, take("eve"));
        assertEquals(60, take("ada"));
    }

    @Test
    void aLongPauseAllowsNoMoreThanTheBurst() {
        takeAll("ada");
        now = now.plus(Duration.ofDays(30));
        takeAll("ada");
        assertEquals(60, take("ada"));
    }

    @Test
    void aRefundedAttemptIsAvailableAgain() {
        takeAll("ada");
        limiter.refund("ada");
        limiter.refund("nobody");
        assertEquals(0, limiter.waitSeconds("ada", now));
        assertEquals(0, take("ada"));
        assertEquals(60, limiter.waitSeconds("ada", now));
        assertEquals(60, take("ada"));
    }

    @Test
    void aClockThatWasAheadKeepsNobodyOut() {
        Instant right = now;
        now = now.plus(Duration.ofDays(400));
        takeAll("ada");
        now = right;
        takeAll("ada");
        assertEquals(60, take("ada"));
        now = right.minusSeconds(1); // like a concurrent request
        assertEquals(60, take("ada"));
    }

    @Test
    void takingReturnsTheShareAlreadyUsed() {
        assertEquals(0, limiter.take("ada", now).usedBefore());
        now = now.plusSeconds(30);
        assertEquals(1 / 6.0, limiter.take("ada", now).usedBefore());
        assertEquals(1 / 2.0, limiter.take("ada", now).usedBefore());
    }

    @Test
    void beyondTenThousandClientsTheLeastRecentlyUsedIsForgotten() {
        takeAll("ada");
        takeAll("eve");
        for (int i = 0; i < 9_998; i++) {
            take("other " + i); // with Ada and Eve, as many as are remembered
        }
        assertEquals(60, take("ada"));
        for (int i = 0; i < 5_000; i++) {
            take("another " + i);
        }
        assertEquals(0, take("eve"));
        assertEquals(60, take("ada"));
    }
}
