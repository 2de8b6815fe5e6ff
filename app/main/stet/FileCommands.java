package stet;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import stet.core.Account;
import stet.core.Refusal;
import stet.core.Timestamp;
import stet.files.AccountFiles;
import stet.files.Folder;
import stet.files.Imported;
import stet.store.Dao;
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
        String email = config.required(Option.ACCOUNT);
        AccountFiles files = AccountFiles.of(Folder.read(Config.path(config.operands().get(0))));
        Function<Dao, Imported> work = dao -> Imported.into(dao, Cli.account(dao, email).id(), files,
                config.has(Option.PUBLISH), config.has(Option.FORCE), clock.instant());
        try (Db db = open()) {
            tell(config.has(Option.DRY_RUN) ? db.rehearse(work) : db.write(work));
        }
    }

    private void tell(Imported imported) {
        imported.blocks().forEach(name -> console.out().println("block      " + name));
        imported.created().forEach(id -> console.out().println("created    " + id));
        imported.changed().forEach(id -> console.out().println("changed    " + id));
        imported.published().forEach(id -> console.out().println("published  " + id));
        console.err().println("Templates: " + imported.created().size() + " created, " + imported.changed().size()
                + " changed, " + imported.unchanged() + " unchanged, " + imported.published().size()
                + " published; shared blocks: " + imported.blocks().size() + " saved"
                + (config.has(Option.DRY_RUN) ? "; this was a dry run, nothing is changed" : ""));
    }

    void exportFolder() throws IOException {
        String email = config.required(Option.ACCOUNT);
        Path folder = Config.path(config.operands().get(0));
        try (Db db = open()) {
            SortedMap<String, byte[]> files = db.read(dao -> AccountFiles.of(dao, Cli.account(dao, email).id()));
            Folder.write(folder, files).forEach(other ->
                    console.err().println(other + " is not in the account; it was left alone"));
            console.err().println(files.size() + " files are in " + folder);
        }
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
                    config.has(Option.FORCE), clock.instant()));
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
