package stet.mail;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import stet.base.Tls;
import stet.mail.MailFailure.FailureKind;

/** One conversation with a mail server. Each failure names its step and quotes the server's own line. */
final class SmtpConversation {
    private static final int MAX_LINES = 100;
    private static final int MAX_LINE_BYTES = 2_000;
    /** Maximum number of characters of a reply in a message. */
    private static final int MAX_QUOTED = 300;
    /** Maximum time to wait for the end of the conversation once the email has been accepted. */
    private static final int QUIT_MILLIS = 1_000;
    private static final Pattern REPLY = Pattern.compile("[2-5][0-9]{2}([ -].*)?");

    private final MailServer server;
    private final SmtpClient.SendAttempt attempt;
    private Socket socket;
    private InputStream in;
    private OutputStream out;
    private String step = "connecting";
    /** True once the server has to decide about this email; earlier rejections concern its settings, which an administrator may correct. */
    private boolean isAboutEmail;
    private boolean isMessageSent;

    SmtpConversation(MailServer server, SmtpClient.SendAttempt attempt) {
        this.server = server;
        this.attempt = attempt;
    }

    /** The step at which the conversation ended. */
    String step() {
        return step;
    }

    /** True once the whole email has been sent, so that the server may have accepted it. */
    boolean isMessageSent() {
        return isMessageSent;
    }

    private record SmtpReply(int code, List<String> lines) {
        /** Whether the code is 2xx. */
        boolean isPositive() {
            return code / 100 == 2;
        }

        /** The last line, which servers put the reason into. */
        String last() {
            return lines.get(lines.size() - 1);
        }
    }

    /**
     * @param isLocal whether the connection may stay unencrypted
     * @return the server's reply to the email
     */
    String send(MailAddress to, byte[] message, boolean isLocal, Supplier<SSLSocketFactory> tls) throws IOException {
        open(attempt.socket());
        if (server.isTls()) {
            secure(tls);
        }
        step = "waiting for its greeting";
        check(reply(), 220, "is not ready");
        List<String> offered = hello();
        if (!server.isTls() && !isLocal) {
            offered = startTls(offered, tls);
        }
        if (server.user() != null) {
            signIn(offered);
        }
        isAboutEmail = true;
        checkSize(offered, message.length);
        commandOk("MAIL FROM:<" + server.from() + ">", "rejected the sender " + server.from());
        commandOk("RCPT TO:<" + to + ">", "rejected the recipient " + to);
        check(command("DATA"), 354, "rejected the email");
        step = "sending the email";
        sendStuffed(message);
        isMessageSent = true;
        step = "waiting for its reply to the email";
        SmtpReply reply = check(reply(), 250, "rejected the email");
        quit();
        return quoted(reply.last());
    }

    private void open(Socket opened) throws IOException {
        socket = opened;
        in = new BufferedInputStream(opened.getInputStream());
        out = new BufferedOutputStream(opened.getOutputStream());
    }

    // ---- TLS

    private List<String> startTls(List<String> offered, Supplier<SSLSocketFactory> tls) throws IOException {
        if (offered.stream().noneMatch("STARTTLS"::equalsIgnoreCase)) {
            throw retryable("offers no STARTTLS, and Stet sends unencrypted only to a mail server on its own machine");
        }
        check(command("STARTTLS"), 220, "rejected STARTTLS");
        if (in.available() > 0) { // would be taken for the encrypted server's (CVE-2011-0411)
            throw retryable("sent data between STARTTLS and TLS");
        }
        secure(tls);
        return hello();
    }

    private void secure(Supplier<SSLSocketFactory> tls) throws IOException {
        step = "starting TLS";
        SSLSocket secured = Tls.over(socket, server.bareHost(), server.port(), tls.get());
        secured.setSoTimeout(attempt.deadline.millisLeft());
        try {
            secured.startHandshake();
        } catch (SSLException failure) {
            if (attempt.deadline.isPast()) {
                throw failure;
            }
            throw new MailFailure(FailureKind.TEMPORARY, "No secure connection to the mail server " + server.url() + ": " + reason(failure), failure);
        }
        open(secured);
    }

    /** The problem in words; JSSE wraps that of a certificate in several exceptions. */
    private String reason(SSLException failure) {
        Throwable cause = failure;
        boolean isUntrusted = false;
        while (cause.getCause() != null) {
            cause = cause.getCause();
            isUntrusted |= cause instanceof CertPathValidatorException || cause instanceof CertPathBuilderException;
        }
        String text = String.valueOf(cause.getMessage());
        if (text.contains("Unsupported or unrecognized SSL message")) {
            return "it does not begin with TLS; for STARTTLS, use smtp:// instead of smtps://";
        }
        if (text.contains("subject alternative") || text.contains("No name matching")) {
            return "its certificate is not for " + server.bareHost() + " (" + text + ")";
        }
        if (cause instanceof CertificateExpiredException) {
            return "its certificate has expired (" + text + ")";
        }
        if (cause instanceof CertificateNotYetValidException) {
            return "its certificate is not valid yet (" + text + ")";
        }
        if (isUntrusted) {
            return "its certificate is not signed by an authority that Java trusts";
        }
        return cause instanceof CertificateException ? "its certificate is invalid (" + text + ")" : text;
    }

    // ---- commands

    /** Introduces Stet with the sender's domain. @return the extensions that the server offers */
    private List<String> hello() throws IOException {
        SmtpReply reply = check(command("EHLO " + server.from().domain()), 250, "rejected EHLO");
        return reply.lines.stream().skip(1).map(line -> line.substring(Math.min(line.length(), 4)).strip()).toList();
    }

    /** Signs in. At this point, the connection is encrypted or stays on this machine. */
    private void signIn(List<String> offered) throws IOException {
        List<String> methods = offered.stream().map(line -> line.toUpperCase(Locale.ROOT)).filter(line -> line.matches("AUTH[ =].*"))
                .flatMap(line -> List.of(line.substring(5).split(" ")).stream()).toList();
        String refused = "rejected the user " + server.user() + " or the password";
        if (methods.contains("PLAIN")) {
            check(command("AUTH PLAIN " + base64("\0" + server.user() + "\0" + server.password()), "signing in"), 235, refused);
        } else if (methods.contains("LOGIN")) {
            check(command("AUTH LOGIN"), 334, "rejected AUTH LOGIN");
            check(command(base64(server.user()), "signing in"), 334, refused);
            check(command(base64(server.password()), "signing in"), 235, refused);
        } else {
            throw retryable(methods.isEmpty() ? "offers no sign-in; remove the user from --smtp, or use the port for submission"
                    : "offers only the sign-in methods " + quoted(String.join(", ", methods)) + "; Stet knows PLAIN and LOGIN");
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** @throws MailFailure if the email is larger than the server accepts (RFC 1870) */
    private static void checkSize(List<String> offered, int bytes) throws MailFailure {
        for (String line : offered) {
            if (line.matches("(?i)SIZE [1-9][0-9]{0,11}") && Long.parseLong(line.substring(5)) < bytes) {
                throw new MailFailure(FailureKind.REJECTED, "The email has " + bytes + " bytes, but the mail server accepts at most " + line.substring(5),
                        null);
            }
        }
    }

    /** Sends a command that the server must accept. @param refused as in {@link #check} */
    private void commandOk(String line, String refused) throws IOException {
        check(command(line), 250, refused);
    }

    private SmtpReply command(String line) throws IOException {
        return command(line, line.split(" ")[0]);
    }

    /** @param named the step's name, without secrets */
    private SmtpReply command(String line, String named) throws IOException {
        if (!line.matches("[ -~]{1,510}")) { // neither CR nor LF, so a line is one command
            throw new IllegalArgumentException("line of " + line.length() + " characters");
        }
        step = "at " + named;
        out.write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
        return reply();
    }

    /** Sends the email with a dot before each line that starts with one, and the line with one dot that ends it (RFC 5321, 4.5.2). */
    private void sendStuffed(byte[] message) throws IOException {
        boolean isStart = true;
        for (byte each : message) {
            if (isStart && each == '.') {
                out.write('.');
            }
            out.write(each);
            isStart = each == '\n';
        }
        out.write((isStart ? ".\r\n" : "\r\n.\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    /** The email has been accepted, whatever follows. */
    private void quit() {
        try {
            out.write("QUIT\r\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
            socket.setSoTimeout(Math.min(QUIT_MILLIS, attempt.deadline.millisLeft()));
            in.read();
        } catch (IOException failure) {
            // The server has closed the connection, or answers late.
        }
    }

    // ---- replies

    /** Reads a reply, whose lines but the last have a hyphen behind the code (RFC 5321, 4.2.1). */
    private SmtpReply reply() throws IOException {
        List<String> lines = new ArrayList<>();
        do {
            if (lines.size() == MAX_LINES) {
                throw retryable("sent a reply of more than " + MAX_LINES + " lines");
            }
            lines.add(line());
        } while (lines.get(lines.size() - 1).startsWith("-", 3));
        return new SmtpReply(Integer.parseInt(lines.get(lines.size() - 1).substring(0, 3)), lines);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = read(); c != '\n'; c = read()) {
            line.append((char) c);
            if (line.length() > MAX_LINE_BYTES) {
                throw retryable("sent a reply with a line of more than " + MAX_LINE_BYTES + " bytes");
            }
        }
        String text = line.toString().replaceFirst("\r$", "");
        if (!REPLY.matcher(text).matches()) {
            throw retryable("does not speak SMTP: " + quoted(text));
        }
        return text;
    }

    private int read() throws IOException {
        socket.setSoTimeout(attempt.deadline.millisLeft());
        int c = in.read();
        if (c < 0) {
            throw new EOFException();
        }
        return c;
    }

    /**
     * Checks a reply.
     *
     * @param code    the expected code; any 2xx if 250 is expected
     * @param refused what another reply means, after "the mail server"
     * @return the reply
     */
    private SmtpReply check(SmtpReply reply, int code, String refused) throws MailFailure {
        boolean isExpected = reply.code == code || code == 250 && reply.isPositive();
        if (!isExpected) {
            isMessageSent = false; // the server has decided
            throw new MailFailure(reply.code / 100 == 5 && isAboutEmail ? FailureKind.REJECTED : FailureKind.TEMPORARY,
                    "The mail server " + refused + ": " + quoted(reply.last()), null);
        }
        return reply;
    }

    /** A failure that another attempt may not have; its outcome is unknown if the whole email has been sent. */
    private MailFailure retryable(String sentence) {
        return new MailFailure(isMessageSent ? FailureKind.UNKNOWN : FailureKind.TEMPORARY, "The mail server " + server.url() + " " + sentence, null);
    }

    /** A line of the server for messages and the log. */
    private static String quoted(String line) {
        String shown = line.replaceAll("[^ -~]", "?").strip();
        return shown.length() <= MAX_QUOTED ? shown : shown.substring(0, MAX_QUOTED) + "...";
    }
}
