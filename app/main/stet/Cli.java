package stet;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import stet.core.Account;
import stet.core.Period;
import stet.core.Refusal;
import stet.core.Timestamp;
import stet.store.Dao;
import stet.store.Db;

/** The commands that do one thing and end; they work beside a serve on the same data. */
final class Cli {
    private final Config config;
    private final Clock clock;
    private final PrintStream out;
    private final AccountCommands accounts;
    private final FileCommands files;

    Cli(Config config, Console console, Clock clock) {
        this.config = config;
        this.clock = clock;
        this.out = console.out();
        this.accounts = new AccountCommands(config, console, clock);
        this.files = new FileCommands(config, console, clock);
    }

    void run() throws IOException {
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
        return dao.account(email).orElseThrow(() -> new Refusal("There is no account " + email));
    }

    /** As the jar's manifest has it. */
    static String version() {
        return Optional.ofNullable(Cli.class.getPackage().getImplementationVersion()).orElse("(not packaged)");
    }

    private void usage() {
        try (Db db = Db.open(config.data(), false)) {
            db.read(dao -> {
                Account account = account(dao, config.operands().get(0));
                Period period = account.period(clock.instant());
                out.println("used:       " + dao.usage().used(account, period.start()));
                out.println("limit:      " + account.requests());
                out.println("period end: " + Timestamp.format(period.end()));
                return account;
            });
        }
    }

    private void help() {
        List<Command> commands = Command.of(config.operands());
        if (commands.isEmpty()) {
            throw new Refusal("There is no command \"" + String.join(" ", config.operands()) + "\"; \"help\" lists what there is");
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
    }

    private void explain(Command command) {
        out.println("java -jar stet.jar " + command.wholeUsage());
        out.println();
        out.println("    " + command.help());
        out.println();
        command.options().forEach(option -> line(option.usage(), option.help() + "; " + option.variable()));
    }

    private void line(String left, String right) {
        out.println(String.format("    %-32s  %s", left, right));
    }
}
