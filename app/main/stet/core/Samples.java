package stet.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import stet.base.Json;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.Utf8;

/**
 * A template's test data for previews: named sets, each a JSON document, stored exactly as written.
 *
 * @param documents   by name
 * @param defaultName the set used by default; null if there are no sets
 */
public record Samples(SortedMap<String, String> documents, String defaultName) {
    /** Maximum number of sets per template. */
    public static final int SETS = 20;
    /** Maximum total size of a template's documents, in bytes. */
    public static final int BYTES = 1 << 20;
    /** Maximum number of sets per account; limited because each set is a file in exports and imports. */
    public static final int SETS_OF_ACCOUNT = 20_000;
    /** Default name of a set. */
    public static final String DEFAULT = "default";
    public static final Samples NONE = new Samples(new TreeMap<>(), null);

    public Samples {
        documents = Collections.unmodifiableSortedMap(new TreeMap<>(documents));
    }

    /**
     * Validates sets and chooses the default.
     *
     * @param defaultName null for the set "default" or, if there is no such set, the first set
     * @throws Refusal naming the field: "samples", "samples.NAME" or "defaultSamples"
     */
    public static Samples of(Map<String, String> documents, String defaultName) {
        if (documents.isEmpty() && defaultName == null) {
            return NONE;
        }
        if (documents.size() > SETS) {
            throw new Refusal("samples", "There are " + documents.size() + " sets of test data; the limit is " + SETS);
        }
        long bytes = documents.values().stream().mapToLong(text -> Utf8.length(text, 0, text.length())).sum();
        if (bytes > BYTES) {
            throw new Refusal("samples", "The test data is " + bytes + " bytes; the limit is " + BYTES + " (1 MiB)");
        }
        documents.forEach((name, document) -> check(name, document));
        if (documents.keySet().stream().map(name -> name.toLowerCase(Locale.ROOT)).distinct().count() < documents.size()) {
            throw new Refusal("samples", "The names of two test data sets differ only in case,"
                    + " which some file systems ignore; rename one of them");
        }
        if (defaultName != null && !documents.containsKey(defaultName)) {
            throw new Refusal("defaultSamples", "Test data \"" + defaultName + "\" not found");
        }
        TreeMap<String, String> sorted = new TreeMap<>(documents);
        String chosen = sorted.containsKey(DEFAULT) ? DEFAULT : sorted.firstKey();
        return new Samples(sorted, defaultName == null ? chosen : defaultName);
    }

    /**
     * Combines sets with samples of single variables, which become the set "default".
     *
     * @throws Refusal if a set is invalid or the set "default" is defined twice
     */
    public static Samples of(Map<String, String> documents, Map<String, String> samples, String defaultName) {
        if (!samples.isEmpty() && documents.containsKey(DEFAULT)) {
            throw new Refusal("samples", "Both \"samples\" and a file define the test data \"default\"; remove one of them");
        }
        Map<String, String> all = new TreeMap<>(documents);
        if (!samples.isEmpty()) {
            all.put(DEFAULT, Utf8.text(Json.writeLines(data(new TreeMap<>(samples)))));
        }
        return of(all, defaultName);
    }

    /**
     * Converts samples of single variables to one document. JSON arrays, objects, true, false, null and 0 keep their type, an empty sample
     * becomes null, and all other values become text. A dotted name remains a single name, which lookups use if the path does not exist.
     */
    public static ObjectNode data(Map<String, String> samples) {
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

    /** The data in a stored document; empty if an old release stored a document that cannot be parsed. */
    public static ObjectNode data(String document) {
        try {
            return Json.document(document);
        } catch (Refusal unreadable) {
            return Json.object();
        }
    }

    /** The default set in short form: each top-level value as text, with arrays and objects as JSON. */
    public Map<String, String> shortForm() {
        Map<String, String> values = new TreeMap<>();
        data(document(null)).properties().forEach(each -> values.put(each.getKey(),
                each.getValue().isContainerNode() ? each.getValue().toString() : each.getValue().asText()));
        return values;
    }

    /** One line per set for {@link FilesDigest}: 1 (default set) or 0, the name, and the document's SHA-256 in hex. */
    public String lines() {
        return documents.entrySet().stream().map(each -> (each.getKey().equals(defaultName) ? 1 : 0) + " " + each.getKey() + " "
                + FilesDigest.hex(Secret.sha256(each.getValue()))).collect(Collectors.joining("\n"));
    }

    private static void check(String name, String document) {
        if (!Validation.isId(name)) {
            throw new Refusal("samples", "\"" + name + "\" is not a valid test data name; use 1 to 64 letters, digits, - and _,"
                    + " starting with a letter or digit");
        }
        try {
            Json.document(document);
        } catch (Refusal wrong) {
            throw new Refusal("samples." + name, "Test data \"" + name + "\" is invalid: " + wrong.getMessage());
        }
    }

    /** Returns a test data set's document; falls back to the default set, then to an empty document. @param name null for the default set */
    public String document(String name) {
        return documents.isEmpty() ? "{}" : documents.getOrDefault(name == null ? defaultName : name, documents.get(defaultName));
    }
}
