package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import stet.harness.Machine;

/** The pages' operations in node, one at a time. */
final class PieceNodeProcess implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process node;
    private final BufferedWriter requests;
    private final BufferedReader responses;

    /** @param folder for a copy of the modules, which node needs to know as such */
    PieceNodeProcess(Path folder) throws IOException {
        Machine.has("node");
        Files.writeString(folder.resolve("package.json"), "{\"type\": \"module\"}");
        for (String name : List.of("write/operations.js", "write/kinds.js", "write/values.js", "write/textformat.js", "write/sourcetext.js", "preview/inplace.js")) {
            Files.createDirectories(folder.resolve(name).getParent());
            Files.copy(Path.of("app/static", name), folder.resolve(name));
        }
        node = new ProcessBuilder("node", "app/test/pages/operations.mjs", folder.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        requests = node.outputWriter(StandardCharsets.UTF_8);
        responses = node.inputReader(StandardCharsets.UTF_8);
    }

    JsonNode ask(Map<String, Object> request) throws IOException {
        requests.write(JSON.writeValueAsString(request));
        requests.write('\n');
        requests.flush();
        JsonNode response = JSON.readTree(responses.readLine());
        assertEquals("", response.path("failure").asText(""));
        return response;
    }

    @Override
    public void close() {
        node.destroyForcibly();
    }
}
