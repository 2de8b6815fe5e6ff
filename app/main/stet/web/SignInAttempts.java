package stet.web;

import java.net.InetAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import stet.core.Password;
import stet.core.Turns;
import stet.http.Failure;

/**
 * Limits of sign-in attempts. A stranger shares the attempts of its address and of the account with other strangers. A
 * browser that was signed in to the account before, and a session, have attempts that nobody else can use up. Passwords
 * are compared one at a time; known browsers, new strangers and others take turns, so that no crowd keeps out another one.
 *
 * <pre>
 * stranger ── the address ── the account from this address ── the account from anywhere
 * known browser ── its own
 * session ── the account's sessions at this address
 * code, behind a right password ── the known browser, or all strangers with this password
 * </pre>
 */
final class SignInAttempts {
    /** Passwords of a lane that may be inside: at 0.3 s each, all have their turn in time. */
    private static final int MAX_INSIDE = 12;
    /** Bytes of an IPv6 address that name a network; one client may have all addresses of it (RFC 4291, 2.5.4). */
    private static final int NETWORK_BYTES = 8;

    private final RateLimiter perAddress = new RateLimiter(30, Duration.ofMinutes(1));
    private final RateLimiter perAccountAndAddress = new RateLimiter(10, Duration.ofMinutes(1));
    private final RateLimiter perAccount = new RateLimiter(200, Duration.ofSeconds(5));
    private final RateLimiter perBrowser = new RateLimiter(10, Duration.ofMinutes(1));
    private final RateLimiter perSession = new RateLimiter(10, Duration.ofMinutes(1));
    /** Of a million codes three are right at a time: a stranger with the password guesses one in 1,000 on a day. */
    private final RateLimiter perCode = new RateLimiter(10, Duration.ofMinutes(5));

    /** Requests of guests who have a right link. */
    private final RateLimiter perGuest = new RateLimiter(60, Duration.ofSeconds(1));

    /** Comments of guests: each is kept. */
    private final RateLimiter perCommenter = new RateLimiter(10, Duration.ofSeconds(30));

    private final Turns<Lane> passwords = new Turns<>(MAX_INSIDE, () -> { });
    /** For the one password that is compared or hashed. */
    private final Semaphore processor = new Semaphore(1, true);
    private final Clock clock;
    private final RandomGenerator random;

    SignInAttempts(Clock clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    private record Share(RateLimiter limiter, String who) {
    }

    /** Whose passwords wait together. */
    enum Lane {
        /** A session, or a browser that was signed in before. */
        KNOWN,
        /** A stranger whose address has tried nothing lately. */
        NEW,
        OTHER
    }

    /**
     * One attempt. Its own share is taken when it arrives, which tells a new stranger from others. The other shares
     * are taken when its turn comes: a flood of attempts that have no turn cannot push an account's entry out of memory.
     */
    final class Attempt {
        private final boolean known;
        private final Share own;
        private final List<Share> others;
        private Lane lane = Lane.KNOWN;

        private Attempt(boolean known, Share own, Share... others) {
            this.known = known;
            this.own = own;
            this.others = List.of(others);
        }

        /** @throws Failure.Thrown when there were too many attempts */
        void arrive() {
            long wait = arrive(clock.instant());
            if (wait > 0) {
                throw Failure.TOO_MANY_TRIES.thrown(wait);
            }
        }

        /** Whether a password is right. @throws Failure.Thrown when there were too many attempts, or too many passwords wait */
        boolean matches(String password, String hash) {
            arrive();
            boolean matches = inTurn(lane, () -> {
                Failure.TOO_MANY_TRIES.unless(begin(clock.instant()));
                return Password.matches(password, hash);
            }).orElseThrow(() -> {
                cancel();
                return Failure.TOO_MANY_TRIES.thrown();
            });
            if (matches) {
                giveBack();
            }
            return matches;
        }

        /** @return 0 when it may wait for its turn, else the seconds until the next attempt */
        long arrive(Instant now) {
            synchronized (SignInAttempts.this) {
                long wait = Math.max(own.limiter.waitSeconds(own.who, now), wait(now));
                if (wait == 0) {
                    lane = known ? Lane.KNOWN : own.limiter.usedShare(own.who, now) == 0 ? Lane.NEW : Lane.OTHER;
                    own.limiter.take(own.who, now);
                }
                return wait;
            }
        }

        /** Whether the password may be compared: attempts that arrived at the same time may have used up the rest. */
        boolean begin(Instant now) {
            synchronized (SignInAttempts.this) {
                boolean free = wait(now) == 0;
                if (free) {
                    others.forEach(share -> share.limiter.take(share.who, now));
                }
                return free;
            }
        }

        private long wait(Instant now) {
            return others.stream().mapToLong(share -> share.limiter.waitSeconds(share.who, now)).max().orElse(0);
        }

        /** Gives the attempt back: the password, link or code was right. */
        void giveBack() {
            own.limiter.giveBack(own.who);
            others.forEach(share -> share.limiter.giveBack(share.who));
        }

        /** Ends the attempt without a turn. A stranger's address does not get it back: in a crowd newcomers go first. */
        void cancel() {
            if (known) {
                own.limiter.giveBack(own.who);
            }
        }

        /** Where its password waits, once it has arrived. */
        Lane lane() {
            return lane;
        }
    }

    Attempt ofStranger(String email, InetAddress address) {
        String account = email.toLowerCase(Locale.ROOT);
        String network = network(address);
        return new Attempt(false, new Share(perAddress, network), new Share(perAccountAndAddress, network + " " + account),
                new Share(perAccount, account));
    }

    /** @param browser its id in the mark, which nobody can invent */
    Attempt ofBrowser(String browser) {
        return new Attempt(true, new Share(perBrowser, browser));
    }

    /** An attempt to open a link, which no account has a share in. */
    Attempt ofLink(InetAddress address) {
        return new Attempt(false, new Share(perAddress, network(address)));
    }

    /** Counts a request of a guest who has a right link. @throws Failure.Thrown when its address sent too many */
    void checkGuest(InetAddress address) {
        check(perGuest, address);
    }

    /** Counts a comment of a guest who has a right link. @throws Failure.Thrown when its address sent too many */
    void checkComment(InetAddress address) {
        check(perCommenter, address);
    }

    private void check(RateLimiter limiter, InetAddress address) {
        long wait = limiter.take(network(address), clock.instant());
        if (wait > 0) {
            throw Failure.TOO_MANY_TRIES.thrown(wait);
        }
    }

    Attempt ofSession(long account, InetAddress address) {
        return new Attempt(true, new Share(perSession, network(address) + " " + account));
    }

    /** An attempt at a code, behind a right password. */
    Attempt ofCode(String who) {
        return new Attempt(true, new Share(perCode, who));
    }

    /** Hashes a new password. @throws Failure.Thrown when too many passwords wait */
    String hash(Lane lane, String password, String email) {
        return inTurn(lane, () -> Password.hash(password, email, random)).orElseThrow(Failure.TOO_MANY_TRIES::thrown);
    }

    private <T> Optional<T> inTurn(Lane lane, Supplier<T> work) {
        Optional<Turns<Lane>.Place> entered = passwords.enter(lane);
        if (entered.isEmpty()) {
            return Optional.empty();
        }
        try (Turns<Lane>.Place place = entered.get()) {
            return place.run(work, processor);
        }
    }

    private static String network(InetAddress address) {
        byte[] bytes = address.getAddress();
        return HexFormat.of().formatHex(bytes.length > NETWORK_BYTES ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes);
    }
}
