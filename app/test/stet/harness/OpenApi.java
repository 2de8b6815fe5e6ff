package stet.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.harrel.jsonschema.providers.JacksonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The API description in openapi.json as facts to compare with responses: {@code 404 header ratelimit}. */
public final class OpenApi {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Headers of every HTTP response; the type is a separate fact. */
    private static final Set<String> OF_HTTP = Set.of("content-type", "content-length", "date", "connection", "strict-transport-security");
    private static final JsonNode ROOT = read();
    private static final JsonNode ENDPOINT = ROOT.at("/paths/~1api~1v1~1templates~1{id}");
    private static final Validator VALIDATOR = new ValidatorFactory().withJsonNodeFactory(new JacksonNode.Factory()).createValidator();
    /** The URIs under which the validator has registered schemas. */
    private static final Map<JsonNode, URI> SCHEMAS = new HashMap<>();

    private OpenApi() {
    }

    private static JsonNode read() {
        try {
            return JSON.readTree(Files.readString(Path.of("app/docs/openapi.json")));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public static JsonNode root() {
        return ROOT;
    }

    /** All facts about the endpoint's responses. */
    public static Set<String> described() {
        Set<String> facts = new TreeSet<>(facts("405", resolved(ENDPOINT.get("x-other-methods"))));
        ENDPOINT.at("/get/responses").properties().forEach(each -> facts.addAll(facts(each.getKey(), resolved(each.getValue()))));
        return facts;
    }

    private static Set<String> facts(String status, JsonNode response) {
        Set<String> facts = new TreeSet<>();
        response.path("headers").fieldNames().forEachRemaining(name -> facts.add(status + " header " + name.toLowerCase(Locale.ROOT)));
        response.path("content").properties().forEach(content -> {
            facts.add(status + " type " + content.getKey());
            content.getValue().at("/schema/enum").forEach(text -> facts.add(status + " body " + text.asText()));
            for (JsonNode schema : alternatives(content.getValue().get("schema"))) {
                schema.path("properties").properties().forEach(field -> {
                    if (field.getValue().has("type")) {
                        facts.add(status + " field " + field.getKey() + ": " + field.getValue().get("type").asText());
                    }
                    field.getValue().path("enum").forEach(value -> facts.add(status + " " + field.getKey() + " is " + value.asText()));
                });
            }
        });
        return facts;
    }

    /** Returns a schema's alternatives. */
    private static List<JsonNode> alternatives(JsonNode schema) {
        List<JsonNode> all = new ArrayList<>();
        resolved(schema).path("anyOf").forEach(each -> all.add(resolved(each)));
        return all.isEmpty() ? List.of(resolved(schema)) : all;
    }

    public static JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? ROOT.at(node.get("$ref").asText().substring(1)) : node;
    }

    /** Returns the facts that a response shows; HEAD shows no body. */
    public static Set<String> seen(Client.Reply reply) {
        String status = Integer.toString(reply.status());
        Set<String> facts = new TreeSet<>();
        reply.headers().keySet().stream().filter(name -> !OF_HTTP.contains(name)).forEach(name -> facts.add(status + " header " + name));
        String type = reply.header("Content-Type");
        if (type != null) {
            facts.add(status + " type " + type);
        }
        if (reply.body().length == 0 || type == null) {
            return facts;
        }
        if (type.startsWith("text/plain")) {
            facts.add(status + " body " + reply.text());
        }
        if (type.equals("application/json")) {
            object(reply).properties().forEach(field -> {
                facts.add(status + " field " + field.getKey() + ": " + field.getValue().getNodeType().name().toLowerCase(Locale.ROOT));
                if (field.getKey().equals("error")) {
                    facts.add(status + " error is " + field.getValue().asText());
                }
            });
        }
        return facts;
    }

    private static JsonNode object(Client.Reply reply) {
        try {
            return JSON.readTree(reply.body());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Returns the problems that a JSON schema validator finds in a value; empty if the value is valid. */
    static synchronized List<String> problems(JsonNode schema, JsonNode value) {
        URI registered = SCHEMAS.computeIfAbsent(schema, node -> {
            Object withComponents = node.<ObjectNode>deepCopy().set("components", ROOT.get("components"));
            return VALIDATOR.registerSchema(withComponents);
        });
        return VALIDATOR.validate(registered, value).getErrors().stream()
                .map(error -> error.getInstanceLocation() + " " + error.getError()).toList();
    }

    private static void checkBody(JsonNode schema, JsonNode body, Set<String> wrong) {
        wrong.addAll(problems(schema, body));
        int fields = resolved(schema).path("properties").size();
        if (body.has("variables") && body.size() != 1 && body.size() != fields) {
            wrong.add(body.size() + " fields, not 1 (with format=variables) or " + fields);
        }
        long met = alternatives(schema).stream().filter(each -> problems(each, body).isEmpty()).count();
        if (met != 1) {
            wrong.add(met + " schemas are met, not 1");
        }
    }

    /** Fails if the endpoint's response contains anything undescribed or lacks a required header or field. */
    public static void check(String method, Client.Reply reply) {
        String status = Integer.toString(reply.status());
        boolean read = method.equals("GET") || method.equals("HEAD");
        JsonNode response = resolved(read ? ENDPOINT.at("/get/responses").path(status) // HEAD has the same headers
                : ENDPOINT.get("x-other-methods"));
        Set<String> wrong = new TreeSet<>(seen(reply));
        wrong.removeAll(facts(read ? status : "405", response));
        response.path("headers").properties().forEach(each -> {
            JsonNode header = resolved(each.getValue());
            String value = reply.header(each.getKey());
            if (value == null && header.get("required").asBoolean()) {
                wrong.add("without " + each.getKey());
            }
            if (value != null) {
                boolean isNumber = header.at("/schema/type").asText().equals("integer");
                wrong.addAll(problems(header.get("schema"), isNumber ? IntNode.valueOf(Integer.parseInt(value)) : TextNode.valueOf(value)));
            }
        });
        String type = reply.header("Content-Type");
        JsonNode schema = response.path("content").path(type).path("schema");
        if (reply.body().length > 0 && schema.isObject()) {
            checkBody(schema, type.equals("application/json") ? object(reply) : TextNode.valueOf(reply.text()), wrong);
        }
        if (!wrong.isEmpty()) {
            throw new AssertionError("openapi.json does not describe this answer to " + method + ", " + status + ": " + wrong);
        }
    }
}
