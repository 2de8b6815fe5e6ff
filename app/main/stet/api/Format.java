package stet.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import stet.core.Json;
import stet.core.ServedTemplate;
import stet.core.Timestamp;
import stet.core.Utf8;
import stet.http.Answer;

/** The three bodies of a published version (api.md, The format). */
enum Format {
    TEMPLATE(Answer.JSON),
    HTML(Answer.HTML),
    VARIABLES(Answer.JSON);

    /** Status and headers of all answers of the format. */
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
        return empty.withTagged(body(published));
    }

    private byte[] body(ServedTemplate published) {
        return switch (this) {
            case TEMPLATE -> Json.write(template(published));
            case HTML -> published.html();
            case VARIABLES -> Json.write(Map.of("variables", published.variables()));
        };
    }

    private static ObjectNode template(ServedTemplate published) {
        return Json.object().put("id", published.id()).put("name", published.name()).put("subject", published.subject())
                .put("html", Utf8.text(published.html())).putPOJO("variables", published.variables())
                .put("updatedAt", Timestamp.format(published.updatedAt()));
    }
}
