package stet.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import stet.base.Json;
import stet.base.Timestamp;
import stet.base.Utf8;
import stet.core.ServedTemplate;
import stet.http.Response;

/** The three response formats of a published version (api.md, The format). */
enum Format {
    TEMPLATE(Response.JSON),
    HTML(Response.HTML),
    VARIABLES(Response.JSON);

    /** Status and headers shared by all responses in this format. */
    private final Response empty;

    Format(String type) {
        Response typed = Response.of(200, type, new byte[0]).with("Cache-Control", "private, no-cache");
        // Scripts in a template's HTML must never run in this origin, even if a browser displays the response.
        empty = type.equals(Response.HTML) ? typed.with("Content-Security-Policy", "sandbox; default-src 'none'") : typed;
    }

    /** The requested format; null if the value is unknown, empty or repeated. */
    static Format of(List<String> values) {
        if (values.isEmpty()) {
            return TEMPLATE;
        }
        return values.equals(List.of("html")) ? HTML : values.equals(List.of("variables")) ? VARIABLES : null;
    }

    /** The response for a version in this format, without quota headers. */
    Response response(ServedTemplate published) {
        return empty.withETagOf(body(published));
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
