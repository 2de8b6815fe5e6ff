package stet.harness;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A mail server that stores what it receives, or misbehaves. A reply is sent as it is, except that {@code hang} sends nothing,
 * {@code drip} a byte at a time forever, {@code flood} and {@code lines} up to 10 GB, {@code close} ends the connection, and {@code lost} does so after the email was stored.
 */
public final class MailSink implements AutoCloseable {
    /** @param data the email as it was sent, without the final dot and with stuffed dots */
    public record Mail(String from, String to, String data, boolean isEncrypted, String user) {
        /** The message, without stuffed dots. */
        public String message() {
            return data.replaceAll("(?m)^\\.", "");
        }

        /** A header's value on one line, or null. */
        public String header(String name) {
            String head = message().split("\r\n\r\n", 2)[0].replaceAll("\r\n[ \t]", " ");
            return head.lines().filter(line -> line.startsWith(name + ": ")).map(line -> line.substring(name.length() + 2)).findFirst().orElse(null);
        }

        public String text() {
            return part(1);
        }

        public String html() {
            return part(2);
        }

        /** One of the alternatives; both are in Base64. */
        private String part(int number) {
            String content = message().split("--stet-part")[number].split("\r\n\r\n", 2)[1];
            return new String(Base64.getMimeDecoder().decode(content), StandardCharsets.UTF_8);
        }
    }

    public final List<Mail> mails = new CopyOnWriteArrayList<>();
    /** All commands, except the email. */
    public final List<String> commands = new CopyOnWriteArrayList<>();
    /** Bytes that a flooding server could send. */
    public final AtomicLong flooded = new AtomicLong();
    private final Map<String, String> replies = new ConcurrentHashMap<>();
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    /** Null without TLS. */
    private final SSLContext tls;
    private final boolean isImplicit;
    private volatile String extensions = "";

    public MailSink() throws IOException {
        this(null, false);
    }

    /** @param tls null without TLS @param isImplicit whether the connection begins with TLS */
    public MailSink(SSLContext tls, boolean isImplicit) throws IOException {
        this.tls = tls;
        this.isImplicit = isImplicit;
        if (tls != null && !isImplicit) {
            offer("STARTTLS");
        }
        threads.execute(() -> {
            while (!listener.isClosed()) {
                try {
                    Socket client = listener.accept();
                    open.add(client);
                    threads.execute(() -> talk(client));
                } catch (IOException closed) {
                    return;
                }
            }
        });
    }

    public int port() {
        return listener.getLocalPort();
    }

    public String url() {
        return "smtp://127.0.0.1:" + port();
    }

    /** Sets the reply to a command, which is its first word, {@code greeting}, or {@code message} for the end of the email. */
    public MailSink reply(String command, String reply) {
        replies.put(command, reply);
        return this;
    }

    public void obey() {
        replies.clear();
    }

    /** Adds a line to the reply to EHLO. */
    public MailSink offer(String extension) {
        extensions += extension + "\n";
        return this;
    }

    private void talk(Socket client) {
        try (client) {
            Conversation conversation = new Conversation(client);
            if (isImplicit) {
                conversation.secure();
            }
            conversation.run();
        } catch (IOException ended) {
            // The client hung up, or a test has ended.
        } finally {
            open.remove(client);
        }
    }

    private final class Conversation {
        private Socket socket;
        private InputStream in;
        private OutputStream out;
        private String from;
        private String to;
        private String user;

        Conversation(Socket socket) throws IOException {
            open(socket);
        }

        private void open(Socket opened) throws IOException {
            socket = opened;
            in = new BufferedInputStream(opened.getInputStream());
            out = opened.getOutputStream();
        }

        void secure() throws IOException {
            SSLSocket secured = (SSLSocket) tls.getSocketFactory().createSocket(socket, null, true);
            secured.setUseClientMode(false);
            secured.startHandshake();
            open(secured);
        }

        void run() throws IOException {
            response("greeting", "220 sink.example ready");
            while (true) {
                String line = line();
                commands.add(line);
                String word = line.split("[ :]")[0];
                switch (word) {
                    case "EHLO" -> {
                        List<String> lines = new ArrayList<>(List.of("sink.example"));
                        extensions.lines().filter(each -> !(socket instanceof SSLSocket && each.equals("STARTTLS"))).forEach(lines::add);
                        StringBuilder reply = new StringBuilder();
                        for (int i = 0; i < lines.size(); i++) {
                            reply.append(i == 0 ? "" : "\r\n").append(i == lines.size() - 1 ? "250 " : "250-").append(lines.get(i));
                        }
                        response(word, reply.toString());
                    }
                    case "STARTTLS" -> {
                        response(word, "220 go ahead");
                        if (!replies.containsKey(word)) {
                            secure();
                        }
                    }
                    case "AUTH" -> signIn(line);
                    case "MAIL" -> {
                        from = line.replaceFirst("MAIL FROM:<(.*)>", "$1");
                        response(word, "250 ok");
                    }
                    case "RCPT" -> {
                        to = line.replaceFirst("RCPT TO:<(.*)>", "$1");
                        response(word, "250 ok");
                    }
                    case "DATA" -> {
                        response(word, "354 go ahead");
                        if (!replies.containsKey(word)) {
                            String data = data();
                            if (replies.getOrDefault("message", "250").matches("2.*|lost")) {
                                mails.add(new Mail(from, to, data, socket instanceof SSLSocket, user));
                            }
                            response("message", "250 queued as 4711");
                        }
                    }
                    case "QUIT" -> {
                        response(word, "221 bye");
                        return;
                    }
                    default -> response(word, "500 unknown");
                }
            }
        }

        private void signIn(String line) throws IOException {
            if (line.startsWith("AUTH PLAIN ")) {
                user = decoded(line.substring(11)).replace('\0', ' ').strip();
            } else {
                response("USER", "334 VXNlcm5hbWU6");
                user = decoded(line());
                response("PASSWORD", "334 UGFzc3dvcmQ6");
                user += " " + decoded(line());
            }
            response("AUTH", "235 ok");
        }

        private String decoded(String text) {
            return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
        }

        private String data() throws IOException {
            StringBuilder data = new StringBuilder();
            for (String line = line(); !line.equals("."); line = line()) {
                data.append(line).append("\r\n");
            }
            return data.toString();
        }

        private String line() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0) {
                    throw new EOFException();
                }
                line.write(c);
            }
            String text = line.toString(StandardCharsets.ISO_8859_1);
            return text.substring(0, text.length() - 1);
        }

        private void response(String command, String usual) throws IOException {
            String reply = replies.getOrDefault(command, usual);
            switch (reply) {
                case "hang" -> in.read();
                case "close", "lost" -> throw new EOFException();
                case "drip" -> {
                    for (int i = 0; ; i++) {
                        out.write("250-drip".charAt(Math.min(i, 7)));
                        out.flush();
                        pause();
                    }
                }
                case "flood" -> {
                    for (; flooded.get() < 10L << 30; flooded.addAndGet(1 << 16)) {
                        out.write(new byte[1 << 16]);
                    }
                }
                case "lines" -> {
                    for (; flooded.get() < 10L << 30; flooded.addAndGet(10)) {
                        out.write("250-more\r\n".getBytes(StandardCharsets.US_ASCII));
                    }
                }
                default -> {
                    out.write((reply + (reply.endsWith("\\") ? "" : "\r\n")).replace("\\", "").getBytes(StandardCharsets.ISO_8859_1));
                    out.flush();
                }
            }
        }

        /** Waits for the client to hang up, for a moment. */
        private void pause() throws IOException {
            socket.setSoTimeout(50);
            try {
                if (in.read() < 0) {
                    throw new EOFException();
                }
            } catch (SocketTimeoutException stillThere) {
                // The next byte follows.
            }
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket each : open) {
                each.close();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        threads.shutdownNow();
    }
}
