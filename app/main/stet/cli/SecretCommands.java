package stet.cli;

import static stet.cli.Printer.row;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.Timestamp;
import stet.core.Account;
import stet.core.AccountSecret;
import stet.core.Role;
import stet.core.SecretKind;
import stet.sqlite.Db;

/** The commands for API keys or for deploy tokens. */
record SecretCommands(Cli cli, SecretKind kind) {
    private record Added(long account, long id) {
    }

    void add() {
        Role role = kind == SecretKind.KEY ? null : cli.config.parse(Option.ROLE, Role::of).orElse(Role.WRITER);
        Instant now = cli.now();
        Instant end = kind == SecretKind.KEY ? null : cli.config.duration(Option.EXPIRES).map(now::plus).orElse(null);
        String secret = newSecret();
        try (Db db = cli.open()) {
            Added added = db.write(dao -> {
                Account account = cli.account(dao);
                return new Added(account.id(), dao.secrets(kind).add(account, cli.config.operands().get(1), role, secret, end, now).id());
            });
            cli.printOnce(db, secret, dao -> {
                dao.secrets(kind).delete(added.account, added.id, cli.now());
                return "The " + kind.word() + " could not be printed, so it was deleted";
            });
        }
    }

    /** @param expiresAt the expiry of the old secret */
    private record Rotated(long account, AccountSecret old, Instant expiresAt, long id) {
    }

    /** Replaces a secret. If the new one cannot be printed, the old one keeps its original expiry. */
    void rotate() {
        Duration overlap = cli.config.overlap();
        String secret = newSecret();
        Instant now = cli.now();
        try (Db db = cli.open()) {
            Rotated rotated = db.write(dao -> {
                Account account = cli.account(dao);
                AccountSecret old = cli.id().flatMap(id -> dao.secrets(kind).find(account.id(), id)).orElseThrow(() -> unknown(account));
                AccountSecret rotation = dao.secrets(kind).rotate(account, old.id(), secret, now, now.plus(overlap)).orElseThrow(() -> unknown(account));
                return new Rotated(account.id(), old, dao.secrets(kind).find(account.id(), old.id()).orElseThrow().expiresAt(), rotation.id());
            });
            cli.printOnce(db, secret, dao -> {
                dao.secrets(kind).delete(rotated.account, rotated.id, cli.now());
                return "The new " + kind.word() + " could not be printed, so it was deleted"
                        + (dao.secrets(kind).restore(rotated.account, rotated.old, rotated.expiresAt, cli.now())
                        ? "; the old " + kind.word() + " keeps working" : "");
            });
        }
    }

    void list() {
        Instant now = cli.now();
        List<AccountSecret> secrets = cli.read(dao -> dao.secrets(kind).list(cli.account(dao).id()));
        cli.printRows(secrets.stream().filter(secret -> !secret.isExpired(now)).map(secret -> kind == SecretKind.KEY
                ? row(secret.id(), secret.name(), secret.start() + "...", Timestamp.format(secret.createdAt()), Printer.time(secret.lastUsedAt()),
                        Printer.time(secret.expiresAt()))
                : row(secret.id(), secret.name(), secret.role().word(), secret.start() + "...", Timestamp.format(secret.createdAt()),
                        Printer.time(secret.lastUsedAt()), Printer.time(secret.expiresAt()))));
    }

    void delete() {
        cli.change(dao -> {
            Account account = cli.account(dao);
            if (cli.id().filter(id -> dao.secrets(kind).delete(account.id(), id, cli.now())).isEmpty()) {
                throw unknown(account);
            }
        });
        cli.err.println((kind == SecretKind.KEY ? "Key " : "Token ") + cli.config.operands().get(1) + " deleted; "
                + (kind == SecretKind.KEY ? "requests with this key" : "pushes with this token") + " now get 401");
    }

    private String newSecret() {
        return kind == SecretKind.KEY ? Secret.newKey(cli.random()) : Secret.newToken(cli.random());
    }

    private Refusal unknown(Account account) {
        return new Refusal("Account " + account.name() + " has no " + kind.word() + " " + cli.config.operands().get(1) + "; \"" + kind.word()
                + " list\" shows the IDs");
    }
}
