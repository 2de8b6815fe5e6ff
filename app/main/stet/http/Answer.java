package stet.http;

import com.sun.net.httpserver.Headers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/**
 * A whole answer: nothing is left to be made once it is there.
 *
 * @param body    empty where there is none
 * @param headers all but those of the limit, the type among them; never changed, as many requests share them
 * @param limit   what is told of the quota, or null
 */
public record Answer(int status, byte[] body, Headers headers, RateLimit limit) implements Response {
    public static final String JSON = "application/json";
    public static final String HTML = "text/html; charset=utf-8";
    public static final String TEXT = "text/plain; charset=utf-8";

    /**
     * Without other headers than those of every answer.
     *
     * @param type the media type of the body, or null where there is no body
     */
    public static Answer of(int status, String type, byte[] body) {
        Answer plain = new Answer(status, body, new Headers(), null).with("X-Content-Type-Options", "nosniff");
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

    /** The same with one more header; its value must be printable ASCII. */
    public Answer with(String name, String value) {
        Headers more = copy();
        more.put(name, List.of(value));
        return new Answer(status, body, more, limit);
    }

    /** The same with the state of the quota. */
    public Answer with(RateLimit told) {
        return new Answer(status, body, headers, told);
    }

    /** The same for who has the body already (RFC 9110, 15.4.5). */
    public Answer notModified() {
        Headers less = copy();
        less.remove("Content-Type");
        return new Answer(304, new byte[0], less, limit);
    }

    /** Puts all there is to say before the body where it is sent from. */
    public void addTo(Headers sent) {
        sent.putAll(headers);
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
