package stet.core;

/**
 * A person who can sign in, and belongs to any number of accounts.
 *
 * @param name       to be shown; may be empty
 * @param isAdministrator whether this person administers the installation
 */
public record Person(long id, String email, String name, boolean isAdministrator) {

    /** The name, or the email address of a person without one. */
    public String label() {
        return name.isEmpty() ? email : name;
    }
}
