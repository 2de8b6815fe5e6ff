package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.HostLookup;
import stet.harness.Certificates;
import stet.harness.Running;

/** Which hosts a webhook may name, and what their servers may do. */
class WebhookClientTest {
    /** Long enough for any machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** For listeners that never answer. */
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final byte[] JSON = "{\"text\":\"hi\"}".getBytes(StandardCharsets.US_ASCII);
    private static final SSLSocketFactory TLS = (SSLSocketFactory) SSLSocketFactory.getDefault();

    /** Every address that a name resolves to is checked, so a public address does not hide a private one. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1", "::1", "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1",
        "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1", "2001:0:1::1"})
    void addressesThatAreNotPublicAreRefused(String address) throws IOException {
        InetAddress refused = InetAddress.getByName(address);
        WebhookClient client = client(host -> new InetAddress[] {InetAddress.getByName("93.184.216.34"), refused}, false, PATIENCE);
        assertEquals("the host rebound.example resolves to " + refused.getHostAddress()
                + ", which is not a public address; an administrator can allow it with --webhook-private", reason(client, "https://rebound.example/"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"93.184.216.34", "8.8.8.8", "100.128.0.1", "172.32.0.1", "2606:4700::1111", "2001:4860:4860::8888"})
    void publicAddressesAreAllowed(String address) throws IOException {
        assertTrue(WebhookClient.isPublic(InetAddress.getByName(address)));
    }

    /** A resolver that does not answer for one host holds up neither other hosts nor the end of the server, and only so many threads. */
    @Test
    void aLookupThatHangsIsGivenUp() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        AtomicInteger hanging = new AtomicInteger();
        WebhookClient client = client(host -> {
            if (!host.equals("127.0.0.1")) {
                hanging.incrementAndGet();
                try {
                    held.await();
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            }
            throw new UnknownHostException(host);
        }, false, Duration.ofMillis(100));
        assertTrue(reason(client, "https://h0.example/").endsWith(" was not found within 0 s"));
        assertEquals("the host 127.0.0.1 was not found", reason(client, "https://127.0.0.1/"));
        for (int i = 0; i < 30; i++) {
            assertEquals("the host h" + i % 25 + ".example was not found within 0 s", reason(client, "https://h" + i % 25 + ".example/"));
            assertTrue(hanging.get() <= 20, hanging + " threads");
        }
        assertTrue(Running.comes(() -> hanging.get() == 20));
        held.countDown();
    }

    @Test
    void anUnknownHostIsNamed() {
        WebhookClient client = client(host -> {
            throw new UnknownHostException(host);
        }, false, PATIENCE);
        assertEquals("the host nowhere.example was not found", reason(client, "https://nowhere.example/"));
    }

    /** The response may redirect, end early, never end or not be HTTP; only its status line is read. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            HTTP/1.1 204 No Content\\r\\n\\r\\n                             | 204
            HTTP/1.0 200\\r\\n                                              | 200
            HTTP/1.1 302 Found\\r\\nLocation: http://127.0.0.1:1/\\r\\n\\r\\n | 302
            HTTP/1.1 200 OK\\r\\n10 GB                                     | 200
            SSH-2.0-OpenSSH\\r\\n                                           | the response is not HTTP
            10 GB                                                         | the response is not HTTP
            ""                                                            | the server closed the connection without a response
            hang                                                          | no response within 1 s
            trickle                                                       | no response within 1 s
            """)
    void onlyTheStatusLineOfAResponseIsRead(String response, String expected) throws Exception {
        AtomicLong written = new AtomicLong();
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> response(listener, response.replace("\\r\\n", "\r\n"), written));
            thread.start();
            WebhookClient client = client(InetAddress::getAllByName, true, response.matches("hang|trickle") ? SECOND : PATIENCE);
            String url = "http://127.0.0.1:" + listener.getLocalPort() + "/services/1?a=b";
            assertEquals(expected, result(client, url));
            thread.join();
        }
        assertTrue(written.get() < 100 << 20, written + " bytes of the body were taken");
    }

    private static void response(ServerSocket listener, String response, AtomicLong written) {
        try (Socket socket = listener.accept()) {
            InputStream in = socket.getInputStream();
            byte[] request = new byte[4_096];
            int length = 0;
            while (length < JSON.length || !new String(request, 0, length, StandardCharsets.US_ASCII).endsWith("\r\n\r\n{\"text\":\"hi\"}")) {
                length += in.read(request, length, request.length - length);
            }
            OutputStream out = socket.getOutputStream();
            out.write(response.replace("10 GB", "").replace("hang", "").replace("trickle", "").getBytes(StandardCharsets.US_ASCII));
            for (; response.endsWith("10 GB") && written.get() < 10L << 30; written.addAndGet(1 << 16)) {
                out.write(new byte[1 << 16]);
            }
            for (int i = 0; response.equals("trickle"); i++) {
                out.write("HTTP/1.1 200 ".charAt(Math.min(i, 12)));
                untilHangup(socket, 100);
            }
            if (response.equals("hang")) {
                untilHangup(socket, 0);
            }
        } catch (IOException ended) {
            // The client hung up.
        }
    }

    /** @param millis maximum wait; 0 for none @throws IOException when the client has hung up */
    private static void untilHangup(Socket socket, int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            if (socket.getInputStream().read() < 0) {
                throw new EOFException();
            }
        } catch (SocketTimeoutException stillThere) {
            // The next byte may be sent.
        }
    }

    /** Each read restarts the timeout, so a timer ends a request whose handshake arrives byte by byte. */
    @Test
    void aSlowHandshakeIsEnded() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            WebhookClient client = client(InetAddress::getAllByName, true, SECOND);
            Thread peer = new Thread(() -> {
                try (Socket socket = listener.accept()) {
                    byte[] record = {22, 3, 3, 0x40, 0};
                    socket.setSoTimeout(100);
                    for (int i = 0; ; i++) {
                        socket.getOutputStream().write(i < record.length ? record[i] : 1);
                        try { // The client's first message arrives, and then nothing until it hangs up.
                            if (socket.getInputStream().read(new byte[1 << 16]) < 0) {
                                return;
                            }
                        } catch (SocketTimeoutException stillThere) {
                            // The next byte may be sent.
                        }
                        client.endLate();
                    }
                } catch (IOException ended) {
                    // The client hung up.
                }
            });
            peer.start();
            assertEquals("no response within 1 s", reason(client, "https://127.0.0.1:" + listener.getLocalPort() + "/"));
            peer.join();
        }
    }

    /** The certificate must match the host name, although the connection goes to an address. */
    @Test
    void theCertificateIsVerified(@TempDir Path folder) throws Exception {
        SSLContext tls = Certificates.context(Certificates.store(folder, "hooks.example"));
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(exchange.getRequestHeaders().getFirst("Host").startsWith("hooks.example:") ? 200 : 400, -1);
            exchange.close();
        });
        server.start();
        try {
            WebhookClient client = new WebhookClient(host -> InetAddress.getAllByName("127.0.0.1"), tls::getSocketFactory, true, PATIENCE);
            int port = server.getAddress().getPort();
            assertEquals(200, client.post(URI.create("https://hooks.example:" + port + "/a"), JSON));
            assertTrue(reason(client, "https://other.example:" + port + "/a").contains("other.example"));
            WebhookClient stranger = new WebhookClient(host -> InetAddress.getAllByName("127.0.0.1"), () -> TLS, true, PATIENCE);
            assertTrue(reason(stranger, "https://hooks.example:" + port + "/a").contains("PKIX"));
        } finally {
            server.stop(0);
        }
    }

    private static WebhookClient client(HostLookup.Resolver resolver, boolean allowsPrivate, Duration timeout) {
        return new WebhookClient(resolver, () -> TLS, allowsPrivate, timeout);
    }

    /** The status of a response, or the reason why there is none. */
    private static String result(WebhookClient client, String url) {
        try {
            return Integer.toString(client.post(URI.create(url), JSON));
        } catch (IOException failure) {
            return failure.getMessage();
        }
    }

    private static String reason(WebhookClient client, String url) {
        return assertThrows(IOException.class, () -> client.post(URI.create(url), JSON)).getMessage();
    }
}
