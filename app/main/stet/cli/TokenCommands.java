package stet.cli;

import static stet.cli.Printer.row;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import stet.core.Account;
import stet.core.DeployToken;
import stet.core.Refusal;
import stet.core.Role;
import stet.core.Secret;
import stet.core.Timestamp;
import stet.dao.Dao;
import stet.sqlite.Db;

/** The commands for deploy tokens. */
record TokenCommands(Cli cli) {
    void add() {
        Role role = cli.config.parse(Option.ROLE, Role::of).orElse(Role.WRITER);
        Instant now = cli.now();
        Instant end = cli.config.duration(Option.EXPIRES).map(now::plus).orElse(null);
        String secret = Secret.newToken(cli.random());
        try (Db db = cli.open()) {
            Account account = db.read(cli::account);
            DeployToken token = db.write(dao -> dao.tokens().add(account, cli.config.operands().get(1), role, secret, end, now));
            cli.printOnce(db, secret, dao -> {
                dao.tokens().delete(account.id(), token.id(), cli.now());
                return "The token could not be printed, so it was deleted";
            });
        }
    }

    /** Replaces a token. If the new token cannot be printed, the old token keeps its original expiry. */
    void rotate() {
        Duration overlap = cli.config.overlap();
        String secret = Secret.newToken(cli.random());
        Instant now = cli.now();
        try (Db db = cli.open()) {
            Account account = db.read(cli::account);
            DeployToken old = db.read(dao -> cli.id().flatMap(id -> dao.tokens().find(account.id(), id)).orElseThrow(() -> unknown(account)));
            DeployToken token = db.write(dao -> dao.tokens().rotate(account, old.id(), secret, now, now.plus(overlap))
                    .orElseThrow(() -> unknown(account)));
            cli.printOnce(db, secret, dao -> {
                dao.tokens().delete(account.id(), token.id(), cli.now());
                return "The new token could not be printed, so it was deleted"
                        + (dao.tokens().end(account.id(), old.id(), old.expiresAt()) ? "; the old token keeps working" : "");
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
