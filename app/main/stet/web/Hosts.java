package stet.web;

import java.net.URI;
import java.util.regex.Pattern;

/** Which names a browser may know Stet by: those that no other site can have pointed at this machine. */
final class Hosts {
    /** An address, or the machine itself: a rebound name is neither. */
    private static final Pattern LITERAL = Pattern.compile("(?i:localhost|\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-fA-F:.]+])(?::\\d+)?");

    private Hosts() {
    }

    static boolean isKnown(String host, URI baseUrl) {
        return withoutPort(baseUrl, host).equalsIgnoreCase(withoutPort(baseUrl, baseUrl.getAuthority()))
                || LITERAL.matcher(host).matches();
    }

    /** A browser leaves out the port that goes without saying; a proxy may add it. */
    private static String withoutPort(URI baseUrl, String host) {
        String port = "https".equalsIgnoreCase(baseUrl.getScheme()) ? ":443" : ":80";
        return host.endsWith(port) ? host.substring(0, host.length() - port.length()) : host;
    }
}
