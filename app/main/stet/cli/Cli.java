package stet.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import stet.core.Account;
import stet.core.Json;
import stet.core.Period;
import stet.core.Refusal;
import stet.core.Suggestion;
import stet.core.TemplateSummary;
import stet.core.Timestamp;
import stet.store.Dao;
import stet.store.Db;

/** The commands that do one thing and end; they work beside a serve on the same data. */
public final class Cli {
    private final Config config;
    private final Clock clock;
    private final PrintStream out;
    private final AccountCommands accounts;
    private final FileCommands files;

    public Cli(Config config, Console console, Clock clock) {
        this.config = config;
        this.clock = clock;
        this.out = console.out();
        this.accounts = new AccountCommands(config, console, clock);
        this.files = new FileCommands(config, console, clock);
    }

    public void run() throws IOException {
        switch (config.command()) {
            // accounts and their keys
            case ACCOUNT_ADD -> accounts.add();
            case ACCOUNT_LIST -> accounts.list();
            case ACCOUNT_PLAN -> accounts.plan();
            case ACCOUNT_PASSWORD -> accounts.password();
            case ACCOUNT_DELETE -> accounts.delete();
            case KEY_ADD -> accounts.addKey();
            case KEY_LIST -> accounts.listKeys();
            case KEY_DELETE -> accounts.deleteKey();

            // templates
            case IMPORT -> files.importFolder();
            case EXPORT -> files.exportFolder();
            case TEMPLATE_LIST -> files.listTemplates();
            case TEMPLATE_PUBLISH -> files.publishTemplate();
            case TEMPLATE_DELETE -> files.deleteTemplate();

            // all else
            case USAGE -> usage();
            case VERSION -> out.println("Stet " + version());
            case HELP -> help();
            default -> throw new IllegalStateException(config.command().words());
        }
    }

    /** @throws Refusal when there is no account of this e-mail address */
    static Account account(Dao dao, String email) {
        return dao.account(email).orElseThrow(() -> unknown("account", email,
                Suggestion.nearest(email, dao.accounts().stream().map(Account::email).toList(), 2)));
    }

    /** @throws Refusal when the account has no template of this id */
    static void checkTemplate(Dao dao, Account account, String id) {
        if (!dao.hasTemplate(account.id(), id)) {
            throw unknown("template", id, Suggestion.nearest(id, dao.templates(account.id()).stream().map(TemplateSummary::id).toList()));
        }
    }

    private static Refusal unknown(String kind, String given, Optional<String> nearest) {
        return new Refusal("There is no " + kind + " " + given + nearest.map(meant -> "; did you mean " + meant + "?").orElse(""));
    }

    /** As the jar's manifest has it. */
    public static String version() {
        return Optional.ofNullable(Cli.class.getPackage().getImplementationVersion()).orElse("(not packaged)");
    }

    private void usage() {
        try (Db db = Db.open(config.data(), false)) {
            db.read(dao -> {
                Account account = account(dao, config.operands().get(0));
                Period period = account.period(clock.instant());
                tell(dao.usage().used(account, period.start()), account.requests(), period);
                return account;
            });
        }
    }

    private void tell(long used, long limit, Period period) {
        if (config.has(Option.JSON)) {
            TextTable.printJson(Json.object().put("used", used).put("limit", limit).put("periodStart", Timestamp.format(period.start()))
                    .put("periodEnd", Timestamp.format(period.end())), out);
        } else {
            out.println("used:       " + used);
            out.println("limit:      " + limit);
            out.println("period end: " + Timestamp.format(period.end()));
        }
    }

    private void help() {
        List<Command> commands = Command.of(config.operands());
        if (commands.isEmpty()) {
            throw Config.unknown(config.operands());
        }
        if (commands.size() > 1) {
            overview(commands);
        } else {
            explain(commands.get(0));
        }
    }

    private void overview(List<Command> commands) {
        out.println("java -jar stet.jar [COMMAND] [OPTIONS]");
        out.println();
        commands.forEach(command -> line(command.usage(), command.help()));
        out.println();
        out.println("help COMMAND lists the options of a command. Each is also an environment variable: --data is STET_DATA.");
        out.println();
        out.println("Exit codes: 0 done, 1 refused, 2 the machine failed, 3 out of memory, 143 ended by SIGTERM.");
        out.println("The documents are pages of a running serve or demo: /docs, /docs/api, /docs/operating, /docs/test-double.");
    }

    private void explain(Command command) {
        out.println("java -jar stet.jar " + command.wholeUsage());
        out.println();
        out.println("    " + command.help());
        out.println();
        command.options().forEach(option -> line(option.isVariableOnly() ? "" : option.usage(),
                option.help() + json(command, option) + "; " + option.variable()));
    }

    private static String json(Command command, Option option) {
        return option != Option.JSON ? "" : (command == Command.USAGE ? ", an object with " : ", an array of objects with ")
                + String.join(", ", command.fields()) + "; times are as 2026-01-31T09:00:00.000Z";
    }

    private void line(String left, String right) {
        out.println(String.format("    %-32s  %s", left, right));
    }
}
