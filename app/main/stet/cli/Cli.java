package stet.cli;

import static stet.cli.Printer.row;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import stet.core.Account;
import stet.core.Activity.Kind;
import stet.core.Amount;
import stet.core.Password;
import stet.core.Period;
import stet.core.Person;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Release;
import stet.core.Role;
import stet.core.Secret;
import stet.core.Timestamp;
import stet.core.Validation;
import stet.store.Dao;
import stet.store.Db;
import stet.store.PersonDao;

/** The commands that do one thing and end. They work beside a serve on the same data. */
public final class Cli {
    private final Config config;
    private final Console console;
    private final Clock clock;
    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;
    private final Printer printer;
    private final SecureRandom random = new SecureRandom();

    public Cli(Config config, Console console, Clock clock) {
        this.config = config;
        this.console = console;
        this.clock = clock;
        this.in = console.in();
        this.out = console.out();
        this.err = console.err();
        this.printer = new Printer(config, out);
    }

    public void run() throws IOException {
        switch (config.command()) {
            // accounts
            case ACCOUNT_ADD -> addAccount();
            case ACCOUNT_LIST -> listAccounts();
            case ACCOUNT_PLAN -> changePlan();
            case ACCOUNT_RENAME -> new AccountCommands(config, err, clock.instant()).rename();
            case ACCOUNT_INVITE -> new PersonCommands(config, console, clock.instant()).invite();
            case ACCOUNT_SUSPEND -> new AccountCommands(config, err, clock.instant()).suspend(true);
            case ACCOUNT_RESUME -> new AccountCommands(config, err, clock.instant()).suspend(false);
            case ACCOUNT_PASSWORD -> changePassword();
            case ACCOUNT_DELETE -> deleteAccount();
            case USAGE -> showUsage();
            case ACTIVITY -> new ActivityCommand(config, out).run();

            // people
            case PERSON_LIST -> new PersonCommands(config, console, clock.instant()).list();
            case PERSON_RESET -> new PersonCommands(config, console, clock.instant()).reset();
            case PERSON_OPERATOR -> new AccountCommands(config, err, clock.instant()).setOperator();
            case PERSON_SECOND_FACTOR -> new SecondFactorCommand(config, err, clock).run();

            // their keys
            case KEY_ADD -> addKey();
            case KEY_LIST -> listKeys();
            case KEY_DELETE -> deleteKey();

            // their templates
            case IMPORT, EXPORT, TEMPLATE_LIST, TEMPLATE_PUBLISH, TEMPLATE_DELETE, TEMPLATE_RESTORE
                    -> new TemplateCommands(config, console, clock).run();
            case TEMPLATE_PRUNE -> new Space(config, console, clock).prune();

            // operation
            case CHECK -> new CheckCommand(config, out).run(clock.instant());
            case HEALTH -> new HealthCommand(config, out).run();
            case COMPACT -> new Space(config, console, clock).compact();
            case BACKUP, RESTORE -> new BackupCommands(config, console, clock).run();
            case VERSION -> out.println("Stet " + Release.version());
            case HELP -> printer.printHelp();
            case SERVE, DEMO, FIXTURE -> throw new IllegalStateException(config.command().words());
        }
    }

    // ---- accounts

    private void addAccount() {
        String email = Validation.email(email());
        String name = config.value(Option.NAME).orElse(email);
        Plan plan = config.parse(Option.PLAN, Plan::of).orElse(Plan.FREE);
        Instant now = clock.instant();
        try (Db db = Db.open(config.data(), true)) {
            boolean isKnown = db.read(dao -> dao.people().find(email)).isPresent();
            if (isKnown && config.has(Option.PASSWORD_FILE)) {
                throw new Refusal("There is a person " + email + " already, with a password of their own: leave "
                        + Option.PASSWORD_FILE.word() + " away");
            }
            String password = isKnown ? null : password();
            String hash = isKnown ? null : Password.hash(password, email, random);
            Account added = db.write(dao -> name.equals(email) ? dao.accounts().add(email, plan, now, now, hash)
                    : dao.accounts().addWithOwner(name, email, hash, plan, now));
            String sentence = "The account " + name + " is added";
            if (isKnown) {
                err.println(sentence + "; " + email + " signs in as before");
                return;
            }
            confirm(db, sentence, password, dao -> {
                dao.accounts().delete(added.id());
                return "The account is deleted again";
            });
        }
    }

    private void listAccounts() {
        printer.printRows(read(dao -> dao.accounts().list().stream().map(account -> {
            List<PersonDao.AccountMember> people = dao.people().members(account.id());
            String owner = people.stream().filter(member -> member.role() == Role.OWNER).findFirst()
                    .map(member -> member.person().email()).orElse(null);
            return row(account.name(), owner, account.plan().word(), account.requests(), account.keys(),
                    people.size(), account.isSuspended() ? "suspended" : "open", Timestamp.format(account.createdAt()));
        }).toList()).stream());
    }

    private void changePlan() {
        Optional<Plan> plan = config.operands().stream().skip(1).findFirst().map(Plan::of);
        Optional<Instant> anchor = config.parse(Option.BILLING_ANCHOR, text -> Timestamp.parse("billingAnchor", text));
        config.limit(Option.REQUESTS, null); // refused before the database is opened
        config.limit(Option.KEYS, null);
        if (plan.isEmpty() && anchor.isEmpty() && !config.has(Option.REQUESTS) && !config.has(Option.KEYS)) {
            throw new Refusal("\"account plan\" needs a PLAN, --requests or --keys: " + config.command().usage());
        }
        Instant now = clock.instant();
        try (Db db = open()) {
            db.change(dao -> {
                Account account = account(dao);
                Plan next = plan.orElse(account.plan());
                if (anchor.isPresent() && next != Plan.PRO) {
                    throw new Refusal("--billing-anchor is for the plan pro; " + next.word() + " has no billing cycle");
                }
                dao.accounts().changePlan(account, next, anchor.orElse(null), now);
                Long keys = config.limit(Option.KEYS, account.keyLimit());
                dao.accounts().changeLimits(account, config.limit(Option.REQUESTS, account.requestLimit()), keys, now);
            });
            Account account = db.read(this::account);
            err.println("The account " + account.name() + " is on the plan " + account.plan().word() + ": "
                    + (account.active() ? Amount.of(account.requests(), "request") + " a period, "
                    : "every request is answered with 403, ")
                    + Amount.of(account.keys(), "key"));
        }
    }

    private void changePassword() {
        String password = password();
        String hash = Password.hash(password, email(), random);
        try (Db db = open()) {
            Person person = db.read(this::person);
            Optional<String> before = db.write(dao -> {
                Optional<String> old = dao.people().password(person.id());
                dao.people().changePassword(person.id(), hash);
                dao.activity().addToAll(person, Kind.PASSWORD_CHANGED, "", clock.instant());
                return old;
            });
            confirm(db, "The account " + email() + " has a new password", password, dao -> {
                if (!dao.people().password(person.id()).equals(Optional.of(hash))) {
                    return "The password was changed again meanwhile, and stays as it is";
                }
                dao.people().changePassword(person.id(), before.orElse(null));
                return "The old password is back";
            });
        }
    }

    private void deleteAccount() {
        delete(dao -> {
            Account account = account(dao);
            Lookup.checkConfirmed(config, "deletes " + account.name() + " with its keys, templates and counts for good");
            dao.accounts().delete(account, clock.instant());
        });
        err.println("The account " + email() + " is deleted");
    }

    private void showUsage() {
        Object[] usage = read(dao -> {
            Account account = account(dao);
            Period period = account.period(clock.instant());
            return row(dao.usage().used(account, period.start()), account.requests(), Timestamp.format(period.start()),
                    Timestamp.format(period.end()));
        });
        if (config.has(Option.JSON)) {
            printer.printObject(usage);
        } else {
            out.println("used:       " + usage[0]);
            out.println("limit:      " + usage[1]);
            out.println("period end: " + usage[3]);
        }
    }

    // ---- keys

    private void addKey() {
        String key = Secret.newKey(random);
        try (Db db = open()) {
            Account account = db.read(this::account);
            long id = db.write(dao -> dao.keys().add(account, config.operands().get(1), key, clock.instant()).id());
            printOnce(db, key, dao -> {
                dao.keys().delete(account.id(), id, clock.instant());
                return "The key is deleted again";
            });
        }
    }

    private void listKeys() {
        Instant now = clock.instant();
        printer.printRows(read(dao -> dao.keys().list(account(dao).id())).stream().filter(key -> !key.isExpired(now))
                .map(key -> row(key.id(), key.name(), key.start() + "...", Timestamp.format(key.createdAt()),
                        key.expiresAt() == null ? null : Timestamp.format(key.expiresAt()))));
    }

    private void deleteKey() {
        String id = config.operands().get(1);
        try (Db db = open()) {
            db.change(dao -> {
                Account account = account(dao);
                if (!id.matches("[0-9]{1,18}") || !dao.keys().delete(account.id(), Long.parseLong(id), clock.instant())) {
                    throw new Refusal("The account " + account.name() + " has no key " + id
                            + "; \"key list\" shows their numbers");
                }
            });
        }
        err.println("The key " + id + " is deleted: its next request gets 401");
    }

    // ---- shared by the commands

    private Db open() {
        return Db.open(config.data(), false);
    }

    private <T> T read(Function<Dao, T> questions) {
        try (Db db = open()) {
            return db.read(questions);
        }
    }

    /** Deletes something in one transaction, then removes its rows in steps. */
    private void delete(Consumer<Dao> work) {
        try (Db db = open()) {
            db.change(work);
            db.sweep(clock.instant());
        }
    }

    private String email() {
        return config.operands().get(0);
    }

    private Account account(Dao dao) {
        return Lookup.account(dao, email());
    }

    /** The person of this e-mail address, or else the first owner of the account of this name. */
    private Person person(Dao dao) {
        return dao.people().find(email()).orElseGet(() -> dao.people().members(account(dao).id()).stream()
                .filter(member -> member.role() == Role.OWNER).findFirst().orElseThrow().person());
    }

    /** The password of --password-file, or a new one. */
    private String password() {
        return config.secret(Option.PASSWORD_FILE, in).orElseGet(() -> Secret.newPassword(random));
    }

    /** Confirms a new password; a generated one is printed. */
    private void confirm(Db db, String done, String password, Function<Dao, String> undo) {
        if (config.has(Option.PASSWORD_FILE)) {
            err.println(done);
        } else {
            err.println(done + "; its password is shown this once:");
            printOnce(db, password, undo);
        }
    }

    /**
     * Prints a secret that is not shown again. When it cannot be written, nobody has seen it, and it is taken back.
     *
     * @param undo takes it back; returns the sentence that says so
     */
    private void printOnce(Db db, String secret, Function<Dao, String> undo) {
        out.println(secret);
        if (out.checkError()) {
            err.println(db.write(undo));
        }
    }
}
