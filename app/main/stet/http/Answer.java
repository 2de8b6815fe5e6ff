package stet.http;

import com.sun.net.httpserver.Headers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/**
 * A whole answer: nothing is left to be made once it is there.
 *
 * @param body    empty where there is none
 * @param headers all but the next two, the type among them; never changed, as many answers share them
 * @param etag    the entity tag, in its quotes, or null
 * @param limit   what is told of the quota, or null
 */
public record Answer(int status, byte[] body, Headers headers, String etag, RateLimit limit) implements Response {
    public static final String JSON = "application/json";
    public static final String HTML = "text/html; charset=utf-8";
    public static final String TEXT = "text/plain; charset=utf-8";

    /**
     * Without other headers than those of every answer.
     *
     * @param type the media type of the body, or null where there is no body
     */
    public static Answer of(int status, String type, byte[] body) {
        Answer plain = new Answer(status, body, new Headers(), null, null).with("X-Content-Type-Options", "nosniff");
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
        return new Answer(status, body, more, etag, limit);
    }

    /** The same with another body and its entity tag (RFC 9110, 8.8.3). */
    public Answer with(byte[] other, String tag) {
        return new Answer(status, other, headers, tag, limit);
    }

    /** The same with the state of the quota. */
    public Answer with(RateLimit told) {
        return new Answer(status, body, headers, etag, told);
    }

    /** Whether the body is one that the request's {@code If-None-Match} says is there already. */
    public boolean isKnown(Request request) {
        return etag != null && EntityTag.matches(request.headers("If-None-Match"), etag);
    }

    /** The same for who has the body already (RFC 9110, 15.4.5). */
    public Answer notModified() {
        Headers less = copy();
        less.remove("Content-Type");
        return new Answer(304, new byte[0], less, etag, limit);
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
