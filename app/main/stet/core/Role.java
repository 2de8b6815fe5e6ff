package stet.core;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Set;

/** What a person may do in an account: what belongs to the role itself, and what the roles that it includes may do. */
public enum Role {
    /** Writes drafts and shared blocks, and requests reviews. */
    WRITER("writer"),
    /** Publishes, and changes names, which are live. */
    EDITOR("editor", WRITER),
    /** Manages people and keys, imports and deletes. */
    OWNER("owner", WRITER, EDITOR);

    private final String word;
    private final Set<Role> included;

    Role(String word, Role... included) {
        this.word = word;
        this.included = Set.of(included);
    }

    /** @throws Refusal when there is no such role */
    public static Role of(String word) {
        return Arrays.stream(values()).filter(role -> role.word.equals(word)).findFirst()
                .orElseThrow(() -> new Refusal("role", "\"" + word + "\" is not a role: owner, editor or writer"));
    }

    /** The role's name in commands, pages and the database. */
    @JsonValue
    public String word() {
        return word;
    }

    /** Whether this role may do what another one may. */
    public boolean includes(Role other) {
        return this == other || included.contains(other);
    }
}
