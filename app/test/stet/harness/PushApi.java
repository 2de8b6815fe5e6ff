package stet.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import stet.base.Json;
import stet.base.Utf8;

/** The deploy token routes as described in push.openapi.json, with which tests compare each response. */
public final class PushApi {
    private static final JsonNode ROOT = read();

    private PushApi() {
    }

    private static JsonNode read() {
        try {
            return new ObjectMapper().readTree(Files.readString(Path.of("app/docs/push.openapi.json")));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** All operations: {@code POST /push}. */
    public static Set<String> operations() {
        Set<String> operations = new TreeSet<>();
        ROOT.get("paths").properties().forEach(path -> path.getValue().fieldNames().forEachRemaining(
                method -> operations.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey().replace("{id}", ":id"))));
        return operations;
    }

    /** Names of an operation's query parameters. */
    public static Set<String> parameters(String method, String path) {
        Set<String> names = new TreeSet<>();
        ROOT.at("/paths").path(path).path(method.toLowerCase(Locale.ROOT)).path("parameters").forEach(each -> {
            if (each.get("in").asText().equals("query")) {
                names.add(each.get("name").asText());
            }
        });
        return names;
    }

    /** The problems of an error body that several operations share. */
    public static List<String> problems(String response, byte[] body) {
        return OpenApi.problems(ROOT.at("/components/responses/" + response + "/content/application~1json/schema"), Json.tree(Utf8.text(body)));
    }

    public static void check(String method, String target, Client.Reply reply) {
        String path = target.replaceFirst("\\?.*", "").replaceFirst("/templates/[^/]+/", "/templates/{id}/").replaceFirst("/previews/[^/]+$", "/previews/{id}");
        JsonNode response = ROOT.get("paths").path(path).path(method.toLowerCase(Locale.ROOT)).path("responses")
                .path(Integer.toString(reply.status()));
        String what = method + " " + target + ": " + reply.status() + " " + reply.text();
        assertTrue(response.isObject(), "push.openapi.json does not have " + what);
        JsonNode described = response.has("$ref") ? ROOT.at(response.get("$ref").asText().substring(1)) : response;
        described.path("headers").properties().forEach(header -> assertNotNull(reply.header(header.getKey()), what));
        JsonNode content = described.path("content").path(reply.header("Content-Type"));
        assertTrue(content.isObject(), what);
        if (reply.header("Content-Type").equals("application/json")) {
            assertEquals(List.of(), OpenApi.problems(content.get("schema"), json(reply)), what);
        }
    }

    private static JsonNode json(Client.Reply reply) {
        try {
            return new ObjectMapper().readTree(reply.body());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
