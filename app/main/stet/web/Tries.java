package stet.web;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * How often a password may be tried. A stranger shares the tries of its address and of the account with other strangers.
 * A browser that was signed in to the account before, and a session, have tries that nobody else can use up.
 *
 * <pre>
 * stranger ── the address ── the account from this address ── the account from anywhere
 * known browser ── its own
 * session ── the account's sessions at this address
 * </pre>
 */
final class Tries {
    /** Bytes of an IPv6 address that name a network; one client may have all addresses of it (RFC 4291, 2.5.4). */
    private static final int NETWORK_BYTES = 8;

    private final TryLimiter perAddress = new TryLimiter(30, Duration.ofMinutes(1));
    private final TryLimiter perAccountAndAddress = new TryLimiter(10, Duration.ofMinutes(1));
    private final TryLimiter perAccount = new TryLimiter(200, Duration.ofSeconds(5));
    private final TryLimiter perBrowser = new TryLimiter(10, Duration.ofMinutes(1));
    private final TryLimiter perSession = new TryLimiter(10, Duration.ofMinutes(1));

    private record Share(TryLimiter throttle, String who) {
    }

    /**
     * One try. The first of its shares is taken when it comes, so that who comes often stands behind. The others are taken
     * when its turn comes: no flood of tries that are not looked at can push out what is remembered of an account.
     */
    final class Try {
        private final boolean known;
        private final Share own;
        private final List<Share> others;
        private double rank;

        private Try(boolean known, Share own, Share... others) {
            this.known = known;
            this.own = own;
            this.others = List.of(others);
        }

        /** @return 0 when it may wait for its turn, else the seconds until it may come again */
        long arrive(Instant now) {
            synchronized (Tries.this) {
                long wait = Math.max(own.throttle.left(own.who, now), wait(now));
                if (wait == 0) {
                    rank = (known ? 0 : 1) + own.throttle.share(own.who, now);
                    own.throttle.take(own.who, now);
                }
                return wait;
            }
        }

        /** Whether the password may be looked at: tries that came at the same time may have used up the rest. */
        boolean begin(Instant now) {
            synchronized (Tries.this) {
                boolean free = wait(now) == 0;
                if (free) {
                    others.forEach(share -> share.throttle.take(share.who, now));
                }
                return free;
            }
        }

        private long wait(Instant now) {
            return others.stream().mapToLong(share -> share.throttle.left(share.who, now)).max().orElse(0);
        }

        /** Gives it back: the password was right. */
        void giveBack() {
            own.throttle.giveBack(own.who);
            others.forEach(share -> share.throttle.giveBack(share.who));
        }

        /** Ends it without a turn. A stranger's address keeps it used up: of a crowd the newcomers go first. */
        void leave() {
            if (known) {
                own.throttle.giveBack(own.who);
            }
        }

        /** The place in the queue, the lowest first: the known before strangers, then by the share of tries used up. */
        double rank() {
            return rank;
        }
    }

    Try ofStranger(String email, InetAddress address) {
        String account = email.toLowerCase(Locale.ROOT);
        String network = network(address);
        return new Try(false, new Share(perAddress, network), new Share(perAccountAndAddress, network + " " + account),
                new Share(perAccount, account));
    }

    /** @param browser what it is known by, which nobody can invent */
    Try ofBrowser(String browser) {
        return new Try(true, new Share(perBrowser, browser));
    }

    Try ofSession(long account, InetAddress address) {
        return new Try(true, new Share(perSession, network(address) + " " + account));
    }

    private static String network(InetAddress address) {
        byte[] bytes = address.getAddress();
        return HexFormat.of().formatHex(bytes.length > NETWORK_BYTES ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes);
    }
}
