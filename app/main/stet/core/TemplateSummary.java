package stet.core;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;

/** A template as shown in lists. */
public record TemplateSummary(String id, String name, String subject, State state, Instant updatedAt) {
    /** Template state (api.md, The life of a template), including whether the draft has changed since publication. */
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
