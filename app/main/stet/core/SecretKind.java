package stet.core;

/** Kinds of an account's secrets. */
public enum SecretKind {
    /** An API key, which reads published templates and can do nothing else. It has no role. */
    KEY,
    /** A deploy token, which pushes and pulls files as its role permits, and cannot use the API. */
    TOKEN;

    /** Maximum number of deploy tokens per account, including rotated tokens that still work. The plan limits the number of keys. */
    public static final int MAX_TOKENS = 20;

    /** The word in messages and commands: key or token. */
    public String word() {
        return this == KEY ? "key" : "token";
    }
}
