package stet.cli;

import java.net.InetSocketAddress;
import java.util.function.Function;
import stet.base.Refusal;

/** Addresses to listen on: {@code HOST:PORT}, with an IPv6 address in brackets. */
final class ListenAddress {
    private ListenAddress() {
    }

    /** @param wrong makes the error from the end of its sentence @throws Refusal if the text is not an address, or the host is unknown */
    static InetSocketAddress parse(Function<String, Refusal> wrong, String text) {
        int colon = text.lastIndexOf(':');
        String host = text.substring(0, Math.max(colon, 0));
        boolean isBracketed = host.startsWith("[") && host.endsWith("]");
        if (colon < 0 || host.contains(":") != isBracketed || host.contains("/")) {
            throw wrong.apply("; use HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080");
        }
        String digits = text.substring(colon + 1);
        int port = digits.matches("[0-9]{1,5}") ? Integer.parseInt(digits) : -1;
        if (port < 0 || port > 65_535) {
            throw wrong.apply("; the port must be a number from 0 to 65535");
        }
        if (host.isEmpty()) {
            return new InetSocketAddress(port);
        }
        InetSocketAddress address = new InetSocketAddress(isBracketed ? host.substring(1, host.length() - 1) : host, port);
        if (address.isUnresolved()) {
            throw wrong.apply("; " + host + " cannot be resolved");
        }
        return address;
    }
}
