package stet.cli;

import static stet.cli.Printer.row;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import stet.base.Amount;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.Timestamp;
import stet.core.Account;
import stet.core.Activity.ActivityKind;
import stet.core.Activity;
import stet.core.Colour;
import stet.core.Password;
import stet.core.Period;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Validation;
import stet.dao.Dao;
import stet.sqlite.Db;

/** The commands for accounts. */
record AccountCommands(Cli cli) {
    private static final int MAX_ROWS = 100_000;
    private static final int DEFAULT_ROWS = 100;
    /** Limits of an account "for your own apps", which the page for the first account also offers first. */
    private static final long OWN_REQUESTS = 1_000_000;
    private static final long OWN_KEYS = 20;

    private record Added(Account account, boolean isFirst) {
    }

    void add() {
        Config config = cli.config;
        String email = Validation.email(cli.operand());
        String name = config.value(Option.NAME).map(Validation::accountName).orElse(email);
        boolean isForOwnApps = !config.has(Option.PLAN);
        Plan plan = config.parse(Option.PLAN, Plan::of).orElse(Plan.PRO);
        Long requests = config.limit(Option.REQUESTS, isForOwnApps ? OWN_REQUESTS : null);
        Long keys = config.limit(Option.KEYS, isForOwnApps ? OWN_KEYS : null);
        Instant now = cli.now();
        try (Db db = Db.open(config.data(), true)) {
            boolean isKnown = db.read(dao -> dao.users().find(email)).isPresent();
            if (isKnown && config.has(Option.PASSWORD_FILE)) {
                throw new Refusal("The user " + email + " already exists and keeps their password. Omit "
                        + Option.PASSWORD_FILE.word() + ".");
            }
            String password = isKnown ? null : password();
            String hash = isKnown ? null : Password.hash(password, email, cli.random());
            Added added = db.write(dao -> {
                boolean isFirst = !dao.accounts().any();
                Account account = name.equals(email) ? dao.accounts().add(email, plan, now, now, hash)
                        : dao.accounts().addWithOwner(name, email, hash, plan, now);
                dao.accounts().changeLimits(account, requests, keys, now);
                if (isFirst) { // the first account's owner becomes an administrator, as with the set-up link
                    dao.accounts().setAdministrator(dao.users().find(email).orElseThrow(), true, now);
                }
                return new Added(dao.accounts().find(account.id()).orElseThrow(), isFirst);
            });
            String sentence = "Account " + name + " added on plan " + limits(added.account)
                    + (added.isFirst ? "; " + email + " is an administrator" : "") + ". Change the limits with \"account plan\"";
            if (isKnown) {
                cli.err.println(sentence + ". " + email + " signs in as before");
                return;
            }
            confirm(db, sentence, password, dao -> undo(dao, added, email, now));
        }
    }

    private static String undo(Dao dao, Added added, String email, Instant now) {
        if (added.isFirst) {
            dao.users().find(email).ifPresent(owner -> dao.users().setAdministrator(owner.id(), false)); // otherwise, the user would be kept
        }
        dao.accounts().delete(added.account.id(), now);
        return "The password could not be printed, so the account was deleted";
    }

    /** The limits as text, such as {@code free: 100 requests per 30 days, 1 key}. */
    private static String limits(Account account) {
        return account.plan().word() + ": " + (account.isActive() ? Amount.of(account.requests(), "request")
                + (account.plan() == Plan.PRO ? " per month, " : " per 30 days, ") : "all requests get 403, ")
                + Amount.of(account.keys(), "key");
    }

    void list() {
        cli.printRows(cli.read(dao -> dao.accounts().lines()).stream().map(line -> {
            Account account = line.account();
            return row(account.name(), line.owner(), account.plan().word(), account.requests(), account.keys(),
                    line.users(), account.isSuspended() ? "suspended" : "open", Timestamp.format(account.createdAt()),
                    line.storage().bytes(), line.storage().limit());
        }));
    }

    void changePlan() {
        Config config = cli.config;
        Optional<Plan> plan = config.operands().stream().skip(1).findFirst().map(Plan::of);
        Optional<Instant> anchor = config.parse(Option.BILLING_ANCHOR, text -> Timestamp.parseFourDigitYear("billingAnchor", text));
        config.limit(Option.REQUESTS, null); // reject invalid values before opening the database
        config.limit(Option.KEYS, null);
        config.storage();
        config.images();
        if (plan.isEmpty() && anchor.isEmpty() && Stream.of(Option.REQUESTS, Option.KEYS, Option.STORAGE, Option.IMAGES).noneMatch(config::has)) {
            throw new Refusal("\"account plan\" needs PLAN, --requests, --keys, --storage or --images: " + config.command().usage());
        }
        Instant now = cli.now();
        try (Db db = cli.open()) {
            db.change(dao -> {
                Account account = cli.account(dao);
                Plan next = plan.orElse(account.plan());
                if (anchor.isPresent() && next != Plan.PRO) {
                    throw new Refusal("--billing-anchor requires the Pro plan; the " + next.word() + " plan has no billing cycle");
                }
                dao.accounts().changePlan(account, next, anchor.orElse(null), now);
                Long keys = config.limit(Option.KEYS, account.keyLimit());
                dao.accounts().changeLimits(account, config.limit(Option.REQUESTS, account.requestLimit()), keys, now);
                if (config.has(Option.STORAGE)) {
                    dao.storage().changeLimit(account, config.storage().orElse(null), now);
                }
                if (config.has(Option.IMAGES)) {
                    dao.images().changeLimit(account.id(), config.images().orElse(null), now);
                }
            });
            Account account = db.read(cli::account);
            cli.err.println("Account " + account.name() + " is on plan " + limits(account) + ", "
                    + Amount.bytes(db.read(dao -> dao.storage().of(account.id())).limit())
                    + (config.has(Option.IMAGES) ? ", " + Amount.bytes(db.read(dao -> dao.images().room(account.id())).limit()) + " of images" : ""));
        }
    }

    void rename() {
        String name = Validation.accountName(cli.config.operands().get(1));
        cli.change(dao -> dao.accounts().rename(cli.account(dao), name, cli.now()));
        cli.err.println("Account " + cli.operand() + " renamed to " + name);
    }

    void label() {
        String label = Validation.trimmed(cli.config.operands().get(1));
        Colour colour = cli.config.parse(Option.COLOUR, Colour::of).orElse(null);
        cli.change(dao -> dao.accounts().setLabel(cli.account(dao), label, colour, cli.now()));
        cli.err.println("Account " + cli.operand() + (label.isEmpty() ? " no longer has a label" : " is now labelled " + label));
    }

    void setSuspended(boolean isSuspended) {
        cli.change(dao -> dao.accounts().setSuspended(cli.account(dao), isSuspended, cli.now()));
        cli.err.println("Account " + cli.operand() + (isSuspended ? " suspended; its API requests now get 403" : " resumed"));
    }

    void changePassword() {
        String password = password();
        try (Db db = cli.open()) {
            User user = db.read(this::user);
            String hash = Password.hash(password, user.email(), cli.random());
            Optional<String> before = db.write(dao -> {
                Optional<String> old = dao.users().password(user.id());
                dao.users().changePassword(user.id(), hash);
                dao.activity().addToAll(user, ActivityKind.PASSWORD_CHANGED, "", cli.now());
                return old;
            });
            confirm(db, "Password of " + user.email() + " changed", password, dao -> {
                if (!dao.users().password(user.id()).equals(Optional.of(hash))) {
                    return "The password was not restored because it has been changed again";
                }
                dao.users().changePassword(user.id(), before.orElse(null));
                return "The new password could not be printed, so the old password was restored";
            });
            db.change(dao -> {
                boolean isChanged = dao.users().password(user.id()).equals(Optional.of(hash)); // unless it was restored
                if (isChanged && dao.mailChoices().isSending()) {
                    dao.mails().addPasswordNotice(user, cli.now());
                }
            });
        }
    }

    /** The user with the given email address or, if there is none, the first owner of the account with the given name. */
    private User user(Dao dao) {
        boolean isUser = dao.users().find(cli.operand()).isPresent();
        if (isUser || cli.operand().contains("@") && dao.accounts().find(cli.operand()).isEmpty()) {
            return cli.user(dao);
        }
        return dao.members().list(cli.account(dao).id()).stream().filter(member -> member.role() == Role.OWNER).findFirst()
                .orElseThrow(() -> new Refusal("Account " + cli.operand() + " has no owner; use \"account invite\" to invite one")).user();
    }

    /** The password from --password-file, or a generated password. */
    private String password() {
        return cli.config.secret(Option.PASSWORD_FILE, null, cli.in).orElseGet(() -> Secret.newPassword(cli.random()));
    }

    /** Reports that the password is set, and prints the password if it was generated. @param undo as for {@link Cli#printOnce} */
    private void confirm(Db db, String done, String password, Function<Dao, String> undo) {
        if (cli.config.has(Option.PASSWORD_FILE)) {
            cli.err.println(done);
        } else {
            cli.err.println(done + ". The password is shown only once:");
            cli.printOnce(db, password, undo);
        }
    }

    void delete() {
        cli.delete(dao -> {
            Account account = cli.account(dao);
            cli.checkConfirmed("permanently deletes account " + account.name() + " with its templates, shared blocks, keys, deploy tokens"
                    + " and request counts, and its users who belong to no other account (except administrators and users without a password)");
            dao.accounts().delete(account, cli.now());
        });
        cli.err.println("Account " + cli.operand() + " deleted");
    }

    private record Usage(long used, long limit, Period period) {
    }

    void showUsage() {
        Usage usage = cli.read(dao -> {
            Account account = cli.account(dao);
            Period period = account.period(cli.now());
            return new Usage(dao.usage().used(account, period.start()), account.requests(), period);
        });
        String end = Timestamp.format(usage.period.end());
        if (cli.config.has(Option.JSON)) {
            new Printer(cli.config, cli.out).printObject(row(usage.used, usage.limit, Timestamp.format(usage.period.start()), end));
        } else {
            cli.out.println("used:       " + usage.used);
            cli.out.println("limit:      " + usage.limit);
            cli.out.println("period end: " + end);
        }
    }

    /** Lists the activity of an account or, without an account, of the server; newest first. */
    void listActivity() {
        Config config = cli.config;
        int limit = config.number(Option.LIMIT, DEFAULT_ROWS, 1, MAX_ROWS);
        Instant since = config.parse(Option.SINCE, text -> Timestamp.parse("since", text)).orElse(Instant.EPOCH);
        List<Activity> rows = cli.read(dao -> dao.activity().since(
                config.operands().isEmpty() ? null : cli.account(dao).id(), since, limit));
        cli.printRows(rows.stream().map(row -> row(Timestamp.format(row.at()), row.actor(), row.kind().word(), row.subject(),
                row.detail(), row.address(), row.email())));
    }
}
