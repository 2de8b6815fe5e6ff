package stet.cli;

import static stet.cli.Printer.row;

import java.net.URI;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import stet.core.Activity.Kind;
import stet.core.Person;
import stet.core.Secret;
import stet.core.Suggestion;
import stet.store.Dao;
import stet.store.Db;
import stet.store.PersonDao.Membership;

/** The commands that list the people, and that print a link: to a new password, or for the owner of an account. */
record PersonCommands(Config config, Console console, Instant now) {

    void list() {
        try (Db db = Db.open(config.data(), false)) {
            new Printer(config, console.out()).printRows(db.read(dao -> dao.people().all().stream()
                    .map(person -> line(person, dao.people().memberships(person.id()))).toList()).stream());
        }
    }

    private Object[] line(Person person, List<Membership> memberships) {
        if (config.has(Option.JSON)) {
            return row(person.email(), person.name(), person.isOperator(), memberships.stream()
                    .map(each -> Map.of("account", each.account().name(), "role", each.role().word())).toList());
        }
        return row(person.email(), person.name(), person.isOperator() ? "yes" : "no", memberships.stream()
                .map(each -> each.account().name() + " (" + each.role().word() + ")").collect(Collectors.joining(", ")));
    }

    void reset() {
        String email = config.operands().get(0);
        URI url = config.baseUrl().orElseGet(config::localUrl);
        String secret = Secret.newLink(new SecureRandom());
        try (Db db = Db.open(config.data(), false)) {
            Person person = db.read(dao -> dao.people().find(email).orElseThrow(() -> Lookup.unknown("person", email,
                    Suggestion.nearest(email, dao.people().emails(), 2))));
            db.writeUncached(dao -> {
                dao.links().reset(null, person.id(), now, secret);
                dao.people().memberships(person.id()).forEach(each ->
                        dao.activity().add(each.account().id(), Kind.RESET_LINK_MADE, person.email(), "", now));
            });
            print(db, 24, url + "/reset#" + secret, dao -> dao.links().deleteResets(person.id()));
        }
    }

    /** Invites the owner of an account that has none. */
    void invite() {
        URI url = config.baseUrl().orElseGet(config::localUrl);
        String secret = Secret.newLink(new SecureRandom());
        try (Db db = Db.open(config.data(), false)) {
            db.change(dao -> dao.accounts().inviteOwner(Lookup.account(dao, config.operands().get(0)), now, secret));
            print(db, 72, url + "/join#" + secret, dao -> dao.links().find(secret, now).ifPresent(link -> dao.links().use(link.id())));
        }
    }

    /** Prints the link alone on stdout. When it cannot be written, nobody has seen it, and it is taken back. */
    private void print(Db db, int hours, String link, Consumer<Dao> undo) {
        console.err().println("The link is shown this once. It works once, within " + hours + " hours:");
        console.out().println(link);
        if (console.out().checkError()) {
            db.writeUncached(undo);
            console.err().println("The link is withdrawn again");
        }
    }
}
