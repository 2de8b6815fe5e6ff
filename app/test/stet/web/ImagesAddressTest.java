package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Lazy;
import stet.harness.Certificates;
import stet.images.ImageProbe;

/** Tests of the images' address: what a listener there may do, and that no listener holds up a test or its thread. */
class ImagesAddressTest {
    /** Long enough for any machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** For listeners that never finish. */
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final SSLSocketFactory TLS = (SSLSocketFactory) SSLSocketFactory.getDefault();
    private static final ImageProbe PROBE = ImageProbe.of(new Random(1));

    private static ImagesAddress address(SSLSocketFactory tls, Duration timeout) {
        return new ImagesAddress(new Lazy<>(() -> PROBE), () -> tls, timeout);
    }

    /** A listener at a free port. */
    private interface Listening {
        void answer(Socket socket) throws IOException;
    }

    /** Answers connections until it is closed. */
    private static final class Listener implements AutoCloseable {
        private final ServerSocket socket;
        final AtomicInteger connections = new AtomicInteger();
        final CountDownLatch hungUp = new CountDownLatch(1);

        Listener(ServerSocket socket, Listening listening) {
            this.socket = socket;
            Thread thread = new Thread(() -> {
                while (!socket.isClosed()) {
                    try (Socket each = socket.accept()) {
                        connections.incrementAndGet();
                        listening.answer(each);
                    } catch (IOException ended) {
                        hungUp.countDown();
                    }
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        static Listener of(Listening listening) throws IOException {
            return new Listener(new ServerSocket(0, 5, InetAddress.getLoopbackAddress()), listening);
        }

        String at(String start) {
            return start + ":" + socket.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static void readHead(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        for (int last = 0, each; last != 0x0d0a0d0a; last = last << 8 | each) {
            each = in.read();
            if (each < 0) {
                throw new IOException("hung up");
            }
        }
    }

    /** @param response with FILE for the image's bytes */
    private static Listening sending(String response) {
        String file = new String(PROBE.bytes(), StandardCharsets.ISO_8859_1);
        return socket -> {
            readHead(socket);
            socket.getOutputStream().write(response.replace("\\r\\n", "\r\n").replace("LENGTH", "" + file.length()).replace("FILE", file).getBytes(StandardCharsets.ISO_8859_1));
        };
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            HTTP/1.1 200 OK\\r\\nContent-Type: image/png\\r\\nContent-Length: LENGTH\\r\\n\\r\\nFILE       | ``
            HTTP/1.0 200 OK\\r\\nContent-Type: Image/PNG; charset=utf-8\\r\\n\\r\\nFILE                  | ``
            HTTP/1.1 200 OK\\r\\nContent-Length: LENGTH\\r\\n\\r\\nFILE                                    | returned something else than this server's image; let the proxy pass /images/ on to this server unchanged
            HTTP/1.1 200 OK\\r\\nContent-Type: image/png\\r\\n\\r\\nFILEx                                  | returned something else than this server's image; let the proxy pass /images/ on to this server unchanged
            HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n<h1>Parked</h1>                        | returned something else than this server's image; let the proxy pass /images/ on to this server unchanged
            HTTP/1.1 301 Moved\\r\\nLocation: http://127.0.0.1:1/\\r\\nContent-Length: 0\\r\\n\\r\\n       | returned 301; let the proxy pass /images/ on to this server
            HTTP/1.1 401 No\\r\\nWWW-Authenticate: Basic realm=x\\r\\nContent-Length: 0\\r\\n\\r\\n         | returned 401; let the proxy pass /images/ on to this server
            HTTP/1.1 503 Busy\\r\\nRetry-After: 99\\r\\nContent-Length: 0\\r\\n\\r\\n                       | returned 503; let the proxy pass /images/ on to this server
            SSH-2.0-OpenSSH\\r\\n                                                                          | did not respond with HTTP; let the proxy pass /images/ on to this server
            ``                                                                                            | cannot be reached (Unexpected end of file from server); check the proxy
            """)
    void aResponseIsComparedWithTheImage(String response, String problem) throws IOException {
        try (Listener listener = Listener.of(sending(response))) {
            Optional<String> found = address(TLS, PATIENCE).problem(listener.at("http://127.0.0.1"));
            assertEquals(problem.isEmpty() ? "" : listener.at("127.0.0.1") + " " + problem, found.orElse(""));
        }
    }

    /** Another installation of Stet has an image of its own. */
    @Test
    void anotherServersImageIsNotTakenForThisOnes() throws IOException {
        byte[] other = ImageProbe.of(new Random(2)).bytes();
        try (Listener listener = Listener.of(sending("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n" + new String(other, StandardCharsets.ISO_8859_1)))) {
            assertTrue(address(TLS, PATIENCE).problem(listener.at("http://127.0.0.1")).orElseThrow().contains("something else"));
        }
    }

    /** Each read of a slow response begins its time limit anew, so the whole test has one, after which its connection is closed. */
    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP/1.1 200 OK\r\nX-", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\u0089"})
    void aSlowListenerIsGivenUp(String start) throws Exception {
        try (Listener listener = Listener.of(socket -> {
            readHead(socket);
            OutputStream out = socket.getOutputStream();
            out.write(start.getBytes(StandardCharsets.ISO_8859_1));
            while (socket.getInputStream().read() >= 0) {
                out.write('x');
            }
            throw new IOException("hung up");
        })) {
            ImagesAddress tested = address(TLS, SECOND);
            assertEquals(listener.at("127.0.0.1") + " did not respond within 1 s; check the firewall and the proxy", tested.problem(listener.at("http://127.0.0.1")).orElseThrow());
            listener.hungUp.await();
        }
    }

    @Test
    void anEndlessBodyIsNotRead() throws IOException {
        try (Listener listener = Listener.of(socket -> {
            readHead(socket);
            socket.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
            while (true) {
                socket.getOutputStream().write(PROBE.bytes());
            }
        })) {
            assertTrue(address(TLS, PATIENCE).problem(listener.at("http://127.0.0.1")).orElseThrow().contains("something else"));
        }
    }

    /** Administrators who try at once share one test and its thread. */
    @Test
    void concurrentTestsShareOneConnection() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        try (Listener listener = Listener.of(socket -> {
            try {
                held.await();
            } catch (InterruptedException ended) {
                throw new IOException(ended);
            }
            sending("HTTP/1.1 200 OK\\r\\nContent-Type: image/png\\r\\n\\r\\nFILE").answer(socket);
        })) {
            ImagesAddress tested = address(TLS, SECOND);
            for (int i = 0; i < 3; i++) {
                Thread other = new Thread(() -> tested.problem(listener.at("http://127.0.0.1")));
                other.start();
            }
            assertTrue(tested.problem(listener.at("http://127.0.0.1")).isPresent());
            assertTrue(listener.connections.get() <= 1, listener.connections + " connections");
            held.countDown();
        }
    }

    /** A lookup of the host or a TLS handshake may last longer than the time limit. */
    @Test
    void noTestBeginsWhileTheThreadOfALateOneStillRuns() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        BlockingQueue<Thread> begun = new LinkedBlockingQueue<>();
        ImagesAddress tested = new ImagesAddress(new Lazy<>(() -> PROBE), () -> {
            begun.add(Thread.currentThread());
            try {
                held.await();
            } catch (InterruptedException ended) {
                throw new IllegalStateException(ended);
            }
            return TLS;
        }, SECOND);
        String host = freePort("localhost");
        String late = host + " did not respond within 1 s; check the firewall and the proxy";
        assertEquals(late, tested.problem("https://" + host).orElseThrow());
        assertEquals(late, tested.problem("https://" + host).orElseThrow());
        held.countDown();
        begun.take().join();
        assertEquals("Nothing listens at " + host + "; start the proxy or change --images-url", tested.problem("https://" + host).orElseThrow());
        assertEquals(1, begun.size());
    }

    /** The host with a port at which nothing listens. */
    private static String freePort(String host) throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            return host + ":" + socket.getLocalPort();
        }
    }

    @Test
    void theCertificateIsVerified(@TempDir Path folder) throws Exception {
        SSLContext right = Certificates.context(Certificates.store(folder, "localhost"));
        SSLContext wrong = Certificates.context(Certificates.store(folder, "img.example"));
        SSLContext expired = Certificates.context(Certificates.store(folder, "localhost", "-startdate", "-10d", "-validity", "5"));
        Listening image = sending("HTTP/1.1 200 OK\\r\\nContent-Type: image/png\\r\\n\\r\\nFILE");
        try (Listener listener = secured(right, image)) {
            assertEquals(Optional.empty(), address(right.getSocketFactory(), PATIENCE).problem(listener.at("https://localhost")));
            String problem = address(TLS, PATIENCE).problem(listener.at("https://localhost")).orElseThrow();
            assertTrue(problem.matches("The certificate of localhost:\\d+ is not valid for it \\(.*unable to find valid certification path.*\\); install another certificate"), problem);
        }
        for (SSLContext each : new SSLContext[] {wrong, expired}) {
            try (Listener listener = secured(each, image)) {
                String problem = address(each.getSocketFactory(), PATIENCE).problem(listener.at("https://localhost")).orElseThrow();
                assertTrue(problem.startsWith(listener.at("The certificate of localhost") + " is not valid for it ("), problem);
            }
        }
    }

    @Test
    void aServerWithoutTlsIsReported() throws Exception {
        try (Listener listener = Listener.of(socket -> socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1)))) {
            String problem = address(TLS, PATIENCE).problem(listener.at("https://localhost")).orElseThrow();
            assertTrue(problem.startsWith(listener.at("localhost") + " cannot be reached by https (") && problem.endsWith("); check the port and the proxy"), problem);
        }
    }

    private static Listener secured(SSLContext tls, Listening listening) throws IOException {
        return new Listener(tls.getServerSocketFactory().createServerSocket(0, 5, InetAddress.getByName("localhost")), listening);
    }
}
