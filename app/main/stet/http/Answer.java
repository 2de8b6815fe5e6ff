package stet.http;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A whole answer: nothing is left to be made once it is there.
 *
 * @param type the media type of the body, or null where there is no body
 */
public record Answer(int status, String type, byte[] body, Map<String, String> headers) implements Response {
    public static final String JSON = "application/json";
    public static final String HTML = "text/html; charset=utf-8";
    public static final String TEXT = "text/plain; charset=utf-8";

    /** Without other headers than those of every answer. */
    public static Answer of(int status, String type, byte[] body) {
        return new Answer(status, type, body, Map.of());
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

    /** The same with two more headers, copied once. */
    Answer with(String name, String value, String other, String otherValue) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        more.put(other, otherValue);
        return new Answer(status, type, body, more);
    }

    /** The same with one more header; its value must be printable ASCII. */
    public Answer with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Answer(status, type, body, more);
    }

    @Override
    public void to(Consumer<Answer> sender) {
        sender.accept(this);
    }
}
