package stet.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A request as it came: its shape, the ids in its path, its parameters and its headers. */
public final class Request {
    /** A segment behind one of these words is an id, whatever it looks like; behind {@code assets}, the next two are. */
    private static final Set<String> COLLECTIONS = Set.of("templates", "versions", "blocks", "keys", "docs", "preview", "accounts");

    /** Bytes of a body that is read into memory as it comes, at most. */
    private static final int SHORT_BYTES = 32 << 10;
    private static final int SLICE = 16 << 10;

    private final HttpExchange exchange;
    private final String path;
    private final List<String> ids = new ArrayList<>();
    /** The body as it was read before it was asked for: in a file, or in memory. */
    private Path spooled;
    private byte[] received;

    public Request(HttpExchange exchange) {
        this.exchange = exchange;
        this.path = shape(exchange.getRequestURI());
    }

    public String method() {
        return exchange.getRequestMethod();
    }

    /** Whether only the headers are wanted; what is said of GET holds for HEAD (RFC 9110, 9.3.2). */
    public boolean isHead() {
        return method().equals("HEAD");
    }

    /** The path with {@code :id} for each id: {@code /api/v1/templates/:id}; empty when it can be no route's. */
    public String path() {
        return path;
    }

    /** The path and the query as they came: {@code /api/v1/templates/welcome?format=html}. */
    public String target() {
        URI uri = exchange.getRequestURI();
        return uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
    }

    /** The first id in the path, decoded. */
    public String id() {
        return ids.get(0);
    }

    /** The second id in the path, decoded. */
    public String secondId() {
        return ids.get(1);
    }

    /** The address of the other end: a proxy's, where there is one ({@link TrustedProxies#client}). */
    public InetAddress peer() {
        return exchange.getRemoteAddress().getAddress();
    }

    /** The first value of a header, or null. */
    public String header(String name) {
        return exchange.getRequestHeaders().getFirst(name);
    }

    /** The value of a cookie, or null (RFC 6265, 5.4). */
    public String cookie(String name) {
        for (String line : headers("Cookie")) {
            for (String pair : line.split(";")) {
                String[] parts = pair.strip().split("=", 2);
                if (parts.length == 2 && parts[0].equals(name)) {
                    return parts[1];
                }
            }
        }
        return null;
    }

    /** Whether a body was announced. */
    public boolean hasBody() {
        return header("Content-Length") != null || isChunked();
    }

    /** Whether the body comes without its length in front (RFC 9112, 7.1). */
    public boolean isChunked() {
        return exchange.getRequestHeaders().containsKey("Transfer-Encoding");
    }

    /** Whether the body has more bytes than a request without a file's content has, or may have. */
    public boolean isLong() {
        String length = header("Content-Length");
        return isChunked() || length != null && Long.parseLong(length) > SHORT_BYTES;
    }

    /**
     * Writes the body to a file, where it is read from then on: a client may send it slowly, and holds no memory meanwhile.
     *
     * @param type  the media type it must have
     * @param limit bytes it may have
     * @throws Failure.Thrown when it is larger, of another type, or does not come to its end
     */
    public void spool(Path file, String type, long limit) {
        checkType(type);
        byte[] slice = new byte[SLICE];
        try (OutputStream out = Files.newOutputStream(file)) {
            long bytes = 0;
            for (int read = read(slice); read >= 0; read = read(slice)) {
                bytes += read;
                if (bytes > limit) {
                    throw Failure.CONTENT_TOO_LARGE.thrown();
                }
                out.write(slice, 0, read);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        spooled = file;
    }

    /** Reads a body that is not {@link #isLong()} into memory, so that nobody waits for the client later on. */
    public void receive() {
        received = body(SHORT_BYTES);
    }

    private int read(byte[] slice) {
        try {
            return exchange.getRequestBody().read(slice);
        } catch (IOException broken) {
            throw Failure.BAD_REQUEST.thrown();
        }
    }

    /** The file that the body was {@link #spool}ed to, or null. */
    public Path spooled() {
        return spooled;
    }

    /**
     * The whole body.
     *
     * @param type  the media type it must have
     * @param limit bytes it may have
     * @throws Failure.Thrown when it is larger, of another type, or does not come to its end
     */
    public InputStream body(String type, int limit) {
        checkType(type);
        try {
            return spooled == null ? new ByteArrayInputStream(body(limit)) : Files.newInputStream(spooled);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void checkType(String type) {
        String given = header("Content-Type");
        if (given == null || !given.split(";")[0].strip().equalsIgnoreCase(type)) {
            throw Failure.UNSUPPORTED_MEDIA_TYPE.thrown();
        }
    }

    /** The whole body, whatever its type is said to be. */
    public byte[] body(int limit) {
        try {
            byte[] body = received != null ? received : exchange.getRequestBody().readNBytes(limit + 1);
            if (body.length > limit) {
                throw Failure.CONTENT_TOO_LARGE.thrown();
            }
            return body;
        } catch (IOException broken) {
            throw Failure.BAD_REQUEST.thrown();
        }
    }

    /** The values of a header, one for each line; empty when it is absent. */
    public List<String> headers(String name) {
        List<String> values = exchange.getRequestHeaders().get(name);
        return values == null ? List.of() : values;
    }

    /** The decoded names of all query parameters, an empty one for a name that is no UTF-8. */
    public Set<String> parameterNames() {
        Set<String> names = new LinkedHashSet<>();
        String query = exchange.getRequestURI().getRawQuery();
        for (String pair : query == null ? new String[0] : query.split("&")) {
            String name = decode(pair.split("=", 2)[0].replace('+', ' '));
            names.add(name == null ? "" : name);
        }
        return names;
    }

    /** The decoded values of a query parameter; null stands for one that is no UTF-8 or is spelled as an array, {@code name[]}. */
    public List<String> parameters(String name) {
        String query = exchange.getRequestURI().getRawQuery();
        if (query == null) {
            return List.of();
        }
        List<String> values = new ArrayList<>(1);
        for (String pair : query.split("&")) {
            int equals = pair.indexOf('=');
            String key = decode((equals < 0 ? pair : pair.substring(0, equals)).replace('+', ' '));
            if (key != null && (key.equals(name) || key.startsWith(name + "["))) {
                boolean array = !key.equals(name);
                values.add(array ? null : equals < 0 ? "" : decode(pair.substring(equals + 1).replace('+', ' ')));
            }
        }
        return values;
    }

    private String shape(URI uri) {
        String raw = uri.getRawPath();
        if (raw == null || !raw.startsWith("/") || uri.toString().startsWith("//")) {
            return "";
        }
        StringBuilder shape = new StringBuilder();
        int idsToCome = 0;
        for (String segment : raw.substring(1).split("/", -1)) {
            if (idsToCome > 0) {
                if (segment.isEmpty()) {
                    return "";
                }
                ids.add(id(segment));
            }
            shape.append('/').append(idsToCome > 0 ? ":id" : segment);
            idsToCome = idsToCome > 0 ? idsToCome - 1 : segment.equals("assets") ? 2 : COLLECTIONS.contains(segment) ? 1 : 0;
        }
        return shape.toString();
    }

    /** An id decoded; one that nothing can have stays as it is written, and with its {@code %} it is no id of anything. */
    private static String id(String segment) {
        String id = decode(segment);
        return id == null || id.indexOf('/') >= 0 || id.indexOf('\0') >= 0 ? segment : id;
    }

    /** Percent-decoded, or null when that gives no UTF-8. */
    private static String decode(String raw) {
        if (raw.indexOf('%') < 0) {
            return raw;
        }
        byte[] bytes = raw.getBytes(StandardCharsets.UTF_8);
        int length = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != '%') {
                bytes[length++] = bytes[i];
            } else if (i + 2 < bytes.length && HexFormat.isHexDigit(bytes[i + 1]) && HexFormat.isHexDigit(bytes[i + 2])) {
                bytes[length++] = (byte) (HexFormat.fromHexDigit(bytes[i + 1]) << 4 | HexFormat.fromHexDigit(bytes[i + 2]));
                i += 2;
            } else {
                return null;
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length)).toString();
        } catch (CharacterCodingException notUtf8) {
            return null;
        }
    }
}
