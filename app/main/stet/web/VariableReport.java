package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import stet.core.Json;
import stet.core.Refusal;
import stet.core.Samples;
import stet.markup.VariableTree;

/**
 * The names that a text asks for as a tree, with examples of one set of test data, and the names that each set lacks.
 *
 * @param sets the sets that lack a name or cannot be read
 */
record VariableReport(List<NameJson> tree, List<SetJson> sets) {
    /** Characters of an example, and names that a set lacks, at most. */
    private static final int MAX_EXAMPLE = 80;
    private static final int MAX_MISSING = 20;
    /** Names within names that are told. */
    private static final int MAX_DEPTH = 8;
    /** Characters of the text, times sets, that are looked through. The sets beyond are not reported. */
    private static final long MAX_READ = 4 << 20;

    /** @param example a value, shortened; null for none, and for a list or object. @param rows of a list, or null */
    record NameJson(String name, boolean isList, boolean isMissing, @JsonInclude(JsonInclude.Include.NON_NULL) String example,
                    @JsonInclude(JsonInclude.Include.NON_NULL) Integer rows, List<NameJson> inner) {
        static NameJson of(VariableTree.Variable variable, int depth) {
            JsonNode value = variable.example();
            boolean isExample = value != null && value.isValueNode() && !value.isNull();
            return new NameJson(variable.name(), variable.isList(), variable.isMissing(),
                    isExample ? shortened(value.asText()) : null,
                    value != null && value.isArray() ? Integer.valueOf(value.size()) : null,
                    depth == MAX_DEPTH ? List.of() : variable.inner().stream().map(inner -> of(inner, depth + 1)).toList());
        }

        private static String shortened(String text) {
            return text.length() <= MAX_EXAMPLE ? text
                    : text.substring(0, text.offsetByCodePoints(0, text.codePointCount(0, MAX_EXAMPLE))) + "…";
        }
    }

    /** @param error why it cannot be read, or null */
    record SetJson(String name, List<String> missing, int moreMissing, @JsonInclude(JsonInclude.Include.NON_NULL) String error) {
    }

    /**
     * @param html   with its shared blocks in place
     * @param chosen name of the set with the examples; another or none stands for the default one
     */
    static VariableReport of(String subject, String html, Samples samples, String chosen) {
        ObjectNode data = Samples.data(samples.document(chosen));
        List<NameJson> tree = VariableTree.of(subject, html, data).variables().stream()
                .map(variable -> NameJson.of(variable, 1)).toList();
        List<SetJson> sets = new ArrayList<>();
        long read = 0;
        for (Map.Entry<String, String> set : samples.documents().entrySet()) {
            read += html.length();
            if (read > MAX_READ) {
                break;
            }
            SetJson report = set(set.getKey(), set.getValue(), subject, html);
            if (report.error != null || !report.missing.isEmpty()) {
                sets.add(report);
            }
        }
        return new VariableReport(tree, sets);
    }

    private static SetJson set(String name, String document, String subject, String html) {
        try {
            List<String> missing = VariableTree.of(subject, html, Json.document(document)).missing();
            return new SetJson(name, missing.stream().limit(MAX_MISSING).toList(), Math.max(0, missing.size() - MAX_MISSING), null);
        } catch (Refusal unreadable) {
            return new SetJson(name, List.of(), 0, unreadable.getMessage());
        }
    }
}
