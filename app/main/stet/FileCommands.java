package stet;

import java.io.IOException;
import java.time.Clock;
import java.util.Optional;
import stet.core.Account;
import stet.core.Refusal;
import stet.core.Timestamp;
import stet.store.Db;

/** The commands about templates, and about templates as files. */
final class FileCommands {
    private final Config config;
    private final Console console;
    private final Clock clock;

    FileCommands(Config config, Console console, Clock clock) {
        this.config = config;
        this.console = console;
        this.clock = clock;
    }

    void importFolder() throws IOException {
    }

    void exportFolder() throws IOException {
    }

    void listTemplates() {
        Columns columns = new Columns("ID", "STATE", "UPDATED", "NAME");
        try (Db db = open()) {
            db.read(dao -> dao.templates(Cli.account(dao, email()).id())).forEach(template -> columns.add(template.id(),
                    template.state().words(), Timestamp.format(template.updatedAt()), template.name()));
        }
        columns.print(console.out());
    }

    void publishTemplate() {
        try (Db db = open()) {
            Optional<Integer> number = db.write(dao -> dao.publishChanged(Cli.account(dao, email()).id(), id(), "",
                    clock.instant()));
            console.err().println(number.map(version -> "The template " + id() + " is published as version " + version)
                    .orElse("The template " + id() + " is served as it is already; nothing was published"));
        }
    }

    void deleteTemplate() {
        try (Db db = open()) {
            db.change(dao -> {
                Account account = Cli.account(dao, email());
                if (!dao.hasTemplate(account.id(), id())) {
                    throw new Refusal("There is no template " + id());
                }
                if (!config.has(Option.YES)) {
                    throw new Refusal("This deletes the template " + id() + " with its history for good; --yes does it");
                }
                dao.deleteTemplate(account.id(), id());
            });
        }
        console.err().println("The template " + id() + " is deleted");
    }

    private Db open() {
        return Db.open(config.data(), false);
    }

    private String email() {
        return config.operands().get(0);
    }

    private String id() {
        return config.operands().get(1);
    }
}
