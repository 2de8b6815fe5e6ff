package stet.api;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import stet.core.Json;
import stet.core.Secret;
import stet.core.ServedTemplate;
import stet.core.Timestamp;
import stet.http.Answer;
import stet.http.EntityTag;

/** The three bodies of a published version (api.md, The format). */
enum Format {
    TEMPLATE(Answer.JSON),
    HTML(Answer.HTML),
    VARIABLES(Answer.JSON);

    /** What all answers of the format have in common. */
    private final Answer empty;

    Format(String type) {
        Answer typed = Answer.of(200, type, new byte[0]).with("Cache-Control", "private, no-cache");
        // Authored html is never run in this origin, even where a browser is made to show it.
        empty = type.equals(Answer.HTML) ? typed.with("Content-Security-Policy", "sandbox; default-src 'none'") : typed;
    }

    /** The format asked for, or null for a value that is none, is empty or stands twice. */
    static Format of(List<String> values) {
        if (values.isEmpty()) {
            return TEMPLATE;
        }
        return values.equals(List.of("html")) ? HTML : values.equals(List.of("variables")) ? VARIABLES : null;
    }

    /** The answer to everyone who asks for this version in this format, but for what the count adds. */
    Answer answer(ServedTemplate published) {
        byte[] body = body(published);
        return empty.with(body, EntityTag.of(Secret.sha256(body)));
    }

    private byte[] body(ServedTemplate published) {
        return switch (this) {
            case TEMPLATE -> Json.write(template(published));
            case HTML -> published.html();
            case VARIABLES -> Json.write(Map.of("variables", published.variables()));
        };
    }

    private static Map<String, Object> template(ServedTemplate published) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", published.id());
        fields.put("name", published.name());
        fields.put("subject", published.subject());
        fields.put("html", new String(published.html(), StandardCharsets.UTF_8));
        fields.put("variables", published.variables());
        fields.put("updatedAt", Timestamp.format(published.updatedAt()));
        return fields;
    }
}
