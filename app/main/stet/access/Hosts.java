package stet.access;

import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import stet.http.Failure;
import stet.http.Request;

/** Checks the host and origin of requests, so that other sites cannot reach Stet through a visitor's browser. */
public final class Hosts {
    /** An IP address or localhost, which no other site can point at this machine. */
    private static final Pattern LITERAL = Pattern.compile(
            "(?i:localhost\\.?|\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-fA-F:.]+])(?::\\d+)?");

    /** Loopback names and addresses. */
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(?:\\.\\d{1,3}){3}|\\[::1]");

    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD");

    private Hosts() {
    }

    /**
     * Rejects cross-origin requests other than GET and HEAD, much as Go's net/http CrossOriginProtection does. Also rejects
     * unknown host names, because another site may have pointed them at this machine (DNS rebinding).
     *
     * @param baseUrl the URL that browsers use
     */
    public static void check(Request request, URI baseUrl) {
        String host = request.header("Host");
        if (host == null || !isKnown(host, baseUrl)) {
            throw Failure.unknownHost(host, plain(baseUrl, baseUrl.getAuthority()));
        }
        checkSite(request, baseUrl.getScheme().toLowerCase(Locale.ROOT) + "://" + plain(baseUrl, baseUrl.getAuthority()));
    }

    /** A host as in a request's Host header, in lower case: an IPv6 address is in brackets. */
    public static String inHeader(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        return lower.contains(":") && !lower.startsWith("[") ? "[" + lower + "]" : lower;
    }

    /**
     * Checks a request to the test double's controls. Any client except a page from another origin may use the controls under a loopback
     * name or an exposed name.
     *
     * @param exposed host names and addresses without port, as from {@link #inHeader}
     */
    public static void checkControls(Request request, Set<String> exposed) {
        String host = request.header("Host");
        String name = host == null ? "" : host.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT);
        Failure.UNKNOWN_CONTROLS.unless(LOOPBACK.matcher(name).matches() || exposed.contains(name));
        String origin = request.header("Origin");
        Failure.CROSS_SITE.unless(origin == null || isAt(origin, host));
        // GET and HEAD requests are checked, too, because the controls show what apps have sent.
        Failure.CROSS_SITE.when("cross-site".equals(request.header("Sec-Fetch-Site")));
        checkSite(request, "http://" + host);
    }

    /**
     * Rejects cross-origin requests other than GET and HEAD. Sec-Fetch-Site decides or, in browsers that do not send it, Origin; a request with
     * neither comes from no browser.
     *
     * @param own the origin that browsers use
     */
    private static void checkSite(Request request, String own) {
        String site = request.header("Sec-Fetch-Site");
        String origin = request.header("Origin");
        boolean isOwn = site != null
                ? site.equals("same-origin") || site.equals("none")
                : origin == null || origin.equals(own) || isAt(origin, request.header("Host"));
        Failure.CROSS_SITE.unless(isOwn || SAFE_METHODS.contains(request.method()));
    }

    private static boolean isAt(String origin, String host) {
        return origin.equals("http://" + host) || origin.equals("https://" + host);
    }

    private static boolean isKnown(String host, URI baseUrl) {
        return plain(baseUrl, host).equals(plain(baseUrl, baseUrl.getAuthority())) || LITERAL.matcher(host).matches();
    }

    /**
     * A host as browsers write it: in lower case, without the dot that ends a complete name, and without an empty or the default port,
     * which proxies may add (RFC 3986, 6.2.3).
     */
    private static String plain(URI baseUrl, String host) {
        int colon = host.lastIndexOf(':');
        boolean hasPort = colon > host.lastIndexOf(']');
        String name = (hasPort ? host.substring(0, colon) : host).toLowerCase(Locale.ROOT).replaceFirst("\\.$", "");
        String port = hasPort ? host.substring(colon + 1) : "";
        return port.isEmpty() || port.equals("https".equalsIgnoreCase(baseUrl.getScheme()) ? "443" : "80") ? name : name + ":" + port;
    }
}
