package stet.web;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Limits of sign-in attempts. A stranger shares the attempts of its address and of the account with other strangers. A
 * browser that was signed in to the account before, and a session, have attempts that nobody else can use up.
 *
 * <pre>
 * stranger ── the address ── the account from this address ── the account from anywhere
 * known browser ── its own
 * session ── the account's sessions at this address
 * code, behind a right password ── the known browser, or all strangers with this password
 * </pre>
 */
final class SignInAttempts {
    /** Bytes of an IPv6 address that name a network; one client may have all addresses of it (RFC 4291, 2.5.4). */
    private static final int NETWORK_BYTES = 8;

    private final RateLimiter perAddress = new RateLimiter(30, Duration.ofMinutes(1));
    private final RateLimiter perAccountAndAddress = new RateLimiter(10, Duration.ofMinutes(1));
    private final RateLimiter perAccount = new RateLimiter(200, Duration.ofSeconds(5));
    private final RateLimiter perBrowser = new RateLimiter(10, Duration.ofMinutes(1));
    private final RateLimiter perSession = new RateLimiter(10, Duration.ofMinutes(1));
    /** Of a million codes three are right at a time: a stranger with the password guesses one in 1,000 on a day. */
    private final RateLimiter perCode = new RateLimiter(10, Duration.ofMinutes(5));

    private record Share(RateLimiter limiter, String who) {
    }

    /**
     * One attempt. Its own share is taken when it arrives, so that frequent clients stand behind others. The other shares
     * are taken when its turn comes: a flood of attempts that have no turn cannot push an account's entry out of memory.
     */
    final class Attempt {
        private final boolean known;
        private final Share own;
        private final List<Share> others;
        private double rank;

        private Attempt(boolean known, Share own, Share... others) {
            this.known = known;
            this.own = own;
            this.others = List.of(others);
        }

        /** @return 0 when it may wait for its turn, else the seconds until the next attempt */
        long arrive(Instant now) {
            synchronized (SignInAttempts.this) {
                long wait = Math.max(own.limiter.waitSeconds(own.who, now), wait(now));
                if (wait == 0) {
                    rank = (known ? 0 : 1) + own.limiter.usedShare(own.who, now);
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

        /** Gives the attempt back: the password was right. */
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

        /** The place in the queue, the lowest first: the known before strangers, then by the share of attempts used up. */
        double rank() {
            return rank;
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

    Attempt ofSession(long account, InetAddress address) {
        return new Attempt(true, new Share(perSession, network(address) + " " + account));
    }

    /** Takes a try of a code. @return 0 when there was one, else the seconds until there is */
    long takeCode(String who, Instant now) {
        return perCode.take(who, now);
    }

    /** Gives it back: the code was right. */
    void giveBackCode(String who) {
        perCode.giveBack(who);
    }

    private static String network(InetAddress address) {
        byte[] bytes = address.getAddress();
        return HexFormat.of().formatHex(bytes.length > NETWORK_BYTES ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes);
    }
}
