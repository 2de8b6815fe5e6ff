package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Map;
import java.util.TreeMap;
import stet.core.Json;
import stet.core.Refusal;
import stet.core.Samples;
import stet.core.Utf8;

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

    /** The data of a stored document. One that an old release stored and that cannot be read is empty. */
    public static ObjectNode of(String document) {
        try {
            return Json.document(document);
        } catch (Refusal unreadable) {
            return Json.object();
        }
    }

    /** The samples of single variables, the short form of files and fixtures, as one set. */
    public static Samples set(Map<String, String> samples) {
        return samples.isEmpty() ? Samples.NONE
                : Samples.of(Map.of(Samples.DEFAULT, Utf8.text(Json.writeLines(of(new TreeMap<>(samples))))), null);
    }

    /** Sets and the short form together. @throws Refusal also where both have a set "default" */
    public static Samples sets(Map<String, String> documents, Map<String, String> samples, String defaultName) {
        if (!samples.isEmpty() && documents.containsKey(Samples.DEFAULT)) {
            throw new Refusal("samples", "\"samples\" is the test data \"default\", which is there, too");
        }
        Map<String, String> all = new TreeMap<>(documents);
        all.putAll(set(samples).documents());
        return Samples.of(all, defaultName);
    }

    /** The default set in the short form: the text of each name at the top, and JSON where its value is more. */
    public static Map<String, String> single(Samples samples) {
        Map<String, String> single = new TreeMap<>();
        of(samples.document(null)).properties().forEach(each -> single.put(each.getKey(),
                each.getValue().isContainerNode() ? each.getValue().toString() : each.getValue().asText()));
        return single;
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
