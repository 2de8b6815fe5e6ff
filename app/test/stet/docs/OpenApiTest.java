package stet.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Client;
import stet.harness.OpenApi;
import stet.harness.Running;
import stet.http.Response;
import stet.http.Failure;

/**
 * The API and openapi.json agree: each status, type, header, field and error exists in both. {@link Running} also compares the endpoint's
 * responses in all other tests.
 */
class OpenApiTest {

    @Test
    void theDescriptionHasAllThatIsReturnedAndNothingElse() {
        Set<String> seen = new TreeSet<>();
        try (Running stet = new Running()) {
            Account account = stet.account("pro@example.com", Plan.PRO);
            stet.template(account, "welcome", "<p>hi {{name}}</p>");
            stet.draft(account, "unborn", "Unborn", "", "<p>a draft</p>");
            Account none = stet.account("none@example.com", Plan.NONE);
            Account exhausted = stet.account("exhausted@example.com", Plan.FREE);
            stet.db.change(dao -> dao.usage().set(exhausted, exhausted.createdAt(), 100));
            String key = stet.key(account);
            String welcome = Running.TEMPLATES + "welcome";
            for (String format : new String[] {"", "?format=html", "?format=variables", "?format=xml"}) {
                Client.Reply reply = stet.get(welcome + format, key);
                seen.addAll(OpenApi.seen(reply));
                seen.addAll(OpenApi.seen(stet.get(welcome + format, key, "If-None-Match: " + reply.header("ETag"))));
            }
            seen.addAll(OpenApi.seen(stet.get(welcome, key, "If-Match: \"other\"")));
            for (String id : new String[] {"no-such", "unborn"}) {
                seen.addAll(OpenApi.seen(stet.get(Running.TEMPLATES + id, key)));
            }
            for (String other : new String[] {null, "unknown", stet.key(none), stet.key(exhausted)}) {
                seen.addAll(OpenApi.seen(stet.get(welcome, other)));
            }
            seen.addAll(OpenApi.seen(stet.send("POST", welcome, key)));
            Running.logged(() -> {
                stet.clock.fail(() -> new IllegalStateException("injected"));
                seen.addAll(OpenApi.seen(stet.get(welcome, key)));
            });
        }
        seen.addAll(OpenApi.seen(reply(Failure.BUSY))); // sending it would take a wait of 10 s
        assertEquals(String.join("\n", OpenApi.described()), String.join("\n", seen));
    }

    private static Client.Reply reply(Failure failure) {
        Response response = failure.response();
        Map<String, String> headers = new TreeMap<>();
        response.headers().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
        return new Client.Reply(response.status(), headers, response.body());
    }

    @Test
    void aResponseThatIsNotDescribedFailsItsTest() {
        byte[] error = "{\"error\":\"Not found\"}".getBytes(StandardCharsets.UTF_8);
        Map<String, String> headers = new TreeMap<>(Map.of("content-type", "application/json", "x-content-type-options", "nosniff",
                "cache-control", "no-store", "ratelimit", "r", "ratelimit-policy", "p"));
        OpenApi.check("GET", new Client.Reply(404, headers, error));
        assertThrows(AssertionError.class, () -> OpenApi.check("GET", new Client.Reply(410, headers, error)));
        assertThrows(AssertionError.class, () -> OpenApi.check("POST", new Client.Reply(404, headers, error)));
        assertThrows(AssertionError.class, () -> OpenApi.check("GET", new Client.Reply(404, headers,
                "{\"error\":\"Not found\",\"id\":\"x\"}".getBytes(StandardCharsets.UTF_8))));
        assertThrows(AssertionError.class, () -> OpenApi.check("GET", new Client.Reply(404, headers,
                "{\"error\":\"Unknown\"}".getBytes(StandardCharsets.UTF_8))));
        headers.put("x-other", "1");
        assertThrows(AssertionError.class, () -> OpenApi.check("GET", new Client.Reply(404, headers, error)));
        headers.remove("x-other");
        headers.remove("ratelimit");
        assertThrows(AssertionError.class, () -> OpenApi.check("GET", new Client.Reply(404, headers, error)));
    }

    @Test
    void headIsDescribedAsGetIsWithoutContent() {
        JsonNode endpoint = OpenApi.root().at("/paths/~1api~1v1~1templates~1{id}");
        ObjectNode expected = JsonNodeFactory.instance.objectNode();
        endpoint.at("/get/responses").properties().forEach(each ->
                expected.set(each.getKey(), OpenApi.resolved(each.getValue()).<ObjectNode>deepCopy().without("content")));
        assertEquals(expected, endpoint.at("/head/responses"));
    }

    /** Generated clients of many languages read these wrongly or not at all. */
    @ParameterizedTest
    @ValueSource(strings = {"openapi.json", "push.openapi.json"})
    void descriptionsHaveNeitherUnionsNorSetsNorServersOfAPath(String file) throws IOException {
        JsonNode root = new ObjectMapper().readTree(Files.readString(Path.of("app/docs", file)));
        for (String field : List.of("anyOf", "oneOf", "allOf", "uniqueItems")) {
            assertEquals(List.of(), root.findValues(field), field);
        }
        assertEquals(1, root.findValues("servers").size(), "only at the root");
        assertEquals(1, root.get("servers").size());
    }

    /** Every field is required, so clients can rely on it. Only format=variables omits the template's other fields. */
    @Test
    void eachFieldIsRequired() {
        for (JsonNode schema : OpenApi.root().findParents("properties")) {
            Set<String> fields = new TreeSet<>();
            schema.get("properties").fieldNames().forEachRemaining(fields::add);
            Set<String> required = new TreeSet<>();
            schema.path("required").forEach(field -> required.add(field.asText()));
            assertEquals(schema.at("/properties/html").isMissingNode() ? fields : Set.of("variables"), required);
        }
    }

    @Test
    void referencesLeadSomewhere() {
        for (JsonNode reference : OpenApi.root().findValues("$ref")) {
            assertTrue(!OpenApi.root().at(reference.asText().substring(1)).isMissingNode(), reference.asText());
        }
    }
}
