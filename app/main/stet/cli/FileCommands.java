package stet.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import stet.core.Account;
import stet.core.Refusal;
import stet.files.AccountFiles;
import stet.files.Export;
import stet.files.Folder;
import stet.files.FolderTarget;
import stet.files.Import;
import stet.files.ImportResult;
import stet.files.Source;
import stet.files.Zip;
import stet.store.Dao;
import stet.store.Db;
import stet.store.StoreException;
import stet.store.VersionDao;

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
        Path path = Config.path(config.operands().get(0));
        Source source = Files.isRegularFile(path) ? Zip.open(path, Long.MAX_VALUE) : Folder.of(path);
        try (AccountFiles files = AccountFiles.toImport(source); Db db = open()) {
            Account account = db.read(dao -> Cli.account(dao, email));
            Import work = new Import(db, account, files, config.has(Option.PUBLISH), config.has(Option.FORCE), clock);
            try {
                tell(config.has(Option.DRY_RUN) ? work.rehearse() : work.run());
                if (!files.passedOver().isEmpty()) {
                    console.err().println("Passed over: " + String.join(", ", files.passedOver()));
                }
            } finally {
                if (!config.has(Option.DRY_RUN)) {
                    sweep(db);
                }
            }
        }
    }

    /** What is left is removed by the next one: the command has done its work. */
    private void sweep(Db db) {
        try {
            db.sweep(clock.instant());
        } catch (StoreException full) {
            // A serve, or the next command, sweeps.
        }
    }

    private void tell(ImportResult imported) {
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
            long account = db.read(dao -> Cli.account(dao, email)).id();
            FolderTarget target = new FolderTarget(folder);
            db.read(dao -> {
                Export.write(dao, account, target);
                return target;
            });
            target.others().forEach(other -> console.err().println(other + " is not in the account; it was left alone"));
            console.err().println(target.files() + " files are in " + folder);
        }
    }

    void listTemplates() {
        TextTable columns = new TextTable(config.command().fields());
        try (Db db = open()) {
            db.read(dao -> dao.templates(Cli.account(dao, email()).id())).forEach(template -> columns.add(template.id(),
                    template.state(), template.updatedAt(), template.name()));
        }
        columns.print(config, console.out());
    }

    void publishTemplate() {
        try (Db db = open()) {
            Account account = db.read(dao -> {
                Account found = Cli.account(dao, email());
                Cli.checkTemplate(dao, found, id());
                return found;
            });
            Optional<Integer> number = db.write(account, dao -> dao.versions().prepare(account.id(), id(), config.has(Option.FORCE)),
                    (dao, prepared) -> publish(dao, account, prepared));
            console.err().println(number.map(version -> "The template " + id() + " is published as version " + version)
                    .orElse("The template " + id() + " is served as it is already; nothing was published"));
        }
    }

    /** @return nothing when what was prepared is no longer what publishing would freeze; in it nothing when that is served */
    private Optional<Optional<Integer>> publish(Dao dao, Account account, VersionDao.Prepared prepared) {
        if (!dao.versions().isUnchanged(account.id(), id(), prepared)) {
            return Optional.empty();
        }
        return Optional.of(!dao.versions().isNew(account.id(), id(), prepared) ? Optional.empty()
                : Optional.of(dao.versions().publish(account.id(), id(), prepared, "", clock.instant())));
    }

    void deleteTemplate() {
        try (Db db = open()) {
            db.change(dao -> {
                Account account = Cli.account(dao, email());
                Cli.checkTemplate(dao, account, id());
                if (!config.has(Option.YES)) {
                    throw new Refusal("This deletes the template " + id() + " with its history for good; --yes does it");
                }
                dao.deleteTemplate(account.id(), id());
            });
            db.sweep(clock.instant());
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
