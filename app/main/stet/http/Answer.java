package stet.http;

import com.sun.net.httpserver.Headers;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import stet.core.Json;
import stet.core.Secret;

/**
 * A whole answer: nothing is left to be made once it is there.
 *
 * @param body    empty where there is none
 * @param headers all but the next two, the type among them; never changed, as many answers share them
 * @param etag    the entity tag, in its quotes, or null
 * @param limit   the quota's headers, or null
 * @param file    a temporary file that holds the body instead, deleted once it is sent; or null
 */
public record Answer(int status, byte[] body, Headers headers, String etag, RateLimit limit, Path file) implements Response {
    public static final String JSON = "application/json";
    public static final String HTML = "text/html; charset=utf-8";
    public static final String TEXT = "text/plain; charset=utf-8";
    /** Bytes that are written at once: the JDK's server keeps a buffer of twice as many for each connection. */
    private static final int SLICE = 18 << 10;

    /** Without other headers than those of every answer. @param type the media type of the body, or null where there is no body */
    public static Answer of(int status, String type, byte[] body) {
        Answer plain = new Answer(status, body, new Headers(), null, null, null).with("X-Content-Type-Options", "nosniff");
        return type == null ? plain : plain.with("Content-Type", type);
    }

    /** The same for what no browser or proxy may keep. */
    public static Answer unstored(int status, String type, byte[] body) {
        return of(status, type, body).with("Cache-Control", "no-store");
    }

    /** @param value as {@link Json#write} takes it */
    public static Answer json(Object value) {
        return json(200, value);
    }

    public static Answer json(int status, Object value) {
        return unstored(status, JSON, Json.write(value));
    }

    /** Done, and nothing to say. */
    public static Answer none() {
        return unstored(204, null, new byte[0]);
    }

    /** A body that is too large to hold in memory. @param file deleted once it is sent */
    public static Answer file(String type, Path file) {
        Answer plain = unstored(200, type, new byte[0]);
        return new Answer(plain.status, plain.body, plain.headers, null, null, file);
    }

    /** The media type of the body, or null. */
    public String type() {
        return headers.getFirst("Content-Type");
    }

    /** The same with one more header, a line for each value; values must be printable ASCII. */
    public Answer with(String name, String... values) {
        Headers more = copy();
        more.put(name, List.of(values));
        return new Answer(status, body, more, etag, limit, file);
    }

    public Answer withStatus(int other) {
        return new Answer(other, body, headers, etag, limit, file);
    }

    /** The same with another body and its strong entity tag, the SHA-256 in quotes (RFC 9110, 8.8.3). */
    public Answer withTagged(byte[] other) {
        return new Answer(status, other, headers, '"' + HexFormat.of().formatHex(Secret.sha256(other)) + '"', limit, null);
    }

    /** The same with the state of the quota. */
    public Answer with(RateLimit told) {
        return new Answer(status, body, headers, etag, told, file);
    }

    /** Whether {@code If-None-Match} of the request names the entity tag, weakly or not, or any (RFC 9110, 13.1.2). */
    public boolean isKnown(Request request) {
        if (etag != null) {
            for (String line : request.headers("If-None-Match")) {
                for (String candidate : line.split(",")) {
                    String tag = candidate.strip();
                    if (tag.equals("*") || tag.equals(etag) || tag.startsWith("W/") && tag.substring(2).equals(etag)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** The same for who has the body already (RFC 9110, 15.4.5). */
    public Answer notModified() {
        Headers less = copy();
        less.remove("Content-Type");
        return new Answer(304, new byte[0], less, etag, limit, null);
    }

    /** Puts all there is to say before the body where it is sent from. */
    public void addTo(Headers sent) {
        sent.putAll(headers);
        if (etag != null) {
            sent.put("ETag", List.of(etag));
        }
        if (limit != null) {
            limit.addTo(sent);
        }
    }

    /** Bytes of the body. */
    public long length() throws IOException {
        return file == null ? body.length : Files.size(file);
    }

    /** Writes the first bytes of the body, a slice at a time. */
    public void writeTo(OutputStream out, long bytes) throws IOException {
        if (file == null) {
            for (int from = 0; from < bytes; from += SLICE) {
                out.write(body, from, (int) Math.min(SLICE, bytes - from));
            }
            return;
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] slice = new byte[SLICE];
            for (long left = bytes; left > 0; ) {
                int read = in.readNBytes(slice, 0, (int) Math.min(SLICE, left));
                if (read == 0) {
                    throw new EOFException(file + " is shorter than it was");
                }
                out.write(slice, 0, read);
                left -= read;
            }
        }
    }

    /** Deletes the file of the body, if there is one. */
    public void close() throws IOException {
        if (file != null) {
            Files.deleteIfExists(file);
        }
    }

    private Headers copy() {
        Headers copy = new Headers();
        copy.putAll(headers);
        return copy;
    }
}
