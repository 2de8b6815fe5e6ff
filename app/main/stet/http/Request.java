package stet.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.regex.Pattern;
import stet.base.Fields;
import stet.base.Refusal;

/** A request: path, IDs, parameters, headers and body. */
public final class Request {
    /** Maximum size of JSON with a draft: 2 MiB of HTML, possibly with every character escaped, and the test data. */
    public static final int MAX_DRAFT_BYTES = 16 << 20;
    /** Maximum size of a small JSON body, such as a name and password. */
    private static final int MAX_FORM_BYTES = 8 << 10;
    /** Maximum size of a body that {@link #receive} reads into memory. */
    private static final int MAX_SHORT_BYTES = 32 << 10;
    private static final int SLICE_BYTES = 16 << 10;
    private static final int FIRST_BYTES = 1 << 10;
    private static final int MAX_BEARER_CHARACTERS = 255;
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
    private static final String BEARER = "Bearer ";

    private final HttpExchange exchange;
    private final RequestTarget target;
    /** The body, if {@link #spool} has read it into a file or {@link #receive} has read it into memory. */
    private Path spooled;
    private byte[] received;
    private long waited;
    private String keyStart;
    private String sender;
    private final Pace pace;

    /**
     * @param pace of the current thread, which reads the body
     * @throws Failure.Thrown if the head is malformed, because a proxy might interpret it differently
     */
    public Request(HttpExchange exchange, Pace pace) {
        this.exchange = exchange;
        this.pace = pace;
        this.target = new RequestTarget(exchange.getRequestURI());
        checkLength();
        checkHost();
    }

    /**
     * Allows either chunks or a single length in digits (RFC 9112, 6.2 and 6.3). The JDK's server may accept a signed length, or
     * use the first of several lengths.
     */
    private void checkLength() {
        List<String> lengths = headers("Content-Length");
        if (!lengths.isEmpty() && (lengths.size() > 1 || !LENGTH.matcher(lengths.get(0)).matches() || isChunked())) {
            throw Failure.MALFORMED_HEAD.thrown();
        }
    }

    /** Requires exactly one Host header; only HTTP/1.0 may omit it (RFC 9112, 3.2). */
    private void checkHost() {
        int hosts = headers("Host").size();
        if (hosts > 1 || hosts == 0 && !protocol().equals("HTTP/1.0")) {
            throw Failure.MALFORMED_HEAD.thrown();
        }
    }

    public String method() {
        return exchange.getRequestMethod();
    }

    /** Adds nanoseconds spent waiting for a commit. */
    public void addWait(long nanos) {
        waited += nanos;
    }

    /** Nanoseconds that the request has waited for its commits. */
    public long waited() {
        return waited;
    }

    public void setKeyStart(String start) {
        keyStart = start;
    }

    /** First characters of the request's API key; null if it is missing or unknown. */
    public String keyStart() {
        return keyStart;
    }

    public void setSender(String name) {
        sender = name;
    }

    /** The user or token that sent the request, for the log; null if unknown. */
    public String sender() {
        return sender;
    }

    /** Whether the method is HEAD, which is handled like GET, but without a response body (RFC 9110, 9.3.2). */
    public boolean isHead() {
        return method().equals("HEAD");
    }

    /** The path with {@code :id} in place of each ID, such as {@code /api/v1/templates/:id}; empty if the path is malformed. */
    public String path() {
        return target.path;
    }

    /** Path and query as received, such as {@code /api/v1/templates/welcome?format=html}. */
    public String target() {
        URI uri = exchange.getRequestURI();
        return uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
    }

    /** The first ID in the path, decoded. */
    public String id() {
        return target.ids.get(0);
    }

    /** The second ID in the path, decoded. */
    public String secondId() {
        return target.ids.get(1);
    }

    /** The IDs after the first, decoded and separated by slashes, such as {@code frame/dom.js}. No ID contains a slash. */
    public String laterIds() {
        return String.join("/", target.ids.subList(1, target.ids.size()));
    }

    /** The last ID as a number. @throws Failure.Thrown with 404 if the ID is not a valid number */
    public long number() {
        String id = target.ids.get(target.ids.size() - 1);
        Failure.NOT_FOUND.unless(id.matches("[1-9][0-9]{0,17}"));
        return Long.parseLong(id);
    }

    /** The HTTP version, such as {@code HTTP/1.1}. */
    public String protocol() {
        return exchange.getProtocol();
    }

    /** The peer's address, which may be that of a proxy. */
    public InetAddress peer() {
        return exchange.getRemoteAddress().getAddress();
    }

    /** The first value of a header, or null. */
    public String header(String name) {
        return exchange.getRequestHeaders().getFirst(name);
    }

    /**
     * The token of the {@code Authorization} header (RFC 6750, 2.1; RFC 9110, 11.4). Null unless there is exactly one such
     * header, with a well-formed bearer token.
     */
    public String bearer() {
        List<String> lines = headers("Authorization");
        String line = lines.size() == 1 ? lines.get(0) : "";
        if (!line.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return null;
        }
        String token = line.substring(BEARER.length()).strip();
        return token.length() <= MAX_BEARER_CHARACTERS && isToken68(token) ? token : null;
    }

    /** Whether a text is a token68 (RFC 9110, 11.2). A regular expression would take 1% of a retrieval's CPU time. */
    private static boolean isToken68(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == '=') {
            end--;
        }
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (c >= 0x80 || !Character.isLetterOrDigit(c) && "-._~+/".indexOf(c) < 0) {
                return false;
            }
        }
        return end > 0;
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

    /** Whether the headers announce a body. */
    public boolean hasBody() {
        return header("Content-Length") != null || isChunked();
    }

    /** Whether the body is chunked, so its length is not known in advance (RFC 9112, 7.1). */
    public boolean isChunked() {
        return exchange.getRequestHeaders().containsKey("Transfer-Encoding");
    }

    /** The length that {@link #receive} needs in memory; -1 if the body may be too long for it. */
    public long shortLength() {
        String length = header("Content-Length");
        long bytes = length == null ? 0 : Long.parseLong(length);
        return isChunked() || bytes > MAX_SHORT_BYTES ? -1 : bytes;
    }

    /**
     * Writes the body to a file for later reading, so that a slow client occupies little memory.
     *
     * @param type   required media type, or null for any
     * @param limit  maximum number of bytes
     * @param mayAdd whether the file may grow by this number of bytes
     * @throws Failure.Thrown if the body is too long, incomplete, too slow or of another type, or if the file may not grow
     */
    public void spool(Path file, String type, long limit, LongPredicate mayAdd) {
        if (type != null) {
            checkType(type);
        }
        byte[] slice = new byte[SLICE_BYTES];
        pace.begin(Pace.Transfer.READING);
        try (OutputStream out = Files.newOutputStream(file)) {
            long bytes = 0;
            for (int read = read(slice, 0); read >= 0; read = read(slice, 0)) {
                bytes += read;
                Failure.CONTENT_TOO_LARGE.unless(bytes <= limit);
                Failure.BUSY.unless(mayAdd.test(read));
                out.write(slice, 0, read);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        spooled = file;
    }

    /** Reads a body with a {@link #shortLength} into memory, so that no later work waits for a slow client. */
    public void receive() {
        received = body(MAX_SHORT_BYTES);
    }

    /** Discards the rest of the body, up to a number of bytes. @throws IOException if the client is gone or too slow */
    public void drain(long most) throws IOException {
        byte[] slice = new byte[SLICE_BYTES];
        InputStream in = exchange.getRequestBody();
        pace.begin(Pace.Transfer.READING);
        int read = pace.read(in, slice, 0, slice.length);
        for (long bytes = read; read >= 0 && bytes < most; bytes += read) {
            read = pace.read(in, slice, 0, slice.length);
        }
    }

    private int read(byte[] slice, int from) {
        try {
            return pace.read(exchange.getRequestBody(), slice, from, slice.length - from);
        } catch (IOException broken) {
            throw Failure.BAD_REQUEST.thrown();
        }
    }

    /** The file that {@link #spool} wrote, or null. */
    public Path spooled() {
        return spooled;
    }

    /**
     * The fields of a JSON body, at most 8 KiB unless {@link #spool} or {@link #receive} has read the body.
     *
     * @throws Failure.Thrown as {@link #spool}
     */
    public Fields form() {
        checkType(Response.JSON);
        try {
            return spooled == null ? new Fields(body(MAX_FORM_BYTES)) : new Fields(Files.newInputStream(spooled));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Reads a value from {@link #form}. @throws Refusal for an unknown field */
    public <T> T form(Function<Fields, T> read) {
        Fields fields = form();
        T value = read.apply(fields);
        fields.end();
        return value;
    }

    private void checkType(String type) {
        String given = header("Content-Type");
        Failure.UNSUPPORTED_MEDIA_TYPE.unless(given != null && given.split(";")[0].strip().equalsIgnoreCase(type));
    }

    /**
     * The whole body, regardless of its type. Reads it from the client, so that only the first call returns it, unless {@link #receive} has
     * read it.
     *
     * @param limit maximum number of bytes of a body that has not been received
     * @throws Failure.Thrown if the body is too long, incomplete or too slow
     */
    public byte[] body(int limit) {
        if (received != null) {
            return received;
        }
        byte[] body = new byte[Math.min(limit, FIRST_BYTES) + 1];
        int length = 0;
        pace.begin(Pace.Transfer.READING);
        for (int read = read(body, 0); read >= 0; read = read(body, length)) {
            length += read;
            Failure.CONTENT_TOO_LARGE.unless(length <= limit);
            if (length == body.length) {
                body = Arrays.copyOf(body, Math.min(2 * length, limit + 1));
            }
        }
        return Arrays.copyOf(body, length);
    }

    /** All values of a header, one per header line; empty if absent. */
    public List<String> headers(String name) {
        List<String> values = exchange.getRequestHeaders().get(name);
        return values == null ? List.of() : values;
    }

    /** All headers, each with one value per header line. */
    public Map<String, List<String>> headers() {
        return Collections.unmodifiableMap(exchange.getRequestHeaders());
    }

    /** The decoded names of all query parameters; an empty string for a name that cannot be decoded. */
    public Set<String> parameterNames() {
        return target.parameterNames();
    }

    /** The decoded values of a query parameter; null for a value that cannot be decoded or is written as an array, {@code name[]}. */
    public List<String> parameters(String name) {
        return target.parameters(name);
    }

    /** The decoded value of a parameter; empty if the parameter is missing, repeated, undecodable or an array. */
    public String parameter(String name) {
        List<String> values = parameters(name);
        return values.size() == 1 && values.get(0) != null ? values.get(0) : "";
    }
}
