package stet.mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Refusal;
import stet.harness.Certificates;
import stet.harness.MailSink;
import stet.mail.MailFailure.FailureKind;

/** Faults of mail servers, and the client's sentences about them. */
class SmtpClientTest {
    /** Long enough for any machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** For servers that never answer. */
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final MailAddress ADA = MailAddress.of("ada@example.com");
    private static final String MESSAGE = "Subject: Hi\r\n\r\n.first dot\r\n..two\r\n.\r\nend\r\n";
    private static final SSLSocketFactory TLS = (SSLSocketFactory) SSLSocketFactory.getDefault();

    @TempDir
    static Path folder;
    private static SSLContext trusted;

    private MailSink sink;

    @BeforeAll
    static void makeCertificate() throws Exception {
        trusted = Certificates.context(Certificates.store(folder, "mail.example"));
    }

    @AfterEach
    void close() {
        if (sink != null) {
            sink.close();
        }
    }

    /** A client to whom every host name is this machine. */
    private static SmtpClient client(SSLSocketFactory factory, Duration timeout) {
        return new SmtpClient(host -> InetAddress.getAllByName("127.0.0.1"), () -> factory, PATIENCE, timeout);
    }

    private String send(String url, Duration timeout) throws MailFailure {
        return send(client(trusted.getSocketFactory(), timeout), url, null, MESSAGE);
    }

    private static String send(SmtpClient client, String url, String password, String message) throws MailFailure {
        return client.send(MailServer.of(url, "Stet <stet@example.com>", password), ADA, message.getBytes(StandardCharsets.US_ASCII));
    }

    private MailFailure failure(String url, Duration timeout) {
        return assertThrows(MailFailure.class, () -> send(url, timeout));
    }

    // ---- what arrives

    @Test
    void anEmailArrivesExactly() throws IOException {
        sink = new MailSink();
        assertEquals("250 queued as 4711", send(sink.url(), PATIENCE));
        MailSink.Mail mail = sink.mails.get(0);
        assertEquals("stet@example.com", mail.from());
        assertEquals("ada@example.com", mail.to());
        assertEquals("Subject: Hi\r\n\r\n..first dot\r\n...two\r\n..\r\nend\r\n", mail.data());
        assertEquals(MESSAGE, mail.message());
        assertFalse(mail.isEncrypted());
        assertEquals(List.of("EHLO example.com", "MAIL FROM:<stet@example.com>", "RCPT TO:<ada@example.com>", "DATA", "QUIT"), sink.commands);
    }

    @Test
    void anEmailWithoutALastLineBreakEndsToo() throws IOException {
        sink = new MailSink();
        send(client(TLS, PATIENCE), sink.url(), null, "Subject: Hi\r\n\r\nend");
        assertEquals("Subject: Hi\r\n\r\nend\r\n", sink.mails.get(0).data());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "a\rb", "a\r\n.\n.\r\nb", "a\r", "\0"})
    void anEmailWithOtherLineEndsIsNotSent(String message) throws IOException {
        sink = new MailSink();
        assertThrows(IllegalArgumentException.class, () -> send(client(TLS, PATIENCE), sink.url(), null, message));
        assertEquals(List.of(), sink.commands);
    }

    @Test
    void anEmailWithALineOf999CharactersIsNotSent() throws IOException {
        sink = new MailSink();
        assertThrows(IllegalArgumentException.class, () -> send(client(TLS, PATIENCE), sink.url(), null, "a".repeat(999)));
        assertEquals(List.of(), sink.commands);
    }

    // ---- TLS and signing in

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            smtps | AUTH PLAIN LOGIN
            smtps | AUTH LOGIN
            smtps | AUTH=LOGIN PLAIN
            smtp  | AUTH XOAUTH2 plain
            smtp  | AUTH LOGIN CRAM-MD5
            """)
    void signsInOverTls(String scheme, String offered) throws IOException {
        sink = new MailSink(trusted, scheme.equals("smtps")).offer(offered);
        assertEquals("250 queued as 4711", send(client(trusted.getSocketFactory(), PATIENCE),
                scheme + "://stet%40ex%C3%A4mple.com@mail.example:" + sink.port(), "p\u00e4ss+w\u00f6rd", MESSAGE));
        assertEquals("stet@ex\u00e4mple.com p\u00e4ss+w\u00f6rd", sink.mails.get(0).user());
        assertTrue(sink.mails.get(0).isEncrypted());
    }

    /** This machine's own mail server may have no certificate. */
    @Test
    void signsInWithoutTlsOnThisMachine() throws IOException {
        sink = new MailSink(trusted, false).offer("AUTH PLAIN");
        send(client(TLS, PATIENCE), "smtp://u@127.0.0.1:" + sink.port(), "p", MESSAGE);
        send(client(TLS, PATIENCE), "smtp://u@localhost:" + sink.port(), "p", MESSAGE);
        assertEquals(List.of("u p", "u p"), sink.mails.stream().map(MailSink.Mail::user).toList());
    }

    /** Not even the sender is sent to a server without TLS, and a name that merely resolves to this machine is another server's. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            none        | The mail server smtp://mail.example:PORT offers no STARTTLS, and Stet sends unencrypted only to a mail server on its own machine
            454 not now | The mail server rejected STARTTLS: 454 not now
            220 go      | No secure connection to the mail server smtp://mail.example:PORT: it does not begin with TLS; for STARTTLS, use smtp:// instead of smtps://
            220 go\\r\\n250 hello | The mail server smtp://mail.example:PORT sent data between STARTTLS and TLS
            """)
    void aServerWithoutAWorkingStartTlsGetsNeitherPasswordNorEmail(String reply, String expected) throws IOException {
        sink = new MailSink().offer("AUTH PLAIN");
        if (!reply.equals("none")) {
            sink.offer("STARTTLS").reply("STARTTLS", reply.replace("\\r\\n", "\r\n"));
        }
        MailFailure failure = assertThrows(MailFailure.class, () ->
                send(client(trusted.getSocketFactory(), PATIENCE), "smtp://u@mail.example:" + sink.port(), "p", MESSAGE));
        assertEquals(expected.replace("PORT", "" + sink.port()), failure.getMessage());
        assertEquals(FailureKind.TEMPORARY, failure.kind());
        assertTrue(sink.commands.stream().noneMatch(line -> line.matches("(AUTH|MAIL|RCPT|DATA).*")), sink.commands.toString());
    }

    @Test
    void theCertificateMustBeForTheHostTrustedAndValid() throws Exception {
        sink = new MailSink(trusted, true);
        String other = "smtps://other.example:" + sink.port();
        assertTrue(failure(other, PATIENCE).getMessage().startsWith("No secure connection to the mail server " + other
                + ": its certificate is not for other.example ("), failure(other, PATIENCE).getMessage());
        assertEquals("No secure connection to the mail server smtps://mail.example:" + sink.port()
                + ": its certificate is not signed by an authority that Java trusts",
                assertThrows(MailFailure.class, () -> send(client(TLS, PATIENCE), "smtps://mail.example:" + sink.port(), null, MESSAGE)).getMessage());
        sink.close();
        SSLContext expired = Certificates.context(Certificates.store(folder, "mail.example", "-startdate", "-10d", "-validity", "5"));
        sink = new MailSink(expired, true);
        String url = "smtps://mail.example:" + sink.port();
        String why = assertThrows(MailFailure.class, () -> send(client(expired.getSocketFactory(), PATIENCE), url, null, MESSAGE)).getMessage();
        assertTrue(why.startsWith("No secure connection to the mail server " + url + ": its certificate has expired (NotAfter: "), why);
        assertEquals(List.of(), sink.commands);
    }

    @Test
    void plainSmtpIsNotTls() throws IOException {
        sink = new MailSink();
        assertEquals("No secure connection to the mail server smtps://mail.example:" + sink.port()
                + ": it does not begin with TLS; for STARTTLS, use smtp:// instead of smtps://", failure("smtps://mail.example:" + sink.port(), PATIENCE).getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''            | offers no sign-in; remove the user from --smtp, or use the port for submission
            AUTH XOAUTH2  | offers only the sign-in methods XOAUTH2; Stet knows PLAIN and LOGIN
            """)
    void aServerWithoutAKnownSignInMethodIsNamed(String offered, String expected) throws IOException {
        sink = new MailSink().offer(offered);
        MailFailure failure = assertThrows(MailFailure.class, () -> send(client(TLS, PATIENCE), "smtp://u@127.0.0.1:" + sink.port(), "p", MESSAGE));
        assertEquals("The mail server " + sink.url() + " " + expected, failure.getMessage());
    }

    // ---- replies

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
            greeting | 554 go away                      | TEMPORARY | The mail server is not ready: 554 go away
            greeting | SSH-2.0-OpenSSH                  | TEMPORARY | The mail server URL does not speak SMTP: SSH-2.0-OpenSSH
            greeting | HTTP/1.1 400 Bad Request         | TEMPORARY | The mail server URL does not speak SMTP: HTTP/1.1 400 Bad Request
            greeting | close                            | TEMPORARY | The mail server URL closed the connection (waiting for its greeting)
            greeting | hang                             | TEMPORARY | The mail server URL did not finish within 1 s (waiting for its greeting)
            greeting | drip                             | TEMPORARY | The mail server URL did not finish within 1 s (waiting for its greeting)
            greeting | flood                            | TEMPORARY | The mail server URL sent a reply with a line of more than 2000 bytes
            EHLO     | lines                            | TEMPORARY | The mail server URL sent a reply of more than 100 lines
            EHLO     | 502 what                         | TEMPORARY | The mail server rejected EHLO: 502 what
            AUTH     | 535 5.7.8 wrong                  | TEMPORARY | The mail server rejected the user u or the password: 535 5.7.8 wrong
            MAIL     | 451 later                        | TEMPORARY | The mail server rejected the sender stet@example.com: 451 later
            MAIL     | 550 not you                      | REJECTED  | The mail server rejected the sender stet@example.com: 550 not you
            RCPT     | 550-5.1.1 unknown\\r\\n550 5.1.1 user \u00e9\u0007! | REJECTED | The mail server rejected the recipient ada@example.com: 550 5.1.1 user ??!
            RCPT     | 450 greylisted                   | TEMPORARY | The mail server rejected the recipient ada@example.com: 450 greylisted
            DATA     | 354-x                            | TEMPORARY | The mail server URL did not finish within 1 s (at DATA)
            DATA     | 554 no valid recipients          | REJECTED  | The mail server rejected the email: 554 no valid recipients
            message  | 554 5.7.1 spam                   | REJECTED  | The mail server rejected the email: 554 5.7.1 spam
            message  | 452 full                         | TEMPORARY | The mail server rejected the email: 452 full
            message  | close                            | UNKNOWN   | The mail server URL closed the connection (waiting for its reply to the email)
            message  | hang                             | UNKNOWN   | The mail server URL did not finish within 1 s (waiting for its reply to the email)
            message  | flood                            | UNKNOWN   | The mail server URL sent a reply with a line of more than 2000 bytes
            """)
    void eachBadReplyHasItsFailure(String command, String reply, FailureKind kind, String expected) throws IOException {
        sink = new MailSink().offer("AUTH PLAIN").reply(command, reply.replace("\\r\\n", "\r\n"));
        SmtpClient client = client(TLS, expected.contains("1 s") ? SECOND : PATIENCE);
        MailFailure failure = assertThrows(MailFailure.class, () -> send(client, "smtp://u@127.0.0.1:" + sink.port(), "p", MESSAGE));
        assertEquals(expected.replace("URL", sink.url()), failure.getMessage());
        assertEquals(kind, failure.kind());
        assertTrue(sink.flooded.get() < 100 << 20, sink.flooded + " bytes of a reply were taken");
    }

    /** Once the email is accepted, nothing that follows makes Stet send it again. */
    @ParameterizedTest
    @ValueSource(strings = {"close", "hang", "drip", "flood", "500 no"})
    void theEmailIsSentWhateverQuitReturns(String reply) throws IOException {
        sink = new MailSink().reply("QUIT", reply);
        assertEquals("250 queued as 4711", send(sink.url(), PATIENCE));
    }

    @Test
    void aLongReplyIsShortened() throws IOException {
        sink = new MailSink().reply("RCPT", "550 " + "x".repeat(1_990));
        assertEquals("The mail server rejected the recipient ada@example.com: 550 " + "x".repeat(296) + "...", failure(sink.url(), PATIENCE).getMessage());
    }

    @Test
    void anEmailLargerThanTheServerTakesIsNotSent() throws IOException {
        sink = new MailSink().offer("SIZE 30");
        MailFailure failure = failure(sink.url(), PATIENCE);
        assertEquals("The email has " + MESSAGE.length() + " bytes, but the mail server accepts at most 30", failure.getMessage());
        assertEquals(FailureKind.REJECTED, failure.kind());
    }

    // ---- connecting

    @Test
    void anUnknownHostIsNamed() {
        SmtpClient client = new SmtpClient(host -> {
            throw new UnknownHostException(host);
        }, () -> TLS, PATIENCE, PATIENCE);
        assertEquals("The mail server nowhere.example was not found",
                assertThrows(MailFailure.class, () -> send(client, "smtps://nowhere.example", null, MESSAGE)).getMessage());
    }

    /** A resolver that does not answer holds up neither the next email beyond its time nor the end of the server. */
    @Test
    void aLookupThatHangsIsGivenUp() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        AtomicInteger lookups = new AtomicInteger();
        SmtpClient client = new SmtpClient(host -> {
            lookups.incrementAndGet();
            await(held);
            return new InetAddress[] {InetAddress.getLoopbackAddress()};
        }, () -> TLS, PATIENCE, SECOND);
        for (int i = 0; i < 2; i++) {
            MailFailure failure = assertThrows(MailFailure.class, () -> send(client, "smtp://mail.example", null, MESSAGE));
            assertEquals("The mail server mail.example was not found within 1 s", failure.getMessage());
            assertEquals(FailureKind.TEMPORARY, failure.kind());
        }
        assertEquals(1, lookups.get(), "attempts wait for the same lookup");
        held.countDown();
    }

    @Test
    void closingEndsALookup() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        SmtpClient client = new SmtpClient(host -> {
            asked.countDown();
            await(held);
            throw new UnknownHostException(host);
        }, () -> TLS, PATIENCE, Duration.ofDays(1));
        Thread closing = new Thread(() -> {
            await(asked);
            client.close();
        });
        closing.start();
        assertEquals(FailureKind.TEMPORARY, assertThrows(MailFailure.class, () -> send(client, "smtp://mail.example", null, MESSAGE)).kind());
        closing.join(PATIENCE.toMillis());
        held.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aClosedPortIsNamed() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        assertEquals("Cannot connect to the mail server smtp://127.0.0.1:" + port + ": Connection refused",
                failure("smtp://127.0.0.1:" + port, PATIENCE).getMessage());
    }

    /** The first address of a host may be unreachable, as IPv6 often is. */
    @Test
    void furtherAddressesAreTried() throws IOException {
        sink = new MailSink();
        SmtpClient client = new SmtpClient(host -> new InetAddress[] {InetAddress.getByName("127.0.0.9"), InetAddress.getByName("127.0.0.1")}, () -> TLS,
                PATIENCE, PATIENCE);
        assertEquals("250 queued as 4711", send(client, "smtp://localhost:" + sink.port(), null, MESSAGE));
    }

    /** Each read restarts its timeout. */
    @Test
    void aTimerEndsASlowHandshake() throws Exception {
        assertEndedByTimer("smtps://mail.example:", new byte[] {22, 3, 3, 0x40, 0}, 1);
    }

    /** A write has no timeout. */
    @Test
    void aTimerEndsAnEmailThatIsNotRead() throws Exception {
        assertEndedByTimer("smtp://127.0.0.1:", "220 a\r\n250 b\r\n250 c\r\n250 d\r\n354 e\r\n".getBytes(StandardCharsets.US_ASCII), 0);
    }

    /** Sends a long email to a server that reads nothing. @param begin what it sends at once @param rest byte that it then sends every 50 ms */
    private static void assertEndedByTimer(String url, byte[] begin, int rest) throws Exception {
        SmtpClient client = client(trusted.getSocketFactory(), SECOND);
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
        timer.scheduleWithFixedDelay(client::endLate, 50, 50, TimeUnit.MILLISECONDS);
        try (ServerSocket listener = new ServerSocket()) {
            listener.setReceiveBufferSize(4_096);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            timer.execute(() -> {
                try (Socket socket = listener.accept()) {
                    socket.getOutputStream().write(begin);
                    while (true) {
                        socket.getOutputStream().write(rest);
                        TimeUnit.MILLISECONDS.sleep(50);
                    }
                } catch (IOException | InterruptedException ended) {
                    // The client hung up.
                }
            });
            String message = "Subject: Hi\r\n\r\n" + "x\r\n".repeat(8 << 20);
            MailFailure failure = assertThrows(MailFailure.class, () -> send(client, url + listener.getLocalPort(), null, message));
            assertTrue(failure.getMessage().contains(" did not finish within 1 s ("), failure.getMessage());
            assertEquals(FailureKind.TEMPORARY, failure.kind());
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void aClosedClientSendsNothing() throws IOException {
        sink = new MailSink();
        SmtpClient client = client(TLS, PATIENCE);
        client.close();
        assertEquals("Stet is stopping", assertThrows(MailFailure.class, () -> send(client, sink.url(), null, MESSAGE)).getMessage());
        assertEquals(List.of(), sink.commands);
    }

    // ---- addresses and URLs

    /** Injection into commands and headers, and addresses that need extensions of SMTP. */
    @ParameterizedTest
    @ValueSource(strings = {"", "ada", "@example.com", "ada@", "ada@example.com>\r\nRCPT TO:<eve@example.com", "ada@example.com\r\nDATA", "a b@example.com",
        "ada@example.com eve@example.com", "<ada@example.com>", "ada@example.com>", "\"ada\"@example.com", "a,b@example.com", "a;b@example.com", "a:b@example.com",
        ".ada@example.com", "ada.@example.com", "a..b@example.com", "a(b)@example.com", "\u00e4da@example.com", "ada@exam_ple.com", "ada@-example.com",
        "ada@example..com", "ada@[127.0.0.1]", "ada@example.com.", "ada@stra\u00dfe.example", "ada\0@example.com", "a\\b@example.com", "ada@exa\u200dmple.com",
        "12345678901234567890123456789012345678901234567890123456789012345@example.com", "ada@example.com\u0085", "ada@\u2024.com"})
    void addressesThatNeedMoreThanPlainSmtpAreRefused(String address) {
        assertEquals("email", assertThrows(Refusal.class, () -> MailAddress.of(address)).field());
        assertFalse(MailAddress.isUsable(address));
    }

    @ParameterizedTest
    @CsvSource({"ada@example.com,ada@example.com", "Ada.O'Hara+x=y@EXAMPLE.com,Ada.O'Hara+x=y@example.com", "ada@b\u00fccher.example,ada@xn--bcher-kva.example",
        "ada@localhost,ada@localhost", "a@xn--bcher-kva.example,a@xn--bcher-kva.example", "ada@\u4f8b\u5b50.\u6d4b\u8bd5,ada@xn--fsqu00a.xn--0zwm56d",
        "1234567890123456789012345678901234567890123456789012345678901234@example.com,1234567890123456789012345678901234567890123456789012345678901234@example.com"})
    void otherAddressesAreSentTo(String address, String expected) {
        assertEquals(expected, MailAddress.of(address).text());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            http://mail.example              | stet@example.com | - | smtp: is not a mail server's URL; use a URL such as smtps://user@mail.example.com or smtp://localhost:25
            mail.example:25                  | stet@example.com | - | smtp: is not a mail server's URL; use a URL such as smtps://user@mail.example.com or smtp://localhost:25
            smtp://mail.example/x            | stet@example.com | - | smtp: is not a mail server's URL; use a URL such as smtps://user@mail.example.com or smtp://localhost:25
            smtp://mail.example?starttls=no  | stet@example.com | - | smtp: is not a mail server's URL; use a URL such as smtps://user@mail.example.com or smtp://localhost:25
            smtp://mail.example:99999        | stet@example.com | - | smtp: is not a mail server's URL; use a URL such as smtps://user@mail.example.com or smtp://localhost:25
            smtp://u:p@mail.example          | stet@example.com | p | smtp: must not contain the password, because other users can see options in the process list; set STET_SMTP_PASSWORD or use --smtp-password-file
            smtp://u@mail.example            | stet@example.com | - | smtp: has a user but there is no password; set STET_SMTP_PASSWORD or use --smtp-password-file
            smtp://mail.example              | stet@example.com | p | smtp: has no user for the password; use a URL such as smtps://user@mail.example.com
            smtp://u%00v@mail.example        | stet@example.com | p | smtp: has a user or password with a NUL character; remove it
            smtp://mail.example              | stet             | - | smtp-from: is not an email address; use an address such as stet@example.com or "Stet <stet@example.com>"
            smtp://mail.example              | a@b.c, d@e.f     | - | smtp-from: is not an email address; use an address such as stet@example.com or "Stet <stet@example.com>"
            """)
    void wrongOptionsAreRefused(String url, String from, String password, String expected) {
        Refusal refusal = assertThrows(Refusal.class, () -> MailServer.of(url, from, password));
        assertEquals(expected, refusal.field() + ": " + refusal.getMessage());
    }

    @Test
    void aServerHasItsUsualPort() {
        assertEquals("smtps://mail.example:465", MailServer.of("smtps://MAIL.example/", "a@b.c", null).url());
        assertEquals("smtp://mail.example:587", MailServer.of("smtp://mail.example", "a@b.c", null).url());
    }

    @Test
    void aSenderHasANameAndAnAsciiAddress() {
        MailServer own = MailServer.of("smtp://[::1]:25", "\"Harbour Books\" <stet@b\u00fccher.example>", null);
        assertEquals("smtp://[::1]:25 Harbour Books stet@xn--bcher-kva.example", own.url() + " " + own.fromName() + " " + own.from());
        assertTrue(own.isLocal(), "::1 is this machine");
    }

    @Test
    void thePasswordIsNotPrinted() {
        assertFalse(MailServer.of("smtp://u@h", "a@b.c", "hidden").toString().contains("hidden"));
    }
}
