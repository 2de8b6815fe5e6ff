package stet.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The fields of a JSON object, each read once and of one type; {@link #end()} refuses what nobody asked for. */
public final class Fields {
    private final ObjectNode object;
    private final Set<String> known = new HashSet<>();

    public Fields(byte[] json) {
        this(Json.readObject(json));
    }

    public Fields(ObjectNode object) {
        this.object = object;
    }

    /** @throws Refusal when it is missing or no text */
    public String text(String name) {
        String text = text(name, null);
        if (text == null) {
            throw new Refusal(name, "\"" + name + "\" is missing");
        }
        return text;
    }

    public String text(String name, String otherwise) {
        JsonNode value = value(name);
        return value == null ? otherwise : whole(name, of(name, value, value.isTextual(), "a text").textValue());
    }

    public Long number(String name, Long otherwise) {
        JsonNode value = value(name);
        return value == null ? otherwise : (Long) of(name, value, value.canConvertToLong() && value.isIntegralNumber(), "a whole number").longValue();
    }

    public boolean flag(String name, boolean otherwise) {
        JsonNode value = value(name);
        return value == null ? otherwise : of(name, value, value.isBoolean(), "true or false").booleanValue();
    }

    /** A map of texts, empty where it is missing. */
    public Map<String, String> texts(String name) {
        Map<String, String> texts = new LinkedHashMap<>();
        JsonNode value = value(name);
        if (value != null) {
            of(name, value, value.isObject(), "an object").properties().forEach(field -> texts.put(field.getKey(),
                    whole(name, of(name + "." + field.getKey(), field.getValue(), field.getValue().isTextual(), "a text").textValue())));
        }
        return texts;
    }

    /** @throws Refusal naming a field that was not asked for */
    public void end() {
        object.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw new Refusal(name, "\"" + name + "\" is not a known field");
            }
        });
    }

    private JsonNode value(String name) {
        known.add(name);
        JsonNode value = object.get(name);
        return value == null || value.isNull() ? null : value;
    }

    /** Refuses what could not be kept as it is: JSON can spell half of a surrogate pair, UTF-8 cannot. */
    private static String whole(String name, String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!Character.isSurrogatePair(text.charAt(i), i + 1 < text.length() ? text.charAt(i + 1) : ' ')) {
                    throw new Refusal(name, "\"" + name + "\" has half of a surrogate pair, which UTF-8 cannot hold");
                }
                i++;
            }
        }
        return text;
    }

    private static JsonNode of(String name, JsonNode value, boolean right, String type) {
        if (!right) {
            throw new Refusal(name, "\"" + name + "\" is not " + type);
        }
        return value;
    }
}
