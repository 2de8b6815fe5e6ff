package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import shop.templates.HealthApi;
import shop.templates.Template;
import shop.templates.TemplatesApi;
import shop.templates.client.ApiClient;
import shop.templates.client.ApiException;
import shop.templates.client.ApiResponse;
import stet.testing.StetExtension;
import stet.testing.StetFixture;

/** Tests that a client generated from Stet's openapi.json can read all formats and errors. */
class GeneratedClientTest {
    @RegisterExtension
    static final StetExtension server = StetExtension.of(StetFixture.account("shop@example.com").key("stet-test-key")
            .template("welcome", "Hi {{name}}", "<p>Hello {{name}} of {{company}}</p>")
            .draft("next", "", "<p>Not yet</p>"));

    private final TemplatesApi templates = new TemplatesApi(client());
    private String html;

    private ApiClient client() {
        ApiClient client = new ApiClient();
        client.updateBaseUri(server.fixture().url().toString());
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer stet-test-key"));
        // Generated methods parse bodies as JSON, so an interceptor reads the HTML first.
        client.setResponseInterceptor(this::takeHtml);
        return client;
    }

    private void takeHtml(HttpResponse<InputStream> response) {
        if (response.headers().firstValue("Content-Type").orElse("").startsWith("text/html")) {
            try {
                html = new String(response.body().readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    @Test
    void withoutAFormat() throws ApiException {
        Template welcome = templates.getTemplate("welcome", null, null, null);
        assertEquals("welcome", welcome.getId());
        assertEquals("welcome", welcome.getName());
        assertEquals("Hi {{name}}", welcome.getSubject());
        assertEquals("<p>Hello {{name}} of {{company}}</p>", welcome.getHtml());
        assertEquals(List.of("name", "company"), List.copyOf(welcome.getVariables()));
        OffsetDateTime updatedAt = welcome.getUpdatedAt();
        assertEquals(server.fixture().accounts().template("shop@example.com", "welcome").orElseThrow().updatedAt(),
                updatedAt.toInstant());
    }

    @Test
    void html() throws ApiException {
        assertNull(templates.getTemplate("welcome", "html", null, null));
        assertEquals("<p>Hello {{name}} of {{company}}</p>", html);
    }

    /** The template's other fields are null. */
    @Test
    void variables() throws ApiException {
        Template variables = templates.getTemplate("welcome", "variables", null, null);
        assertEquals(List.of("name", "company"), List.copyOf(variables.getVariables()));
        assertNull(variables.getId());
    }

    @Test
    void headAndNotModified() throws ApiException {
        ApiResponse<Void> head = templates.headTemplateWithHttpInfo("welcome", null, null, null);
        assertEquals(200, head.getStatusCode());
        String tag = head.getHeaders().get("ETag").get(0);
        assertEquals(304, assertThrows(ApiException.class, () -> templates.getTemplate("welcome", null, tag, null)).getCode());
    }

    @Test
    void health() throws ApiException {
        assertEquals("ok", String.valueOf(new HealthApi(client()).getHealth().getStatus()));
    }

    @Test
    void errors() {
        ApiException unpublished = assertThrows(ApiException.class, () -> templates.getTemplate("next", null, null, null));
        assertEquals("404 {\"error\":\"template_not_published\"}", unpublished.getCode() + " " + unpublished.getResponseBody());
    }
}
