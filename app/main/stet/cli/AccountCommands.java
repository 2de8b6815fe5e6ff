package stet.cli;

import java.io.PrintStream;
import java.time.Instant;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import stet.core.Account;
import stet.core.Person;
import stet.core.Refusal;
import stet.core.Suggestion;
import stet.core.Timestamp;
import stet.store.Dao;
import stet.store.Db;

/** The commands that rename, suspend and resume an account, and that name the operators of the installation. */
final class AccountCommands {
    private final Config config;
    private final PrintStream err;
    private final Instant now;

    AccountCommands(Config config, PrintStream err, Instant now) {
        this.config = config;
        this.err = err;
        this.now = now;
    }

    void rename() {
        String name = config.operands().get(1);
        change((dao, account) -> dao.accounts().rename(account, name, now));
        err.println("The account " + given() + " is called " + name + " now");
    }

    void suspend(boolean isSuspended) {
        change((dao, account) -> dao.accounts().suspend(account, isSuspended, now));
        err.println("The account " + given() + (isSuspended ? " is suspended: its requests get 403" : " is open again"));
    }

    void setOperator() {
        boolean isOperator = !config.has(Option.OFF);
        try (Db db = Db.open(config.data(), false)) {
            String described = db.read(dao -> described(dao, person(dao)));
            if (isOperator && !config.has(Option.YES)) {
                throw new Refusal("This makes an operator of " + described + "; --yes does it");
            }
            db.writeUncached(dao -> dao.accounts().setOperator(person(dao), isOperator, now));
            err.println(described + (isOperator ? ": an operator of this installation now" : ": no operator any more"));
        }
    }

    /** A line by which an operator sees whether it is the person meant: an address is whatever its owner has typed. */
    private static String described(Dao dao, Person person) {
        String accounts = dao.people().memberships(person.id()).stream()
                .map(each -> each.account().name() + " (" + each.role().word() + ")").collect(Collectors.joining(", "));
        return Printer.printable(person.email() + (person.name().isEmpty() ? "" : " (" + person.name() + ")") + ", since "
                + Timestamp.format(dao.people().addedAt(person.id())) + ", in " + (accounts.isEmpty() ? "no account" : accounts));
    }

    private Person person(Dao dao) {
        return dao.people().find(given()).orElseThrow(() -> Lookup.unknown("person", given(),
                Suggestion.nearest(given(), dao.people().emails(), 2)));
    }

    private void change(BiConsumer<Dao, Account> work) {
        try (Db db = Db.open(config.data(), false)) {
            db.change(dao -> work.accept(dao, Lookup.account(dao, given())));
        }
    }

    private String given() {
        return config.operands().get(0);
    }
}
