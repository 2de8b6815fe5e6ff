package stet.core;

/** A person at work in an account. @param address of the person's client */
public record Member(Person person, Account account, Role role, String address) {
    public Actor actor() {
        return new Actor(person.id(), person.label(), address);
    }
}
