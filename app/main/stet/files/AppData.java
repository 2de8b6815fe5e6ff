package stet.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import stet.base.Refusal;
import stet.base.Suggestion;
import stet.base.Utf8;
import stet.core.Draft;
import stet.core.Samples;
import stet.markup.Publisher;
import stet.markup.VariableTree;

/** Compares the data that an app fills in with the templates in a folder. */
public final class AppData {
    private AppData() {
    }

    /**
     * Sentences that name the variables that the data lacks, template by template in the order of the data.
     *
     * @param data an object for each template ID
     * @throws Refusal for an unknown template, or data that is not an object
     */
    public static List<String> missing(AccountFiles files, ObjectNode data) {
        List<String> missing = new ArrayList<>();
        for (Map.Entry<String, JsonNode> each : data.properties()) {
            String id = each.getKey();
            if (!files.drafts().containsKey(id)) {
                throw new Refusal("Template " + id + " not found" + Suggestion.nearest(id, files.drafts().keySet()).map(meant -> "; did you mean " + meant + "?").orElse(""));
            }
            if (!each.getValue().isObject()) {
                throw new Refusal("\"" + id + "\" must be an object");
            }
            missingIn(files, id, each.getValue()).forEach(name -> missing.add(id + ": " + name + " is not filled"));
        }
        return missing;
    }

    private static List<String> missingIn(AccountFiles files, String id, JsonNode data) {
        Draft draft = files.draft(id);
        String expanded = new Publisher(name -> files.text(name, "")).expand(draft.subject(), Utf8.text(draft.html()));
        return VariableTree.type(draft.subject(), expanded, draft.samples().documents().values().stream().map(Samples::data).toList()).missing(data);
    }
}
