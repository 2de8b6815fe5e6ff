package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.access.SignInAttempts.Lane;

/** The limits against which an attempt counts. */
class SignInAttemptsTest {
    private final SignInAttempts attempts = new SignInAttempts(Clock.systemUTC(), new Random());
    private Instant now = Instant.parse("2026-01-31T09:00:00Z");

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException noAddress) {
            throw new AssertionError(noAddress);
        }
    }

    private SignInAttempts.Attempt stranger(String email, String address) {
        return attempts.ofStranger(email, address(address));
    }

    /** @return 0 if the password was compared, otherwise seconds to wait */
    private long take(SignInAttempts.Attempt one) {
        long wait = one.arrive(now);
        if (wait == 0) {
            assertTrue(one.begin(now));
        }
        return wait;
    }

    @ParameterizedTest(name = "{0} and {1}")
    @CsvSource({"198.51.100.1, 198.51.100.1, 60", "198.51.100.1, 198.51.100.2, 0", "198.51.100.1, ::ffff:198.51.100.1, 60",
        "2001:db8::1, 2001:db8::ffff:ffff:ffff:ffff, 60", "2001:db8::1, 2001:db8:0:1::1, 0", "::1, 127.0.0.1, 0"})
    void aUsersAttemptsAreLimitedPerAddressOrIpv6Network(String one, String other, long wait) {
        for (int i = 0; i < 10; i++) {
            assertEquals(0, take(stranger("ada@example.com", one)));
        }
        assertEquals(wait, take(stranger("ADA@EXAMPLE.com", other)));
        assertEquals(0, take(stranger("eve@example.com", other)));
    }

    /** The more networks send attempts, the larger the network that shares a limit, until the limit covers all of them. */
    @Test
    void manyAddressesShareTheUsersLimit() {
        int passed = 0;
        for (int i = 0; i < 30_000; i++) {
            passed += take(stranger("ada@example.com", "2001:db8:0:" + Integer.toHexString(i) + "::1")) == 0 ? 1 : 0;
        }
        assertEquals(200, passed);
        now = now.plus(Duration.ofDays(1));
        for (int second = 0; second < 600; second++) {
            now = now.plusSeconds(1);
            for (int i = 0; i < 50; i++) {
                passed += take(stranger("ada@example.com", "2001:db8:1:" + Integer.toHexString(second * 50 + i) + "::1")) == 0 ? 1 : 0;
            }
        }
        assertTrue(passed <= 200 + 200 + 600 / 5 + 1, passed + " passed"); // two bursts, and one attempt per 5 s for 600 s
    }

    @Test
    void aRejectedAttemptDoesNotCount() {
        for (int i = 0; i < 10; i++) {
            assertEquals(0, take(stranger("ada@example.com", "198.51.100.1")));
        }
        for (int i = 0; i < 1_000; i++) {
            assertEquals(60, take(stranger("ada@example.com", "198.51.100.1")));
        }
        for (int i = 0; i < 20; i++) { // with the 10 above, as many as a network has
            assertEquals(0, take(stranger("eve" + i + "@example.com", "198.51.100.1")));
        }
        assertEquals(60, take(stranger("bob@example.com", "198.51.100.1")));
    }

    @Test
    void cancelledAttemptsForOthersDoNotResetAUsersLimit() {
        for (int i = 0; i < 200; i++) {
            assertEquals(0, take(stranger("ada@example.com", "198.51.100." + i)));
        }
        for (int i = 0; i < 20_000; i++) {
            SignInAttempts.Attempt unseen = stranger("nobody" + i + "@example.com", "2001:db8:0:" + Integer.toHexString(i) + "::1");
            assertEquals(0, unseen.arrive(now));
            unseen.cancel();
        }
        assertEquals(5, take(stranger("ada@example.com", "203.0.113.7")));
    }

    @Test
    void concurrentAttemptsGetNoMoreTurnsThanThereAre() {
        List<SignInAttempts.Attempt> together = IntStream.range(0, 30).mapToObj(i -> stranger("ada@example.com", "198.51.100.1")).toList();
        together.forEach(one -> assertEquals(0, one.arrive(now)));
        assertEquals(10, together.stream().filter(one -> one.begin(now)).count());
    }

    @Test
    void knownClientsNewAddressesAndOthersHaveSeparateLanes() {
        List<SignInAttempts.Attempt> inOrder = List.of(attempts.ofBrowser("a"), attempts.ofBrowser("a"),
                stranger("ada@example.com", "198.51.100.1"), stranger("ada@example.com", "198.51.100.1"), stranger("eve@example.com", "198.51.100.1"),
                attempts.ofSession(7, address("198.51.100.1")));
        inOrder.forEach(this::take);
        assertEquals(List.of(Lane.KNOWN, Lane.KNOWN, Lane.NEW, Lane.OTHER, Lane.OTHER, Lane.KNOWN),
                inOrder.stream().map(SignInAttempts.Attempt::lane).toList());
    }
}
