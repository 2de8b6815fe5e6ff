package stet.core;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;

/** What a person may do in an account. Each role may do what the one before it may. */
public enum Role {
    /** Writes drafts and shared blocks, and asks for publication. */
    WRITER,
    /** Publishes, and changes names, which are live. */
    EDITOR,
    /** Looks after people and keys, imports and deletes. */
    OWNER;

    /** @throws Refusal when there is no such role */
    public static Role of(String word) {
        return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst()
                .orElseThrow(() -> new Refusal("role", "\"" + word + "\" is not a role: owner, editor or writer"));
    }

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }
}
