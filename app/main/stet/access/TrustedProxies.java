package stet.access;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The proxies whose {@code X-Forwarded-For} is trusted, used to find the client's address. */
public final class TrustedProxies {
    /** Maximum number of {@code X-Forwarded-For} entries to examine. */
    private static final int MAX_HOPS = 32;
    private static final Pattern IPV4 = Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.(?!$)|$)){4}");
    /** Together with the check for a colon, excludes host names, for which Java would query DNS. */
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:][0-9a-fA-F:.]{1,44}");
    /** Forms that proxies write: {@code 192.0.2.7:4711}, {@code [2001:db8::7]}, {@code [2001:db8::7]:4711}. */
    private static final Pattern WITH_PORT = Pattern.compile("([^:\\[\\]]+):\\d{1,5}|\\[([^\\[\\]]+)](?::\\d{1,5})?");
    /** The default: proxies on this machine. */
    public static final TrustedProxies LOOPBACK = of("127.0.0.0/8,::1");

    private final List<Network> networks;

    private TrustedProxies(List<Network> networks) {
        this.networks = networks;
    }

    /** @param bits length of the network prefix */
    private record Network(byte[] address, int bits) {
        /** @throws IllegalArgumentException with the entry as its message if it is neither an address nor a network */
        static Network of(String entry) {
            String[] parts = entry.split("/", -1);
            InetAddress address = TrustedProxies.address(parts[0]);
            if (address == null || parts.length > 2) {
                throw new IllegalArgumentException(entry);
            }
            int most = address.getAddress().length * 8;
            if (parts.length == 1) {
                return new Network(address.getAddress(), most);
            }
            int bits = parts[1].matches("\\d{1,3}") ? Integer.parseInt(parts[1]) : Integer.MAX_VALUE;
            if (bits > most) {
                throw new IllegalArgumentException(entry);
            }
            return new Network(address.getAddress(), bits);
        }

        boolean has(byte[] other) {
            int rest = address.length * 8 - bits;
            return other.length == address.length
                    && new BigInteger(1, address).shiftRight(rest).equals(new BigInteger(1, other).shiftRight(rest));
        }
    }

    /**
     * @param list addresses and networks such as {@code 10.0.0.0/8,2001:db8::7}, separated by commas, or {@code none}
     * @throws IllegalArgumentException with the first invalid entry as its message
     */
    public static TrustedProxies of(String list) {
        return new TrustedProxies(list.strip().equals("none") ? List.of()
                : Stream.of(list.split(",", -1)).map(String::strip).map(Network::of).toList());
    }

    /**
     * The client's address: the peer's address or, behind trusted proxies, the rightmost forwarded address that is not a
     * trusted proxy (the leftmost if all are). Each proxy appends its client on the right, so entries to the left of that address may be
     * forged. The search stops before an entry that is not an address.
     *
     * @param forwarded the {@code X-Forwarded-For} header lines
     */
    public InetAddress client(InetAddress peer, List<String> forwarded) {
        InetAddress client = peer;
        String entries = String.join(",", forwarded);
        int end = entries.length();
        for (int hop = 0; hop < MAX_HOPS && end >= 0 && isTrusted(client); hop++) {
            int comma = entries.lastIndexOf(',', end - 1);
            InetAddress next = forwarded(entries.substring(comma + 1, end).strip());
            if (next == null) {
                return client;
            }
            client = next;
            end = comma;
        }
        return client;
    }

    /** Formats an address without a scope ID, because programs such as fail2ban parse the access log. */
    public static String text(InetAddress address) {
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }

    boolean isTrusted(InetAddress address) {
        return networks.stream().anyMatch(network -> network.has(address.getAddress()));
    }

    /** The address in an entry of {@code X-Forwarded-For}, which may have a port; null if it is not an address. */
    private static InetAddress forwarded(String entry) {
        Matcher withPort = WITH_PORT.matcher(entry);
        if (!withPort.matches()) {
            return address(entry);
        }
        return address(withPort.group(1) != null ? withPort.group(1) : withPort.group(2));
    }

    /** Parses an address, treating IPv4-mapped addresses as IPv4; null for anything else, such as a host name. */
    private static InetAddress address(String text) {
        if (!IPV4.matcher(text).matches() && !(text.indexOf(':') >= 0 && IPV6.matcher(text).matches())) {
            return null;
        }
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException malformed) {
            return null;
        }
    }
}
