package stet.cli;

import static stet.cli.Printer.row;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.Timestamp;
import stet.core.Account;
import stet.core.DeployToken;
import stet.core.Role;
import stet.dao.Dao;
import stet.sqlite.Db;

/** The commands for deploy tokens. */
record TokenCommands(Cli cli) {
    private record Added(long account, long token) {
    }

    void add() {
        Role role = cli.config.parse(Option.ROLE, Role::of).orElse(Role.WRITER);
        Instant now = cli.now();
        Instant end = cli.config.duration(Option.EXPIRES).map(now::plus).orElse(null);
        String secret = Secret.newToken(cli.random());
        try (Db db = cli.open()) {
            Added added = db.write(dao -> {
                Account account = cli.account(dao);
                return new Added(account.id(), dao.tokens().add(account, cli.config.operands().get(1), role, secret, end, now).id());
            });
            cli.printOnce(db, secret, dao -> {
                dao.tokens().delete(added.account, added.token, cli.now());
                return "The token could not be printed, so it was deleted";
            });
        }
    }

    /** @param ending the expiry of the old token */
    private record Rotated(long account, DeployToken old, Instant ending, DeployToken token) {
    }

    /** Replaces a token. If the new token cannot be printed, the old token keeps its original expiry. */
    void rotate() {
        Duration overlap = cli.config.overlap();
        String secret = Secret.newToken(cli.random());
        Instant now = cli.now();
        try (Db db = cli.open()) {
            Rotated rotated = db.write(dao -> {
                Account account = cli.account(dao);
                DeployToken old = cli.id().flatMap(id -> dao.tokens().find(account.id(), id)).orElseThrow(() -> unknown(account));
                DeployToken token = dao.tokens().rotate(account, old.id(), secret, now, now.plus(overlap)).orElseThrow(() -> unknown(account));
                return new Rotated(account.id(), old, dao.tokens().find(account.id(), old.id()).orElseThrow().expiresAt(), token);
            });
            cli.printOnce(db, secret, dao -> {
                dao.tokens().delete(rotated.account, rotated.token.id(), cli.now());
                return "The new token could not be printed, so it was deleted"
                        + (dao.tokens().restore(rotated.account, rotated.old, rotated.ending, cli.now()) ? "; the old token keeps working" : "");
            });
        }
    }

    void list() {
        Instant now = cli.now();
        List<DeployToken> tokens = cli.read(dao -> dao.tokens().list(cli.account(dao).id()));
        cli.printRows(tokens.stream().filter(token -> !token.isExpired(now)).map(token ->
                row(token.id(), token.name(), token.role().word(), token.start() + "...", Timestamp.format(token.createdAt()),
                        Printer.time(token.lastUsedAt()), Printer.time(token.expiresAt()))));
    }

    void delete() {
        cli.change(this::delete);
        cli.err.println("Token " + cli.config.operands().get(1) + " deleted; pushes with this token now get 401");
    }

    private void delete(Dao dao) {
        Account account = cli.account(dao);
        if (cli.id().filter(id -> dao.tokens().delete(account.id(), id, cli.now())).isEmpty()) {
            throw unknown(account);
        }
    }

    private Refusal unknown(Account account) {
        return new Refusal("Account " + account.name() + " has no token " + cli.config.operands().get(1)
                + "; \"token list\" shows the IDs");
    }
}
