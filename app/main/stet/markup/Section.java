package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * The rendering of a section with the test data.
 *
 * @param isShown   true if the section's condition holds
 * @param value     the new scope's value; null to keep the current scope
 * @param isEach    true if the content repeats for each item of the value
 * @param isUnknown true if the value is not in the test data
 * @param names     names that the section declares
 */
record Section(boolean isShown, JsonNode value, boolean isEach, boolean isUnknown, List<String> names) {
    static final Section ONCE = when(true);

    static Section when(boolean isShown) {
        return new Section(isShown, null, false, false, List.of());
    }

    static Section unknown(boolean isShown, boolean isEach) {
        return new Section(isShown, null, isEach, true, List.of());
    }

    static Section about(JsonNode value, boolean isShown, List<String> names) {
        return new Section(isShown, value, false, false, names);
    }

    static Section each(JsonNode value, List<String> names) {
        return new Section(value.isContainerNode() && !value.isEmpty(), value, true, false, names);
    }
}
