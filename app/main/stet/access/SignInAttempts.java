package stet.access;

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
import stet.base.Refusal;
import stet.base.Turns;
import stet.core.Password;
import stet.http.Failure;

/**
 * Limits sign-in attempts. Sessions, and known browsers (those that have signed in as the user before), have their own limits. All others
 * are strangers, who share limits by IP address and by user and cannot exhaust the limits of sessions and known browsers. Passwords are
 * checked one at a time; three lanes (sessions and known browsers, addresses without recent attempts, all others) take turns so that no
 * group can lock out another.
 *
 * <pre>
 * stranger ── the address ── the user from this address ── the user from anywhere
 * known browser ── its own
 * session ── the user's sessions at this address
 * code, after a correct password ── the known browser, or all strangers with this password
 * </pre>
 */
public final class SignInAttempts {
    /**
     * Maximum number of password checks per lane, waiting or running. A check takes up to 0.3 s, so three full lanes take about 10 s, the
     * maximum wait.
     */
    private static final int MAX_INSIDE = 12;
    /** Network part of an IPv6 address in bytes; a client may use all addresses in its network (RFC 4291, 2.5.4). */
    private static final int NETWORK_BYTES = 8;

    private final RateLimiter perAddress = new RateLimiter(30, Duration.ofMinutes(1));
    private final RateLimiter perUserAndAddress = new RateLimiter(10, Duration.ofMinutes(1));
    private final RateLimiter perUser = new RateLimiter(200, Duration.ofSeconds(5));
    private final RateLimiter perBrowser = new RateLimiter(10, Duration.ofMinutes(1));
    private final RateLimiter perSession = new RateLimiter(10, Duration.ofMinutes(1));
    /**
     * Because 3 of 1,000,000 codes are valid at any time, a stranger who knows the password has a chance of about 1 in 1,000 per day of
     * guessing a code.
     */
    private final RateLimiter perCode = new RateLimiter(10, Duration.ofMinutes(5));

    /** Limits requests by guests with a valid link. */
    private final RateLimiter perGuest = new RateLimiter(60, Duration.ofSeconds(1));

    /** Limits guests' comments more strictly than their other requests because comments are stored. */
    private final RateLimiter perCommenter = new RateLimiter(10, Duration.ofSeconds(30));

    /** Limits requests for a password reset by email from an IP address. */
    private final RateLimiter perResetAddress = new RateLimiter(10, Duration.ofMinutes(1));

    /** Limits requests for a password reset of one email address, whether or not it is a user's. The database has a lower limit per user. */
    private final RateLimiter perResetEmail = new RateLimiter(3, Duration.ofMinutes(20));

    /**
     * Limits emails that confirm one address, also if one user after another claims to have it. The database has lower limits per user and
     * address.
     */
    private final RateLimiter perConfirmedEmail = new RateLimiter(6, Duration.ofHours(4));

    private final Turns<Lane> passwords = new Turns<>(MAX_INSIDE, () -> { });
    /** Ensures that only one password is compared or hashed at a time. */
    private final Semaphore processor = new Semaphore(1, true);
    private final Clock clock;
    private final RandomGenerator random;

    SignInAttempts(Clock clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    /** A limit, and the client to whom it applies. */
    private record Share(RateLimiter limiter, String who) {
    }

    /** Groups of clients with separate queues for password checks. */
    enum Lane {
        /** Sessions, and browsers that have signed in before. */
        KNOWN,
        /** Strangers whose address has no recent attempts. */
        NEW,
        OTHER
    }

    /**
     * One attempt. On arrival, an attempt counts toward its own limit; for strangers, the lane depends on whether that limit was already in
     * use. The attempt counts toward the shared limits only when its turn comes, so that a flood of rejected attempts cannot evict a user's
     * entry from memory.
     */
    public final class Attempt {
        private final boolean known;
        private final Share own;
        private final List<Share> others;
        private Lane lane = Lane.KNOWN;

        private Attempt(boolean known, Share own, Share... others) {
            this.known = known;
            this.own = own;
            this.others = List.of(others);
        }

        /** Counts the attempt toward its own limit. @throws Failure.Thrown if a limit is reached */
        public void arrive() {
            long wait = arrive(clock.instant());
            if (wait > 0) {
                throw Failure.TOO_MANY_TRIES.thrown(wait);
            }
        }

        /**
         * Counts the attempt, waits for its turn and compares a password. Refunds the attempt if the password is right.
         *
         * @throws Failure.Thrown if a limit is reached or the queue is full or too slow
         */
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
                refund();
            }
            return matches;
        }

        /** Counts the attempt toward its own limit. @return 0 if it may queue, otherwise the seconds until the next attempt */
        long arrive(Instant now) {
            long wait = Math.max(own.limiter.waitSeconds(own.who, now), sharedWaitSeconds(now));
            if (wait > 0) {
                return wait;
            }
            RateLimiter.TakenTry taken = own.limiter.take(own.who, now);
            lane = known ? Lane.KNOWN : taken.usedBefore() == 0 ? Lane.NEW : Lane.OTHER;
            return taken.waitSeconds();
        }

        /**
         * Counts the attempt toward the shared limits. Returns false if earlier attempts have exhausted these limits. The caller must hold
         * {@link #processor}, so that no other attempt is counted in between.
         */
        boolean begin(Instant now) {
            if (sharedWaitSeconds(now) > 0) {
                return false;
            }
            others.forEach(share -> share.limiter.take(share.who, now));
            return true;
        }

        private long sharedWaitSeconds(Instant now) {
            return others.stream().mapToLong(share -> share.limiter.waitSeconds(share.who, now)).max().orElse(0);
        }

        /** Refunds the attempt because the password, link or code was correct. */
        public void refund() {
            own.limiter.refund(own.who);
            others.forEach(share -> share.limiter.refund(share.who));
        }

        /**
         * Refunds the attempt if the queue was full or the wait timed out. Strangers get no refund, so that addresses without recent
         * attempts take precedence under load.
         */
        void cancel() {
            if (known) {
                own.limiter.refund(own.who);
            }
        }

        /** The lane assigned on arrival. */
        Lane lane() {
            return lane;
        }
    }

    /** An attempt by a browser that has not signed in as this user before. @param email as entered; need not be a user's */
    Attempt ofStranger(String email, InetAddress address) {
        String user = email.toLowerCase(Locale.ROOT);
        String network = network(address);
        return new Attempt(false, new Share(perAddress, network), new Share(perUserAndAddress, network + " " + user), new Share(perUser, user));
    }

    /** @param browser ID from the browser's cookie, which cannot be forged */
    Attempt ofBrowser(String browser) {
        return new Attempt(true, new Share(perBrowser, browser));
    }

    /** An attempt to open a link, limited by address only. */
    public Attempt ofLink(InetAddress address) {
        return new Attempt(false, new Share(perAddress, network(address)));
    }

    /** Counts a request by a guest with a valid link. @throws Failure.Thrown if the address has sent too many requests */
    public void countGuest(InetAddress address) {
        count(perGuest, address);
    }

    /** Counts a comment by a guest with a valid link. @throws Failure.Thrown if the address has sent too many comments */
    public void countComment(InetAddress address) {
        count(perCommenter, address);
    }

    /**
     * Counts a request for a password reset by email.
     *
     * @return whether the email address may have another reset; the client is not told
     * @throws Failure.Thrown if the client's address has sent too many requests
     */
    boolean countReset(String email, InetAddress address) {
        count(perResetAddress, address);
        return perResetEmail.take(email.toLowerCase(Locale.ROOT), clock.instant()).waitSeconds() == 0;
    }

    /** Counts an email that confirms an address. @return whether the address may have it */
    boolean countConfirmation(String email) {
        return perConfirmedEmail.take(email.toLowerCase(Locale.ROOT), clock.instant()).waitSeconds() == 0;
    }

    private void count(RateLimiter limiter, InetAddress address) {
        long wait = limiter.take(network(address), clock.instant()).waitSeconds();
        if (wait > 0) {
            throw Failure.TOO_MANY_TRIES.thrown(wait);
        }
    }

    /** An attempt by a signed-in user, which counts for all of the user's sessions at this address. */
    public Attempt ofSession(long user, InetAddress address) {
        return new Attempt(true, new Share(perSession, network(address) + " " + user));
    }

    /** An attempt to enter a two-factor code after a correct password. @param who the known browser, session or user that enters it */
    Attempt ofCode(String who) {
        return new Attempt(true, new Share(perCode, who));
    }

    /** Hashes a new password. @throws Failure.Thrown if the queue is full or too slow @throws Refusal if the password is not allowed */
    String hash(Lane lane, String password, String email) {
        return inTurn(lane, () -> Password.hash(password, email, random)).orElseThrow(Failure.TOO_MANY_TRIES::thrown);
    }

    /** Runs work when it is its lane's turn, with no other work at the same time. @return empty if the queue is full or too slow */
    private <T> Optional<T> inTurn(Lane lane, Supplier<T> work) {
        Optional<Turns<Lane>.TurnPlace> entered = passwords.enter(lane);
        if (entered.isEmpty()) {
            return Optional.empty();
        }
        try (Turns<Lane>.TurnPlace place = entered.get()) {
            return place.run(work, processor);
        }
    }

    /** An IPv4 address, or the network part of an IPv6 address. */
    private static String network(InetAddress address) {
        byte[] bytes = address.getAddress();
        return HexFormat.of().formatHex(bytes.length > NETWORK_BYTES ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes);
    }
}
