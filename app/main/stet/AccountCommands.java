package stet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import stet.core.Account;
import stet.core.Password;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Rules;
import stet.core.Secret;
import stet.core.Timestamp;
import stet.core.Utf8;
import stet.store.Dao;
import stet.store.Db;

/** The commands about accounts and their API keys. */
final class AccountCommands {
    /** More than any password has, in bytes. */
    private static final int PASSWORD_FILE_BYTES = 8 << 10;

    private final Config config;
    private final Console console;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();

    AccountCommands(Config config, Console console, Clock clock) {
        this.config = config;
        this.console = console;
        this.clock = clock;
    }

    void add() throws IOException {
        String email = Rules.email(email());
        Plan plan = Plan.of(config.value(Option.PLAN).orElse(Plan.FREE.word()));
        Optional<String> given = givenPassword();
        String password = given.orElseGet(() -> Secret.newPassword(random));
        String hash = Password.hash(password, email, random);
        Instant now = clock.instant();
        try (Db db = Db.open(config.data(), true)) {
            db.change(dao -> dao.addAccount(email, plan, now, now, hash));
        }
        tell(given, password, "The account " + email + " is added");
    }

    void list() {
        Columns columns = new Columns("EMAIL", "PLAN", "REQUESTS", "KEYS", "CREATED");
        try (Db db = open()) {
            db.read(Dao::accounts).forEach(account -> columns.add(account.email(), account.plan().word(),
                    account.requests(), account.keys(), Timestamp.format(account.createdAt())));
        }
        columns.print(console.out());
    }

    void plan() {
        Plan plan = Plan.of(config.operands().get(1));
        Optional<Instant> given = config.value(Option.BILLING_ANCHOR)
                .map(text -> Timestamp.parse(Option.BILLING_ANCHOR.word(), text));
        if (given.isPresent() && plan != Plan.PRO) {
            throw new Refusal("--billing-anchor is for the plan pro; " + plan.word() + " has no billing cycle");
        }
        Optional<String> requests = config.value(Option.REQUESTS);
        Optional<String> keys = config.value(Option.KEYS);
        requests.ifPresent(value -> Config.limit(Option.REQUESTS, value));
        keys.ifPresent(value -> Config.limit(Option.KEYS, value));
        Instant now = clock.instant();
        try (Db db = open()) {
            db.change(dao -> {
                Account account = Cli.account(dao, email());
                dao.changePlan(account, plan, given.orElse(null), now);
                Long keyLimit = keys.isPresent() ? Config.limit(Option.KEYS, keys.get())
                        : account.keyLimit() == null ? null : Long.valueOf(account.keyLimit());
                dao.changeLimits(account.id(),
                        requests.isPresent() ? Config.limit(Option.REQUESTS, requests.get()) : account.requestLimit(),
                        keyLimit == null ? null : Math.toIntExact(keyLimit));
            });
            Account account = db.read(dao -> Cli.account(dao, email()));
            console.err().println("The account " + account.email() + " is on the plan " + account.plan().word() + ": "
                    + (account.active() ? account.requests() + " requests a period, " : "every request is answered with 403, ")
                    + account.keys() + " keys");
        }
    }

    void password() throws IOException {
        Optional<String> given = givenPassword();
        String password = given.orElseGet(() -> Secret.newPassword(random));
        String hash = Password.hash(password, email(), random);
        try (Db db = open()) {
            db.change(dao -> {
                Account account = Cli.account(dao, email());
                dao.changePassword(account.id(), hash);
                dao.visits().deleteSessions(account.id());
            });
        }
        tell(given, password, "The account " + email() + " has a new password");
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
            db.change(dao -> dao.keys().add(Cli.account(dao, email()), config.operands().get(1), key, clock.instant()));
        }
        console.out().println(key);
    }

    void listKeys() {
        Columns columns = new Columns("ID", "NAME", "KEY", "CREATED", "ENDS");
        Instant now = clock.instant();
        try (Db db = open()) {
            db.read(dao -> dao.keys().of(Cli.account(dao, email()).id())).stream().filter(key -> !key.isExpired(now))
                    .forEach(key -> columns.add(key.id(), key.name(), key.start() + "...", Timestamp.format(key.createdAt()),
                            key.expiresAt() == null ? "" : Timestamp.format(key.expiresAt())));
        }
        columns.print(console.out());
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

    /** From the file, or standard input, that the option names, without the line's end. */
    private Optional<String> givenPassword() throws IOException {
        Optional<String> file = config.value(Option.PASSWORD_FILE);
        if (file.isEmpty()) {
            return Optional.empty();
        }
        byte[] bytes;
        if (file.get().equals("-")) {
            bytes = console.in().readNBytes(PASSWORD_FILE_BYTES);
        } else {
            try (InputStream opened = Files.newInputStream(Config.path(file.get()))) {
                bytes = opened.readNBytes(PASSWORD_FILE_BYTES);
            } catch (NoSuchFileException missing) {
                throw new Refusal("There is no file " + file.get());
            } catch (IOException failure) {
                throw new Refusal(file.get() + " cannot be read: " + failure.getMessage());
            }
        }
        String text = Utf8.decode(bytes).orElseThrow(() -> new Refusal("The password is not UTF-8"));
        return Optional.of(text.replaceFirst("\r?\n\\z", ""));
    }

    private void tell(Optional<String> given, String password, String done) {
        if (given.isPresent()) {
            console.err().println(done);
        } else {
            console.err().println(done + "; its password is shown this once:");
            console.out().println(password);
        }
    }
}
