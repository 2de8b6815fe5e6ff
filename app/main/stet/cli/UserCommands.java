package stet.cli;

import static stet.cli.Printer.row;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.Timestamp;
import stet.core.Account;
import stet.core.Activity.ActivityKind;
import stet.core.Actor;
import stet.core.User;
import stet.core.Role;
import stet.core.Validation;
import stet.dao.Dao;
import stet.dao.LinkDao;
import stet.dao.MemberDao.Membership;
import stet.mail.MailAddress;
import stet.sqlite.Db;

/** The commands for users. */
record UserCommands(Cli cli) {
    void list() {
        cli.printRows(cli.read(dao -> dao.users().all()).entrySet().stream().map(each -> line(each.getKey(), each.getValue())));
    }

    private Object[] line(User user, List<Membership> memberships) {
        if (cli.config.has(Option.JSON)) {
            return row(user.email(), user.name(), user.isAdministrator(), memberships.stream()
                    .map(each -> Map.of("account", each.account().name(), "role", each.role().word())).toList());
        }
        return row(user.email(), user.name(), user.isAdministrator() ? "yes" : "no", words(memberships));
    }

    private static String words(List<Membership> memberships) {
        return memberships.stream().map(each -> each.account().name() + " (" + each.role().word() + ")")
                .collect(Collectors.joining(", "));
    }

    void reset() {
        URI url = cli.config.baseUrl().orElseGet(cli.config::localUrl);
        String secret = Secret.newLink(cli.random());
        try (Db db = cli.open()) {
            User user = db.read(cli::user);
            boolean mailed = db.write(dao -> {
                long link = dao.links().addReset(null, user.id(), cli.now(), secret);
                dao.activity().addToAll(user, ActivityKind.RESET_LINK_CREATED, "", cli.now());
                return canMail(dao, user.email()) && dao.mails().addResetLink(null, user, link, cli.now());
            });
            printMailed(mailed, user.email());
            print(db, LinkDao.RESET_LIFETIME, url + "/reset#" + secret, dao -> dao.links().deleteResets(user.id()));
        }
    }

    /** Invites an owner to an account without an owner. */
    void inviteOwner() {
        String email = cli.config.operands().size() > 1 ? Validation.email(cli.config.operands().get(1)) : "";
        invite(email, (dao, secret) -> {
            Account account = cli.account(dao);
            return new Invitation(account.id(), dao.accounts().inviteOwner(account, email, cli.now(), secret));
        });
    }

    void inviteUser() {
        String email = Validation.email(cli.operand());
        Role role = cli.config.parse(Option.ROLE, Role::of).orElse(Role.WRITER);
        invite(email, (dao, secret) -> {
            long account = cli.account(dao, cli.config.required(Option.ACCOUNT)).id();
            long link = dao.links().invite(account, role, email, "email", cli.now(), secret);
            dao.activity().add(account, ActivityKind.USER_INVITED, email, role.word(), cli.now());
            return new Invitation(account, link);
        });
    }

    private record Invitation(long account, long link) {
    }

    /** @param email the invited address, or empty @param work makes the invitation, given its secret */
    private void invite(String email, BiFunction<Dao, String, Invitation> work) {
        URI url = cli.config.baseUrl().orElseGet(cli.config::localUrl);
        String secret = Secret.newLink(cli.random());
        try (Db db = cli.open()) {
            boolean mailed = db.write(dao -> {
                Invitation made = work.apply(dao, secret);
                return canMail(dao, email) && addMail(dao, made, email);
            });
            printMailed(mailed, email);
            print(db, LinkDao.INVITATION_LIFETIME, url + "/join#" + secret, dao ->
                    dao.links().find(secret, cli.now()).ifPresent(link -> dao.links().use(link.id())));
        }
    }

    /** Whether serve can send to an address. */
    private static boolean canMail(Dao dao, String email) {
        return !email.isEmpty() && dao.mailChoices().isSending() && MailAddress.isUsable(email);
    }

    /** @return false if the account or the address has had too many emails, which is no reason not to print the link */
    private boolean addMail(Dao dao, Invitation made, String email) {
        try {
            dao.mails().addInvitation(made.account, made.link, email, cli.now(), "email");
            return true;
        } catch (Refusal tooMany) {
            cli.err.println(tooMany.getMessage());
            return false;
        }
    }

    private void printMailed(boolean mailed, String email) {
        if (mailed) {
            cli.err.println("Also emailed to " + email + " while serve runs with --smtp.");
        }
    }

    /** Prints only the link to stdout. */
    private void print(Db db, Duration lifetime, String link, Consumer<Dao> undo) {
        cli.err.println("The link works once, expires after " + lifetime.toHours() + " hours and is shown only once:");
        cli.printOnce(db, link, dao -> {
            undo.accept(dao);
            return "The link could not be printed, so it was revoked";
        });
    }

    void setAdministrator() {
        boolean isAdministrator = !cli.config.has(Option.OFF);
        try (Db db = cli.open()) {
            String described = db.read(dao -> described(dao, cli.user(dao)));
            if (isAdministrator) {
                cli.checkConfirmed("makes this user an administrator: " + described);
            }
            db.change(dao -> dao.accounts().setAdministrator(cli.user(dao), isAdministrator, cli.now()));
            cli.err.println(described + (isAdministrator ? ": now an administrator" : ": no longer an administrator"));
        }
    }

    /** Describes a user so that the administrator can verify the choice; an email address alone is not enough for that. */
    private static String described(Dao dao, User user) {
        String accounts = words(dao.members().memberships(user.id()));
        return user.email() + (user.name().isEmpty() ? "" : " (" + user.name() + ")") + ", since "
                + Timestamp.format(dao.users().createdAt(user.id())) + ", in " + (accounts.isEmpty() ? "no account" : accounts);
    }

    /** Turns off two-factor authentication for a user who can no longer use it. */
    void removeTwoFactor() {
        if (!cli.config.has(Option.OFF)) {
            throw new Refusal("This turns off two-factor authentication for " + cli.operand() + ". Confirm with " + Option.OFF.word() + ".");
        }
        cli.change(dao -> {
            User user = cli.user(dao);
            if (!dao.twoFactors().remove(user.id())) {
                throw new Refusal(user.email() + " does not use two-factor authentication");
            }
            dao.as(Actor.COMMAND_LINE).activity().addToAll(user, ActivityKind.TWO_FACTOR_CHANGED, "off", cli.now());
            if (dao.mailChoices().isSending()) {
                dao.mails().addTwoFactorNotice(user, cli.now());
            }
        });
        cli.err.println(cli.operand() + " now needs only a password to sign in");
    }
}
