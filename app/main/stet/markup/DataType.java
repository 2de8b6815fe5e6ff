package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * The type of the data that a template's variables need, as far as the template and its test data show it.
 *
 * @param fields     variables by name; empty unless this is an object
 * @param items      type of the items of a list or map; otherwise null
 * @param isOptional whether the data may lack the value: conditions guard every use, or a set of test data lacks it or has null
 */
public record DataType(DataShape shape, SortedMap<String, DataType> fields, DataType items, boolean isOptional) {
    /** {@code VALUE} is a text, number or boolean; {@code ANYTHING} may also be a list or an object. */
    public enum DataShape { TEXT, NUMBER, BOOLEAN, VALUE, ANYTHING, LIST, MAP, OBJECT }

    private static final int MAX_MISSING = 100;

    static DataType object(SortedMap<String, DataType> fields, boolean isOptional) {
        return new DataType(DataShape.OBJECT, fields, null, isOptional);
    }

    static DataType list(boolean isMap, DataType items, boolean isOptional) {
        return new DataType(isMap ? DataShape.MAP : DataShape.LIST, Collections.emptySortedMap(), items, isOptional);
    }

    /**
     * Paths of required values that data lacks, such as {@code items[0].price} or, in a map, {@code items.tea.price}; at most 100. A null is
     * a missing value.
     *
     * @param data an object
     */
    public List<String> missing(JsonNode data) {
        List<String> missing = new ArrayList<>();
        addMissing("", data, missing);
        return missing;
    }

    private void addMissing(String path, JsonNode value, List<String> missing) {
        for (Map.Entry<String, DataType> field : fields.entrySet()) {
            JsonNode inner = value.get(field.getKey());
            String name = path.isEmpty() ? field.getKey() : path + "." + field.getKey();
            if (inner != null && !inner.isNull()) {
                field.getValue().addMissing(name, inner, missing);
            } else if (!field.getValue().isOptional && missing.size() < MAX_MISSING) {
                missing.add(name);
            }
        }
        if (items != null && value.isObject()) {
            Iterator<Map.Entry<String, JsonNode>> entries = value.properties().iterator();
            while (entries.hasNext() && missing.size() < MAX_MISSING) {
                Map.Entry<String, JsonNode> each = entries.next();
                items.addMissing(path + "." + each.getKey(), each.getValue(), missing);
            }
        } else if (items != null) {
            for (int i = 0; i < value.size() && missing.size() < MAX_MISSING; i++) {
                items.addMissing(path + "[" + i + "]", value.get(i), missing);
            }
        }
    }

    /** The type of a variable without inner names. @param isShown whether a tag shows the value */
    static DataType of(Collection<JsonNode> values, boolean isShown, boolean isOptional) {
        DataShape shape = values.stream().filter(value -> !value.isNull()).map(DataType::shape).reduce(DataType::common)
                .orElse(isShown ? DataShape.VALUE : DataShape.ANYTHING);
        return new DataType(shape, Collections.emptySortedMap(), null, isOptional);
    }

    /** The narrowest shape that includes two others. */
    private static DataShape common(DataShape one, DataShape other) {
        if (one == other) {
            return one;
        }
        return one == DataShape.ANYTHING || other == DataShape.ANYTHING ? DataShape.ANYTHING : DataShape.VALUE;
    }

    private static DataShape shape(JsonNode value) {
        return value.isTextual() ? DataShape.TEXT : value.isNumber() ? DataShape.NUMBER : value.isBoolean() ? DataShape.BOOLEAN : DataShape.ANYTHING;
    }
}
