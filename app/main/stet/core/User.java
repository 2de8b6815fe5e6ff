package stet.core;

public record User(long id, String email, String name, boolean isAdministrator) {

    /** The name, or the email address if there is no name. */
    public String label() {
        return name.isEmpty() ? email : name;
    }
}
