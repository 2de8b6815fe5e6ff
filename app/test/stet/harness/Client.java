package stet.harness;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import stet.base.Secret;

/** An HTTP/1.1 connection that sends exactly the given bytes and never retries or follows redirects. */
public final class Client implements AutoCloseable {
    private final InetSocketAddress address;
    private final Socket socket = new Socket();
    private final InputStream in;

    /** @param headers by lower-case name; values of repeated headers are joined by a comma and a space */
    public record Reply(int status, Map<String, String> headers, byte[] body) {
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        public String header(String name) {
            return headers.get(name.toLowerCase(Locale.ROOT));
        }

        /** The {@code Set-Cookie} lines. */
        public List<String> cookies() {
            String cookies = header("Set-Cookie");
            return cookies == null ? List.of() : List.of(cookies.split(", "));
        }

        public String sha256() {
            return HexFormat.of().formatHex(Secret.sha256(body));
        }
    }

    public Client(InetSocketAddress address) {
        this(address, 0);
    }

    /** @param window size of the receive buffer in bytes, so that a client that does not read soon blocks the server; 0 for the default */
    public Client(InetSocketAddress address, int window) {
        this.address = address;
        try {
            if (window > 0) {
                socket.setReceiveBufferSize(window);
            }
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) Running.PATIENCE.toMillis());
            socket.connect(address, (int) Running.PATIENCE.toMillis());
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public Reply get(String path, String key, String... headers) {
        return send("GET", path, key, headers);
    }

    /** @param key bearer token, or null for none @param headers complete header lines */
    public Reply send(String method, String path, String key, String... headers) {
        write(request(method, path, key, headers));
        return read(method.equals("HEAD"));
    }

    public String request(String method, String path, String key, String... headers) {
        return method + " " + path + " HTTP/1.1\r\nHost: " + address.getHostString() + ":" + address.getPort() + "\r\n"
                + (key == null ? "" : "Authorization: Bearer " + key + "\r\n")
                + (headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n") + "\r\n";
    }

    /** Sends each char as one byte. */
    public Client write(String raw) {
        try {
            socket.getOutputStream().write(raw.getBytes(StandardCharsets.ISO_8859_1));
            return this;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public Reply read(boolean head) {
        try {
            return receive(head);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Reads the next response. @throws java.io.EOFException if the server closes the connection before its end */
    public Reply receive(boolean head) throws IOException {
        String[] first = line().split(" ", 3);
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.merge(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip(),
                    (one, other) -> one + ", " + other);
        }
        int status = Integer.parseInt(first[1]);
        int length = head || status == 204 || status == 304 || status < 200 ? 0 : Integer.parseInt(headers.getOrDefault("content-length", "-1"));
        byte[] body = length < 0 ? in.readAllBytes() : in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("a part of the body");
        }
        return new Reply(status, headers, body);
    }

    /** Waits for the server to close; discards what it still sends. */
    public boolean isClosedByServer() {
        return isClosedByServer((int) Running.PATIENCE.toMillis());
    }

    /** @param patience maximum wait in ms */
    public boolean isClosedByServer(int patience) {
        try {
            socket.setSoTimeout(patience);
            in.readAllBytes();
            return true;
        } catch (SocketTimeoutException open) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    /** Everything until the server closes. */
    public String rest() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            in.transferTo(all);
        } catch (SocketTimeoutException open) {
            throw new UncheckedIOException(open);
        } catch (IOException reset) {
            // keep the bytes received so far
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    /** Resets the connection, like a client that crashes before the response arrives. */
    public void reset() {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public int available() {
        try {
            return in.available();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Reads only the status line of the next response. @return for example 200 */
    public int status() {
        try {
            return Integer.parseInt(line().split(" ", 3)[1]);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException(line.length() == 0 ? "no answer" : "a part of the head");
            }
            line.append((char) c);
        }
        return line.substring(0, line.length() - 1);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
