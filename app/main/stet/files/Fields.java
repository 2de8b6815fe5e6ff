package stet.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import stet.core.Refusal;
import stet.core.Timestamp;
import stet.core.Utf8;

/** The fields of a JSON object, read strictly: what is unknown or of another type is refused by its name. */
final class Fields {
    private final ObjectNode object;
    private final String path;

    private Fields(ObjectNode object, String path, List<String> known) {
        this.object = object;
        this.path = path;
        object.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw new Refusal(path + name, "\"" + path + name + "\" is not a field here; there is " + String.join(", ", known));
            }
        });
    }

    /** @throws Refusal when the object has a field that is not known */
    static Fields of(ObjectNode object, String... known) {
        return new Fields(object, "", List.of(known));
    }

    Optional<String> text(String name) {
        return get(name).map(node -> text(name, node));
    }

    boolean truth(String name, boolean otherwise) {
        return get(name).map(node -> {
            if (!node.isBoolean()) {
                throw wrong(name, "neither true nor false");
            }
            return node.booleanValue();
        }).orElse(otherwise);
    }

    /** A whole number from 0 to the most. */
    Optional<Long> number(String name, long most) {
        return get(name).map(node -> {
            if (!node.isIntegralNumber() || !node.canConvertToLong() || node.longValue() < 0 || node.longValue() > most) {
                throw wrong(name, "not a whole number from 0 to " + most);
            }
            return node.longValue();
        });
    }

    Optional<Instant> instant(String name) {
        return text(name).map(text -> {
            try {
                return Timestamp.parse(path + name, text);
            } catch (Refusal refusal) {
                throw wrong(name, refusal);
            }
        });
    }

    /** An object of texts; empty where the field is missing. */
    Map<String, String> texts(String name) {
        Map<String, String> texts = new TreeMap<>();
        get(name).ifPresent(node -> object(name, node).properties().forEach(
                entry -> texts.put(entry.getKey(), text(name + "." + entry.getKey(), entry.getValue()))));
        return texts;
    }

    Optional<Fields> fields(String name, String... known) {
        return get(name).map(node -> new Fields(object(name, node), path + name + ".", List.of(known)));
    }

    /** The objects of an array; empty where the field is missing. */
    List<Fields> list(String name, String... known) {
        List<Fields> list = new ArrayList<>();
        get(name).ifPresent(node -> {
            if (!node.isArray()) {
                throw wrong(name, "not an array");
            }
            for (JsonNode element : node) {
                String place = name + "[" + list.size() + "]";
                list.add(new Fields(object(place, element), path + place + ".", List.of(known)));
            }
        });
        return list;
    }

    /** A refusal that names the field: {@code "keys[0].key" is missing}. */
    Refusal wrong(String name, String what) {
        return new Refusal(path + name, "\"" + path + name + "\" is " + what);
    }

    /** The same sentence with the field's name in front. */
    Refusal wrong(String name, Refusal refusal) {
        return new Refusal(path + name, "\"" + path + name + "\": " + refusal.getMessage());
    }

    private Optional<JsonNode> get(String name) {
        return Optional.ofNullable(object.get(name));
    }

    private String text(String name, JsonNode node) {
        if (!node.isTextual()) {
            throw wrong(name, "not a text");
        }
        try {
            Utf8.encode(node.textValue());
        } catch (Refusal refusal) {
            throw wrong(name, refusal);
        }
        return node.textValue();
    }

    private ObjectNode object(String name, JsonNode node) {
        if (node instanceof ObjectNode found) {
            return found;
        }
        throw wrong(name, "not an object");
    }
}
