package stet.http;

import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks of the host and the origin of a request: no page of another site reaches Stet through a visitor's browser. */
public final class Hosts {
    /** An IP address or localhost: no other site can point these at this machine. */
    private static final Pattern LITERAL = Pattern.compile(
            "(?i:localhost|\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-fA-F:.]+])(?::\\d+)?");

    /** The names of this machine that lead nowhere else. */
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(?:\\.\\d{1,3}){3}|\\[::1]");

    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD");

    private Hosts() {
    }

    /**
     * Refuses a request that a page of another site made, as Go's net/http CrossOriginProtection does, and a host name that
     * is not Stet's, which another site may have pointed at this machine (DNS rebinding).
     *
     * @param baseUrl where browsers reach the service
     */
    public static void check(Request request, URI baseUrl) {
        String host = request.header("Host");
        Failure.UNKNOWN_HOST.unless(host != null && isKnown(host, baseUrl));
        checkSite(request, baseUrl.toString());
    }

    /**
     * The same for the controls of the test double, which anybody may use who reaches them: by this machine's own names, and by
     * those that it is exposed as. No page of another origin may read or change anything.
     *
     * @param exposed host names and addresses without a port, in lower case
     */
    public static void checkControls(Request request, Set<String> exposed) {
        String host = request.header("Host");
        String name = host == null ? "" : host.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT);
        Failure.UNKNOWN_CONTROLS.unless(LOOPBACK.matcher(name).matches() || exposed.contains(name));
        String origin = request.header("Origin");
        Failure.CROSS_SITE.unless(origin == null || origin.equals("http://" + host) || origin.equals("https://" + host));
        Failure.CROSS_SITE.when("cross-site".equals(request.header("Sec-Fetch-Site"))); // reading, too: a control tells what apps sent
        checkSite(request, "http://" + host);
    }

    private static void checkSite(Request request, String own) {
        String site = request.header("Sec-Fetch-Site");
        String origin = request.header("Origin");
        String host = request.header("Host");
        boolean here = site != null
                ? site.equals("same-origin") || site.equals("none")
                : origin == null || origin.equals(own) || origin.equals("http://" + host) || origin.equals("https://" + host);
        Failure.CROSS_SITE.unless(here || SAFE_METHODS.contains(request.method()));
    }

    private static boolean isKnown(String host, URI baseUrl) {
        return withoutPort(baseUrl, host).equalsIgnoreCase(withoutPort(baseUrl, baseUrl.getAuthority()))
                || LITERAL.matcher(host).matches();
    }

    /** Without the default port, which a browser leaves out and a proxy may add. */
    private static String withoutPort(URI baseUrl, String host) {
        String port = "https".equalsIgnoreCase(baseUrl.getScheme()) ? ":443" : ":80";
        return host.endsWith(port) ? host.substring(0, host.length() - port.length()) : host;
    }
}
