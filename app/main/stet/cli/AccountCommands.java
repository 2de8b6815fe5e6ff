package stet.cli;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import stet.core.Account;
import stet.core.Password;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Secret;
import stet.core.Timestamp;
import stet.core.Validation;
import stet.store.Dao;
import stet.store.Db;

/** The commands about accounts and their API keys. */
final class AccountCommands {
    private final Config config;
    private final Console console;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();

    AccountCommands(Config config, Console console, Clock clock) {
        this.config = config;
        this.console = console;
        this.clock = clock;
    }

    void add() {
        String email = Validation.email(email());
        Plan plan = config.parse(Option.PLAN, Plan::of).orElse(Plan.FREE);
        Optional<String> given = givenPassword();
        String password = given.orElseGet(() -> Secret.newPassword(random));
        String hash = Password.hash(password, email, random);
        Instant now = clock.instant();
        try (Db db = Db.open(config.data(), true)) {
            Account added = db.write(dao -> dao.addAccount(email, plan, now, now, hash));
            tell(given, password, "The account " + email + " is added", () -> db.change(dao -> dao.deleteAccount(added.id())),
                    "The account is deleted again");
        }
    }

    void list() {
        TextTable columns = new TextTable(config.command().fields());
        try (Db db = open()) {
            db.read(Dao::accounts).forEach(account -> columns.add(account.email(), account.plan().word(),
                    account.requests(), account.keys(), account.createdAt()));
        }
        columns.print(config, console.out());
    }

    void plan() {
        Optional<Plan> plan = config.operands().stream().skip(1).findFirst().map(Plan::of);
        Optional<Instant> anchor = config.parse(Option.BILLING_ANCHOR, text -> Timestamp.parse(Option.BILLING_ANCHOR.word(), text));
        config.limit(Option.REQUESTS, null);
        config.limit(Option.KEYS, null);
        if (plan.isEmpty() && anchor.isEmpty() && !config.has(Option.REQUESTS) && !config.has(Option.KEYS)) {
            throw new Refusal("\"account plan\" needs a PLAN, --requests or --keys: " + config.command().usage());
        }
        Instant now = clock.instant();
        try (Db db = open()) {
            db.change(dao -> {
                Account account = Cli.account(dao, email());
                Plan next = plan.orElse(account.plan());
                if (anchor.isPresent() && next != Plan.PRO) {
                    throw new Refusal("--billing-anchor is for the plan pro; " + next.word() + " has no billing cycle");
                }
                dao.changePlan(account, next, anchor.orElse(null), now);
                dao.changeLimits(account.id(), config.limit(Option.REQUESTS, account.requestLimit()),
                        config.limit(Option.KEYS, account.keyLimit()));
            });
            Account account = db.read(dao -> Cli.account(dao, email()));
            console.err().println("The account " + account.email() + " is on the plan " + account.plan().word() + ": "
                    + (account.active() ? account.requests() + " requests a period, " : "every request is answered with 403, ")
                    + account.keys() + " keys");
        }
    }

    void password() {
        Optional<String> given = givenPassword();
        String password = given.orElseGet(() -> Secret.newPassword(random));
        String hash = Password.hash(password, email(), random);
        try (Db db = open()) {
            Account account = db.read(dao -> Cli.account(dao, email()));
            String before = db.write(dao -> {
                String old = dao.password(account.id()).orElse(null);
                dao.changePassword(account.id(), hash);
                dao.sessions().deleteAll(account.id());
                return old;
            });
            tell(given, password, "The account " + email() + " has a new password",
                    () -> db.change(dao -> dao.changePassword(account.id(), before)), "The old password is back");
        }
    }

    void delete() {
        try (Db db = open()) {
            db.change(dao -> {
                Account account = Cli.account(dao, email());
                if (!config.has(Option.YES)) {
                    throw new Refusal("This deletes " + account.email() + " with its keys, templates and counts for good; --yes does it");
                }
                dao.deleteAccount(account.id());
            });
            db.sweep(clock.instant());
        }
        console.err().println("The account " + email() + " is deleted");
    }

    void addKey() {
        String key = Secret.newKey(random);
        try (Db db = open()) {
            Account account = db.read(dao -> Cli.account(dao, email()));
            long id = db.write(dao -> dao.keys().add(account, config.operands().get(1), key, clock.instant()).id());
            console.printOnce(key, () -> db.change(dao -> dao.keys().delete(account.id(), id)), "The key is deleted again");
        }
    }

    void listKeys() {
        TextTable columns = new TextTable(config.command().fields());
        Instant now = clock.instant();
        try (Db db = open()) {
            db.read(dao -> dao.keys().list(Cli.account(dao, email()).id())).stream().filter(key -> !key.isExpired(now))
                    .forEach(key -> columns.add(key.id(), key.name(), key.start() + "...", key.createdAt(), key.expiresAt()));
        }
        columns.print(config, console.out());
    }

    void deleteKey() {
        String id = config.operands().get(1);
        try (Db db = open()) {
            db.change(dao -> {
                Account account = Cli.account(dao, email());
                if (!id.matches("[0-9]{1,18}") || !dao.keys().delete(account.id(), Long.parseLong(id))) {
                    throw new Refusal("The account " + account.email() + " has no key " + id + "; \"key list\" shows their numbers");
                }
            });
        }
        console.err().println("The key " + id + " is deleted: its next request gets 401");
    }

    private Db open() {
        return Db.open(config.data(), false);
    }

    private String email() {
        return config.operands().get(0);
    }

    private Optional<String> givenPassword() {
        return SecretFile.read(config, Option.PASSWORD_FILE, console.in());
    }

    private void tell(Optional<String> given, String password, String done, Runnable undo, String undone) {
        if (given.isPresent()) {
            console.err().println(done);
        } else {
            console.err().println(done + "; its password is shown this once:");
            console.printOnce(password, undo, undone);
        }
    }
}
