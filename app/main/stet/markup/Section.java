package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * How a section goes on with its test data.
 *
 * @param isShown   whether its condition holds
 * @param value     that its text is about; null where that stays the same
 * @param isEach    whether its text is repeated for each item of the value
 * @param isUnknown whether the test data does not have the value
 * @param names     that it declares
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
