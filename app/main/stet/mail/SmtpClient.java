package stet.mail;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocketFactory;
import stet.base.Deadline;
import stet.base.HostLookup;
import stet.mail.MailFailure.FailureKind;

/**
 * Sends emails through a mail server (RFC 5321), one at a time and each on its own connection. The JDK has no mail client.
 *
 * <pre>
 * smtps:// ── TLS ── greeting ── EHLO ──────────────────────────────┐
 * smtp:// ── greeting ── EHLO ─┬─ STARTTLS ── TLS ── EHLO ──────────┼── AUTH ── MAIL ── RCPT ── DATA ── the email ── QUIT
 *                              └─ only if the URL names this machine ┘
 * </pre>
 */
public final class SmtpClient {
    /** Maximum time to connect to one address. */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    /** Maximum time of an attempt. */
    public static final Duration TIMEOUT = Duration.ofSeconds(30);
    /** Maximum number of a host's addresses that are tried. */
    private static final int MAX_ADDRESSES = 3;

    private final HostLookup lookup;
    private final Supplier<SSLSocketFactory> tls;
    private final Duration connectTimeout;
    private final Duration timeout;
    /** The current attempt, or null. */
    private volatile SendAttempt running;
    private volatile boolean closed;

    /** One attempt to send. Each address of the host is tried with a new socket, because a socket that failed to connect cannot be used again. */
    static final class SendAttempt {
        final Deadline deadline;
        private volatile Socket socket = new Socket();
        private volatile boolean isEnded;

        private SendAttempt(Deadline deadline) {
            this.deadline = deadline;
        }

        Socket socket() {
            return socket;
        }

        private void connect(InetSocketAddress address, int timeoutMillis) throws IOException {
            socket.close();
            socket = new Socket();
            if (isEnded) {
                socket.close();
            }
            socket.connect(address, Math.min(timeoutMillis, deadline.millisLeft()));
        }

        private void end() {
            isEnded = true;
            try {
                socket.close();
            } catch (IOException failure) {
                // The socket is closed even if close() fails.
            }
        }
    }

    public SmtpClient() {
        this(InetAddress::getAllByName, () -> (SSLSocketFactory) SSLSocketFactory.getDefault(), CONNECT_TIMEOUT, TIMEOUT);
    }

    /**
     * @param tls     supplies the TLS socket factory; not called before the first connection with TLS, because loading classes and
     *                certificates takes a while
     * @param timeout time limit of an attempt, from the lookup to the server's reply; {@link #endLate} enforces it
     */
    public SmtpClient(HostLookup.Resolver resolver, Supplier<SSLSocketFactory> tls, Duration connectTimeout, Duration timeout) {
        this.lookup = new HostLookup(resolver);
        this.tls = tls;
        this.connectTimeout = connectTimeout;
        this.timeout = timeout;
    }

    /**
     * Sends an email.
     *
     * @param message an ASCII file with lines of at most 998 characters, each ending with CR LF
     * @return the server's reply to the email
     * @throws MailFailure if the server did not accept the email
     */
    public String send(MailServer server, MailAddress to, byte[] message) throws MailFailure {
        checkMessage(message);
        SendAttempt attempt = new SendAttempt(Deadline.in(timeout));
        SmtpConversation conversation = new SmtpConversation(server, attempt);
        running = attempt;
        try {
            if (closed) {
                throw new MailFailure(FailureKind.TEMPORARY, "Stet is stopping", null);
            }
            InetAddress address = connect(server, attempt);
            return conversation.send(to, message, server.isLocal() && address.isLoopbackAddress(), tls);
        } catch (MailFailure failure) {
            throw failure;
        } catch (IOException failure) {
            boolean isLate = failure instanceof SocketTimeoutException || attempt.deadline.isPast();
            throw new MailFailure(conversation.isMessageSent() ? FailureKind.UNKNOWN : FailureKind.TEMPORARY, "The mail server " + server.url()
                    + (isLate ? " did not finish within " + timeout.toSeconds() + " s" : " closed the connection") + " (" + conversation.step() + ")", failure);
        } finally {
            running = null;
            attempt.end();
        }
    }

    /** @throws IllegalArgumentException if the message could end early, has a line of more than 998 characters (RFC 5321, 4.5.3.1.6) or is not ASCII */
    private static void checkMessage(byte[] message) {
        int start = 0;
        for (int i = 0; i < message.length; i++) {
            boolean isLineEnd = message[i] == '\r' && i + 1 < message.length && message[i + 1] == '\n';
            if (isLineEnd) {
                i++;
                start = i + 1;
            } else if (message[i] <= 0 || message[i] == '\r' || message[i] == '\n' || i - start >= 998) {
                throw new IllegalArgumentException("byte " + i + " of the message");
            }
        }
    }

    /** Connects to the first address of the host that accepts the connection. @return that address */
    private InetAddress connect(MailServer server, SendAttempt attempt) throws IOException {
        InetAddress[] all;
        try {
            all = lookup.find(server.bareHost(), attempt.deadline.millisLeft());
        } catch (UnknownHostException unknown) {
            throw new MailFailure(FailureKind.TEMPORARY, "The mail server " + server.bareHost() + " was not found", unknown);
        } catch (SocketTimeoutException late) {
            throw new MailFailure(FailureKind.TEMPORARY, "The mail server " + server.bareHost() + " was not found within " + timeout.toSeconds()
                    + " s", late);
        }
        IOException last = null;
        for (int i = 0; i < Math.min(all.length, MAX_ADDRESSES) && !closed; i++) {
            try {
                attempt.connect(new InetSocketAddress(all[i], server.port()), (int) connectTimeout.toMillis());
                return all[i];
            } catch (IOException failure) {
                last = failure;
            }
        }
        String reason = last instanceof SocketTimeoutException ? "no response within " + connectTimeout.toSeconds() + " s"
                : last == null ? "Stet is stopping" : last.getMessage();
        throw new MailFailure(FailureKind.TEMPORARY, "Cannot connect to the mail server " + server.url() + ": " + reason, last);
    }

    /**
     * Ends an attempt that has passed its deadline, for example because the TLS handshake arrives byte by byte or the server does not read.
     * Called by a timer.
     */
    public void endLate() {
        SendAttempt attempt = running;
        if (attempt != null && attempt.deadline.isPast()) {
            attempt.end();
        }
    }

    /** Ends the current attempt and all later ones. */
    public void close() {
        closed = true;
        lookup.close();
        SendAttempt attempt = running;
        if (attempt != null) {
            attempt.end();
        }
    }

    public boolean isClosed() {
        return closed;
    }
}
