package stet.core;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import stet.base.Refusal;

/** An account's plan: requests per period and number of keys (api.md, Quota). */
public enum Plan {
    FREE(100, 1),
    PRO(5_000, 5),
    /** No active plan; API requests get 403. */
    NONE(0, 1);

    private final String word = name().toLowerCase(Locale.ROOT);
    private final long requests;
    private final long keys;

    Plan(long requests, long keys) {
        this.requests = requests;
        this.keys = keys;
    }

    public long requests() {
        return requests;
    }

    public long keys() {
        return keys;
    }

    /** The plan's name in commands, files and the database. */
    @JsonValue
    public String word() {
        return word;
    }

    /** @throws Refusal if there is no such plan */
    public static Plan of(String word) {
        for (Plan plan : values()) {
            if (plan.word.equals(word)) {
                return plan;
            }
        }
        throw new Refusal("plan", "\"" + word + "\" is not a plan; choose free, pro or none");
    }
}
