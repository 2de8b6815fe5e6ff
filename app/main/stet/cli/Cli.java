package stet.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import stet.base.Refusal;
import stet.base.Release;
import stet.base.Suggestion;
import stet.core.Account;
import stet.core.Actor;
import stet.core.SecretKind;
import stet.core.User;
import stet.core.TemplateSummary;
import stet.dao.AccountDao;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.StoreException;
import stet.sqlite.Db;
import stet.upkeep.Sweeper;

/** Runs one-shot commands, most of which also work while {@code serve} uses the same data, and holds the commands' shared state. */
public final class Cli {
    final Config config;
    final InputStream in;
    final PrintStream out;
    final PrintStream err;
    final Clock clock;
    /** Exit code if no {@link Refusal} is thrown. */
    int exitCode;

    public Cli(Config config, Console console, Clock clock) {
        this.config = config;
        this.in = console.in();
        this.out = console.out();
        this.err = console.err();
        this.clock = clock;
    }

    /** @return the exit code */
    public int run() throws IOException {
        AccountCommands accounts = new AccountCommands(this);
        SecretCommands keys = new SecretCommands(this, SecretKind.KEY);
        SecretCommands tokens = new SecretCommands(this, SecretKind.TOKEN);
        UserCommands users = new UserCommands(this);
        PushCommands pushes = new PushCommands(this);
        TemplateCommands templates = new TemplateCommands(this);
        DatabaseCommands database = new DatabaseCommands(this);
        switch (config.command()) {
            case ACCOUNT_ADD -> accounts.add();
            case ACCOUNT_LIST -> accounts.list();
            case ACCOUNT_PLAN -> accounts.changePlan();
            case ACCOUNT_LABEL -> accounts.label();
            case ACCOUNT_RENAME -> accounts.rename();
            case ACCOUNT_INVITE -> users.inviteOwner();
            case ACCOUNT_SUSPEND -> accounts.setSuspended(true);
            case ACCOUNT_RESUME -> accounts.setSuspended(false);
            case ACCOUNT_DELETE -> accounts.delete();
            case USAGE -> accounts.showUsage();
            case ACTIVITY -> accounts.listActivity();

            case USER_INVITE -> users.inviteUser();
            case USER_LIST -> users.list();
            case USER_RESET -> users.reset();
            case USER_PASSWORD -> accounts.changePassword();
            case USER_ADMINISTRATOR -> users.setAdministrator();
            case USER_TWO_FACTOR -> users.removeTwoFactor();

            case MAIL_TEST -> new MailCommand(this).test();

            case KEY_ADD -> keys.add();
            case KEY_LIST -> keys.list();
            case KEY_ROTATE -> keys.rotate();
            case KEY_DELETE -> keys.delete();

            case TOKEN_ADD -> tokens.add();
            case TOKEN_LIST -> tokens.list();
            case TOKEN_ROTATE -> tokens.rotate();
            case TOKEN_DELETE -> tokens.delete();

            case PUSH -> pushes.push();
            case PROMOTE -> pushes.promote();
            case PULL -> pushes.pull();
            case DIFF -> pushes.diff();
            case ROLLBACK -> pushes.rollBack();
            case STATUS -> pushes.status();

            case TYPES -> new TypesCommand(this).run();
            case PREVIEW -> new GalleryCommand(this).run();
            case IMPORT -> templates.importFiles();
            case EXPORT -> templates.exportFiles();
            case TEMPLATE_LIST -> templates.list();
            case TEMPLATE_PUBLISH -> templates.publish();
            case TEMPLATE_DELETE -> templates.delete();
            case TEMPLATE_RESTORE -> templates.restore();
            case TEMPLATE_PRUNE -> templates.prune();

            case CHECK -> database.check();
            case HEALTH -> new HealthCommand(config, out).run();
            case COMPACT -> database.compact();
            case BACKUP -> database.backup();
            case RESTORE -> database.restore();
            case VERSION -> out.println("Stet " + Release.version());
            case HELP -> new Printer(config, out).printHelp();
            case SERVE, DEMO, FIXTURE -> throw new IllegalStateException(config.command().words());
        }
        return exitCode;
    }

    /** Created on demand, because creation takes a tenth of a short command's run time. */
    SecureRandom random() {
        return new SecureRandom();
    }

    Instant now() {
        return clock.instant();
    }

    /** The first operand: an account, a user, a file or a folder. */
    String operand() {
        return config.operands().get(0);
    }

    /** The ID in the second operand; empty if it is not a number. */
    Optional<Long> id() {
        return Optional.of(config.operands().get(1)).filter(id -> id.matches("[0-9]{1,18}")).map(Long::parseLong);
    }

    Db open() {
        return Db.open(config.data(), false);
    }

    <T> T read(Function<Dao, T> questions) {
        try (Db db = open()) {
            return db.read(questions);
        }
    }

    void change(Consumer<Dao> work) {
        try (Db db = open()) {
            db.change(work);
        }
    }

    /** Runs a deletion in one transaction, then removes unused rows in steps. */
    void delete(Consumer<Dao> work) {
        try (Db db = open()) {
            db.change(work);
            new Sweeper(db).sweep(now());
        }
    }

    /** Removes unused data. A database failure here does not change the command's result, which is already decided. */
    void sweep(Db db) {
        try {
            new Sweeper(db).sweep(now());
        } catch (StoreException full) {
            // A later command or serve will remove the data.
        }
    }

    /** @throws Refusal if no account or more than one matches ({@link AccountDao#find}) */
    Account account(Dao dao) {
        return account(dao, operand());
    }

    Account account(Dao dao, String name) {
        return dao.accounts().find(name).orElseThrow(() -> unknown("Account", name,
                Suggestion.nearest(name, dao.accounts().list().stream().map(Account::name).toList(), 2)));
    }

    /** The author of a command's changes to an account, which must still exist in each transaction. */
    Author author(Account account) {
        return new Author(Actor.COMMAND_LINE, dao -> {
            dao.accounts().find(account.id()).orElseThrow(() -> new Refusal("Account " + account.name()
                    + " was deleted in the meantime. Nothing was changed. Choose another account."));
            return Actor.COMMAND_LINE;
        });
    }

    User user(Dao dao) {
        return dao.users().find(operand()).orElseThrow(() -> unknown("User", operand(),
                Suggestion.nearest(operand(), dao.users().emails(), 2)));
    }

    /** @throws Refusal if the account has no template with this ID, or the template is in the trash */
    void checkTemplate(Dao dao, Account account, String id) {
        if (dao.trash().has(account.id(), id)) {
            throw new Refusal("Template " + id + " is in the trash. Restore the template with \"template restore\".");
        }
        if (!dao.templates().exists(account.id(), id)) {
            throw unknown("Template", id,
                    Suggestion.nearest(id, dao.templates().list(account.id()).stream().map(TemplateSummary::id).toList()));
        }
    }

    /** The error for a name or ID that does not exist. @param nearest the most similar one, if any */
    static Refusal unknown(String kind, String given, Optional<String> nearest) {
        return new Refusal(kind + " " + given + " not found"
                + nearest.map(meant -> "; did you mean " + meant + "?").orElse(""));
    }

    /** @throws Refusal if --yes is missing */
    void checkConfirmed(String deed) {
        if (!config.has(Option.YES)) {
            throw new Refusal("This " + deed + ". Confirm with --yes.");
        }
    }

    /** @param rows values in the order of the command's fields, each a value that {@code Json} can write */
    void printRows(Stream<Object[]> rows) {
        new Printer(config, out).printRows(rows);
    }

    /**
     * Prints a secret that is shown only once. If the secret cannot be written, the change is undone.
     *
     * @param undo reverts the change if possible and returns a message that describes the result
     */
    void printOnce(Db db, String secret, Function<Dao, String> undo) {
        out.println(secret);
        if (out.checkError()) {
            err.println(db.write(undo));
        }
    }
}
