package stet.core;

/**
 * The author of a change, as it is recorded with it.
 *
 * @param person  or null where it is none
 * @param name    at that time; null: the change is not recorded
 * @param address of the person's client, or empty
 */
public record Actor(Long person, String name, String address) {
    /** The author of data that nobody changed: seeds and test doubles. */
    public static final Actor NONE = new Actor(null, null, "");
    /** Name of authors of whom the address alone is known. */
    public static final String UNKNOWN = "unknown";
    /** The author of what happens by itself after a time. */
    public static final Actor STET = new Actor(null, "Stet", "");
    public static final Actor COMMAND_LINE = new Actor(null, "command line", "");
}
