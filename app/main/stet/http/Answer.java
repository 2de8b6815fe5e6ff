package stet.http;

import com.sun.net.httpserver.Headers;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A whole answer: nothing is left to be made once it is there.
 *
 * @param body    empty where there is none
 * @param headers all but the next two, the type among them; never changed, as many answers share them
 * @param etag    the entity tag, in its quotes, or null
 * @param limit   what is told of the quota, or null
 * @param file    a temporary file that holds the body instead, deleted once it is sent; or null
 */
public record Answer(int status, byte[] body, Headers headers, String etag, RateLimit limit, Path file) implements Response {
    public static final String JSON = "application/json";
    public static final String HTML = "text/html; charset=utf-8";
    public static final String TEXT = "text/plain; charset=utf-8";
    /**
     * Bytes that are written at once. The JDK's server keeps a buffer of twice the largest write for each connection,
     * until that connection is closed.
     */
    private static final int SLICE = 18 << 10;

    /**
     * Without other headers than those of every answer.
     *
     * @param type the media type of the body, or null where there is no body
     */
    public static Answer of(int status, String type, byte[] body) {
        Answer plain = new Answer(status, body, new Headers(), null, null, null).with("X-Content-Type-Options", "nosniff");
        return type == null ? plain : plain.with("Content-Type", type);
    }

    public static Answer json(byte[] body) {
        return json(200, body);
    }

    public static Answer json(int status, byte[] body) {
        return of(status, JSON, body).with("Cache-Control", "no-store");
    }

    /** Done, and nothing to say. */
    public static Answer none() {
        return of(204, null, new byte[0]).with("Cache-Control", "no-store");
    }

    /**
     * A body that is too large to hold in memory.
     *
     * @param file deleted once it is sent
     */
    public static Answer file(String type, Path file) {
        Answer plain = of(200, type, new byte[0]).with("Cache-Control", "no-store");
        return new Answer(plain.status, plain.body, plain.headers, null, null, file);
    }

    static Answer text(int status, String type, String body) {
        return of(status, type, body.getBytes(StandardCharsets.UTF_8)).with("Cache-Control", "no-store");
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

    /** The same with another body and its entity tag (RFC 9110, 8.8.3). */
    public Answer with(byte[] other, String tag) {
        return new Answer(status, other, headers, tag, limit, null);
    }

    /** The same with the state of the quota. */
    public Answer with(RateLimit told) {
        return new Answer(status, body, headers, etag, told, file);
    }

    /** Whether the body is one that the request's {@code If-None-Match} says is there already. */
    public boolean isKnown(Request request) {
        return etag != null && EntityTag.matches(request.headers("If-None-Match"), etag);
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

    @Override
    public void to(Consumer<Answer> sender) {
        sender.accept(this);
    }
}
