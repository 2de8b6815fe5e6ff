package stet.base;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Reads typed fields of a JSON object; {@link #end()} rejects unknown fields. Errors identify the field by its path, such as
 * {@code keys[0].name}.
 */
public final class Fields {
    /** Some Windows editors start UTF-8 files with this mark, which parsers may ignore (RFC 8259, 8.1). */
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final ObjectNode object;
    private final String path;
    /** Whether null means that the field is missing; otherwise, it is a value of the wrong type. */
    private final boolean isNullMissing;
    private final Set<String> known = new LinkedHashSet<>();

    public Fields(byte[] json) {
        this(Json.readObject(json));
    }

    /** Fields of a request body, parsed as it arrives. */
    public Fields(InputStream json) {
        this(Json.readObject(json));
    }

    public Fields(ObjectNode object) {
        this(object, "", true);
    }

    private Fields(ObjectNode object, String path, boolean isNullMissing) {
        this.object = object;
        this.path = path;
        this.isNullMissing = isNullMissing;
    }

    /** Fields of a file. In a file, null is a value of the wrong type; in a request, null means that the field is missing. */
    public static Fields ofFile(byte[] json) {
        boolean hasMark = Arrays.equals(json, 0, Math.min(json.length, BYTE_ORDER_MARK.length), BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length);
        int from = hasMark ? BYTE_ORDER_MARK.length : 0;
        return new Fields(Json.readObject(new ByteArrayInputStream(json, from, json.length - from)), "", false);
    }

    /** True if the field is present, even if null. */
    public boolean has(String name) {
        return object.has(name);
    }

    /** The names of all fields that are present, in order. */
    public Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Fields of a nested object, or null if the object is missing. Errors identify its fields as {@code name.field}. */
    public Fields object(String name) {
        JsonNode value = value(name);
        return value == null ? null : asObject(name, value);
    }

    /** An object as it is; null if missing. */
    public JsonNode tree(String name) {
        JsonNode value = value(name);
        return value == null ? null : check(name, value, value.isObject(), "an object");
    }

    /** Fields of each object in an array; empty if the array is missing. */
    public List<Fields> objects(String name) {
        return items(name, this::asObject);
    }

    private Fields asObject(String name, JsonNode value) {
        return new Fields((ObjectNode) check(name, value, value.isObject(), "an object"), path + name + ".", isNullMissing);
    }

    /** @throws Refusal if the field is missing or not a string */
    public String text(String name) {
        return required(name, text(name, null));
    }

    /** A string; {@code otherwise} if the field is missing. */
    public String text(String name, String otherwise) {
        JsonNode value = value(name);
        return value == null ? otherwise : asText(name, value);
    }

    /** Parses a string; null if the field is missing. */
    public <T> T parse(String name, Function<String, T> rule) {
        String text = text(name, null);
        try {
            return text == null ? null : rule.apply(text);
        } catch (Refusal refusal) {
            throw new Refusal(path + name, "\"" + path + name + "\": " + refusal.getMessage());
        }
    }

    /** A file in Base64. @throws Refusal if the field is missing or malformed */
    public byte[] base64(String name) {
        try {
            return Base64.getDecoder().decode(text(name));
        } catch (IllegalArgumentException malformed) {
            throw wrong(name, "is not Base64; use Base64");
        }
    }

    /** A timestamp; null if the field is missing. */
    public Instant instant(String name) {
        return parse(name, text -> Timestamp.parseFourDigitYear(name, text));
    }

    /** @throws Refusal if the field is missing or not a whole number */
    public long number(String name) {
        return required(name, number(name, null));
    }

    /** A whole number; {@code otherwise}, which may be null, if the field is missing. */
    public Long number(String name, Long otherwise) {
        return number(name, Long.MIN_VALUE, Long.MAX_VALUE, otherwise, "a whole number");
    }

    /** A whole number within inclusive bounds; {@code otherwise}, which may be null, if the field is missing. */
    public Long number(String name, long least, long most, Long otherwise) {
        return number(name, least, most, otherwise, "a whole number from " + least + " to " + most);
    }

    private Long number(String name, long least, long most, Long otherwise, String type) {
        JsonNode value = value(name);
        if (value == null) {
            return otherwise;
        }
        boolean isLong = value.isIntegralNumber() && value.canConvertToLong();
        check(name, value, isLong && value.longValue() >= least && value.longValue() <= most, type);
        return value.longValue();
    }

    /** True or false; {@code otherwise} if the field is missing. */
    public boolean flag(String name, boolean otherwise) {
        JsonNode value = value(name);
        return value == null ? otherwise : check(name, value, value.isBoolean(), "true or false").booleanValue();
    }

    /** An array of strings; empty if the field is missing. */
    public List<String> list(String name) {
        return items(name, this::asText);
    }

    /** A map of strings; empty if the field is missing. */
    public Map<String, String> texts(String name) {
        return map(name, this::asText);
    }

    /** A map of objects, each as JSON text; empty if the field is missing. */
    public Map<String, String> documents(String name) {
        return map(name, (inner, value) -> Utf8.text(Json.writeLines(check(inner, value, value.isObject(), "an object"))));
    }

    private <T> List<T> items(String name, BiFunction<String, JsonNode, T> read) {
        List<T> items = new ArrayList<>();
        JsonNode array = value(name);
        if (array != null) {
            check(name, array, array.isArray(), "an array")
                    .forEach(item -> items.add(read.apply(name + "[" + items.size() + "]", item)));
        }
        return items;
    }

    private <T> Map<String, T> map(String name, BiFunction<String, JsonNode, T> read) {
        Map<String, T> map = new LinkedHashMap<>();
        JsonNode value = value(name);
        if (value != null) {
            check(name, value, value.isObject(), "an object").properties()
                    .forEach(field -> map.put(field.getKey(), read.apply(name + "." + field.getKey(), field.getValue())));
        }
        return map;
    }

    /** Rejects unknown fields before any value is checked. */
    public Fields only(String... names) {
        known.addAll(List.of(names));
        end();
        return this;
    }

    /** @throws Refusal naming the first unknown field and any similar known field */
    public void end() {
        object.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw wrong(name, "is not a known field" + Suggestion.nearest(name, known)
                        .map(nearest -> "; did you mean \"" + nearest + "\"?").orElse(""));
            }
        });
    }

    /** A field's value; null if the field is missing. */
    private JsonNode value(String name) {
        known.add(name);
        JsonNode value = object.get(name);
        return value == null || isNullMissing && value.isNull() ? null : value;
    }

    private String asText(String name, JsonNode value) {
        String text = check(name, value, value.isTextual(), "a string").textValue();
        if (Utf8.hasHalfPair(text)) {
            throw wrong(name, "contains an unpaired surrogate, which UTF-8 cannot encode; remove it");
        }
        return text;
    }

    private <T> T required(String name, T value) {
        if (value == null) {
            throw wrong(name, "is missing");
        }
        return value;
    }

    /** @param isRight whether the value has the type @return the value */
    private JsonNode check(String name, JsonNode value, boolean isRight, String type) {
        if (!isRight) {
            throw wrong(name, "must be " + type);
        }
        return value;
    }

    /** An error that names the field, such as {@code "keys[0].key" is missing}. */
    public Refusal wrong(String name, String what) {
        return new Refusal(path + name, "\"" + path + name + "\" " + what);
    }
}
