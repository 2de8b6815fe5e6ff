package stet.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import stet.base.Deadline;
import stet.base.HostLookup;
import stet.base.Tls;

/**
 * Posts JSON to URLs that users choose, one request at a time. To prevent server-side request forgery, the client checks all
 * addresses of the host and connects only to a checked address, which also defeats DNS rebinding. Redirects are not followed, and
 * nothing is read beyond the status line. The JDK's HTTP clients are unsuitable because they cannot connect to a given address and
 * still verify the certificate against the host name.
 */
public final class WebhookClient {
    private static final int MAX_STATUS_LINE_BYTES = 512;
    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.[01] ([1-5][0-9]{2})( .*)?");

    private final HostLookup lookup;
    private final Supplier<SSLSocketFactory> tls;
    private final boolean allowsPrivate;
    private final Duration timeout;
    /** The current request, or null. */
    private volatile Post running;
    private volatile boolean closed;

    private record Post(Socket socket, Deadline deadline) {
    }

    /**
     * @param tls           supplies the TLS socket factory; not called before the first https URL, because loading classes and certificates
     *                      takes a while
     * @param allowsPrivate whether private addresses and plain HTTP are allowed
     * @param timeout       time limit of a request, from the lookup to the status line
     */
    public WebhookClient(HostLookup.Resolver resolver, Supplier<SSLSocketFactory> tls, boolean allowsPrivate, Duration timeout) {
        this.lookup = new HostLookup(resolver);
        this.tls = tls;
        this.allowsPrivate = allowsPrivate;
        this.timeout = timeout;
    }

    /** Posts a body. @return the status @throws IOException if the URL is not allowed or no status arrives; the message is for users */
    public int post(URI url, byte[] json) throws IOException {
        Deadline deadline = Deadline.in(timeout);
        boolean isSecure = url.getScheme().equalsIgnoreCase("https");
        if (!isSecure && !allowsPrivate) {
            throw new IOException("the URL must start with https://");
        }
        String host = url.getHost();
        int port = url.getPort() >= 0 ? url.getPort() : isSecure ? 443 : 80;
        InetAddress address = address(host, deadline);
        Post post = new Post(new Socket(), deadline);
        try (Socket plain = post.socket) {
            running = post;
            if (closed) {
                throw new IOException("Stet is stopping");
            }
            plain.connect(new InetSocketAddress(address, port), deadline.millisLeft());
            plain.setSoTimeout(deadline.millisLeft());
            try (Socket connection = isSecure ? secured(plain, host, port) : plain) {
                connection.getOutputStream().write(request(url, json));
                return status(connection, deadline);
            }
        } catch (IOException failure) {
            boolean isLate = failure instanceof SocketTimeoutException || deadline.isPast();
            throw isLate ? new IOException("no response within " + timeout.toSeconds() + " s", failure) : failure;
        } finally {
            running = null;
        }
    }

    /** An address of the host. @throws IOException if the host is not found in time, or has an address that is not allowed */
    private InetAddress address(String host, Deadline deadline) throws IOException {
        InetAddress[] all;
        try {
            all = lookup.find(host.replaceAll("[\\[\\]]", ""), deadline.millisLeft());
        } catch (UnknownHostException unknown) {
            throw new IOException("the host " + host + " was not found", unknown);
        } catch (SocketTimeoutException late) {
            throw new IOException("the host " + host + " was not found within " + timeout.toSeconds() + " s", late);
        }
        for (InetAddress each : all) {
            if (!allowsPrivate && !isPublic(each)) {
                throw new IOException("the host " + host + " resolves to " + each.getHostAddress()
                        + ", which is not a public address; an administrator can allow it with --webhook-private");
            }
        }
        return all[0];
    }

    private Socket secured(Socket plain, String host, int port) throws IOException {
        SSLSocket secured = Tls.over(plain, host, port, tls.get());
        secured.startHandshake();
        return secured;
    }

    private static byte[] request(URI url, byte[] json) {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        request.writeBytes(("POST " + path + (url.getRawQuery() == null ? "" : "?" + url.getRawQuery()) + " HTTP/1.1\r\n"
                + "Host: " + url.getRawAuthority() + "\r\nUser-Agent: Stet\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + json.length + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        request.writeBytes(json);
        return request.toByteArray();
    }

    /** Reads the status from the response's first line. */
    private static int status(Socket connection, Deadline deadline) throws IOException {
        InputStream in = connection.getInputStream();
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n' && line.length() < MAX_STATUS_LINE_BYTES; c = in.read()) {
            line.append((char) c);
            connection.setSoTimeout(deadline.millisLeft());
        }
        if (line.length() == 0) {
            deadline.millisLeft(); // throws if endLate() has closed the socket
            throw new IOException("the server closed the connection without a response");
        }
        Matcher status = STATUS_LINE.matcher(line.toString().stripTrailing());
        if (!status.matches()) {
            throw new IOException("the response is not HTTP");
        }
        return Integer.parseInt(status.group(1));
    }

    /**
     * Ends a request that has passed its deadline, for example because the TLS handshake arrives byte by byte. Called by a
     * timer.
     */
    public void endLate() {
        Post post = running;
        if (post != null && post.deadline.isPast()) {
            end(post);
        }
    }

    /** Ends the current request and all later requests. */
    public void close() {
        closed = true;
        lookup.close();
        Post post = running;
        if (post != null) {
            end(post);
        }
    }

    public boolean isClosed() {
        return closed;
    }

    private static void end(Post post) {
        try {
            post.socket.close();
        } catch (IOException failure) {
            // The socket is closed even if close() fails.
        }
    }

    /**
     * Whether an address is on the public internet and does not belong to this machine (RFC 6890 lists special-purpose
     * addresses).
     */
    static boolean isPublic(InetAddress address) throws IOException {
        boolean isSpecial = address.isAnyLocalAddress() || address.isLoopbackAddress() || address.isLinkLocalAddress()
                || address.isSiteLocalAddress() || address.isMulticastAddress();
        boolean isReserved = address instanceof Inet4Address ? isReservedIpv4(address.getAddress()) : isReservedIpv6(address.getAddress());
        return !isSpecial && !isReserved && NetworkInterface.getByInetAddress(address) == null;
    }

    /** Whether an IPv4 address is in one of the special-purpose ranges that the JDK does not know. */
    private static boolean isReservedIpv4(byte[] bytes) {
        int first = bytes[0] & 0xff;
        int second = bytes[1] & 0xff;
        int third = bytes[2] & 0xff;
        boolean isCarrierNat = first == 100 && (second & 0xc0) == 64; // 100.64.0.0/10
        boolean isBenchmark = first == 198 && (second & 0xfe) == 18; // 198.18.0.0/15
        boolean isProtocolOrTest = first == 192 && second == 0 && (third == 0 || third == 2); // 192.0.0.0/24, 192.0.2.0/24
        return first == 0 || first >= 240 || isCarrierNat || isBenchmark || isProtocolOrTest;
    }

    /** Whether an IPv6 address is not global unicast, which IANA assigns only from 2000::/3, or contains an IPv4 address. */
    private static boolean isReservedIpv6(byte[] bytes) {
        int first = bytes[0] & 0xff;
        boolean isGlobal = (first & 0xe0) == 0x20;
        boolean isTeredo = first == 0x20 && bytes[1] == 1 && bytes[2] == 0 && bytes[3] == 0; // 2001::/32
        boolean is6to4 = first == 0x20 && bytes[1] == 2; // 2002::/16
        return !isGlobal || isTeredo || is6to4;
    }
}
