package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Map;
import stet.core.Json;

/** Test data for the preview: one JSON document, as callers of Handlebars give it. */
public final class TestData {
    private TestData() {
    }

    /**
     * The samples of single variables as one document: JSON arrays and objects as such, true, false, null and 0 as values, all
     * others as text. A name with dots stays one name, which is looked up where its parts are not there.
     */
    public static ObjectNode of(Map<String, String> samples) {
        ObjectNode data = Json.object();
        samples.forEach((name, sample) -> data.set(name, value(sample)));
        return data;
    }

    private static JsonNode value(String sample) {
        JsonNode structure = sample.startsWith("[") || sample.startsWith("{") ? Json.tree(sample) : null;
        return structure != null ? structure : switch (sample) {
            case "true" -> BooleanNode.TRUE;
            case "false" -> BooleanNode.FALSE;
            case "0" -> IntNode.valueOf(0);
            case "", "null" -> NullNode.getInstance();
            default -> TextNode.valueOf(sample);
        };
    }
}
