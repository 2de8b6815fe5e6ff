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

    private final Throttle perAddress = new Throttle(30, Duration.ofMinutes(1));
    private final Throttle perAccountAndAddress = new Throttle(10, Duration.ofMinutes(1));
    private final Throttle perAccount = new Throttle(200, Duration.ofSeconds(5));
    private final Throttle perBrowser = new Throttle(10, Duration.ofMinutes(1));
    private final Throttle perSession = new Throttle(10, Duration.ofMinutes(1));

    private record Share(Throttle throttle, String who) {
    }

    /** One try: all the shares that it takes, or none. */
    final class Try {
        private final boolean known;
        private final List<Share> shares;
        private double rank;

        private Try(boolean known, Share... shares) {
            this.known = known;
            this.shares = List.of(shares);
        }

        /** Takes it. @return 0 when it may go on, else the seconds until it may */
        long take(Instant now) {
            synchronized (Tries.this) {
                long wait = shares.stream().mapToLong(share -> share.throttle.left(share.who, now)).max().orElseThrow();
                if (wait == 0) {
                    rank = (known ? 0 : 1) + shares.get(0).throttle.share(shares.get(0).who, now);
                    shares.forEach(share -> share.throttle.take(share.who, now));
                }
                return wait;
            }
        }

        /** Gives it back: the password was right. */
        void giveBack() {
            shares.forEach(share -> share.throttle.giveBack(share.who));
        }

        /** Gives it back where the password was not looked at, but for an address's: of a crowd the newcomers go first. */
        void giveBackUnseen() {
            shares.stream().skip(known ? 0 : 1).forEach(share -> share.throttle.giveBack(share.who));
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
