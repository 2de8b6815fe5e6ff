package stet;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.LinkedHashMap;
import java.util.Map;
import stet.core.Json;
import stet.core.Published;
import stet.core.Secret;
import stet.core.Timestamp;
import stet.http.Answer;
import stet.http.EntityTag;

/** The three bodies of a published version (spec.md, Endpoints: Responses). */
enum Format {
    TEMPLATE, HTML, VARIABLES;

    /** The format asked for, or null for a value that is none, is empty or stands twice. */
    static Format of(List<String> values) {
        if (values.isEmpty()) {
            return TEMPLATE;
        }
        return values.equals(List.of("html")) ? HTML : values.equals(List.of("variables")) ? VARIABLES : null;
    }

    /** The answer to everyone who asks for this version in this format, but for what the count adds. */
    Answer answer(Published published) {
        Answer answer = switch (this) {
            case TEMPLATE -> Answer.of(200, Answer.JSON, Json.write(template(published)));
            case HTML -> Answer.of(200, Answer.HTML, published.html())
                    // Authored html is never run in this origin, even where a browser is made to show it.
                    .with("Content-Security-Policy", "sandbox; default-src 'none'");
            case VARIABLES -> Answer.of(200, Answer.JSON, Json.write(Map.of("variables", published.variables())));
        };
        return answer.with("Cache-Control", "private, no-cache").with("ETag", EntityTag.of(Secret.sha256(answer.body())));
    }

    private static Map<String, Object> template(Published published) {
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
