package stet.cli;

import java.io.PrintStream;
import java.time.Instant;
import java.util.function.BiConsumer;
import stet.core.Account;
import stet.core.Person;
import stet.core.Suggestion;
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
        change((dao, account) -> dao.installation().rename(account, name, now));
        err.println("The account " + given() + " is called " + name + " now");
    }

    void suspend(boolean isSuspended) {
        change((dao, account) -> dao.installation().suspend(account, isSuspended, now));
        err.println("The account " + given() + (isSuspended ? " is suspended: its requests get 403" : " is open again"));
    }

    void setOperator() {
        boolean isOperator = !config.has(Option.OFF);
        try (Db db = Db.open(config.data(), false)) {
            db.writeUncached(dao -> dao.installation().setOperator(person(dao), isOperator, now));
        }
        err.println(given() + (isOperator ? " is an operator of this installation now" : " is no operator any more"));
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
