package stet.core;

import java.time.Instant;

/** A template in a list. */
public record TemplateSummary(String id, String name, State state, Instant updatedAt) {

    /** State of a template (api.md, The life of a template), and whether its draft has changed since. */
    public enum State {
        NEVER_PUBLISHED("Never published"),
        PUBLISHED("Published"),
        CHANGED("Published, with unpublished changes");

        private final String words;

        State(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }
}
