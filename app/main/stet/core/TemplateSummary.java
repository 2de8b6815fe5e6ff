package stet.core;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;

/** A template as a list shows it. */
public record TemplateSummary(String id, String name, State state, Instant updatedAt) {

    /** Where a template stands in its life (api.md, The life of a template), and whether its draft has moved on. */
    public enum State {
        @JsonProperty("never") NEVER_PUBLISHED("Never published"),
        @JsonProperty("published") PUBLISHED("Published"),
        @JsonProperty("changed") CHANGED("Published, with unpublished changes");

        private final String words;

        State(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }
}
