package stet.core;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Set;
import stet.base.Refusal;

/** A user's rights in an account. Each role includes the rights of the roles before it. */
public enum Role {
    /** Writes drafts and shared blocks, and requests reviews. */
    WRITER("writer"),
    /** Publishes, renames and restores templates, and chooses mail clients; a new name takes effect immediately. */
    EDITOR("editor", WRITER),
    /** Manages users, keys, deploy tokens, the webhook and account settings; may import and delete. */
    OWNER("owner", WRITER, EDITOR);

    private final String word;
    private final Set<Role> included;

    Role(String word, Role... included) {
        this.word = word;
        this.included = Set.of(included);
    }

    /** @throws Refusal if there is no such role */
    public static Role of(String word) {
        return Arrays.stream(values()).filter(role -> role.word.equals(word)).findFirst()
                .orElseThrow(() -> new Refusal("role", "\"" + word + "\" is not a role; choose owner, editor or writer"));
    }

    /** The role's name in commands, pages and the database. */
    @JsonValue
    public String word() {
        return word;
    }

    /** True if this role has all rights of the other role. */
    public boolean includes(Role other) {
        return this == other || included.contains(other);
    }
}
