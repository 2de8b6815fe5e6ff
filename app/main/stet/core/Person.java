package stet.core;

/**
 * A user, who can sign in and may be a member of several accounts.
 *
 * @param name       display name; may be empty
 * @param isAdministrator manages the installation and all accounts
 */
public record Person(long id, String email, String name, boolean isAdministrator) {

    /** The name, or the email address if there is no name. */
    public String label() {
        return name.isEmpty() ? email : name;
    }
}
