package stet.http;

import com.sun.net.httpserver.Headers;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import stet.base.Json;
import stet.base.Secret;

/**
 * A complete response.
 *
 * @param body    may be empty
 * @param headers all headers except ETag and the quota headers; never modified because responses share them
 * @param etag    the entity tag with its quotes, or null
 * @param limit   values of the quota headers, or null
 * @param file    a temporary file that holds the body; null if the body is in memory
 * @param held    frees the body's memory or deletes its file after sending; null for a body that takes neither
 */
public record Response(int status, byte[] body, Headers headers, String etag, RateLimit limit, Path file, Closeable held)
        implements RouteResult {
    public static final String JSON = "application/json";
    public static final String HTML = "text/html; charset=utf-8";
    public static final String TEXT = "text/plain; charset=utf-8";
    /** Size in bytes from which a body counts as large: few are prepared at a time, and their memory is counted until they are sent. */
    public static final int LARGE_BODY = 64 << 10;
    /** The JDK server's buffer for each connection, which grows to twice the size of a longer write and never shrinks. */
    private static final int BUFFER = 8 << 10;
    /** Bytes per write. With a small heap, no connection's buffer grows; otherwise, fewer writes are faster. */
    private static final int SLICE = Runtime.getRuntime().maxMemory() < 128 << 20 ? BUFFER : 18 << 10;
    /**
     * Bytes per write of an image: up to 128 KiB with a heap of 2 GiB, for which writes of 18 KiB take 40 % more CPU time (row
     * {@code images} of the benchmark). Only images are written so, because the connections of recipients have a limit of their own.
     */
    private static final int IMAGE_SLICE = (int) Math.max(SLICE, Math.min(Runtime.getRuntime().maxMemory() >> 14, 128 << 10));
    private static final byte[] NONE = {};

    /** A response with only X-Content-Type-Options and Content-Type. @param type the body's media type, or null without a body */
    public static Response of(int status, String type, byte[] body) {
        Response plain = new Response(status, body, new Headers(), null, null, null, null).with("X-Content-Type-Options", "nosniff");
        return type == null ? plain : plain.with("Content-Type", type);
    }

    /** A response that browsers and proxies must not store. */
    public static Response unstored(int status, String type, byte[] body) {
        return of(status, type, body).with("Cache-Control", "no-store");
    }

    /** @param value a value that {@link Json#write} accepts */
    public static Response json(Object value) {
        return json(200, value);
    }

    public static Response json(int status, Object value) {
        return unstored(status, JSON, Json.write(value));
    }

    /** An empty 204. */
    public static Response none() {
        return unstored(204, null, new byte[0]);
    }

    /** A response with a body too large for memory. @param file deleted after sending */
    public static Response file(String type, Path file) {
        Response plain = unstored(200, type, new byte[0]);
        return new Response(plain.status, plain.body, plain.headers, null, null, file, () -> Files.deleteIfExists(file));
    }

    /** The body's media type, or null. */
    public String type() {
        return headers.getFirst("Content-Type");
    }

    /** Sets a header, with one line per value; values must be printable ASCII. */
    public Response with(String name, String... values) {
        Headers more = copy();
        more.put(name, List.of(values));
        return new Response(status, body, more, etag, limit, file, held);
    }

    /** The same response with another status. */
    public Response withStatus(int other) {
        return new Response(other, body, headers, etag, limit, file, held);
    }

    /** Sets the body and its strong entity tag, the body's SHA-256 (RFC 9110, 8.8.3). */
    public Response withETagOf(byte[] other) {
        return new Response(status, other, headers, '"' + HexFormat.of().formatHex(Secret.sha256(other)) + '"', limit, null, null);
    }

    /** Sets a strong entity tag. @param tag without quotes */
    public Response withETag(String tag) {
        return new Response(status, body, headers, '"' + tag + '"', limit, file, held);
    }

    /** Adds the quota headers. */
    public Response with(RateLimit quota) {
        return new Response(status, body, headers, etag, quota, file, held);
    }

    /**
     * The same response with its body in memory or in a file.
     *
     * @param bytes null if the body is in the file
     * @param end   called after sending, instead of deleting the file
     */
    public Response held(byte[] bytes, Path stored, Closeable end) {
        return new Response(status, bytes == null ? NONE : bytes, headers, etag, limit, stored, end);
    }

    /**
     * Whether {@code If-Match} is absent, matches the entity tag by strong comparison, or is {@code *} (RFC 9110, 13.1.1). Evaluated
     * before {@link #isKnown} (RFC 9110, 13.2.2).
     */
    public boolean isWanted(Request request) {
        List<String> lines = request.headers("If-Match");
        return lines.isEmpty() || isListed(lines, false);
    }

    /** Whether {@code If-None-Match} matches the entity tag, by weak comparison, or is {@code *} (RFC 9110, 13.1.2). */
    public boolean isKnown(Request request) {
        return etag != null && isListed(request.headers("If-None-Match"), true);
    }

    /** @param isWeak whether a weak tag with the same text matches */
    private boolean isListed(List<String> lines, boolean isWeak) {
        for (String line : lines) {
            for (String candidate : line.split(",")) {
                String tag = candidate.strip();
                if (tag.equals("*") || tag.equals(etag) || isWeak && tag.startsWith("W/") && tag.substring(2).equals(etag)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The 304 for a client that already has the body (RFC 9110, 15.4.5). */
    public Response notModified() {
        Headers less = copy();
        less.remove("Content-Type");
        return new Response(304, new byte[0], less, etag, limit, null, null);
    }

    /** Adds this response's headers to the given headers. */
    public void addTo(Headers sent) {
        sent.putAll(headers);
        if (etag != null) {
            sent.put("ETag", List.of(etag));
        }
        if (limit != null) {
            limit.addTo(sent);
        }
    }

    /** Length of the body in bytes. */
    public long length() throws IOException {
        return file == null ? body.length : Files.size(file);
    }

    /** Writes the first bytes of the body, one slice at a time. @param isImage whether it is sent to recipients of emails */
    public void writeTo(OutputStream out, long bytes, boolean isImage) throws IOException {
        if (file == null) {
            int slice = isImage ? IMAGE_SLICE : SLICE;
            for (int from = 0; from < bytes; from += slice) {
                out.write(body, from, (int) Math.min(slice, bytes - from));
            }
            return;
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] slice = new byte[BUFFER]; // many slow clients may be sent files
            for (long left = bytes; left > 0; ) {
                int read = in.readNBytes(slice, 0, (int) Math.min(BUFFER, left));
                if (read == 0) {
                    throw new EOFException(file + " was truncated while being sent");
                }
                out.write(slice, 0, read);
                left -= read;
            }
        }
    }

    /** Frees the body's memory or deletes its file; further calls do nothing. */
    public void close() throws IOException {
        if (held != null) {
            held.close();
        }
    }

    private Headers copy() {
        Headers copy = new Headers();
        copy.putAll(headers);
        return copy;
    }
}
