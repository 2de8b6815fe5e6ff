import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import stet.testing.StetExtension;

/** Tests the double in an app with much older versions of Jackson and SQLite. */
class OldLibrariesTest {
    @RegisterExtension
    static final StetExtension server = StetExtension.of(Path.of("src/test/stet"));

    @Test
    void itsOwnJacksonReadsTheAnswer() throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        assertEquals("2.12.7", mapper.version().toString());
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.baseUrl() + "/templates/shipped"))
                .header("Authorization", "Bearer stet-test-key").build();
        JsonNode template = mapper.readTree(HttpClient.newHttpClient().send(request, BodyHandlers.ofInputStream()).body());
        assertEquals("shipped", template.path("id").textValue());
        assertEquals("[\"order\",\"name\"]", template.path("variables").toString());
    }
}
