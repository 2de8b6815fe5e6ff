package stet.core;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;

/** A template in a list. */
public record TemplateSummary(String id, String name, State state, Instant updatedAt) {
    /** State of a template (api.md, The life of a template), and whether its draft has changed since. */
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
