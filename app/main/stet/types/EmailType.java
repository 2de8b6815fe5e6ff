package stet.types;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import stet.markup.DataType;
import stet.markup.VariableTree;

/** The type of the data that an email's live version needs. @param version number of the live version */
public record EmailType(String id, int version, DataType type) {
    /** @param sets all sets of test data, as JSON objects */
    public static EmailType of(String id, int version, String subject, String html, List<? extends JsonNode> sets) {
        return new EmailType(id, version, VariableTree.type(subject, html, sets));
    }
}
