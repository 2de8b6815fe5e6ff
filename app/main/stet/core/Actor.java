package stet.core;

/**
 * The author of a change, recorded with the change.
 *
 * @param user  the user's ID, or null if the author is not a user
 * @param name    the author's name at the time of the change; null if the change is not recorded
 * @param address the client's IP address, or empty
 * @param role    a deploy token's role, which never changes; null for other authors
 */
public record Actor(Long user, String name, String address, Role role) {
    /** Author of changes that are not recorded, such as seeding and changes in a test double. */
    public static final Actor NONE = new Actor(null, null, "");
    /** Name recorded as the author of failed sign-ins. */
    public static final String UNKNOWN = "unknown";
    /** Author of scheduled changes. */
    public static final Actor STET = new Actor(null, "Stet", "");
    public static final Actor COMMAND_LINE = new Actor(null, "command line", "");

    public Actor(Long user, String name, String address) {
        this(user, name, address, null);
    }
}
