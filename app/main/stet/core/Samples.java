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

/**
 * The test data of a template: sets with a name, each one JSON document that the preview is filled in with. A document stays as
 * its author wrote it.
 *
 * @param documents   by name
 * @param defaultName of the set that is used where none is chosen; null where there is none
 */
public record Samples(SortedMap<String, String> documents, String defaultName) {
    /** Sets of a template, at most. */
    public static final int SETS = 20;
    /** Bytes of the documents of a template together, at most. */
    public static final int BYTES = 1 << 20;
    /** Sets of an account, at most: its export, and so an import, has a file for each. */
    public static final int SETS_OF_ACCOUNT = 20_000;
    /** Name of a set whose author gave none. */
    public static final String DEFAULT = "default";
    public static final Samples NONE = new Samples(new TreeMap<>(), null);

    public Samples {
        documents = Collections.unmodifiableSortedMap(new TreeMap<>(documents));
    }

    /**
     * Sets that somebody gives.
     *
     * @param defaultName or null: the set "default", or else the first one
     * @throws Refusal naming the field: "samples", "samples.NAME" or "defaultSamples"
     */
    public static Samples of(Map<String, String> documents, String defaultName) {
        if (documents.isEmpty() && defaultName == null) {
            return NONE;
        }
        if (documents.size() > SETS) {
            throw new Refusal("samples", "There are " + documents.size() + " sets of test data, the limit is " + SETS);
        }
        long bytes = documents.values().stream().mapToLong(text -> Utf8.length(text, 0, text.length())).sum();
        if (bytes > BYTES) {
            throw new Refusal("samples", "The test data has " + bytes + " bytes, the limit is " + BYTES + " (1 MiB)");
        }
        documents.forEach((name, document) -> check(name, document));
        if (documents.keySet().stream().map(name -> name.toLowerCase(Locale.ROOT)).distinct().count() < documents.size()) {
            throw new Refusal("samples", "Names of two sets of test data differ only in case,"
                    + " which not every file system tells apart");
        }
        if (defaultName != null && !documents.containsKey(defaultName)) {
            throw new Refusal("defaultSamples", "There is no test data \"" + defaultName + "\"");
        }
        TreeMap<String, String> sorted = new TreeMap<>(documents);
        return new Samples(sorted, defaultName != null ? defaultName : sorted.containsKey(DEFAULT) ? DEFAULT : sorted.firstKey());
    }

    /** Sets, and the samples of single variables, which are the set "default". @throws Refusal also where both have that one */
    public static Samples of(Map<String, String> documents, Map<String, String> samples, String defaultName) {
        if (!samples.isEmpty() && documents.containsKey(DEFAULT)) {
            throw new Refusal("samples", "\"samples\" is the test data \"default\", which is there, too");
        }
        Map<String, String> all = new TreeMap<>(documents);
        if (!samples.isEmpty()) {
            all.put(DEFAULT, Utf8.text(Json.writeLines(data(new TreeMap<>(samples)))));
        }
        return of(all, defaultName);
    }

    /**
     * The samples of single variables as one document: JSON arrays and objects as such, true, false, null and 0 as values, all
     * others as text. A name with dots stays one name, which is looked up where its parts are not there.
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

    /** The data of a stored document. One that an old release stored and that cannot be read is empty. */
    public static ObjectNode data(String document) {
        try {
            return Json.document(document);
        } catch (Refusal unreadable) {
            return Json.object();
        }
    }

    /** The default set in the short form: the text of each name at the top, and JSON where its value is more. */
    public Map<String, String> single() {
        Map<String, String> single = new TreeMap<>();
        data(document(null)).properties().forEach(each -> single.put(each.getKey(),
                each.getValue().isContainerNode() ? each.getValue().toString() : each.getValue().asText()));
        return single;
    }

    /** The sets as {@link FilesDigest} has them, one a line: 1 for the default or 0, the name, and the document's SHA-256 in hex. */
    public String lines() {
        return documents.entrySet().stream().map(each -> (each.getKey().equals(defaultName) ? 1 : 0) + " " + each.getKey() + " "
                + FilesDigest.hex(Secret.sha256(each.getValue()))).collect(Collectors.joining("\n"));
    }

    private static void check(String name, String document) {
        if (!Validation.isId(name)) {
            throw new Refusal("samples", "\"" + name + "\" is not a name of test data: 1 to 64 letters, digits, - and _,"
                    + " beginning with a letter or digit");
        }
        try {
            Json.document(document);
        } catch (Refusal wrong) {
            throw new Refusal("samples." + name, "The test data \"" + name + "\" cannot be used: " + wrong.getMessage());
        }
    }

    /** The document of a set, or of the default one where there is no such set; an empty one where there is none. */
    public String document(String name) {
        return documents.isEmpty() ? "{}" : documents.getOrDefault(name == null ? defaultName : name, documents.get(defaultName));
    }
}
